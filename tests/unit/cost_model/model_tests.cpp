#include "cost_model/model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ndtune {
namespace {

Attention grouped(int heads, int kv_heads, int head_dim) {
    Attention attention;
    attention.heads = heads;
    attention.kv_heads = kv_heads;
    attention.head_dim = attention.value_dim = head_dim;
    return attention;
}

Model dense(std::int64_t hidden, int layers, Attention attention, std::int64_t ffn, std::int64_t vocab) {
    Model model;
    model.hidden = hidden;
    model.vocab = vocab;
    model.attention = attention;
    LayerType layer;
    layer.count = layers;
    layer.ffn = ffn;
    model.layers = {layer};
    return model;
}

Model llama_8b() {
    return dense(4096, 32, grouped(32, 8, 128), 14336, 128256);
}

TEST(LayerParams, DenseLayerByHand) {
    const Model model = dense(10, 1, grouped(4, 2, 3), 7, 11);
    const LayerParams params = layer_params(model, model.layers[0]);
    EXPECT_EQ(params.attention, 10 * (4 + 2 * 2) * 3 + 4 * 3 * 10);  // h (a + 2g) d + a d h
    EXPECT_EQ(params.mlp, 3 * 10 * 7);
    EXPECT_EQ(params.experts, 0);
    EXPECT_EQ(params.replicated, 2 * 10);
}

TEST(LayerParams, ColumnBiasesAreDividedRowBiasesAndNormsAreNot) {
    Model model = dense(10, 1, grouped(4, 2, 3), 7, 11);
    const LayerParams plain = layer_params(model, model.layers[0]);
    model.attention.qkv_bias = model.attention.out_bias = model.attention.qk_norm = model.mlp_bias = model.norm_bias = true;
    const LayerParams biased = layer_params(model, model.layers[0]);
    EXPECT_EQ(biased.attention - plain.attention, (4 + 2 * 2) * 3);
    EXPECT_EQ(biased.mlp - plain.mlp, 2 * 7);  // gate and up
    // output bias, down bias, two norm biases, q and k norm
    EXPECT_EQ(biased.replicated - plain.replicated, 10 + 10 + 2 * 10 + 2 * 3);
    model.gated_mlp = false;
    EXPECT_EQ(layer_params(model, model.layers[0]).mlp, 2 * 10 * 7 + 7);
}

TEST(LayerParams, ExpertsRouterAndSharedExpert) {
    Model model = dense(10, 1, grouped(4, 2, 3), 0, 11);
    LayerType& layer = model.layers[0];
    layer.experts = 6;
    layer.experts_per_token = 2;
    layer.expert_ffn = 5;
    layer.shared_ffn = 8;
    layer.shared_gate = true;
    LayerParams params = layer_params(model, layer);
    EXPECT_EQ(params.experts, 6 * 3 * 10 * 5);
    EXPECT_EQ(params.mlp, 3 * 10 * 8);
    EXPECT_EQ(params.replicated, 2 * 10 + 10 * 6 + 10);
    model.router_bias = model.expert_bias = model.attention.sinks = true;
    params = layer_params(model, layer);
    EXPECT_EQ(params.experts, 6 * (3 * 10 * 5 + 2 * 5 + 10));
    EXPECT_EQ(params.replicated, 2 * 10 + 10 * 6 + 10 + 6);
    EXPECT_EQ(params.attention, 10 * (4 + 2 * 2) * 3 + 4 * 3 * 10 + 4);  // one sink per query head
}

TEST(LayerParams, LatentAttentionByHand) {
    Model model = dense(10, 1, {}, 7, 11);
    model.attention.heads = model.attention.kv_heads = 4;
    model.attention.rope_dim = 2;
    model.attention.head_dim = 5;  // 3 without RoPE + 2 with
    model.attention.value_dim = 6;
    model.attention.q_rank = 8;
    model.attention.kv_rank = 9;
    LayerParams params = layer_params(model, model.layers[0]);
    EXPECT_EQ(params.attention, 8 * 4 * 5 + 9 * 4 * (3 + 6) + 4 * 6 * 10);
    EXPECT_EQ(params.replicated, 10 * 8 + 10 * (9 + 2) + (8 + 9) + 2 * 10);
    model.attention.q_rank = 0;
    params = layer_params(model, model.layers[0]);
    EXPECT_EQ(params.attention, 10 * 4 * 5 + 9 * 4 * (3 + 6) + 4 * 6 * 10);
    EXPECT_EQ(params.replicated, 10 * (9 + 2) + 9 + 2 * 10);
    model.attention.qkv_bias = model.attention.out_bias = true;
    EXPECT_EQ(layer_params(model, model.layers[0]).replicated - params.replicated, 9 + 2 + 10);
}

TEST(Parameters, Llama8bAndItsParts) {
    const Model model = llama_8b();
    const ParameterCount count = parameters(model);
    EXPECT_EQ(count.total, 8'030'261'248);
    EXPECT_EQ(count.active, count.total);
    EXPECT_EQ(count.embedding, 128256LL * 4096);
    EXPECT_EQ(count.head, 128256LL * 4096);
    EXPECT_EQ(model.layer_count(), 32);
}

TEST(Parameters, TiedHeadLearnedPositionsAndOther) {
    Model model = dense(10, 3, grouped(4, 2, 3), 7, 11);
    const ParameterCount untied = parameters(model);
    model.tied_embeddings = true;
    model.positions = 13;
    model.other_params = 17;
    const ParameterCount tied = parameters(model);
    EXPECT_EQ(tied.head, 0);
    EXPECT_EQ(tied.embedding, (11 + 13) * 10);
    EXPECT_EQ(tied.total - untied.total, -11 * 10 + 13 * 10 + 17);
}

TEST(Parameters, ActiveCountsKOfEExperts) {
    Model model = dense(10, 3, grouped(4, 2, 3), 0, 11);
    LayerType& layer = model.layers[0];
    layer.experts = 6;
    layer.experts_per_token = 2;
    layer.expert_ffn = 5;
    const ParameterCount count = parameters(model);
    EXPECT_EQ(count.total - count.active, 3 * (6 - 2) * 3 * 10 * 5);
}

// 6 x matmul weights + 3 x 4 a d (S + 1) / 2 per layer (two products forward, causal).
TEST(FlopsPerToken, Llama8bAt8k) {
    const double weights = 32.0 * (4096.0 * 48 * 128 + 4096.0 * 4096 + 3.0 * 4096 * 14336) + 128256.0 * 4096;
    const double attention = 32.0 * 3 * 4 * 32 * 128 * (8192.0 + 1) / 2;
    EXPECT_DOUBLE_EQ(flops_per_token(llama_8b(), 8192), 6 * weights + attention);
}

TEST(FlopsPerToken, WindowCountsTheKeysEachPositionSees) {
    Model model = dense(10, 2, grouped(4, 2, 3), 7, 11);
    const double full = flops_per_token(model, 9);
    model.layers[0].window = 4;
    double full_pairs = 0;
    double window_pairs = 0;
    for (int position = 1; position <= 9; ++position) {
        full_pairs += position;
        window_pairs += std::min(position, 4);
    }
    EXPECT_NEAR(full - flops_per_token(model, 9), 2 * 3 * 4.0 * 4 * 3 * (full_pairs - window_pairs) / 9, 1e-9);
    model.layers[0].window = 9;
    EXPECT_DOUBLE_EQ(flops_per_token(model, 9), full);
    model.layers[0].window = 1'000'000;
    EXPECT_DOUBLE_EQ(flops_per_token(model, 9), full);
}

TEST(FlopsPerToken, TiedHeadIsStillMultiplied) {
    Model model = dense(10, 2, grouped(4, 2, 3), 7, 11);
    const double untied = flops_per_token(model, 8);
    model.tied_embeddings = true;
    EXPECT_DOUBLE_EQ(flops_per_token(model, 8), untied);
}

TEST(FlopsPerToken, MoeCountsActiveExpertsRouterAndShared) {
    Model model = dense(10, 1, grouped(4, 2, 3), 0, 11);
    LayerType& layer = model.layers[0];
    layer.experts = 6;
    layer.experts_per_token = 2;
    layer.expert_ffn = 5;
    layer.shared_ffn = 8;
    const double weights = 10 * 8 * 3 + 4 * 3 * 10 + 10 * 6 + 2 * 3 * 10 * 5 + 3 * 10 * 8 + 11 * 10;
    EXPECT_DOUBLE_EQ(flops_per_token(model, 7), 6 * weights + 3 * 4.0 * 4 * 3 * (7 + 1) / 2);
}

TEST(FlopsPerToken, LatentAttentionUsesItsTwoHeadSizes) {
    Model model = dense(10, 1, {}, 7, 11);
    model.attention.heads = model.attention.kv_heads = 4;
    model.attention.rope_dim = 2;
    model.attention.head_dim = 5;
    model.attention.value_dim = 6;
    model.attention.q_rank = 8;
    model.attention.kv_rank = 9;
    const double weights = 10 * 8 + 8 * 4 * 5 + 10 * (9 + 2) + 9 * 4 * (3 + 6) + 4 * 6 * 10 + 3 * 10 * 7 + 11 * 10;
    EXPECT_DOUBLE_EQ(flops_per_token(model, 3), 6 * weights + 3 * 2.0 * 4 * (5 + 6) * (3 + 1) / 2);
}

TEST(FlopsPerToken, SequenceOfNoLengthCountsAsOneToken) {
    EXPECT_DOUBLE_EQ(flops_per_token(llama_8b(), 0), flops_per_token(llama_8b(), 1));
}

}  // namespace
}  // namespace ndtune
