#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/result.h"
#include "reports/report.h"

namespace ndtune::cli {

/// Exit codes: scripts branch on them.
inline constexpr int kAnswer = 0;
inline constexpr int kInternal = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kInfeasible = 3;
inline constexpr int kCheckFailed = 4;
inline constexpr int kInterrupted = 130;
int exit_code(ErrorCode code);

/// Whether a person reads stdout.
bool on_terminal();
/// How stdout wants its text: colour by --color, then NO_COLOR, CLICOLOR_FORCE, TERM and whether it is a terminal.
reports::ConsoleStyle console_style(std::string_view color);

/// `[verb] message (where). Hint: hint` on stderr, always one line: control and non-UTF-8 bytes are written as \xNN.
void print_error(std::string_view verb, const Error& error);
/// `[verb] warning: text` on stderr, one line each.
void print_warnings(std::string_view verb, const std::vector<std::string>& warnings);

/// Writes the result to stdout, or to a file. Errors: the file cannot be written, the disk is full.
Result<void> write_result(std::string_view text, const std::optional<std::string>& path);

}  // namespace ndtune::cli
