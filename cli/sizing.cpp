#include "cli/sizing.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/flag_values.h"
#include "cli/job.h"
#include "cli/terminal.h"
#include "cost_model/quantity.h"
#include "profiles/catalog.h"
#include "profiles/hf_config.h"
#include "reports/sizing_report.h"

namespace ndtune::cli {
namespace {

/// The clusters of one device; sizes that do not fill its nodes are left out and told.
Result<void> add_clusters(std::string_view name, const std::vector<int>& sizes, reports::SizingReport& report) {
    auto device = profiles::find_device(name);
    if (!device) {
        device.error().where = "--device";
        return tl::unexpected(device.error());
    }
    std::vector<int> uneven;
    for (const int size : sizes) {
        const int per_node = std::min(size, device->devices_per_node);
        if (size % per_node != 0) {
            uneven.push_back(size);
            continue;
        }
        auto cluster = make_cluster(*device, size / per_node, per_node);
        if (!cluster) return tl::unexpected(cluster.error());
        report.request.clusters.push_back(std::move(*cluster));
    }
    if (!uneven.empty()) {
        report.warnings.push_back(fmt::format("{} sizes do not fill nodes of {} {} and are left out, e.g. {}", uneven.size(),
                                              device->devices_per_node, device->name, uneven.front()));
    }
    return {};
}

Result<void> set_wishes(const SearchCommand& command, search::SizingRequest& request) {
    if (!command.tokens) return bad_input("the number of tokens to train on is missing", "--tokens", "e.g. --tokens 2T");
    const auto tokens = parse_count(*command.tokens);
    if (!tokens) return bad_input(tokens.error().message, "--tokens", tokens.error().hint);
    if (!(*tokens >= 1))
        return bad_input(fmt::format("'{}' is less than one token", *command.tokens), "--tokens", "e.g. --tokens 2T");
    request.workload.tokens = *tokens;
    if (command.deadline) {
        const auto deadline = parse_duration(*command.deadline);
        if (!deadline) return bad_input(deadline.error().message, "--deadline", deadline.error().hint);
        if (!(deadline->value > 0)) return bad_input("a deadline of no time", "--deadline", "e.g. --deadline 30d");
        request.deadline_s = deadline->value;
    }
    if (command.budget) {
        const auto budget = parse_dollars(*command.budget);
        if (!budget) return bad_input(budget.error().message, "--budget", budget.error().hint);
        if (!command.prices) {
            return bad_input("a budget needs prices", "--budget", "--prices FILE (profiles/catalog/prices holds an example)");
        }
        request.budget = *budget;
    }
    return {};
}

Result<reports::SizingReport> read_request(const SearchCommand& command) {
    if (command.model.empty())
        return bad_input("the model is missing", {}, "ndtune search llama-3.1-70b --gpus 8:4096 --device h100-sxm ...");
    if (command.cluster)
        return bad_input("--cluster is one cluster, --gpus and --device compare many", "--cluster", "leave one of them out");
    if (!command.gpus) return bad_input("the cluster sizes are missing", "--gpus", "e.g. --gpus 8:4096");
    if (!command.device) return bad_input("the devices are missing", "--device", "e.g. --device h100-sxm,a100-sxm");
    const auto sizes = parse_gpu_range(*command.gpus);
    if (!sizes) return tl::unexpected(sizes.error());
    auto model = profiles::read_model(command.model);
    if (!model) return tl::unexpected(model.error());
    reports::SizingReport report;
    report.warnings = std::move(model->warnings);
    for (const std::string_view name : split_list(*command.device)) {
        const auto added = add_clusters(name, *sizes, report);
        if (!added) return tl::unexpected(added.error());
    }
    if (report.request.clusters.empty()) {
        return bad_input(fmt::format("none of the sizes {} fills whole nodes", *command.gpus), "--gpus", "multiples of 8");
    }
    JobInput input;
    input.job.model = std::move(model->model);
    input.job.cluster = report.request.clusters.front();
    auto job = with_flags(std::move(input), command);
    if (!job) return tl::unexpected(job.error());
    report.request.model = std::move(job->job.model);
    report.request.workload = job->job.workload;
    report.request.runtime = std::move(job->job.runtime);
    report.warnings.insert(report.warnings.end(), job->warnings.begin(), job->warnings.end());
    auto options = search_options(command, {});
    if (!options) return tl::unexpected(options.error());
    report.request.options = std::move(*options);
    return set_wishes(command, report.request).map([&] { return std::move(report); });
}

std::string answer(const SearchCommand& command, const reports::SizingReport& report) {
    reports::ConsoleStyle style = console_style(command.common.color);
    style.verbosity = command.common.quiet ? -1 : command.common.verbose;
    if (!command.common.quiet && command.format == "json") return reports::to_json(report);
    if (!command.common.quiet && command.format == "csv") return reports::to_csv(report);
    if (!command.common.quiet && command.format == "md") return reports::to_markdown(report);
    return reports::to_console(report, style);
}

}  // namespace

Result<int> run_sizing(const SearchCommand& command) {
    auto report = read_request(command);
    if (!report) return tl::unexpected(report.error());
    auto result = search::size_clusters(report->request);
    if (!result) return tl::unexpected(result.error());
    report->result = std::move(*result);
    const auto written = write_result(answer(command, *report), command.common.output);
    if (!written) return tl::unexpected(written.error());
    const auto& rows = report->result.rows;
    const bool any = std::any_of(rows.begin(), rows.end(), [](const search::SizingRow& row) { return row.best.has_value(); });
    if (any) return kAnswer;
    print_error("search", {ErrorCode::infeasible,
                           fmt::format("no plan is feasible on any of {} clusters", rows.size()),
                           {},
                           "larger clusters, another batch, or ndtune search with --cluster to see why"});
    return kInfeasible;
}

}  // namespace ndtune::cli
