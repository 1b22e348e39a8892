#include "cost_model/step_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost_model/memory.h"
#include "cost_model/schedule.h"
#include "tests/support/toy.h"

namespace ndtune {
namespace {

using ::testing::ElementsAre;

StepNode node(Lane lane, double seconds, Bucket bucket = Bucket::matmul) {
    return {.name = "op", .lane = lane, .bucket = bucket, .duration = Seconds{seconds}};
}

double bucket(const Schedule& s, Bucket b) {
    return s.bucket(b).value;
}

TEST(Schedule, AnEmptyGraphTakesNoTime) {
    const Schedule s = schedule({});
    EXPECT_EQ(s.makespan.value, 0);
    EXPECT_TRUE(s.critical_path.empty());
}

TEST(Schedule, OpsOfALaneQueueAndLanesOverlap) {
    StepGraph g;
    g.nodes = {node(Lane::compute, 2), node(Lane::compute, 3), node(Lane::shard, 4, Bucket::fsdp_exposed)};
    const Schedule s = schedule(g);
    EXPECT_DOUBLE_EQ(s.makespan.value, 5);
    EXPECT_DOUBLE_EQ(s.nodes[1].start, 2);
    EXPECT_DOUBLE_EQ(s.nodes[2].start, 0);
    EXPECT_EQ(s.nodes[1].binding, 0);
    EXPECT_DOUBLE_EQ(bucket(s, Bucket::matmul), 5);
    EXPECT_DOUBLE_EQ(bucket(s, Bucket::fsdp_exposed), 0);
}

TEST(Schedule, WaitingIsChargedToTheChainThatIsWaitedFor) {
    StepGraph g;  // host 1, then gather 4, then compute 2
    g.nodes = {node(Lane::host, 1, Bucket::host), node(Lane::shard, 4, Bucket::fsdp_exposed), node(Lane::compute, 2)};
    g.edges = {{0, 1}, {1, 2}};
    const Schedule s = schedule(g);
    EXPECT_DOUBLE_EQ(s.makespan.value, 7);
    EXPECT_DOUBLE_EQ(bucket(s, Bucket::host), 1);
    EXPECT_DOUBLE_EQ(bucket(s, Bucket::fsdp_exposed), 4);
    EXPECT_DOUBLE_EQ(bucket(s, Bucket::matmul), 2);
    ASSERT_EQ(s.critical_path.size(), 3U);
    EXPECT_EQ(s.critical_path.front().bucket, Bucket::fsdp_exposed);
    EXPECT_EQ(s.top(1).size(), 1U);
}

// c and m side by side take max(c, m) + contention x min(c, m), the closed form's rule (without its rounding of the maximum).
TEST(Schedule, ContentionSlowsBothSides) {
    for (const auto& [compute, gather] : {std::pair{4.0, 1.0}, std::pair{1.0, 4.0}, std::pair{2.0, 2.0}}) {
        StepGraph g;
        g.contention = 0.4;
        g.nodes = {node(Lane::compute, compute), node(Lane::shard, gather, Bucket::fsdp_exposed)};
        const Schedule s = schedule(g);
        EXPECT_DOUBLE_EQ(s.makespan.value, std::max(compute, gather) + 0.4 * std::min(compute, gather));
        EXPECT_DOUBLE_EQ(bucket(s, Bucket::matmul), compute);
        EXPECT_NEAR(bucket(s, Bucket::fsdp_exposed), s.makespan.value - compute, 1e-12);
    }
}

TEST(Schedule, DataLaneRunsAtItsShareBesideCompute) {
    StepGraph g;
    g.data_overlap = 0.25;
    g.nodes = {node(Lane::compute, 4), node(Lane::data, 3, Bucket::dp_exposed)};
    EXPECT_DOUBLE_EQ(schedule(g).makespan.value, 4 + (3 - 0.25 * 4));
}

TEST(Schedule, MemoryIsReplayed) {
    StepGraph g;
    g.nodes = {node(Lane::compute, 1), node(Lane::compute, 1), node(Lane::compute, 1)};
    g.nodes[0].at_start.activations = 10;
    g.nodes[1].at_start.logits = 5;
    g.nodes[1].at_end.logits = -5;
    g.nodes[2].at_end.activations = -10;
    const Schedule s = schedule(g);
    EXPECT_DOUBLE_EQ(s.peak.alive.total(), 15);
    EXPECT_DOUBLE_EQ(s.peak.time.value, 1);
    ASSERT_EQ(s.timeline.size(), 4U);
    EXPECT_DOUBLE_EQ(s.timeline[2].alive.total(), 10);
    EXPECT_DOUBLE_EQ(s.timeline[3].alive.total(), 0);
}

TEST(TopologicalOrder, FollowsEdgesAndLanes) {
    StepGraph g;
    g.nodes = {node(Lane::compute, 1), node(Lane::shard, 1), node(Lane::compute, 1)};
    g.edges = {{1, 2}, {0, 1}};
    EXPECT_THAT(topological_order(g), ElementsAre(0, 1, 2));
}

TEST(TopologicalOrder, IsEmptyForACycle) {
    StepGraph g;
    g.nodes = {node(Lane::compute, 1), node(Lane::shard, 1), node(Lane::compute, 1)};
    g.edges = {{2, 1}, {1, 0}};  // against the compute lane's own order
    EXPECT_TRUE(topological_order(g).empty());
}

TEST(Graphviz, NamesNodesAndEdges) {
    const Job job = toy::job(toy::dense(1, 512, 8, 8, 1024, 1024), toy::cluster(1, 2), 1024, 2);
    const std::string text = to_graphviz(build_step_graph(job, toy::plan(job, {1, 2, 1, 1})));
    EXPECT_THAT(text, ::testing::HasSubstr("digraph G {"));
    EXPECT_THAT(text, ::testing::HasSubstr("gather L0\\nforward mb0 shard"));
    EXPECT_THAT(text, ::testing::HasSubstr("->"));
}

Job fsdp_job() {
    return toy::job(toy::llama_8b(), toy::cluster(1, 8), 4096, 64);
}

int count(const StepGraph& g, std::string_view name, Pass pass, int micro_batch) {
    int n = 0;
    for (const StepNode& node : g.nodes) n += node.name == name && node.pass == pass && node.micro_batch == micro_batch;
    return n;
}

TEST(BuildStepGraph, CollectivesAreThoseOfTheInventory) {
    const Job job = fsdp_job();
    Plan plan = toy::plan(job, {1, 8, 1, 1});
    StepGraph g = build_step_graph(job, plan);
    EXPECT_EQ(count(g, "gather", Pass::forward, 0), 32 + 2);  // layers and the root's halves
    EXPECT_EQ(count(g, "gather", Pass::backward, 0), 32);     // the root stays gathered
    EXPECT_EQ(count(g, "reduce", Pass::backward, 0), 32 + 2);
    plan.reshard_after_forward = false;
    plan.sync_every_micro_batch = false;
    g = build_step_graph(job, plan);
    EXPECT_EQ(count(g, "gather", Pass::backward, 0), 0);
    EXPECT_EQ(count(g, "reduce", Pass::backward, 0), 0);
    EXPECT_EQ(count(g, "reduce", Pass::backward, g.built() - 1), 32 + 2);
    EXPECT_EQ(count(g, "all_reduce", Pass::backward, g.built() - 1), 0);
    g = build_step_graph(job, toy::plan(job, {2, 4, 1, 1}));
    EXPECT_EQ(count(g, "all_reduce", Pass::backward, 0), 32 + 2);
    g = build_step_graph(job, toy::plan(job, {1, 1, 1, 1}));
    EXPECT_EQ(count(g, "gather", Pass::forward, 0), 0);
}

TEST(BuildStepGraph, SteadyMicroBatchesAreFolded) {
    const Job job = toy::job(toy::llama_405b(), toy::cluster(2048, 8), 8192, 256 * 1024);
    const StepGraph g = build_step_graph(job, toy::plan(job, {2, 128, 8, 8}));
    EXPECT_EQ(g.micro_batches, 1024);
    EXPECT_EQ(g.built(), 4);
    EXPECT_EQ(g.folded, 1020);
    EXPECT_LT(g.nodes.size(), 20'000U);
    const Schedule s = schedule(g);
    EXPECT_GT(s.period.value * 1024, 0.99 * s.makespan.value);
    EXPECT_LT(s.period.value * 1020, s.makespan.value);
}

TEST(BuildStepGraph, GatheredUnitsAreTheRootAndTwoLayers) {
    const Job job = fsdp_job();
    Plan plan = toy::plan(job, {1, 8, 1, 1});
    const Shapes s = shapes(job, plan);
    const double unit = 2 * s.layer_weights(job.model.layers[0]), root = 2 * s.root_weights();
    const auto most = [](const Schedule& schedule) {
        double bytes = 0;
        for (const MemoryPoint& p : schedule.timeline) bytes = std::max(bytes, p.alive.gathered_units);
        return bytes;
    };
    EXPECT_DOUBLE_EQ(most(schedule(build_step_graph(job, plan))), root + 2 * unit);
    plan.reshard_after_forward = false;
    EXPECT_DOUBLE_EQ(most(schedule(build_step_graph(job, plan))), root + 32 * unit);
}

TEST(BuildStepGraph, ActivationsPeakAtTheLedgersFigure) {
    const Job job = fsdp_job();
    for (const int recomputed : {0, 1, 12, 32}) {
        Plan plan = toy::plan(job, {1, 8, 1, 1});
        plan.recompute = recomputed > 0 ? Recompute::full : Recompute::none;
        plan.recompute_layers = recomputed;
        const MemoryShapes m = memory_shapes(job, shapes(job, plan));
        const double kept = recomputed * m.layers[0].checkpoint + (32 - recomputed) * m.layers[0].kept;
        double at_loss = 0;
        const Schedule s = schedule(build_step_graph(job, plan));
        for (const MemoryPoint& p : s.timeline) {
            if (p.alive.logits > 0) at_loss = std::max(at_loss, p.alive.activations);
        }
        EXPECT_DOUBLE_EQ(at_loss, kept);
        EXPECT_NEAR(s.timeline.back().alive.total(), 0, 1);
    }
}

TEST(BuildStepGraph, WithoutAccumulationGradientsStayForOneUnit) {
    const Job job = fsdp_job();
    Plan plan = toy::plan(job, {1, 8, 1, 1});
    plan.sync_every_micro_batch = false;
    const Schedule s = schedule(build_step_graph(job, plan));
    double held = 0;
    for (const MemoryPoint& p : s.timeline) held = std::max(held, p.alive.unsharded_grads);
    const double all = 4 * shapes(job, plan).rank_weights();
    EXPECT_GE(held, all);         // fp32 gradients of every weight until the last micro-batch
    EXPECT_LT(held, 1.15 * all);  // and the 16-bit ones of the units in flight
}

// Where nothing but the gathers takes time, the step is their sum: first unit, then one after another.
TEST(BuildStepGraph, CommunicationBoundStepIsTheSumOfItsCollectives) {
    Runtime rt = toy::ideal_runtime();
    rt.gather_bytes = 2e6;
    rt.reduce_bytes = 4e6;  // as if the links were a million times slower
    const Job job = toy::job(toy::llama_8b(), toy::cluster(1, 8), 4096, 8, rt);
    const StepGraph g = build_step_graph(job, toy::plan(job, {1, 8, 1, 1}));
    double shard = 0, compute = 0;
    for (const StepNode& n : g.nodes) {
        if (n.lane == Lane::shard) shard += n.duration.value;
        if (n.lane == Lane::compute) compute += n.duration.value;
    }
    EXPECT_NEAR(schedule(g).makespan.value / shard, 1, 1e-4);
    EXPECT_GT(shard, 1e3 * compute);
}

TEST(BuildStepGraph, ComputeBoundStepHidesAllButTheEnds) {
    const Job job = toy::job(toy::llama_8b(), toy::cluster(1, 8), 16384, 8, toy::ideal_runtime());
    const StepGraph g = build_step_graph(job, toy::plan(job, {1, 8, 1, 1}));
    double ends = 0;
    for (const StepNode& n : g.nodes) {
        const bool first = n.pass == Pass::forward && n.name == "gather" && n.layer == 0;
        const bool last = n.name == "reduce" && n.layer == 0;
        if (first || last) ends += n.duration.value;
    }
    double root = 0;
    for (const StepNode& n : g.nodes) root += n.lane == Lane::shard && n.layer < 0 ? n.duration.value / 2 : 0.0;
    EXPECT_NEAR(schedule(g).bucket(Bucket::fsdp_exposed).value, ends + root, 1e-9);
}

}  // namespace
}  // namespace ndtune
