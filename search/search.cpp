#include "search/search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "search/near_miss.h"
#include "search/parallel.h"
#include "search/walk.h"

namespace ndtune::search {
namespace {

// Beyond these a typed number is a slip, and the counts of micro-batches and passes would leave the range of a plan's text.
constexpr std::int64_t kMostSequences = 1 << 20;
constexpr std::int64_t kLongestSequence = std::int64_t{1} << 32;
constexpr std::int64_t kMostDevices = 1 << 20;
constexpr int kMostLayers = 1 << 16;
constexpr int kMostPlans = 100'000;
constexpr int kMostThreads = 4096;

Result<bool> within(std::int64_t value, std::int64_t most, std::string_view what) {
    if (value >= 1 && value <= most) return true;
    return bad_input(fmt::format("{} {} is not within 1 to {}", what, value, most), std::string(what));
}

// A device without a rate that the job needs (no fp8 units, a bandwidth of 0) would give times that cannot be ranked.
Result<bool> check_speed(const Job& job) {
    Plan plan;
    plan.mesh.dp_shard = static_cast<int>(job.cluster.devices());
    const double time = estimate(job, plan).step_time.value;
    if (std::isfinite(time) && time > 0) return true;
    return bad_input(
        fmt::format("no step time follows from the figures of {} for this model and precision", job.cluster.device.name),
        "device", "check its GEMM, attention, memory and link rates, or choose another precision");
}

Findings walk_all(const Job& job, const Options& options, const PlanSpace& space, const Constraints& constraints) {
    const std::vector<Mesh>& meshes = space.meshes();
    const int workers = worker_count(options.threads, meshes.size());
    std::vector<std::optional<Findings>> parts(static_cast<std::size_t>(workers));
    std::atomic<std::size_t> next{0};
    run_workers(workers, [&](int worker) {
        Walker walker(job, options, space, constraints);
        for (std::size_t i = next++; i < meshes.size(); i = next++) walker.walk(meshes[i]);
        parts[static_cast<std::size_t>(worker)] = walker.findings();
    });
    Findings all(options);
    for (const auto& part : parts) all.merge(*part);
    return all;
}

// What is still open after the walk is decided against the whole front, in an order that does not depend on the threads.
void close_front(const Job& job, Findings& findings) {
    std::sort(findings.open.begin(), findings.open.end(), [](const OpenStretch& a, const OpenStretch& b) {
        return better(Objective::step_time, a.stretch.fast, b.stretch.fast);
    });
    Pricer pricer(job);
    for (const OpenStretch& open : findings.open) {
        Family family(pricer, open.base, job.model.layer_count());
        refine(family, open.stretch, findings.front);
        findings.space.estimated += family.priced();
    }
}

bool same_run(const Candidate& a, const Candidate& b) {
    if (a.plan.recompute != Recompute::full || b.plan.recompute != Recompute::full) return false;
    Plan plan = a.plan;
    plan.recompute_layers = b.plan.recompute_layers;
    return plan == b.plan;
}

// Leaves the ends of each run of full:n.
std::vector<Candidate> without_middles(const std::vector<Candidate>& front) {
    std::vector<Candidate> ends;
    for (std::size_t i = 0; i < front.size(); ++i) {
        const bool middle = i > 0 && i + 1 < front.size() && same_run(front[i - 1], front[i]) && same_run(front[i], front[i + 1]);
        if (!middle) ends.push_back(front[i]);
    }
    return ends;
}

std::vector<RankedPlan> priced(const Job& job, const std::vector<Candidate>& candidates) {
    Pricer pricer(job);
    std::vector<RankedPlan> plans;
    plans.reserve(candidates.size());
    for (const Candidate& c : candidates) plans.push_back({c.plan, pricer.price(c.plan)});
    return plans;
}

}  // namespace

Result<bool> check(const Job& job, const Options& options) {
    const Cluster& cluster = job.cluster;
    if (auto ok = within(cluster.nodes, kMostDevices, "nodes"); !ok) return ok;
    if (auto ok = within(cluster.devices_per_node, kMostDevices, "devices per node"); !ok) return ok;
    if (auto ok = within(cluster.devices(), kMostDevices, "devices"); !ok) return ok;
    if (auto ok = within(job.workload.global_batch, kMostSequences, "global batch"); !ok) return ok;
    if (auto ok = within(job.workload.seq_len, kLongestSequence, "sequence length"); !ok) return ok;
    if (auto ok = within(job.model.layer_count(), kMostLayers, "layers"); !ok) return ok;
    if (options.top < 0 || options.top > kMostPlans) {
        return bad_input(fmt::format("top {} is not within 0 to {}", options.top, kMostPlans), "top");
    }
    if (options.threads < 0 || options.threads > kMostThreads) {
        return bad_input(fmt::format("threads {} is not within 0 to {}", options.threads, kMostThreads), "threads");
    }
    const bool sane_margin = options.memory_margin >= 0 && options.memory_margin < 1;  // false for NaN
    if (!sane_margin) {
        return bad_input(fmt::format("memory margin {} is not within 0 to 1", options.memory_margin), "memory margin",
                         "0.05 keeps 5 % of the memory free");
    }
    if (auto ok = check_limits(options.limits, cluster.devices()); !ok) return ok;
    return check_speed(job);
}

Result<SearchResult> search(const Job& job, const Options& options) {
    if (auto ok = check(job, options); !ok) return tl::unexpected(ok.error());
    const Constraints constraints(job, options);
    const PlanSpace space(job, constraints.any_batch());
    Findings findings = walk_all(job, options, space, constraints);
    close_front(job, findings);

    SearchResult result;
    result.plans = priced(job, findings.top.items());
    result.pareto = priced(job, without_middles(findings.front.items()));
    result.near_misses = near_misses(job, constraints, findings);
    result.space = findings.space;
    result.space.size = space.size();
    result.space.rejected = result.space.visited - result.space.feasible;
    return result;
}

std::optional<Violation> why_not(const Job& job, const Options& options, const Plan& plan) {
    const Constraints constraints(job, options);
    if (auto violation = constraints.plan(plan)) return violation;
    return constraints.memory(estimate(job, plan).memory);
}

}  // namespace ndtune::search
