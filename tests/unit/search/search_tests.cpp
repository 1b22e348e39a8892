#include "search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "search/best_plan.h"
#include "tests/support/toy.h"
#include "tests/unit/search/brute_force.h"

namespace ndtune::search {
namespace {

// Small enough for brute force, large enough that memory rules plans out: 6 layers of 256 MB of weights.
Job small_job(int nodes, int per_node, std::int64_t batch, std::int64_t memory_mib) {
    Job job = toy::job(toy::dense(6, 2048, 12, 6, 8192, 6000), toy::cluster(nodes, per_node), 4096, batch);
    job.cluster.device.memory.value = Bytes{memory_mib << 20};
    job.runtime.context_gib = 0.1;
    return job;
}

// Everything but `estimated`, which is the point of the bounds, and the remedies of near misses.
void expect_same(const SearchResult& found, const SearchResult& expected) {
    EXPECT_EQ(found.space.size, expected.space.size);
    EXPECT_EQ(found.space.visited, expected.space.visited);
    EXPECT_EQ(found.space.feasible, expected.space.feasible);
    EXPECT_EQ(found.space.rejected, expected.space.rejected);
    EXPECT_EQ(found.space.rejected_by, expected.space.rejected_by);
    ASSERT_EQ(found.plans.size(), expected.plans.size());
    for (std::size_t i = 0; i < found.plans.size(); ++i) {
        EXPECT_EQ(to_text(found.plans[i].plan), to_text(expected.plans[i].plan)) << i;
        EXPECT_EQ(found.plans[i].estimate, expected.plans[i].estimate);
    }
    ASSERT_EQ(found.pareto.size(), expected.pareto.size());
    for (std::size_t i = 0; i < found.pareto.size(); ++i) {
        EXPECT_EQ(to_text(found.pareto[i].plan), to_text(expected.pareto[i].plan)) << i;
    }
    ASSERT_EQ(found.near_misses.size(), expected.near_misses.size());
    for (std::size_t i = 0; i < found.near_misses.size(); ++i) {
        EXPECT_EQ(to_text(found.near_misses[i].plan.plan), to_text(expected.near_misses[i].plan.plan)) << i;
    }
}

struct BruteCase {
    int nodes, per_node;
    std::int64_t batch, memory_mib;
};

class SearchAgainstBruteForce : public ::testing::TestWithParam<BruteCase> {};

TEST_P(SearchAgainstBruteForce, EveryObjectiveWithAndWithoutBounds) {
    const BruteCase& c = GetParam();
    const Job job = small_job(c.nodes, c.per_node, c.batch, c.memory_mib);
    for (const Objective objective : {Objective::step_time, Objective::tokens_per_gpu, Objective::memory_headroom}) {
        Options options;
        options.objective = objective;
        options.top = 50;
        const SearchResult expected = testing::brute_force(job, options);
        const SearchResult found = search(job, options).value();
        expect_same(found, expected);
        options.bounds = false;
        const SearchResult unbounded = search(job, options).value();
        expect_same(unbounded, expected);
        EXPECT_EQ(unbounded.near_misses, found.near_misses);
        EXPECT_GE(unbounded.space.estimated, found.space.estimated);
        options.bounds = true;
        const auto best = best_plan(job, options).value();
        ASSERT_EQ(best.has_value(), !expected.plans.empty());
        if (best) {
            EXPECT_EQ(*best, expected.plans.front());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(SmallSpaces, SearchAgainstBruteForce,
                         ::testing::Values(BruteCase{1, 1, 4, 80 << 10}, BruteCase{1, 8, 16, 80 << 10}, BruteCase{1, 8, 16, 9000},
                                           BruteCase{1, 8, 16, 6000}, BruteCase{2, 6, 24, 8000}, BruteCase{3, 4, 36, 12000},
                                           BruteCase{1, 8, 16, 1000}, BruteCase{1, 8, 7, 80 << 10}, BruteCase{1, 5, 10, 16000}));

TEST(Search, RuntimesWithOtherKnobs) {
    for (const bool fsdp : {false, true}) {
        Job job = small_job(1, 8, 16, 12000);
        job.runtime.allow_fsdp = fsdp;
        job.runtime.allow_zero1 = true;
        job.runtime.allow_selective = false;
        job.runtime.allow_no_sync = fsdp;
        job.runtime.allow_cp = fsdp;
        Options options;
        options.top = 1000;
        const SearchResult expected = testing::brute_force(job, options);
        EXPECT_GT(expected.space.feasible, 0U);
        expect_same(search(job, options).value(), expected);
    }
}

TEST(Search, RulesSwitchedOff) {
    const Job job = small_job(1, 8, 16, 9000);
    for (int i = 1; i < kRules; ++i) {
        const auto rule = static_cast<Rule>(i);
        if (rule == Rule::batch) continue;  // changes the space: see below
        Options options;
        options.disabled_rules = {rule};
        const SearchResult found = search(job, options).value();
        EXPECT_EQ(found.space.rejected_by[static_cast<std::size_t>(i)], 0U) << to_string(rule);
        if (rule == Rule::tp_heads || rule == Rule::tp_kv_heads) continue;  // numbers for uneven heads mean nothing
        expect_same(found, testing::brute_force(job, options));
    }
}

TEST(Search, WithoutTheBatchRuleEveryMeshIsSearched) {
    const Job job = small_job(1, 8, 7, 80 << 10);  // 7 sequences: no data-parallel size but 1 divides them
    Options options;
    EXPECT_GT(search(job, options).value().space.rejected_by[static_cast<std::size_t>(Rule::batch)], 0U);
    options.disabled_rules = {Rule::batch};
    const SearchResult all = search(job, options).value();
    EXPECT_EQ(all.space.visited, all.space.size);
    bool data_parallel = false;
    for (const RankedPlan& p : all.pareto) data_parallel |= p.plan.mesh.data_parallel() == 8;
    EXPECT_TRUE(data_parallel);
}

TEST(Search, TheSameBytesWhateverTheThreads) {
    const Job job = small_job(4, 8, 64, 9000);
    Options options;
    options.threads = 1;
    const SearchResult one = search(job, options).value();
    for (const int threads : {2, 3, 16, 0}) {
        options.threads = threads;
        EXPECT_EQ(search(job, options).value(), one) << threads;
    }
}

TEST(Search, LimitsAreKept) {
    const Job job = small_job(2, 8, 64, 80 << 10);
    Options options;
    options.limits = {{Axis::tp, 2, 2}, {Axis::cp, 1, 2}, {Axis::dp_replicate, 2, 1 << 20}};
    const SearchResult result = search(job, options).value();
    ASSERT_FALSE(result.plans.empty());
    for (const auto& list : {result.plans, result.pareto}) {
        for (const RankedPlan& p : list) {
            EXPECT_EQ(p.plan.mesh.tp, 2);
            EXPECT_LE(p.plan.mesh.cp, 2);
            EXPECT_GE(p.plan.mesh.dp_replicate, 2);
        }
    }
    expect_same(result, testing::brute_force(job, options));
}

TEST(Search, WithinNode) {
    Job job = small_job(4, 4, 64, 80 << 10);
    job.model.attention.heads = 16;
    job.model.attention.kv_heads = 16;
    job.model.attention.head_dim = job.model.attention.value_dim = 128;
    Options options;
    options.top = 100'000;
    const auto widest = [&] {
        int tp = 1;
        const SearchResult found = search(job, options).value();
        for (const RankedPlan& p : found.plans) tp = std::max(tp, p.plan.mesh.tp);
        return tp;
    };
    EXPECT_EQ(widest(), 16);
    options.within_node = {Axis::tp};
    EXPECT_EQ(widest(), 4);
}

TEST(Search, OnePlanStandsForItsRecomputeFamily) {
    Options options;
    options.top = 1000;
    std::set<std::string> families;
    const SearchResult found = search(small_job(1, 8, 16, 9000), options).value();
    for (const RankedPlan& p : found.plans) {
        Plan family = p.plan;
        family.recompute_layers = 0;
        EXPECT_TRUE(families.insert(to_text(family)).second) << to_text(p.plan);
    }
}

TEST(Search, NothingFitsIsAnAnswer) {
    const SearchResult result = search(small_job(1, 8, 16, 500), {}).value();
    EXPECT_TRUE(result.plans.empty());
    EXPECT_TRUE(result.pareto.empty());
    EXPECT_EQ(result.space.feasible, 0U);
    EXPECT_EQ(result.space.visited, result.space.size);
    ASSERT_FALSE(result.near_misses.empty());
    for (std::size_t i = 1; i < result.near_misses.size(); ++i)
        EXPECT_LE(result.near_misses[i - 1].over, result.near_misses[i].over);
}

TEST(Search, NearMissesAreFasterThanTheBestAndTheirRemediesFit) {
    const Job job = toy::job(toy::llama_8b(), toy::cluster(1, 8), 8192, 64);
    const SearchResult result = search(job, {}).value();
    ASSERT_FALSE(result.near_misses.empty());
    ASSERT_LE(result.near_misses.size(), 5U);
    std::set<std::string> meshes;
    bool some_remedy = false;
    for (const NearMiss& miss : result.near_misses) {
        EXPECT_LT(miss.plan.estimate.step_time, result.plans.front().estimate.step_time);
        const auto violation = why_not(job, {}, miss.plan.plan);
        ASSERT_TRUE(violation);
        EXPECT_EQ(violation->rule, Rule::memory);
        EXPECT_EQ(miss.over, miss.plan.estimate.memory.peak - job.cluster.device.memory.value);
        EXPECT_GT(miss.over, Bytes{0});
        const std::string text = to_text(miss.plan.plan);
        EXPECT_TRUE(meshes.insert(text.substr(0, text.find('/'))).second) << "two of mesh " << text;
        EXPECT_EQ(miss.remedy.has_value(), !miss.change.empty());
        if (!miss.remedy) continue;
        some_remedy = true;
        EXPECT_FALSE(why_not(job, {}, miss.remedy->plan)) << to_text(miss.remedy->plan);
        EXPECT_EQ(miss.remedy->estimate, estimate(job, miss.remedy->plan));
        EXPECT_GE(miss.remedy->estimate.step_time, result.plans.front().estimate.step_time);
    }
    EXPECT_TRUE(some_remedy);
}

TEST(Search, MemoryMarginIsKeptFree) {
    const Job job = small_job(1, 8, 16, 9000);
    Options options;
    options.memory_margin = 0.2;
    options.top = 1000;
    const SearchResult found = search(job, options).value();
    for (const RankedPlan& p : found.plans) {
        EXPECT_LE(static_cast<double>(p.estimate.memory.peak.value), 0.8 * static_cast<double>(p.estimate.memory.capacity.value));
    }
    Job smaller = job;
    smaller.cluster.device.memory.value = Bytes{job.cluster.device.memory.value.value * 4 / 5};
    const SearchResult margin = search(job, options).value();
    const SearchResult plain = search(smaller, {}).value();
    EXPECT_EQ(margin.space, plain.space);
}

struct BadJob {
    std::string message;
    std::function<void(Job&, Options&)> spoil;
};

TEST(Search, SaysWhatIsWrong) {
    const std::vector<BadJob> bad = {
        {"nodes 0 is not within 1 to 1048576", [](Job& j, Options&) { j.cluster.nodes = 0; }},
        {"devices per node -8 is not within 1 to 1048576", [](Job& j, Options&) { j.cluster.devices_per_node = -8; }},
        {"devices 1099511627776 is not within 1 to 1048576",
         [](Job& j, Options&) { j.cluster.nodes = j.cluster.devices_per_node = 1 << 20; }},
        {"global batch 0 is not within 1 to 1048576", [](Job& j, Options&) { j.workload.global_batch = 0; }},
        {"sequence length -1 is not within 1 to 4294967296", [](Job& j, Options&) { j.workload.seq_len = -1; }},
        {"layers 0 is not within 1 to 65536", [](Job& j, Options&) { j.model.layers.clear(); }},
        {"top -1 is not within 0 to 100000", [](Job&, Options& o) { o.top = -1; }},
        {"threads -1 is not within 0 to 4096", [](Job&, Options& o) { o.threads = -1; }},
        {"memory margin nan is not within 0 to 1", [](Job&, Options& o) { o.memory_margin = std::nan(""); }},
        {"the limits tp >= 8 and tp <= 4 contradict each other",
         [](Job&, Options& o) { o.limits = {{Axis::tp, 8, 8}, {Axis::tp, 1, 4}}; }},
        {"tp = 3 does not divide 8 devices", [](Job&, Options& o) { o.limits = {{Axis::tp, 3, 3}}; }},
        {"cp >= 4 and tp >= 4 need at least 16 devices; the cluster has 8",
         [](Job&, Options& o) { o.limits = {{Axis::tp, 4, 4}, {Axis::cp, 4, 4}}; }},
    };
    for (const BadJob& b : bad) {
        Job job = small_job(1, 8, 16, 9000);
        Options options;
        b.spoil(job, options);
        const auto result = search(job, options);
        ASSERT_FALSE(result) << b.message;
        EXPECT_EQ(result.error().message, b.message);
        EXPECT_FALSE(best_plan(job, options)) << b.message;
    }
}

TEST(WhyNot, GivesTheFirstBrokenRuleOfATypedPlan) {
    const Job job = small_job(1, 8, 16, 80 << 10);
    const auto rule = [&](std::string_view text) { return why_not(job, {}, parse_plan(text).value()); };
    EXPECT_FALSE(rule("s8/mb2"));
    EXPECT_EQ(rule("s4/mb4")->rule, Rule::mesh_product);
    EXPECT_EQ(rule("r1048576.s1048576.c1048576.t1048576/mb1048576.ga1048576")->rule, Rule::mesh_product);
    EXPECT_EQ(rule("t8/mb16")->rule, Rule::tp_heads);
    EXPECT_EQ(rule("s8/mb1")->rule, Rule::batch);
    EXPECT_EQ(rule("s8/mb1")->message, "mb 1 x ga 1 x dp_replicate 1 x dp_shard 8 is not the global batch of 16 sequences");
    EXPECT_EQ(rule("s8/mb1")->hint, "ga2 gives 16 sequences, the nearest with this mesh and micro-batch");
    EXPECT_EQ(rule("s8/mb1048576.ga1048576")->rule, Rule::batch);
    EXPECT_EQ(rule("s8/mb2/ac=full:7")->rule, Rule::runtime_knob);
    EXPECT_EQ(rule("s8/mb2/z1")->rule, Rule::runtime_knob);
}

}  // namespace
}  // namespace ndtune::search
