#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "cost_model/schedule.h"
#include "tests/support/random_job.h"

namespace ndtune {
namespace {

constexpr double kRounding = 1e-9;

double relative(double a, double b) {
    return std::abs(a - b) / std::max({std::abs(a), std::abs(b), 1e-300});
}

/// Differences of step graph and closed form, relative to the closed form, sorted. Seeded: the same cases every time.
std::vector<double> differences(int cases, int fewest_layers) {
    std::vector<double> result;
    for (int i = 0; i < cases; ++i) {
        const toy::Case c = rc::gen::exec([] { return toy::any_case(); })(rc::Random(static_cast<std::uint64_t>(i)), 100).value();
        if (c.job.model.layer_count() < fewest_layers) continue;
        const double graph = schedule(build_step_graph(c.job, c.plan)).makespan.value;
        result.push_back(std::abs(graph / estimate(c.job, c.plan).step_time.value - 1));
    }
    std::sort(result.begin(), result.end());
    return result;
}

double quantile(const std::vector<double>& sorted, double q) {
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

// How closely the closed form agrees with the schedule. The rest: it rounds off its maxima (19 % where host and GPU are equal).
TEST(StepGraph, AgreesWithTheClosedForm) {
    const std::vector<double> all = differences(2000, 1);
    EXPECT_LT(quantile(all, 0.5), 0.01);
    EXPECT_LT(quantile(all, 0.9), 0.07);
    EXPECT_LT(quantile(all, 0.98), 0.14);
    const std::vector<double> deep = differences(2000, 16);
    ASSERT_GT(deep.size(), 500U);
    EXPECT_LT(quantile(deep, 0.5), 0.005);
    EXPECT_LT(quantile(deep, 0.95), 0.07);
}

RC_GTEST_PROP(StepGraph, BothAttributionsSumToTheMakespan, ()) {
    const toy::Case c = toy::any_case();
    const Schedule s = schedule(build_step_graph(c.job, c.plan));
    double breakdown = 0, path = 0;
    for (const Seconds t : s.breakdown) {
        RC_ASSERT(t.value >= 0);
        breakdown += t.value;
    }
    for (const PathSegment& p : s.critical_path) path += p.seconds.value;
    RC_ASSERT(relative(breakdown, s.makespan.value) < kRounding);
    RC_ASSERT(relative(path, s.makespan.value) < kRounding);
}

// Both read one op list: what the compute lane does must be the same to rounding, whatever overlaps.
RC_GTEST_PROP(StepGraph, WorkIsThatOfTheClosedForm, ()) {
    toy::Case c = toy::any_case();
    // With several layer types the closed form recomputes fractions of layers.
    if (c.job.model.layers.size() > 1) c.plan.recompute_layers = 0;
    const Schedule s = schedule(build_step_graph(c.job, c.plan));
    const Estimate e = estimate(c.job, c.plan);
    for (const Bucket b : {Bucket::matmul, Bucket::attention, Bucket::elementwise, Bucket::loss, Bucket::recompute,
                           Bucket::tp_exposed, Bucket::cp_exposed, Bucket::optimizer}) {
        RC_ASSERT(relative(s.bucket(b).value, e.bucket(b).value) < 1e-7 || e.bucket(b).value < 1e-12);
    }
}

RC_GTEST_PROP(StepGraph, EveryOpWaitsForItsDependenciesAndItsLane, ()) {
    const toy::Case c = toy::any_case();
    const StepGraph g = build_step_graph(c.job, c.plan);
    const Schedule s = schedule(g);
    RC_ASSERT(topological_order(g).size() == g.nodes.size());
    for (const StepEdge& e : g.edges) {
        RC_ASSERT(e.from < e.to);
        RC_ASSERT(s.nodes[static_cast<std::size_t>(e.from)].end <= s.nodes[static_cast<std::size_t>(e.to)].start);
    }
    std::array<double, kLanes> free{};
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        double& lane = free[static_cast<std::size_t>(g.nodes[i].lane)];
        RC_ASSERT(s.nodes[i].start >= lane);
        RC_ASSERT(s.nodes[i].end - s.nodes[i].start >= g.nodes[i].duration.value * (1 - kRounding) - 1e-12 ||
                  g.nodes[i].lane == Lane::data);
        lane = s.nodes[i].end;
    }
}

RC_GTEST_PROP(StepGraph, MemoryComesAndGoes, ()) {
    const toy::Case c = toy::any_case();
    const Schedule s = schedule(build_step_graph(c.job, c.plan));
    const double scale = s.peak.alive.total();
    RC_ASSERT(scale > 0);
    for (const MemoryPoint& p : s.timeline) {
        RC_ASSERT(p.alive.gathered_units >= -1e-9 * scale);
        RC_ASSERT(p.alive.unsharded_grads >= -1e-9 * scale);
        RC_ASSERT(p.alive.activations >= -1e-9 * scale);
        RC_ASSERT(p.alive.total() <= scale);
    }
    RC_ASSERT(std::abs(s.timeline.back().alive.total()) <= 1e-9 * scale);
}

RC_GTEST_PROP(StepGraph, FoldingStandsForTheMicroBatchesLeftOut, ()) {
    toy::Case c = toy::any_case();
    c.plan.grad_accum = 14;
    const double folded = schedule(build_step_graph(c.job, c.plan)).makespan.value;
    const double whole = schedule(build_step_graph(c.job, c.plan, 14)).makespan.value;
    RC_ASSERT(relative(folded, whole) < kRounding);
}

}  // namespace
}  // namespace ndtune
