#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "cli/help.h"
#include "cli/parser.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "cli/verbs.h"

namespace ndtune::cli {
namespace {

/// Prints what --version and --help print, to stdout.
int print(std::string_view text) {
    const auto written = write_result(text, std::nullopt);
    if (written) return kAnswer;
    print_error("ndtune", written.error());
    return exit_code(written.error().code);
}

bool asks_for_help(const std::vector<std::string>& args) {
    for (const std::string& arg : args) {
        if (arg == "--help" || arg == "-h") return true;
    }
    return false;
}

/// The command line as a shell would read it again: what is more than plain words stands in single quotes.
std::string typed(std::string_view verb, const std::vector<std::string>& args) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+";
    std::string line = fmt::format("ndtune {}", verb);
    for (const std::string& arg : args) {
        const bool plain = !arg.empty() && arg.find_first_not_of(kPlain) == std::string::npos;
        std::string quoted;
        for (const char c : arg) quoted += c == '\'' ? "'\\''" : std::string(1, c);
        line += plain ? " " + arg : " '" + quoted + "'";
    }
    return line;
}

int run_verb(std::string_view verb, const std::vector<std::string>& args) {
    if (asks_for_help(args)) return print(verb_help(verb));
    const Result<int> code = parse_command(verb, args).and_then([&](Command command) {
        if (auto* search = std::get_if<SearchCommand>(&command)) search->typed = typed(verb, args);
        return std::visit([](const auto& c) { return run(c); }, command);
    });
    if (code) return *code;
    print_error(verb, code.error());
    return exit_code(code.error().code);
}

int run_program(const std::vector<std::string>& args) {
    if (args.empty()) {
        print_error("ndtune", {ErrorCode::bad_input, "no verb", {}, "ndtune --help"});
        return kBadInput;
    }
    const std::string& first = args.front();
    if (first == "--version" || first == "-V") return print("ndtune " NDTUNE_VERSION "\n");
    if (first == "--help" || first == "-h" || first == "help") {
        return args.size() > 1 ? run_program({args[1], "--help"}) : print(program_help());
    }
    for (std::string_view verb : verb_names()) {
        if (first == verb) return run_verb(verb, {args.begin() + 1, args.end()});
    }
    const std::string_view near = nearest(first, verb_names());
    print_error("ndtune", {ErrorCode::bad_input,
                           fmt::format("there is no verb '{}'", first),
                           {},
                           near.empty() ? "ndtune --help lists the verbs" : fmt::format("ndtune {}?", near)});
    return kBadInput;
}

}  // namespace
}  // namespace ndtune::cli

int main(int argc, char** argv) {
    std::signal(SIGINT, [](int) { _exit(ndtune::cli::kInterrupted); });
    try {
        return ndtune::cli::run_program({argv + 1, argv + argc});
    } catch (const std::exception& e) {
        ndtune::cli::print_error("ndtune", {ndtune::ErrorCode::internal, e.what(), {}, "please report this command as a bug"});
        return ndtune::cli::kInternal;
    }
}
