#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cost_model/units.h"

namespace ndtune::reports {

// Numbers and words for people. All pure; no locale.

/// 3 significant digits, no exponent: 36.1, 4.30, 0.431, 1240.
std::string sig3(double value);
/// 29.0k, 812, 1.20M.
std::string short_count(double value);
/// 1,148.
std::string grouped(std::uint64_t value);
/// 0.417 -> "41.7".
std::string percent(double share);
double in_gib(Bytes bytes);
/// Bytes as GiB with 3 significant digits and no unit.
std::string gib(Bytes bytes);
/// As many decimals as sig3 gives `total` (and `more`): the parts of a sum line up with it.
std::string sig3_like(double value, double total, int more = 0);
/// 5.21e+10 -> "5.21e10".
std::string power_of_ten(double value);
/// "1 node", "2 nodes".
std::string plural(std::uint64_t count, std::string_view noun);
/// Control characters (escape sequences, line ends) become '?': names come from files.
std::string printable(std::string_view text);
/// The same with the characters that Markdown would take for markup escaped.
std::string markdown_text(std::string_view text);

}  // namespace ndtune::reports
