#pragma once

#include <string>
#include <vector>

#include "cost_model/result.h"
#include "search/search.h"

namespace ndtune::reports {

inline constexpr int kSchemaVersion = 1;

/// One answer of `ndtune search`: the inputs that repeat it, and the result. Written by console, json, csv and markdown.
struct Report {
    Job job;
    search::Options options;
    search::SearchResult result;
    std::vector<std::string> warnings;
};

std::string to_json(const Report& report);
std::string to_csv(const Report& report);
std::string to_markdown(const Report& report);

struct ConsoleStyle {
    bool color = false;
    bool unicode = false;
    int width = 80;
    int verbosity = 0;  ///< -1: the best plan's text only
};
std::string to_console(const Report& report, const ConsoleStyle& style);

/// Reads what to_json wrote. Inputs are read in full, so that the search can be repeated; results are read back equal.
/// Errors: not JSON, another schema, a later version, a missing or ill-typed field (with its path).
Result<Report> parse_report(std::string_view text, std::string_view where);

}  // namespace ndtune::reports
