#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost_model/estimate.h"

namespace ndtune::search {

/// By what factor one input must change for plan B to be preferred to plan A.
struct Sensitivity {
    std::string name;              ///< "scale-out bandwidth", "memory capacity", "global batch", ...
    std::optional<double> factor;  ///< the one closest to 1 within 1/8 .. 8; empty: none does

    bool operator==(const Sensitivity&) const = default;
};

/// One input at a time, all else equal. B is preferred when it fits and A does not, or both fit and B takes less time per step.
/// Bandwidths, memory, GEMM speed and host time change continuously (found to 0.1 %); batch, micro-batch and sequence by powers
/// of two, with the accumulation following the batch. An input that the job does not have (scale-out on one node) is left out.
/// B must not be preferred already; if it is, every factor is 1.
std::vector<Sensitivity> what_would_flip(const Job& job, const Plan& a, const Plan& b);

}  // namespace ndtune::search
