#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cost_model/result.h"

namespace ndtune::cli {

/// One flag or argument of a verb, for help and completions.
struct FlagHelp {
    std::string names;  ///< "-o,--output" or "MODEL"
    std::string value;  ///< "FILE", or "a|b" where only a and b will do; empty for a switch
    std::string text;
    std::string group;

    [[nodiscard]] bool positional() const { return names.front() != '-'; }
    /// The fixed values of a flag, e.g. of "table|json|csv|md"; empty for free text.
    [[nodiscard]] std::vector<std::string_view> choices() const;
};

/// A verb as the help shows it.
struct VerbHelp {
    std::string_view name;
    std::string_view summary;
    std::string_view usage;
    std::vector<std::string_view> examples;
    std::vector<FlagHelp> flags;
};

/// Names of the verbs in the order of the help.
std::span<const std::string_view> verb_names();

/// Flags and examples of a verb; `verb` must be one of verb_names().
VerbHelp describe(std::string_view verb);

/// Reads a verb's arguments (argv from behind the verb). Flags left out are taken from NDTUNE_* variables where they have one.
/// Errors: unknown flag (with the nearest), missing or superfluous values.
Result<Command> parse_command(std::string_view verb, const std::vector<std::string>& args);

}  // namespace ndtune::cli
