#include "reports/explain.h"

#include "cli/flag_values.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cost_model/plan.h"
#include "profiles/text_file.h"

namespace ndtune::cli {
namespace {

constexpr std::size_t kLargestReport = std::size_t{64} << 20;  // as reports::parse_report

/// "report.json#2" -> file and "2"; without #, the best plan. A file whose name holds a # is taken as it is.
struct Target {
    std::string file;
    std::string plan = "1";
};
Target split_target(const std::string& text) {
    const std::size_t hash = text.rfind('#');
    if (hash == std::string::npos || hash + 1 == text.size()) return {text};
    return {text.substr(0, hash), text.substr(hash + 1)};
}

bool is_number(std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<std::string> explain_target(const reports::Report& report, const Target& target, const reports::ConsoleStyle& style) {
    // "1/mb1" is a plan, "1" the first plan.
    if (!is_number(target.plan)) {
        return parse_plan(target.plan).and_then([&](const Plan& plan) { return reports::explain(report, plan, style); });
    }
    constexpr int kMostPlans = 1'000'000;
    const Result<int> rank = parse_int(target.plan, "#N", 1, kMostPlans);
    if (!rank) return bad_input(rank.error().message, target.file + "#" + target.plan, target.file + "#1 is the best plan");
    return reports::explain(report, static_cast<std::size_t>(*rank - 1), style);
}

}  // namespace

Result<int> run(const ExplainCommand& command) {
    if (command.report.empty()) return bad_input("the report is missing", {}, "ndtune explain 'report.json#1'");
    const Target target = split_target(command.report);
    return profiles::read_text_file(target.file, kLargestReport)
        .and_then([&](const std::string& text) { return reports::parse_report(text, target.file); })
        .and_then([&](const reports::Report& report) {
            reports::ConsoleStyle style = console_style(command.common.color);
            style.report_path = target.file;
            return explain_target(report, target, style);
        })
        .and_then([&](const std::string& text) { return write_result(text, command.common.output); })
        .map([] { return kAnswer; });
}

}  // namespace ndtune::cli
