// Whole searches on random small jobs: the invariants of the architecture that concern the search.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "search/best_plan.h"
#include "search/search.h"
#include "tests/support/random_job.h"

namespace ndtune::search {
namespace {

// Few devices and layers, so that a search without bounds stays quick; memory around what some plan needs, so that it decides.
Job any_small_job() {
    Job job = toy::any_job();
    for (LayerType& layer : job.model.layers) layer.count = std::min(layer.count, 7);
    job.cluster = toy::cluster(toy::any_of<int>({1, 2, 3}), toy::any_of<int>({1, 4, 6, 8}), job.cluster.device);
    job.workload.global_batch = toy::any_of<std::int64_t>({1, 6, 8, 24, 30});
    job.runtime.allow_selective = toy::any_flag();
    job.runtime.allow_no_sync = toy::any_flag();
    job.runtime.allow_zero1 = toy::any_flag();
    Plan plan;
    plan.mesh = {1, static_cast<int>(job.cluster.devices()), 1, 1};
    plan.recompute = toy::any_flag() ? Recompute::full : Recompute::none;
    const double share = toy::any_of<double>({0.3, 0.7, 1, 1.3, 2, 10});
    job.cluster.device.memory.value = whole_bytes(share * static_cast<double>(estimate(job, plan).memory.peak.value));
    return job;
}

Options any_options() {
    Options options;
    options.objective = toy::any_of<Objective>({Objective::step_time, Objective::tokens_per_gpu, Objective::memory_headroom});
    options.top = toy::any_of<int>({0, 1, 3, 40});
    options.memory_margin = toy::any_of<double>({0, 0.07});
    if (toy::any_flag()) options.disabled_rules.push_back(toy::any_of<Rule>({Rule::cp_sequence, Rule::batch, Rule::memory}));
    return options;
}

RC_GTEST_PROP(Search, BoundsDoNotChangeTheAnswer, ()) {
    const Job job = any_small_job();
    Options options = any_options();
    const SearchResult bounded = search(job, options).value();
    options.bounds = false;
    SearchResult every = search(job, options).value();
    RC_ASSERT(every.space.estimated >= bounded.space.estimated);
    every.space.estimated = bounded.space.estimated;
    RC_ASSERT(every == bounded);
}

RC_GTEST_PROP(Search, IsExhaustiveAndTheRulesAddUp, ()) {
    const SearchResult result = search(any_small_job(), any_options()).value();
    RC_ASSERT(result.space.visited == result.space.size);
    std::uint64_t rejected = 0;
    for (const std::uint64_t by_rule : result.space.rejected_by) rejected += by_rule;
    RC_ASSERT(rejected == result.space.rejected);
    RC_ASSERT(result.space.rejected + result.space.feasible == result.space.size);
}

RC_GTEST_PROP(Search, ThreadsDoNotChangeTheAnswer, ()) {
    const Job job = any_small_job();
    Options options = any_options();
    options.threads = 1;
    const SearchResult one = search(job, options).value();
    options.threads = toy::any_of<int>({2, 3, 5});
    RC_ASSERT(search(job, options).value() == one);
}

RC_GTEST_PROP(Search, BestPlanIsTheFirstOfTheSearch, ()) {
    const Job job = any_small_job();
    Options options = any_options();
    options.top = 1;
    const SearchResult result = search(job, options).value();
    const auto best = best_plan(job, options).value();
    RC_ASSERT(best.has_value() == !result.plans.empty());
    if (best) RC_ASSERT(*best == result.plans.front());
}

RC_GTEST_PROP(Search, MoreMemoryNeverMakesAPlanInfeasible, ()) {
    Job job = any_small_job();
    const SearchResult less = search(job, {}).value();
    job.cluster.device.memory.value = job.cluster.device.memory.value * 2;
    const SearchResult more = search(job, {}).value();
    RC_ASSERT(more.space.feasible >= less.space.feasible);
    for (const RankedPlan& p : less.plans) RC_ASSERT(!why_not(job, {}, p.plan));
    if (!less.plans.empty()) RC_ASSERT(more.plans.front().estimate.step_time <= less.plans.front().estimate.step_time);
}

RC_GTEST_PROP(Search, MoreBandwidthNeverSlowsTheBestPlan, ()) {
    Job job = any_small_job();
    const SearchResult slow = search(job, {}).value();
    RC_PRE(!slow.plans.empty());
    for (Tier& tier : job.cluster.tiers) tier.bandwidth = tier.bandwidth * 2;
    for (auto& of_kind : job.cluster.device.collectives) {
        for (CollectiveCurve& curve : of_kind) curve.bandwidth = curve.bandwidth * 2;
    }
    const SearchResult fast = search(job, {}).value();
    RC_ASSERT(fast.plans.front().estimate.step_time.value <= slow.plans.front().estimate.step_time.value * (1 + 1e-12));
}

// Every plan that is shown can be typed back and is judged as it was ranked.
RC_GTEST_PROP(Search, ShownPlansReadBackAndAreFeasible, ()) {
    const Job job = any_small_job();
    const SearchResult result = search(job, {}).value();
    for (const auto* list : {&result.plans, &result.pareto}) {
        for (const RankedPlan& p : *list) {
            RC_ASSERT(parse_plan(to_text(p.plan)).value() == p.plan);
            RC_ASSERT(!why_not(job, {}, p.plan));
            RC_ASSERT(estimate(job, p.plan) == p.estimate);
        }
    }
    for (const NearMiss& miss : result.near_misses) RC_ASSERT(why_not(job, {}, miss.plan.plan)->rule == Rule::memory);
}

}  // namespace
}  // namespace ndtune::search
