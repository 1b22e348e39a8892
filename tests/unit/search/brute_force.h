#pragma once

#include <vector>

#include "search/search.h"

namespace ndtune::search::testing {

/// Every plan of a job's space, enumerated by trial of all sizes up to the device count: slow, and independent of PlanSpace.
/// Meshes that do not divide the batch appear once, with mb1 and ga1.
std::vector<Plan> every_plan(const Job& job);

/// What the search should answer, from pricing and judging each plan by itself. Near misses come without `over` and remedies.
SearchResult brute_force(const Job& job, const Options& options);

}  // namespace ndtune::search::testing
