#pragma once

#include <cstdint>

#include "cost_model/device.h"

namespace ndtune {

/// What is to be trained in one step.
struct Workload {
    std::int64_t seq_len = 0;               ///< tokens per sequence, S
    std::int64_t global_batch = 0;          ///< sequences per optimizer step
    Precision precision = Precision::bf16;  ///< of the linear layers; attention and head run in 16 bit (fp32: all fp32)
    double tokens = 0;                      ///< tokens to train on in all, 0 = not stated

    [[nodiscard]] double tokens_per_step() const { return static_cast<double>(seq_len) * static_cast<double>(global_batch); }
    bool operator==(const Workload&) const = default;
};

}  // namespace ndtune
