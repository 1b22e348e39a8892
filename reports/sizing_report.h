#pragma once

#include <string>
#include <vector>

#include "reports/report.h"
#include "search/sizing.h"

namespace ndtune::reports {

/// One answer of `ndtune search --gpus A:B`: what was asked and what came out.
struct SizingReport {
    search::SizingRequest request;
    search::SizingResult result;
    std::vector<std::string> warnings;
};

/// With verbosity 0 the rows that matter (named ones, and per device the best that meets the wishes or comes nearest);
/// with 1 every row; with -1 the cheapest (without prices: the smallest) choice as `CLUSTER PLAN`.
std::string to_console(const SizingReport& report, const ConsoleStyle& style);
std::string to_json(const SizingReport& report);
std::string to_csv(const SizingReport& report);
std::string to_markdown(const SizingReport& report);

}  // namespace ndtune::reports
