#include "cost_model/shapes.h"

#include <gtest/gtest.h>

#include "tests/support/toy.h"

namespace ndtune {
namespace {

Job job() {
    return toy::job(toy::llama_8b(), toy::cluster(8, 8), 4096, 64);
}

TEST(Shapes, TokensAndGroups) {
    const Shapes s = shapes(job(), {.mesh = {2, 4, 2, 4}, .micro_batch = 3});
    EXPECT_DOUBLE_EQ(s.tokens, 3 * 4096 / 2);
    EXPECT_DOUBLE_EQ(s.shard_group, 8);  // dp_shard x cp
    EXPECT_DOUBLE_EQ(s.data_group, 16);
    EXPECT_DOUBLE_EQ(s.replicas, 2);
    EXPECT_TRUE(s.fsdp);
}

TEST(Shapes, SequenceAndLossParallelFollowTheRuntime) {
    Job j = job();
    EXPECT_DOUBLE_EQ(shapes(j, {.mesh = {1, 1, 1, 4}}).sigma, 4);
    EXPECT_DOUBLE_EQ(shapes(j, {.mesh = {1, 1, 1, 4}}).loss_tp, 4);
    j.runtime.sequence_parallel = j.runtime.loss_parallel = false;
    EXPECT_DOUBLE_EQ(shapes(j, {.mesh = {1, 1, 1, 4}}).sigma, 1);
    EXPECT_DOUBLE_EQ(shapes(j, {.mesh = {1, 1, 1, 4}}).loss_tp, 1);
}

TEST(Shapes, NothingIsShardedWithoutFsdp) {
    Job j = job();
    EXPECT_FALSE(shapes(j, {.mesh = {8, 1, 1, 1}}).fsdp);
    j.runtime.allow_fsdp = false;
    const Shapes s = shapes(j, {.mesh = {4, 1, 2, 1}, .shard_optimizer = true});
    EXPECT_FALSE(s.fsdp);
    EXPECT_DOUBLE_EQ(s.shard_group, 1);
}

TEST(Shapes, Fp32DoublesEveryElement) {
    Job j = job();
    j.workload.precision = Precision::fp32;
    const Shapes s = shapes(j, {});
    EXPECT_DOUBLE_EQ(s.width, 4);
    EXPECT_DOUBLE_EQ(s.gather_bytes, 4);
    EXPECT_DOUBLE_EQ(s.reduce_bytes, 4);
}

TEST(Shapes, WeightsOfOneRankAreTheModelsOnOne) {
    const Job j = job();
    EXPECT_DOUBLE_EQ(shapes(j, {}).rank_weights(), static_cast<double>(parameters(j.model).total));
}

TEST(Shapes, TensorParallelDividesAllButNorms) {
    const Job j = job();
    const Shapes one = shapes(j, {}), eight = shapes(j, {.mesh = {1, 1, 1, 8}});
    const LayerType& layer = j.model.layers[0];
    const double norms = 2 * 4096;
    EXPECT_DOUBLE_EQ(eight.layer_weights(layer) - norms, (one.layer_weights(layer) - norms) / 8);
    EXPECT_DOUBLE_EQ(eight.root_weights() - 4096, (one.root_weights() - 4096) / 8);
}

TEST(Shapes, TiedTablesCountOnceLearnedPositionsToo) {
    Job j = job();
    j.model.tied_embeddings = true;
    j.model.positions = 100;
    EXPECT_DOUBLE_EQ(shapes(j, {}).root_weights(), 128256.0 * 4096 + 100 * 4096 + 4096);
}

TEST(Shapes, MeanKeysOfAWindow) {
    const Shapes s = shapes(job(), {});
    EXPECT_DOUBLE_EQ(s.mean_keys(0), 2048);
    EXPECT_DOUBLE_EQ(s.mean_keys(4096), 2048);
    EXPECT_DOUBLE_EQ(s.mean_keys(100'000), 2048);
    // Positions below w see half of them in the mean, all others w.
    EXPECT_DOUBLE_EQ(s.mean_keys(1024), (1024.0 * 512 + 3072.0 * 1024) / 4096);
}

}  // namespace
}  // namespace ndtune
