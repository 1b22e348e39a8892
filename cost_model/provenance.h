#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace ndtune {

/// Where a number comes from, best first. An estimate is as good as its weakest input.
enum class Provenance : std::uint8_t {
    exact,       ///< follows from the model's or plan's definition
    measured,    ///< read off a measurement of this device or fabric
    calibrated,  ///< fitted on measured runs
    datasheet,   ///< the vendor's figure
    assumed      ///< carried over from a similar part, or a rule of thumb
};

constexpr Provenance weakest(Provenance a, Provenance b) {
    return std::max(a, b);
}

constexpr std::string_view to_string(Provenance p) {
    constexpr std::string_view kNames[] = {"exact", "measured", "calibrated", "datasheet", "assumed"};
    return kNames[static_cast<std::size_t>(p)];
}

/// A number with its grade.
template <class T>
struct Graded {
    T value{};
    Provenance provenance = Provenance::assumed;

    bool operator==(const Graded&) const = default;
};

}  // namespace ndtune
