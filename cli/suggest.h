#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ndtune::cli {

/// The candidate with the fewest edits from `text`, or "" where none is near (more than a third of the letters differ).
std::string_view nearest(std::string_view text, std::span<const std::string_view> candidates);

}  // namespace ndtune::cli
