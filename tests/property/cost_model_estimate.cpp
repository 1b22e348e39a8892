#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/support/random_job.h"

namespace ndtune {
namespace {

double step(const Job& job, const Plan& plan) {
    return estimate(job, plan).step_time.value;
}

/// No slower, but for rounding.
bool no_slower(double changed, double before) {
    return changed <= before * (1 + 1e-9);
}

void scale_bandwidth(Cluster& cluster, double factor) {
    cluster.device.link.value = factor * cluster.device.link.value;
    cluster.device.nic.value = factor * cluster.device.nic.value;
    for (Tier& tier : cluster.tiers) tier.bandwidth = factor * tier.bandwidth;
    for (auto& kind : cluster.device.collectives) {
        for (CollectiveCurve& curve : kind) curve.bandwidth = factor * curve.bandwidth;
    }
}

RC_GTEST_PROP(Estimate, IsFiniteAndItsPartsSumExactly, ()) {
    const toy::Case c = toy::any_case();
    const Estimate e = estimate(c.job, c.plan);
    Seconds time;
    for (const Seconds part : e.breakdown) {
        RC_ASSERT(std::isfinite(part.value) && part.value >= -1e-12);
        time += part;
    }
    RC_ASSERT(time == e.step_time);
    RC_ASSERT(e.step_time.value > 0);
    Bytes bytes;
    for (const Bytes row : e.memory.rows) {
        RC_ASSERT(row.value >= 0);
        bytes += row;
    }
    RC_ASSERT(bytes == e.memory.peak);
    RC_ASSERT(e.memory.peak == *std::max_element(e.memory.phase_totals.begin(), e.memory.phase_totals.end()));
}

RC_GTEST_PROP(Estimate, MoreBandwidthNeverSlows, ()) {
    toy::Case c = toy::any_case();
    const double before = step(c.job, c.plan);
    scale_bandwidth(c.job.cluster, toy::any_of<double>({1.01, 2, 1000}));
    RC_ASSERT(no_slower(step(c.job, c.plan), before));
}

RC_GTEST_PROP(Estimate, FasterGemmNeverSlows, ()) {
    toy::Case c = toy::any_case();
    const double before = step(c.job, c.plan);
    const double factor = toy::any_of<double>({1.01, 2, 1000});
    for (GemmCurve& curve : c.job.cluster.device.gemm) {
        curve.peak = factor * curve.peak;
        curve.bandwidth = factor * curve.bandwidth;
    }
    RC_ASSERT(no_slower(step(c.job, c.plan), before));
}

RC_GTEST_PROP(Estimate, FasterAttentionOrMemoryNeverSlows, ()) {
    toy::Case c = toy::any_case();
    const double before = step(c.job, c.plan);
    Device& device = c.job.cluster.device;
    if (toy::any_flag()) device.hbm.value = 1.5 * device.hbm.value;
    for (AttentionCurve& curve : device.attention) {
        for (FlopsPerSecond& peak : curve.peak) peak = 1.5 * peak;
    }
    RC_ASSERT(no_slower(step(c.job, c.plan), before));
}

RC_GTEST_PROP(Estimate, LessHostTimeNeverSlows, ()) {
    toy::Case c = toy::any_case();
    const double before = step(c.job, c.plan);
    c.job.runtime.host_layer *= 0.5;
    c.job.runtime.host_micro_batch *= 0.5;
    c.job.runtime.host_step = 0;
    RC_ASSERT(no_slower(step(c.job, c.plan), before));
}

RC_GTEST_PROP(Estimate, LessLatencyNeverSlows, ()) {
    toy::Case c = toy::any_case();
    const double before = step(c.job, c.plan);
    for (Tier& tier : c.job.cluster.tiers) tier.latency = 0.5 * tier.latency;
    RC_ASSERT(no_slower(step(c.job, c.plan), before));
}

RC_GTEST_PROP(Estimate, RecomputeInterpolatesBetweenNoneAndFull, ()) {
    toy::Case c = toy::any_case();
    Plan& plan = c.plan;
    const int layers = c.job.model.layer_count();
    plan.recompute = Recompute::none;
    plan.recompute_layers = 0;
    Estimate before = estimate(c.job, plan);
    plan.recompute = Recompute::full;
    Estimate all = estimate(c.job, plan);
    double activations = 0;
    for (int n = 1; n <= layers; ++n) {
        plan.recompute_layers = n;
        const Estimate e = estimate(c.job, plan);
        RC_ASSERT(no_slower(before.step_time.value, e.step_time.value));
        const double kept = static_cast<double>(e.memory.phase_totals[0].value);  // at the loss
        RC_ASSERT(n == 1 || kept <= activations);
        activations = kept;
        before = e;
    }
    RC_ASSERT(std::abs(before.step_time.value / all.step_time.value - 1) < 1e-9);
    RC_ASSERT(std::abs(before.memory.peak / all.memory.peak - 1) < 1e-9);
}

RC_GTEST_PROP(Pricer, EqualsEstimateOverAnySequenceOfPlans, ()) {
    toy::Case c = toy::any_case();
    Pricer pricer(c.job);
    for (int i = 0; i < 20; ++i) {
        Job job = c.job;
        Plan plan = toy::any_plan(job);  // the batch of `job` follows the plan; the pricer's stays
        RC_ASSERT(pricer.price(plan) == estimate(c.job, plan));
    }
}

RC_GTEST_PROP(Estimate, ShardingFurtherNeverTakesMoreStates, ()) {
    toy::Case c = toy::any_case();
    c.job.runtime.allow_fsdp = true;
    c.plan.shard_optimizer = false;
    c.plan.mesh.dp_shard *= c.plan.mesh.dp_replicate;
    const std::int64_t ranks = c.plan.mesh.dp_shard;
    c.plan.mesh.dp_replicate = 1;
    const MemoryLedger sharded = estimate(c.job, c.plan).memory;
    c.plan.mesh.dp_replicate = static_cast<int>(ranks);
    c.plan.mesh.dp_shard = 1;
    const MemoryLedger replicated = estimate(c.job, c.plan).memory;
    RC_ASSERT(sharded.row(LedgerRow::optimizer_states) <= replicated.row(LedgerRow::optimizer_states));
}

}  // namespace
}  // namespace ndtune
