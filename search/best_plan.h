#pragma once

#include <optional>

#include "search/search.h"

namespace ndtune::search {

/// The plan that `search` would rank first, on the calling thread and without the counts, the Pareto front and the near misses:
/// meshes and batch splits are taken in the order of a lower bound of their step time until it passes the best plan found.
/// For Objective::memory_headroom and without Options::bounds it is a plain search. Empty if nothing is feasible.
/// Errors: as search.
Result<std::optional<RankedPlan>> best_plan(const Job& job, const Options& options);

}  // namespace ndtune::search
