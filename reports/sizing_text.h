#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/sizing_report.h"

namespace ndtune::reports {

// What the console, CSV and Markdown forms of a sizing share.

/// "cheapest, fastest", "ok", "misses the deadline", "no price", "nothing fits: ...".
std::string verdict(const SizingReport& report, std::size_t index);

/// The rows worth showing: the named ones and, per device, the cheapest, fastest and smallest that meet the wishes or, where none
/// does, come nearest. Those that meet the wishes first, then by cost (by device-hours where prices are missing).
std::vector<std::size_t> rows_that_matter(const SizingReport& report);

/// "2 T tokens, 8.98e23 FLOP in all; wanted within 30 days for $2M at most".
std::string wishes_line(const SizingReport& report);

/// In a sentence: what deadline or budget would be needed. Empty if some row meets the wishes or nothing fits at all.
std::string needed_text(const SizingReport& report);

/// The row that answers in one word: the cheapest, without prices the smallest. Nothing if no row meets the wishes.
std::optional<std::size_t> choice(const SizingReport& report);

}  // namespace ndtune::reports
