#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/search.h"

namespace ndtune::search {

/// What a sizing asks for: the best plan of every cluster, then days and dollars.
struct SizingRequest {
    Model model;
    Workload workload;  ///< `tokens` must be positive
    Runtime runtime;
    std::vector<Cluster> clusters;  ///< candidates, prices filled in where known
    std::optional<double> deadline_s;
    std::optional<Dollars> budget;
    Options options;
};

struct SizingRow {
    Cluster cluster;
    std::optional<RankedPlan> best;   ///< empty: nothing fits
    std::optional<Violation> reason;  ///< why nothing fits
    double duration_s = 0;            ///< tokens / tokens per second
    double gpu_hours = 0;
    std::optional<Dollars> cost;
    bool meets_deadline = false;
    bool meets_budget = false;

    [[nodiscard]] bool meets_wishes() const { return best && meets_deadline && meets_budget; }
};

struct SizingResult {
    std::vector<SizingRow> rows;                             ///< in the order of the request's clusters
    std::optional<std::size_t> cheapest, fastest, smallest;  ///< among rows that meet the wishes
    std::optional<double> deadline_needed_s;  ///< no row meets the wishes: the least deadline that the budget allows
    std::optional<Dollars> budget_needed;     ///< ... and the least budget that the deadline allows
};

Result<SizingResult> size_clusters(const SizingRequest& request);

}  // namespace ndtune::search
