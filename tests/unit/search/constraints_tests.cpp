// The rules of search/constraints.h, by their numbers there.

#include "search/constraints.h"

#include <gtest/gtest.h>

#include <string>

#include "search/search.h"
#include "tests/support/toy.h"

namespace ndtune::search {
namespace {

class Rules : public ::testing::Test {
protected:
    Rules() : job(toy::job(toy::llama_8b(), toy::cluster(2, 8), 8192, 64)) {}

    // "rule: message" of the first broken rule, or "".
    std::string broken(std::string_view text) const {
        const auto violation = why_not(job, options, parse_plan(text).value());
        if (!violation) return {};
        EXPECT_FALSE(violation->hint.empty());
        return std::string(to_string(violation->rule)) + ": " + violation->message;
    }

    Job job;
    Options options;
};

TEST_F(Rules, Rule1SizesMultiplyToTheDevices) {
    EXPECT_EQ(broken("s16/mb1.ga4/ac=full"), "");
    EXPECT_EQ(broken("s8/mb1.ga8"), "mesh_product: dp_replicate 1 x dp_shard 8 x cp 1 x tp 1 is not 16 devices");
    options.disabled_rules = {Rule::mesh_product};  // cannot be switched off
    EXPECT_NE(broken("s8/mb1.ga8"), "");
}

TEST_F(Rules, Rule2TpDividesHeads) {
    job.model.attention.heads = job.model.attention.kv_heads = 6;
    EXPECT_EQ(broken("s4.t4/mb1.ga16"), "tp_heads: tp 4 does not divide 6 attention heads");
}

TEST_F(Rules, Rule2TpDividesKvHeads) {
    EXPECT_EQ(broken("t16/mb64"), "tp_kv_heads: tp 16 does not divide 8 kv heads");
    job.model.attention.kv_rank = 512;  // latent attention compresses keys and values: nothing to divide
    options.disabled_rules = {Rule::memory};
    EXPECT_EQ(broken("t16/mb64"), "");
}

TEST_F(Rules, Rule2TpDividesEveryMlpWidth) {
    job.model.layers.front().ffn = 14338;
    EXPECT_EQ(broken("s4.t4/mb1.ga16"), "tp_ffn: tp 4 does not divide 14338 MLP columns");
    job.model.layers.front().ffn = 0;
    job.model.layers.front().experts = 8;
    job.model.layers.front().expert_ffn = 1026;
    EXPECT_EQ(broken("s4.t4/mb1.ga16"), "tp_ffn: tp 4 does not divide 1026 expert MLP columns");
    job.model.layers.front().expert_ffn = 1024;
    job.model.layers.front().shared_ffn = 510;
    EXPECT_EQ(broken("s4.t4/mb1.ga16"), "tp_ffn: tp 4 does not divide 510 shared-expert MLP columns");
}

TEST_F(Rules, Rule2TpDividesTheVocabularyOrItIsPadded) {
    job.model.vocab = 50257;
    EXPECT_EQ(broken("s4.t4/mb1.ga16/ac=full"), "");
    job.runtime.loss_parallel = false;
    EXPECT_EQ(broken("s4.t4/mb1.ga16/ac=full"), "tp_vocab: tp 4 does not divide 50257 vocabulary entries");
}

TEST_F(Rules, Rule3SequenceInTwoChunksPerCpRank) {
    job.workload.seq_len = 8196;
    EXPECT_EQ(broken("s8.c2/mb1.ga8/ac=full"), "");
    EXPECT_EQ(broken("s4.c4/mb1.ga16/ac=full"),
              "cp_sequence: sequence 8196 % (2 x cp 4) = 4, not 0 (head-tail balance cuts it in 2 x cp chunks)");
}

TEST_F(Rules, Rule3SequenceParallelDividesTheSequence) {
    job.workload.seq_len = 8196;
    EXPECT_EQ(broken("s4.c2.t2/mb1.ga16/ac=full"), "");
    EXPECT_EQ(broken("s2.c2.t4/mb1.ga32/ac=full"),
              "sp_sequence: sequence 8196 / cp 2 is not a multiple of tp 4 (sequence parallel divides it)");
    job.runtime.sequence_parallel = false;
    EXPECT_EQ(broken("s2.c2.t4/mb1.ga32/ac=full"), "");
}

// 4: the shard group is dp_shard x cp; where it is 1 there is nothing to reshard, so the knob is not in the space.
TEST_F(Rules, Rule4NoShardGroupNoReshardKnob) {
    options.top = 100'000;
    options.disabled_rules = {Rule::memory};
    bool off = false;
    const SearchResult found = search(job, options).value();
    for (const RankedPlan& p : found.plans) {
        EXPECT_TRUE(p.plan.reshard_after_forward || p.plan.mesh.shard_group() > 1) << to_text(p.plan);
        off |= !p.plan.reshard_after_forward;
    }
    EXPECT_TRUE(off);
}

TEST_F(Rules, Rule5DdpBesideTpOrCp) {
    options.disabled_rules = {Rule::memory};
    EXPECT_EQ(broken("r8.t2/mb1.ga8"), "");
    job.runtime.allow_ddp_with_tp = false;
    EXPECT_EQ(broken("r8.t2/mb1.ga8"), "ddp_with_tp_cp: toy refuses dp_replicate 8 with dp_shard 1 beside cp 1 and tp 2");
    EXPECT_EQ(broken("r8.c2/mb1.ga8"), "ddp_with_tp_cp: toy refuses dp_replicate 8 with dp_shard 1 beside cp 2 and tp 1");
    EXPECT_EQ(broken("r16/mb1.ga4"), "");
    EXPECT_EQ(broken("r4.s2.t2/mb1.ga8"), "");
}

TEST_F(Rules, Rule6Batch) {
    job.workload.global_batch = 60;
    EXPECT_EQ(broken("s4.t4/mb1.ga15/ac=full"), "");
    EXPECT_EQ(broken("s16/mb1.ga4/ac=full"),
              "batch: dp_replicate 1 x dp_shard 16 = 16 does not divide the global batch of 60 sequences");
    EXPECT_EQ(why_not(job, options, parse_plan("s16/mb1.ga3").value())->hint, "the nearest batch this mesh can reach is 64");
    EXPECT_EQ(broken("s4.t4/mb2.ga7/ac=full"),
              "batch: mb 2 x ga 7 x dp_replicate 1 x dp_shard 4 is not the global batch of 60 sequences");
    EXPECT_EQ(why_not(job, options, parse_plan("s4.t4/mb2.ga7").value())->hint,
              "ga8 gives 64 sequences, the nearest with this mesh and micro-batch");
}

TEST_F(Rules, Rule7TpAcrossNodesIsAWarning) {
    job.model.attention.kv_heads = 32;
    EXPECT_EQ(broken("t16/mb1.ga64/ac=full"), "");
    EXPECT_EQ(caution(job, {1, 1, 1, 16}),
              "tp 16 crosses nodes of 8 devices; its communication is priced at the scale-out network's speed");
    EXPECT_EQ(caution(job, {1, 2, 2, 4}), "");
    EXPECT_NE(caution(job, {1, 1, 4, 4}), "");
    options.within_node = {Axis::tp};
    EXPECT_EQ(broken("t16/mb1.ga64/ac=full"),
              "within_node: tp 16 with the axes inside it covers 16 consecutive devices; a node has 8");
}

TEST_F(Rules, WithinNodeFollowsTheOrderOfTheMesh) {
    options.within_node = {Axis::cp};
    EXPECT_EQ(broken("s2.c2.t4/mb1.ga32/ac=full"), "");
    EXPECT_EQ(broken("c4.t4/mb1.ga64/ac=full"),
              "within_node: cp 4 with the axes inside it covers 16 consecutive devices; a node has 8");
    EXPECT_EQ(broken("s4.t4/mb1.ga16/ac=full"), "");  // cp = 1 spans nothing
    job.cluster.order = {Axis::dp_replicate, Axis::tp, Axis::dp_shard, Axis::cp};
    EXPECT_EQ(broken("c4.t4/mb1.ga64/ac=full"), "");
}

TEST_F(Rules, Rule8SlidingWindowUnderCp) {
    job.model.layers.front().window = 4096;
    EXPECT_EQ(broken("s8.c2/mb1.ga8/ac=full"), "");
    job.runtime.allow_cp_with_window = false;
    EXPECT_EQ(broken("s8.c2/mb1.ga8/ac=full"),
              "cp_window: toy would drop the sliding window of 4096 tokens with cp 2 at sequence 8192");
    job.model.layers.front().window = 8192;  // cuts nothing off
    EXPECT_EQ(broken("s8.c2/mb1.ga8/ac=full"), "");
}

TEST_F(Rules, Rule9TiedEmbeddingsWithTp) {
    job.model.tied_embeddings = true;
    EXPECT_EQ(broken("s8.t2/mb1.ga8/ac=full"), "");
    job.runtime.allow_tied_with_tp = false;
    EXPECT_EQ(broken("s8.t2/mb1.ga8/ac=full"), "tied_with_tp: toy refuses tied embeddings with tp 2");
}

TEST_F(Rules, Rule10KnobsOfTheRuntime) {
    EXPECT_EQ(broken("s16/mb1.ga4/ac=full:33"), "runtime_knob: ac=full:33 is above the model's 32 layers");
    EXPECT_EQ(broken("s16/mb1.ga4/ac=full/z1"), "runtime_knob: toy has no sharded optimizer over dp_replicate");
    job.runtime.allow_selective = job.runtime.allow_no_sync = job.runtime.allow_cp = false;
    EXPECT_EQ(broken("s16/mb1.ga4/ac=sel"), "runtime_knob: toy has no selective recompute");
    EXPECT_EQ(broken("s16/mb1.ga4/ac=full/sync=last"), "runtime_knob: toy has no accumulation without gradient sync");
    EXPECT_EQ(broken("s8.c2/mb1.ga8/ac=full"), "runtime_knob: toy has no context parallelism: cp 2 is not 1");
}

// 11: the optimizer works on the target's shards: ZeRO-1 is for parameters that are whole.
TEST_F(Rules, Rule11ShardedOptimizer) {
    options.disabled_rules = {Rule::memory};
    job.runtime.allow_zero1 = true;
    EXPECT_EQ(broken("r16/mb1.ga4/z1"), "");
    EXPECT_EQ(broken("s16/mb1.ga4/z1"),
              "runtime_knob: z1 shards the optimizer in place of the parameters; dp_shard 16 shards both");
    job.runtime.allow_fsdp = false;
    EXPECT_EQ(broken("s16/mb1.ga4"), "runtime_knob: toy does not shard parameters: dp_shard 16 is not 1");
}

TEST_F(Rules, Rule12Memory) {
    const Plan plan = parse_plan("s16/mb4").value();
    const MemoryLedger ledger = estimate(job, plan).memory;
    ASSERT_FALSE(ledger.fits());
    const auto violation = why_not(job, options, plan);
    ASSERT_TRUE(violation);
    EXPECT_EQ(violation->rule, Rule::memory);
    EXPECT_NE(violation->message.find("is above the usable 80.0 GiB"), std::string::npos) << violation->message;
    options.memory_margin = 0.1;
    EXPECT_NE(why_not(job, options, plan)->message.find("is above the usable 72.0 GiB (80.0 GiB less 10 %)"), std::string::npos);
    job.cluster.device.memory.value = ledger.peak;
    options.memory_margin = 0;
    EXPECT_EQ(broken("s16/mb4"), "");
    job.cluster.device.memory.value = ledger.peak - Bytes{1};
    EXPECT_NE(broken("s16/mb4"), "");
}

// 13: sizes that are given are kept or refused, never changed.
TEST_F(Rules, Rule13GivenSizesAreKept) {
    options.limits = {{Axis::tp, 2, 2}, {Axis::dp_shard, 4, 4}};
    const SearchResult found = search(job, options).value();
    for (const RankedPlan& p : found.plans) {
        EXPECT_EQ(p.plan.mesh.tp, 2);
        EXPECT_EQ(p.plan.mesh.dp_shard, 4);
    }
    EXPECT_EQ(broken("s4.c4/mb1.ga16"), "user_limit: tp 1 is below the limit of 2");
    EXPECT_EQ(broken("s8.t2/mb1.ga8"), "user_limit: dp_shard 8 is above the limit of 4");
}

TEST(RuleNames, ReadBack) {
    for (int i = 0; i < kRules; ++i) EXPECT_EQ(parse_rule(to_string(static_cast<Rule>(i))), static_cast<Rule>(i));
    EXPECT_FALSE(parse_rule("tp"));
    EXPECT_FALSE(parse_rule(""));
}

}  // namespace
}  // namespace ndtune::search
