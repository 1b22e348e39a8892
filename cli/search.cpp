#include <fmt/format.h>

#include <chrono>

#include "cli/flag_values.h"
#include "cli/job.h"
#include "cli/sizing.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cost_model/plan.h"
#include "profiles/text_file.h"
#include "reports/explain.h"
#include "reports/report.h"

namespace ndtune::cli {
namespace {

constexpr std::size_t kLargestReport = std::size_t{64} << 20;  // as reports::parse_report

/// What is searched for: the job, the options, the warnings so far, and the report it repeats.
struct Question {
    JobInput input;
    search::Options options;
    std::string report_path;
};

Result<Question> question_from_report(const SearchCommand& command) {
    return profiles::read_text_file(command.model, kLargestReport)
        .and_then([&](const std::string& text) { return reports::parse_report(text, command.model); })
        .and_then([&](reports::Report report) -> Result<Question> {
            auto input = with_flags({std::move(report.job), std::move(report.warnings)}, command);
            if (!input) return tl::unexpected(input.error());
            return Question{std::move(*input), std::move(report.options), command.model};
        });
}

Result<Question> read_question(const SearchCommand& command) {
    if (command.model.empty()) {
        return bad_input("the model is missing", {}, "ndtune search llama-3.1-8b --cluster 8xh100-sxm --seq 8k --batch 64");
    }
    const bool repeats = is_report(command.model);
    if (repeats && command.cluster) {
        return bad_input("a report brings its own cluster along", "--cluster", "name the model to search another cluster");
    }
    Result<Question> question =
        repeats ? question_from_report(command)
                : job_from_flags(command).map([](JobInput input) { return Question{std::move(input), default_options(), {}}; });
    if (!question) return question;
    auto options = search_options(command, std::move(question->options));
    if (!options) return tl::unexpected(options.error());
    question->options = std::move(*options);
    return question;
}

reports::ConsoleStyle style_of(const SearchCommand& command, double elapsed_s) {
    reports::ConsoleStyle style = console_style(command.common.color);
    style.verbosity = command.common.quiet ? -1 : command.common.verbose;
    // Only for people: what is piped is the same bytes each time.
    if (on_terminal()) style.elapsed_s = elapsed_s;
    return style;
}

Result<std::string> answer(const SearchCommand& command, const reports::Report& report, const reports::ConsoleStyle& style) {
    if (command.why) {
        return parse_plan(*command.why).map([&](const Plan& plan) { return reports::why(report, plan, style); });
    }
    if (command.common.quiet) return reports::to_console(report, style);
    if (command.format == "json") return reports::to_json(report);
    if (command.format == "csv") return reports::to_csv(report);
    if (command.format == "md") return reports::to_markdown(report);
    std::string text = reports::to_console(report, style);
    if (!command.explain || report.result.plans.empty()) return text;
    return reports::explain(report, 0, style).map([&](const std::string& explanation) { return text + "\n" + explanation; });
}

Error nothing_fits(const search::SearchResult& result) {
    const search::Space& space = result.space;
    std::size_t most = 0;
    for (std::size_t i = 0; i < space.rejected_by.size(); ++i) {
        if (space.rejected_by[i] > space.rejected_by[most]) most = i;
    }
    return {ErrorCode::infeasible,
            fmt::format("no plan is feasible: of {} looked at, rule '{}' rejects {}", space.visited,
                        search::to_string(static_cast<search::Rule>(most)), space.rejected_by[most]),
            {},
            static_cast<search::Rule>(most) == search::Rule::memory ? "more devices, a shorter sequence, or see --why PLAN"
                                                                    : "another batch, or see --why PLAN and --no-rule"};
}

/// Wishes about a whole run are answered for many clusters only: not to be passed over in silence for one.
Result<void> check_no_wishes(const SearchCommand& command) {
    for (const auto& [value, flag] :
         {std::pair{&command.tokens, "--tokens"}, std::pair{&command.deadline, "--deadline"},
          std::pair{&command.budget, "--budget"}, std::pair{&command.batch_tolerance, "--batch-tolerance"}}) {
        if (*value) {
            return bad_input(fmt::format("{} belongs to a comparison of clusters", flag), flag,
                             "--gpus 8:4096 --device h100-sxm in place of --cluster");
        }
    }
    return {};
}

}  // namespace

Result<int> run(const SearchCommand& command) {
    const auto format = parse_choice(command.format, "--format", {"table", "json", "csv", "md"});
    if (!format) return tl::unexpected(format.error());
    if (command.gpus || command.device) return run_sizing(command);
    if (const auto checked = check_no_wishes(command); !checked) return tl::unexpected(checked.error());
    if (command.why) {
        const auto plan = parse_plan(*command.why);
        if (!plan) return tl::unexpected(plan.error());
    }
    auto question = read_question(command);
    if (!question) return tl::unexpected(question.error());

    const auto start = std::chrono::steady_clock::now();
    const auto report = reports::make_report(question->input.job, question->options, std::move(question->input.warnings));
    if (!report) return tl::unexpected(report.error());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

    reports::ConsoleStyle style = style_of(command, elapsed.count());
    style.report_path = question->report_path;
    style.command = command.typed;
    const auto text = answer(command, *report, style);
    if (!text) return tl::unexpected(text.error());
    const auto written = write_result(*text, command.common.output);
    if (!written) return tl::unexpected(written.error());
    // The other forms carry them.
    if (command.format == "csv") print_warnings("search", report->warnings);
    if (!report->result.plans.empty() || command.why) return kAnswer;
    print_error("search", nothing_fits(report->result));
    return kInfeasible;
}

}  // namespace ndtune::cli
