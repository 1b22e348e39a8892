#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

namespace ndtune {

/// A number with a unit. Arithmetic keeps the unit; `.value` is the way out of it, in the SI base unit named by the alias.
template <class Unit, class Rep>
struct Quantity {
    Rep value{};

    constexpr Quantity() = default;
    explicit constexpr Quantity(Rep v) : value(v) {}

    friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.value + b.value}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.value - b.value}; }
    friend constexpr Quantity operator*(Quantity a, Rep k) { return Quantity{a.value * k}; }
    friend constexpr Quantity operator*(Rep k, Quantity a) { return Quantity{a.value * k}; }
    friend constexpr Quantity operator/(Quantity a, Rep k) { return Quantity{a.value / k}; }
    friend constexpr double operator/(Quantity a, Quantity b) {
        return static_cast<double>(a.value) / static_cast<double>(b.value);
    }
    constexpr Quantity& operator+=(Quantity b) { return *this = *this + b; }
    constexpr Quantity& operator-=(Quantity b) { return *this = *this - b; }
};

using Bytes = Quantity<struct BytesUnit, std::int64_t>;
using Seconds = Quantity<struct SecondsUnit, double>;
using Flops = Quantity<struct FlopsUnit, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondUnit, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondUnit, double>;
using Dollars = Quantity<struct DollarsUnit, double>;

/// Bytes from a formula in floating point, rounded up to a whole byte. What no machine holds (or is no number) becomes 2^58, so
/// that a ledger's sum stays within 64 bits.
inline Bytes whole_bytes(double bytes) {
    constexpr double kMost = 288230376151711744.0;  // 2^58
    const double whole = std::ceil(bytes);
    if (!(whole < kMost)) return Bytes{static_cast<std::int64_t>(kMost)};
    return Bytes{static_cast<std::int64_t>(whole > -kMost ? whole : -kMost)};
}

constexpr Seconds operator/(Flops work, FlopsPerSecond rate) {
    return Seconds{work.value / rate.value};
}
constexpr Seconds operator/(Bytes volume, BytesPerSecond rate) {
    return Seconds{static_cast<double>(volume.value) / rate.value};
}

constexpr double kKiB = 1024.0;
constexpr double kMiB = 1024.0 * kKiB;
constexpr double kGiB = 1024.0 * kMiB;

namespace literals {
constexpr Bytes operator""_GiB(unsigned long long n) {
    return Bytes{static_cast<std::int64_t>(n) << 30};
}
constexpr Bytes operator""_MiB(unsigned long long n) {
    return Bytes{static_cast<std::int64_t>(n) << 20};
}
}  // namespace literals

}  // namespace ndtune
