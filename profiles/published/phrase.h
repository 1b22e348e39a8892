#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace ndtune::published {

/// Whether `text` holds `phrase`, letter for letter.
inline bool mentions(std::string_view text, std::string_view phrase) {
    return text.find(phrase) != std::string_view::npos;
}

/// ASCII letters in lower case, the rest as it is.
inline std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

/// Whether `text` holds one of `phrases`.
template <class Phrases>
bool mentions_any(std::string_view text, const Phrases& phrases) {
    return std::any_of(std::begin(phrases), std::end(phrases), [&](std::string_view p) { return mentions(text, p); });
}

}  // namespace ndtune::published
