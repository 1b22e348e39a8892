#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "reports/report.h"

namespace ndtune::reports {

// Pieces that the search and the sizing report share. Key order is that of the schema.

nlohmann::ordered_json json_value(const Device& device);
/// With the device in full, or by its name only.
nlohmann::ordered_json json_value(const Cluster& cluster, bool device_in_full);
nlohmann::ordered_json json_value(const search::Options& options);
nlohmann::ordered_json json_value(const Workload& workload);
nlohmann::ordered_json json_value(const Runtime& runtime);
nlohmann::ordered_json json_inputs(const Model& model);
nlohmann::ordered_json json_value(const search::Violation& violation);
/// A plan with all that is predicted for it.
nlohmann::ordered_json json_value(const Job& job, const search::RankedPlan& ranked);
/// The derived facts of a model: parameters and FLOPs per token.
nlohmann::ordered_json json_facts(const Model& model, std::int64_t seq);
/// schema, version, program version: the head of every report.
nlohmann::ordered_json json_head(const char* schema);
/// The text of a report: two spaces a level, a newline at the end, bytes that are not UTF-8 replaced.
std::string dump(const nlohmann::ordered_json& report);

}  // namespace ndtune::reports
