#include "cli/sizing.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/flag_values.h"
#include "cli/job.h"
#include "cli/terminal.h"
#include "cost_model/quantity.h"
#include "profiles/catalog.h"
#include "profiles/hf_config.h"
#include "profiles/price_file.h"
#include "reports/sizing_report.h"

namespace ndtune::cli {
namespace {

/// The sizes asked for, as nodes of this device; listed sizes that do not fill nodes are left out and told.
Result<std::vector<search::ClusterSize>> sizes_for(const Device& device, const GpuSizes& sizes,
                                                   std::vector<std::string>& warnings) {
    if (sizes.listed.empty()) return search::cluster_sizes(sizes.low, sizes.high, device.devices_per_node);
    std::vector<search::ClusterSize> even;
    std::vector<int> uneven;
    for (const int size : sizes.listed) {
        const int per_node = std::min(size, device.devices_per_node);
        if (size % per_node == 0) {
            even.push_back({size / per_node, per_node});
        } else {
            uneven.push_back(size);
        }
    }
    if (!uneven.empty()) {
        warnings.push_back(fmt::format("sizes that do not fill nodes of {} {} are left out: {}", device.devices_per_node,
                                       device.name, fmt::join(uneven, ", ")));
    }
    return even;
}

Result<void> add_clusters(std::string_view name, const GpuSizes& gpus, reports::SizingReport& report) {
    auto device = profiles::find_device(name);
    if (!device) {
        device.error().where = "--device";
        return tl::unexpected(device.error());
    }
    const auto sizes = sizes_for(*device, gpus, report.warnings);
    if (!sizes) return bad_input(sizes.error().message, "--gpus", sizes.error().hint);
    for (const search::ClusterSize& size : *sizes) {
        auto cluster = profiles::default_cluster(*device, size.nodes, size.devices_per_node);
        if (!cluster) return tl::unexpected(cluster.error());
        report.request.clusters.push_back(std::move(*cluster));
    }
    return {};
}

/// Fills in prices; a device without one, and a list that names unknown parts, are told.
Result<void> add_prices(const std::string& path, reports::SizingReport& report) {
    const auto prices = profiles::read_prices(path);
    if (!prices) return tl::unexpected(prices.error());
    std::string unpriced;
    for (Cluster& cluster : report.request.clusters) {
        profiles::apply_prices(*prices, cluster);
        if (cluster.price_per_device_hour.value.value > 0 || unpriced == cluster.device.name) continue;
        unpriced = cluster.device.name;
        report.warnings.push_back(fmt::format("{} has no price for {}", path, unpriced));
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

Result<void> check_flags(const SearchCommand& command) {
    if (command.model.empty()) {
        return bad_input("the model is missing", {}, "ndtune search llama-3.1-70b --gpus 8:4096 --device h100-sxm ...");
    }
    if (command.cluster) {
        return bad_input("--cluster is one cluster, --gpus and --device compare many", "--cluster", "leave one of them out");
    }
    if (!command.gpus) return bad_input("the cluster sizes are missing", "--gpus", "e.g. --gpus 8:4096");
    if (!command.device) return bad_input("the devices are missing", "--device", "e.g. --device h100-sxm,a100-sxm");
    if (command.why || command.explain) {
        return bad_input("--why and --explain need one cluster", command.why ? "--why" : "--explain",
                         "--cluster in place of --gpus");
    }
    return {};
}

/// Clusters to compare, with their prices.
Result<void> set_clusters(const SearchCommand& command, reports::SizingReport& report) {
    const auto gpus = parse_gpus(*command.gpus);
    if (!gpus) return tl::unexpected(gpus.error());
    for (const std::string_view name : split_list(*command.device)) {
        const auto added = add_clusters(name, *gpus, report);
        if (!added) return added;
    }
    if (report.request.clusters.empty()) {
        return bad_input(fmt::format("none of the sizes {} fills whole nodes", *command.gpus), "--gpus", "multiples of 8");
    }
    return command.prices ? add_prices(*command.prices, report) : Result<void>{};
}

/// Model, workload and runtime; the first cluster stands for all where a default depends on the device.
Result<void> set_job(const SearchCommand& command, reports::SizingReport& report) {
    auto model = profiles::read_model(command.model);
    if (!model) return tl::unexpected(model.error());
    JobInput input{{std::move(model->model), report.request.clusters.front(), {}, {}}, std::move(model->warnings)};
    auto job = with_flags(std::move(input), command);
    if (!job) return tl::unexpected(job.error());
    report.request.model = std::move(job->job.model);
    report.request.workload = job->job.workload;
    report.request.runtime = std::move(job->job.runtime);
    report.warnings.insert(report.warnings.end(), job->warnings.begin(), job->warnings.end());
    return {};
}

Result<void> set_options(const SearchCommand& command, search::SizingRequest& request) {
    auto options = search_options(command, default_options());
    if (!options) return tl::unexpected(options.error());
    request.options = std::move(*options);
    const auto tolerance = parse_share(command.batch_tolerance.value_or("5%"), "--batch-tolerance");
    if (!tolerance) return tl::unexpected(tolerance.error());
    request.batch_tolerance = *tolerance;
    return {};
}

Result<reports::SizingReport> read_request(const SearchCommand& command) {
    reports::SizingReport report;
    return check_flags(command)
        .and_then([&] { return set_clusters(command, report); })
        .and_then([&] { return set_job(command, report); })
        .and_then([&] { return set_options(command, report.request); })
        .and_then([&] { return set_wishes(command, report.request); })
        .map([&] { return std::move(report); });
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
    if (command.format == "csv") print_warnings("search", report->warnings);
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
