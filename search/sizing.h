#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/cluster_sizes.h"
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
    Options options;  ///< `threads` is for the clusters, each is searched on one thread; `top` is not used
    /// A cluster size that does not divide the global batch (24 nodes, 512 sequences) may take the nearest batch that suits it,
    /// changed by at most this share. 0 = never; the row then says why nothing fits.
    double batch_tolerance = 0;
};

struct SizingRow {
    Cluster cluster;
    std::int64_t global_batch = 0;    ///< sequences per step that the row was searched with
    std::optional<RankedPlan> best;   ///< empty: nothing fits
    std::optional<Violation> reason;  ///< why nothing fits: the rule that stops the plan that gets furthest
    double duration_s = 0;            ///< tokens / tokens per second
    double gpu_hours = 0;
    std::optional<Dollars> cost;
    bool meets_deadline = false;
    bool meets_budget = false;  ///< false where a budget is set and the price is not known

    [[nodiscard]] bool meets_wishes() const { return best && meets_deadline && meets_budget; }
};

struct SizingResult {
    std::vector<SizingRow> rows;                             ///< in the order of the request's clusters
    std::optional<std::size_t> cheapest, fastest, smallest;  ///< among rows that meet the wishes
    std::optional<double> deadline_needed_s;  ///< no row meets the wishes: the least deadline that the budget allows
    std::optional<Dollars> budget_needed;     ///< ... and the least budget that the deadline allows
};

/// Errors: no clusters, no tokens, a deadline or budget that is not positive, and those of `search`.
Result<SizingResult> size_clusters(const SizingRequest& request);

}  // namespace ndtune::search
