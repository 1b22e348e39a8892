#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ndtune::reports {

/// Converts to any type; only ever used unevaluated.
struct Anything {
    template <class T>
    operator T() const;  // NOLINT(google-explicit-constructor)
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return requires { T{(static_cast<void>(I), Anything{})...}; };
}

/// Number of members of an aggregate: the most values it can be initialized from.
template <class T, std::size_t N = 96>
constexpr std::size_t field_count() {
    if constexpr (N == 0 || takes<T>(std::make_index_sequence<N>())) {
        return N;
    } else {
        return field_count<T, N - 1>();
    }
}

/// Counts the fields that a list of fields names.
struct FieldCounter {
    std::size_t count = 0;

    template <class... Any>
    void operator()(const char*, Any&&...) {
        ++count;
    }
    template <class E, class T, std::size_t N>
    void named(const char*, std::array<T, N>&) {
        ++count;
    }
};

}  // namespace ndtune::reports
