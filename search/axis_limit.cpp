#include "search/axis_limit.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace ndtune::search {
namespace {

constexpr int kLargest = 1 << 20;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::string shown(std::string_view text) {
    std::string out(text.substr(0, 40));
    for (char& c : out) {
        if (c < ' ' || c > '~') c = '?';
    }
    return out;
}

std::optional<Axis> axis_named(std::string_view name) {
    for (const Axis axis : kAxes) {
        if (name == to_string(axis)) return axis;
    }
    return std::nullopt;
}

tl::unexpected<Error> wrong(std::string_view text, std::string message) {
    return bad_input(std::move(message), fmt::format("limit '{}'", shown(text)), "a limit reads like tp=8 or 'cp<=4'");
}

std::string in_words(const AxisLimit& limit) {
    const std::string_view name = to_string(limit.axis);
    if (limit.max == kLargest) return fmt::format("{} >= {}", name, limit.min);
    if (limit.min == 1) return fmt::format("{} <= {}", name, limit.max);
    return fmt::format("{} <= {} <= {}", limit.min, name, limit.max);
}

// The largest divisor of `devices` that the limit allows, 0 without one.
std::int64_t allowed_divisor(const AxisLimit& limit, std::int64_t devices) {
    for (std::int64_t size = std::min<std::int64_t>(limit.max, devices); size >= limit.min; --size) {
        if (devices % size == 0) return size;
    }
    return 0;
}

}  // namespace

Result<AxisLimit> parse_limit(std::string_view text) {
    const std::size_t at = text.find_first_of("<>=");
    if (at == std::string_view::npos) return wrong(text, "no comparison: =, <= or >=");
    const auto axis = axis_named(trimmed(text.substr(0, at)));
    if (!axis) {
        return wrong(text,
                     fmt::format("'{}' is not an axis: dp_replicate, dp_shard, cp or tp", shown(trimmed(text.substr(0, at)))));
    }
    const std::size_t end = std::min(text.find_first_not_of("<>=", at), text.size());
    const std::string_view sign = text.substr(at, end - at);
    const std::string_view digits = trimmed(text.substr(end));
    int size = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (error != std::errc{} || stop != digits.data() + digits.size() || size < 1 || size > kLargest) {
        return wrong(text, fmt::format("'{}' is not a whole number from 1 to {}", shown(digits), kLargest));
    }
    if (sign == "=" || sign == "==") return AxisLimit{*axis, size, size};
    if (sign == "<=") return AxisLimit{*axis, 1, size};
    if (sign == ">=") return AxisLimit{*axis, size, kLargest};
    if (sign == "<" && size > 1) return AxisLimit{*axis, 1, size - 1};
    if (sign == ">" && size < kLargest) return AxisLimit{*axis, size + 1, kLargest};
    if (sign == "<" || sign == ">") return wrong(text, "no size meets this limit");
    return wrong(text, fmt::format("'{}' is not a comparison: =, <= or >=", sign));
}

AxisLimit combined_limit(std::span<const AxisLimit> limits, Axis axis) {
    AxisLimit all{axis, 1, kLargest};
    for (const AxisLimit& limit : limits) {
        if (limit.axis != axis) continue;
        all.min = std::max(all.min, limit.min);
        all.max = std::min(all.max, limit.max);
    }
    return all;
}

Result<bool> check_limits(std::span<const AxisLimit> limits, std::int64_t devices) {
    std::int64_t needed = 1;
    std::string minima;
    for (const Axis axis : kAxes) {
        const AxisLimit all = combined_limit(limits, axis);
        const std::string_view name = to_string(axis);
        if (all.min > all.max) {
            return bad_input(fmt::format("the limits {0} >= {1} and {0} <= {2} contradict each other", name, all.min, all.max),
                             "limits", fmt::format("leave one of the two limits on {} out", name));
        }
        if (allowed_divisor(all, devices) == 0) {
            const std::string message = all.min == all.max
                                            ? fmt::format("{} = {} does not divide {} devices", name, all.min, devices)
                                            : fmt::format("no divisor of {} devices meets {}", devices, in_words(all));
            return bad_input(message, "limits", fmt::format("choose a divisor of {} for {}", devices, name));
        }
        if (all.min == 1) continue;
        needed *= all.min;  // at most devices x 2^20 before the check below: no overflow
        minima += fmt::format("{}{} >= {}", minima.empty() ? "" : " and ", name, all.min);
        if (needed > devices) {
            return bad_input(fmt::format("{} need at least {} devices; the cluster has {}", minima, needed, devices), "limits",
                             "lower one of the sizes or take a larger cluster");
        }
    }
    return true;
}

}  // namespace ndtune::search
