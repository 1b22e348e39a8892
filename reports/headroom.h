#pragma once

#include <string>

#include "cost_model/estimate.h"

namespace ndtune::reports {

/// What still fits with this plan, `memory_margin` of the memory kept free: the longest sequence, the next micro-batch. Only for
/// a plan that can be priced.
std::string headroom_text(const Job& job, const Plan& plan, double memory_margin);

}  // namespace ndtune::reports
