#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cost_model/cluster.h"
#include "cost_model/result.h"

namespace ndtune::search {

/// `tp = 8` or `cp <= 4`: the sizes an axis may take.
struct AxisLimit {
    Axis axis = Axis::tp;
    int min = 1;
    int max = 1 << 20;

    [[nodiscard]] bool allows(int size) const { return size >= min && size <= max; }
    bool operator==(const AxisLimit&) const = default;
};

/// Reads "tp=8", "cp<=4", "dp_shard >= 2" (also < and >).
/// Errors: unknown axis, no comparison, a size below 1 or above 1,048,576, a limit that no size meets.
Result<AxisLimit> parse_limit(std::string_view text);

/// All limits on one axis taken together; may be empty (min > max).
AxisLimit combined_limit(std::span<const AxisLimit> limits, Axis axis);

/// Errors: limits that contradict each other, or that no mesh of `devices` devices can meet.
Result<bool> check_limits(std::span<const AxisLimit> limits, std::int64_t devices);

}  // namespace ndtune::search
