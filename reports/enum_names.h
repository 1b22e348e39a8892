#pragma once

#include <optional>
#include <string_view>

#include "search/search.h"

namespace ndtune::reports {

// The words that stand for enumerators in reports. Part of the schema: they never change.

std::string_view name(Precision value);
std::string_view name(AttentionKernel value);
std::string_view name(Collective value);
std::string_view name(Recompute value);
std::string_view name(CpMethod value);
std::string_view name(search::Objective value);
inline std::string_view name(Provenance value) {
    return to_string(value);
}
inline std::string_view name(Axis value) {
    return to_string(value);
}
inline std::string_view name(Bucket value) {
    return to_string(value);
}
inline std::string_view name(LedgerRow value) {
    return to_string(value);
}
inline std::string_view name(MemoryPhase value) {
    return to_string(value);
}
inline std::string_view name(search::Rule value) {
    return search::to_string(value);
}

template <class E>
constexpr int kCount = 0;
template <>
inline constexpr int kCount<Precision> = kPrecisions;
template <>
inline constexpr int kCount<AttentionKernel> = kAttentionKernels;
template <>
inline constexpr int kCount<Collective> = kCollectives;
template <>
inline constexpr int kCount<Recompute> = 3;
template <>
inline constexpr int kCount<CpMethod> = 2;
template <>
inline constexpr int kCount<search::Objective> = 3;
template <>
inline constexpr int kCount<Provenance> = 5;
template <>
inline constexpr int kCount<Axis> = 4;
template <>
inline constexpr int kCount<Bucket> = kBuckets;
template <>
inline constexpr int kCount<LedgerRow> = kLedgerRows;
template <>
inline constexpr int kCount<MemoryPhase> = kMemoryPhases;
template <>
inline constexpr int kCount<search::Rule> = search::kRules;

/// The enumerator with that name, or nothing.
template <class E>
std::optional<E> parse_enum(std::string_view text) {
    for (int i = 0; i < kCount<E>; ++i) {
        if (name(static_cast<E>(i)) == text) return static_cast<E>(i);
    }
    return std::nullopt;
}

}  // namespace ndtune::reports
