#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/result.h"
#include "search/search.h"

namespace ndtune::reports {

/// Version of the search and sizing reports. Fields may be added; one that is shipped keeps its meaning or the version rises.
inline constexpr int kSchemaVersion = 1;

/// The answer with one axis only: FSDP over all devices (plain data parallel where the runtime has no FSDP). Against it the
/// report says why more axes pay.
struct Baseline {
    std::optional<search::RankedPlan> best;
    std::optional<search::Violation> reason;  ///< why no such plan fits

    bool operator==(const Baseline&) const = default;
};

/// One answer of `ndtune search`: the inputs that repeat it, and the result. Written by console, json, csv and markdown.
struct Report {
    Job job;
    search::Options options;
    search::SearchResult result;
    std::optional<Baseline> baseline = std::nullopt;  ///< empty on one device
    std::vector<std::string> warnings;

    bool operator==(const Report&) const = default;
};

/// Runs the search and its one-axis baseline. Errors are those of search::search.
Result<Report> make_report(const Job& job, const search::Options& options, std::vector<std::string> warnings = {});

/// `threads` is not written: it does not change the answer, and equal answers have equal bytes.
std::string to_json(const Report& report);
/// One row per ranked plan, header first.
std::string to_csv(const Report& report);
/// A table for a pull-request comment.
std::string to_markdown(const Report& report);

struct ConsoleStyle {
    bool color = false;
    bool unicode = false;
    int width = 80;
    int verbosity = 0;                ///< -1: the best plan's text only; 1: Pareto front and rejections by rule too
    std::optional<double> elapsed_s;  ///< wall time of the search; left out of golden texts
    std::string command;              ///< what was typed, for the last line; empty = not known
    std::string report_path;          ///< where the JSON report lies, for the last line; empty = not written
};
/// Table and reasons. With verbosity -1: the best plan's text and a newline, or nothing if no plan fits.
std::string to_console(const Report& report, const ConsoleStyle& style);

/// Reads what to_json wrote. Inputs are read in full, so that the search can be repeated; results are read back equal.
/// Unknown fields are skipped (a later minor version may add some).
/// Errors: larger than 64 MiB, nested too deeply, not JSON, another schema, a later version, a missing, ill-typed or
/// out-of-range field (with its path).
Result<Report> parse_report(std::string_view text, std::string_view where);

}  // namespace ndtune::reports
