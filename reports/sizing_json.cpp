#include <algorithm>

#include <nlohmann/json.hpp>

#include "reports/json_values.h"
#include "reports/sizing_report.h"

namespace ndtune::reports {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json number_or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json dollars_or_null(const std::optional<Dollars>& value) {
    return value ? Json(value->value) : Json(nullptr);
}

/// Each device once, in full; the rows name it.
Json device_list(const std::vector<Cluster>& clusters) {
    Json list = Json::array();
    std::vector<std::string> seen;
    for (const Cluster& cluster : clusters) {
        if (std::find(seen.begin(), seen.end(), cluster.device.name) != seen.end()) continue;
        seen.push_back(cluster.device.name);
        list.push_back(json_value(cluster.device));
    }
    return list;
}

Json row_value(const search::SizingRequest& request, const search::SizingRow& row) {
    Job job{request.model, row.cluster, request.workload, request.runtime};
    job.workload.global_batch = row.global_batch;
    return Json{{"cluster", json_value(row.cluster, false)},
                {"devices", row.cluster.devices()},
                {"global_batch", row.global_batch},
                {"best", row.best ? json_value(job, *row.best) : Json(nullptr)},
                {"reason", row.reason ? json_value(*row.reason) : Json(nullptr)},
                {"duration_s", row.best ? Json(row.duration_s) : Json(nullptr)},
                {"device_hours", row.best ? Json(row.gpu_hours) : Json(nullptr)},
                {"cost_usd", dollars_or_null(row.cost)},
                {"meets_deadline", row.meets_deadline},
                {"meets_budget", row.meets_budget},
                {"meets_wishes", row.meets_wishes()}};
}

}  // namespace

std::string to_json(const SizingReport& report) {
    const search::SizingRequest& request = report.request;
    const search::SizingResult& result = report.result;
    Json root = json_head("ndtune.sizing");
    root["model"] = json_facts(request.model, request.workload.seq_len);
    root["inputs"] = Json{{"model", json_inputs(request.model)},           {"workload", json_value(request.workload)},
                          {"options", json_value(request.options)},        {"deadline_s", number_or_null(request.deadline_s)},
                          {"budget_usd", dollars_or_null(request.budget)}, {"batch_tolerance", request.batch_tolerance},
                          {"devices", device_list(request.clusters)},      {"runtime", json_value(request.runtime)}};
    Json& rows = root["rows"] = Json::array();
    for (const search::SizingRow& row : result.rows) rows.push_back(row_value(request, row));
    root["choices"] = Json{{"cheapest", number_or_null(result.cheapest)},
                           {"fastest", number_or_null(result.fastest)},
                           {"smallest", number_or_null(result.smallest)}};
    root["deadline_needed_s"] = number_or_null(result.deadline_needed_s);
    root["budget_needed_usd"] = dollars_or_null(result.budget_needed);
    root["warnings"] = report.warnings;
    return dump(root);
}

}  // namespace ndtune::reports
