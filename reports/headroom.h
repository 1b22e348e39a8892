#pragma once

#include <string>

#include "cost_model/estimate.h"

namespace ndtune::reports {

/// What still fits with this plan: the longest sequence, the next micro-batch. Only for a plan that can be priced.
std::string headroom_text(const Job& job, const Plan& plan);

}  // namespace ndtune::reports
