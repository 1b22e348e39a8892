#include <nlohmann/json.hpp>

#include "reports/enum_names.h"
#include "reports/json_values.h"
#include "reports/report.h"

namespace ndtune::reports {

namespace {

using Json = nlohmann::ordered_json;

Json plan_list(const Job& job, const std::vector<search::RankedPlan>& plans) {
    Json list = Json::array();
    for (const search::RankedPlan& ranked : plans) list.push_back(json_value(job, ranked));
    return list;
}

Json space_value(const search::Space& space) {
    Json by_rule = Json::object();
    for (int i = 0; i < search::kRules; ++i) {
        by_rule[std::string(name(static_cast<search::Rule>(i)))] = space.rejected_by[static_cast<std::size_t>(i)];
    }
    return Json{{"size", space.size},         {"visited", space.visited},     {"feasible", space.feasible},
                {"rejected", space.rejected}, {"estimated", space.estimated}, {"rejected_by", std::move(by_rule)}};
}

Json near_miss_value(const Job& job, const search::NearMiss& miss) {
    Json value = json_value(job, miss.plan);
    value["over_bytes"] = miss.over.value;
    value["change"] = miss.change;
    value["remedy"] = miss.remedy ? json_value(job, *miss.remedy) : Json(nullptr);
    return value;
}

Json baseline_value(const Job& job, const std::optional<Baseline>& baseline) {
    if (!baseline) return nullptr;
    return Json{{"best", baseline->best ? json_value(job, *baseline->best) : Json(nullptr)},
                {"reason", baseline->reason ? json_value(*baseline->reason) : Json(nullptr)}};
}

}  // namespace

std::string to_json(const Report& report) {
    const Job& job = report.job;
    Json root = json_head("ndtune.search");
    root["model"] = json_facts(job.model, job.workload.seq_len);
    root["inputs"] = Json{{"model", json_inputs(job.model)},
                          {"workload", json_value(job.workload)},
                          {"options", json_value(report.options)},
                          {"cluster", json_value(job.cluster, true)},
                          {"runtime", json_value(job.runtime)}};
    root["space"] = space_value(report.result.space);
    root["plans"] = plan_list(job, report.result.plans);
    root["pareto"] = plan_list(job, report.result.pareto);
    Json& misses = root["near_misses"] = Json::array();
    for (const search::NearMiss& miss : report.result.near_misses) misses.push_back(near_miss_value(job, miss));
    root["baseline"] = baseline_value(job, report.baseline);
    root["warnings"] = report.warnings;
    return dump(root);
}

}  // namespace ndtune::reports
