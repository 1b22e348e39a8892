#pragma once

#include <vector>

#include "search/walk.h"

namespace ndtune::search {

/// The near misses of a finished walk, each with the fastest feasible plan that is one change away: other recompute, a smaller
/// micro-batch, another knob, or a factor of 2 moved from one axis to another.
std::vector<NearMiss> near_misses(const Job& job, const Constraints& constraints, const Findings& findings);

}  // namespace ndtune::search
