#include "reports/report.h"

#include <algorithm>
#include <limits>

namespace ndtune::reports {

namespace {

constexpr std::string_view kAboutBest = "#1: ";

/// The plan that stands for the one-axis answer when none fits: it asks for the least memory of them.
Plan leanest(const Job& job) {
    const auto devices = static_cast<int>(job.cluster.devices());
    Plan plan;
    (job.runtime.allow_fsdp ? plan.mesh.dp_shard : plan.mesh.dp_replicate) = devices;
    const std::int64_t accum = std::clamp<std::int64_t>(job.workload.global_batch / devices, 1, std::numeric_limits<int>::max());
    plan.grad_accum = static_cast<int>(accum);
    plan.recompute = Recompute::full;
    plan.shard_optimizer = !job.runtime.allow_fsdp && job.runtime.allow_zero1;
    return plan;
}

std::optional<Baseline> find_baseline(const Job& job, search::Options options) {
    if (job.cluster.devices() == 1) return std::nullopt;
    options.top = 1;
    options.limits = {{Axis::cp, 1, 1}, {Axis::tp, 1, 1}};
    options.limits.push_back({job.runtime.allow_fsdp ? Axis::dp_replicate : Axis::dp_shard, 1, 1});
    options.within_node.clear();
    const Result<search::SearchResult> result = search::search(job, options);
    if (!result) return std::nullopt;
    Baseline baseline;
    if (result->plans.empty()) {
        baseline.reason = search::why_not(job, options, leanest(job));
    } else {
        baseline.best = result->plans.front();
    }
    return baseline;
}

}  // namespace

Result<Report> make_report(const Job& job, const search::Options& options, std::vector<std::string> warnings) {
    Result<search::SearchResult> result = search::search(job, options);
    if (!result) return tl::unexpected(std::move(result.error()));
    Report report{job, options, std::move(*result), find_baseline(job, options), std::move(warnings)};
    // A repeated report brings the word on its own best plan along: it is said anew.
    std::erase_if(report.warnings, [](const std::string& warning) { return warning.starts_with(kAboutBest); });
    if (!report.result.plans.empty()) {
        std::string caution = search::caution(job, report.result.plans.front().plan.mesh);
        if (!caution.empty()) report.warnings.push_back(std::string(kAboutBest) + caution);
    }
    return report;
}

}  // namespace ndtune::reports
