#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ndtune::cli {

/// What every verb understands.
struct CommonOptions {
    std::string color = "auto";  ///< auto, always or never
    bool quiet = false;          ///< -q: the answer only
    int verbose = 0;             ///< -v, -vv
    std::optional<std::string> output;
};

/// `ndtune search`, as typed: texts are parsed by the verb, so that a report's own values can stand where a flag is left out.
struct SearchCommand {
    CommonOptions common;
    std::string model;  ///< preset, config.json, folder, or a report to repeat
    std::optional<std::string> cluster, seq, batch, runtime, precision, objective, margin, top, threads;
    std::vector<std::string> fix, limit, within_node, no_rule;
    std::optional<std::string> gpus, device, tokens, deadline, budget, prices, batch_tolerance;  ///< sizing
    std::optional<std::string> why;
    bool no_bounds = false;
    bool explain = false;
    std::string typed;             ///< the command line as a shell would read it again
    std::string format = "table";  ///< table, json, csv or md
};

struct ExplainCommand {
    CommonOptions common;
    std::string report;  ///< report.json or report.json#2
};

struct ValidateCommand {
    CommonOptions common;
    std::string file;
};

struct CatalogCommand {
    CommonOptions common;
    std::string kind;  ///< devices, models, runtimes, fabrics or rules
    std::string name;  ///< empty: list them all
};

struct SchemaCommand {
    CommonOptions common;
    std::string name;
};

struct DoctorCommand {
    CommonOptions common;
};

struct CompletionsCommand {
    CommonOptions common;
    std::string shell;
};

using Command = std::variant<SearchCommand, ExplainCommand, ValidateCommand, CatalogCommand, SchemaCommand, DoctorCommand,
                             CompletionsCommand>;

}  // namespace ndtune::cli
