#pragma once

#include <string>

#include "cost_model/estimate.h"

namespace ndtune::reports {

/// What the chain of ops that decides the step consists of, longest part first, and how far the schedule of the step graph is
/// from the closed form.
std::string critical_path_text(const Job& job, const Plan& plan);

}  // namespace ndtune::reports
