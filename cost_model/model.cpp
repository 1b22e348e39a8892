#include "cost_model/model.h"

#include <algorithm>
#include <cstdint>

namespace ndtune {

namespace {

// Weights of one layer by role; the public sums are made of these, so that sizes and FLOPs cannot drift apart.
struct LayerWeights {
    std::int64_t projections = 0;  // query, key, value, output matrices that tp divides
    std::int64_t latent = 0;       // MLA compressions: a full copy on every tp rank
    std::int64_t dense = 0;        // dense MLP and shared experts
    std::int64_t expert = 0;       // one routed expert
    std::int64_t routing = 0;      // router and shared-expert gate
};

// Multi-head latent attention as in DeepSeek-V2: queries and keys/values pass through low ranks; the keys' RoPE part is shared.
void add_latent_attention(LayerWeights& weights, const Attention& attention, std::int64_t hidden) {
    const std::int64_t heads = attention.heads;
    const std::int64_t query_width = heads * attention.head_dim;
    const std::int64_t key_value_width = heads * (attention.head_dim - attention.rope_dim + attention.value_dim);
    const std::int64_t query_input = attention.q_rank > 0 ? attention.q_rank : hidden;
    weights.projections = query_input * query_width + attention.kv_rank * key_value_width + heads * attention.value_dim * hidden;
    weights.latent = hidden * (attention.q_rank + attention.kv_rank + attention.rope_dim);
}

LayerWeights layer_weights(const Model& model, const LayerType& layer) {
    LayerWeights weights;
    const std::int64_t hidden = model.hidden;
    const std::int64_t matrices = model.gated_mlp ? 3 : 2;
    const Attention& attention = model.attention;
    if (attention.latent()) {
        add_latent_attention(weights, attention, hidden);
    } else {
        const std::int64_t query_key = std::int64_t{attention.heads + attention.kv_heads} * attention.head_dim;
        const std::int64_t value_out = std::int64_t{attention.heads + attention.kv_heads} * attention.value_dim;
        weights.projections = hidden * (query_key + value_out);
    }
    if (layer.moe()) {
        weights.dense = matrices * hidden * layer.shared_ffn;
        weights.expert = matrices * hidden * layer.expert_ffn;
        weights.routing = hidden * (layer.experts + (layer.shared_gate ? 1 : 0));
    } else {
        weights.dense = matrices * hidden * layer.ffn;
    }
    return weights;
}

// Biases of column-parallel linears are divided with their columns; those of row-parallel linears are added after the sum, once.
void add_attention_biases(LayerParams& params, const Model& model) {
    const Attention& attention = model.attention;
    if (attention.qkv_bias && attention.latent()) {
        // Only the compressions carry one (DeepSeek's attention_bias); the expansions never do.
        params.replicated += attention.q_rank + attention.kv_rank + attention.rope_dim;
    } else if (attention.qkv_bias) {
        params.attention += std::int64_t{attention.heads + attention.kv_heads} * attention.head_dim +
                            std::int64_t{attention.kv_heads} * attention.value_dim;
    }
    if (attention.out_bias) params.replicated += model.hidden;
    if (attention.sinks) params.attention += attention.heads;
}

void add_mlp_biases(LayerParams& params, const Model& model, const LayerType& layer) {
    const std::int64_t columns = model.gated_mlp ? 2 : 1;
    if (layer.moe()) {
        if (model.router_bias) params.replicated += layer.experts;
        // The down bias belongs to its expert and moves with it over ep, although tp would not divide it.
        if (model.expert_bias) params.experts += layer.experts * (columns * layer.expert_ffn + model.hidden);
    } else if (model.mlp_bias) {
        params.mlp += columns * layer.ffn;
        params.replicated += model.hidden;
    }
}

std::int64_t norm_params(const Model& model) {
    return model.hidden * (model.norm_bias ? 2 : 1);
}

std::int64_t layer_norm_params(const Model& model) {
    const Attention& attention = model.attention;
    std::int64_t params = model.norms_per_layer * norm_params(model);
    if (attention.latent()) params += attention.q_rank + attention.kv_rank;
    if (attention.qk_norm) params += 2 * std::int64_t{attention.head_dim};
    return params;
}

// Query-key pairs of a causal sequence: position i (from 1) sees min(window, i) keys.
double attended_pairs(std::int64_t seq, std::int64_t window) {
    const auto length = static_cast<double>(seq);
    if (window <= 0 || window >= seq) return length * (length + 1.0) / 2.0;
    const auto width = static_cast<double>(window);
    return width * (width + 1.0) / 2.0 + (length - width) * width;
}

}  // namespace

int Model::layer_count() const {
    int count = 0;
    for (const LayerType& layer : layers) count += layer.count;
    return count;
}

LayerParams layer_params(const Model& model, const LayerType& layer) {
    const LayerWeights weights = layer_weights(model, layer);
    LayerParams params;
    params.attention = weights.projections;
    params.mlp = weights.dense;
    params.experts = layer.experts * weights.expert;
    params.replicated = weights.latent + weights.routing + layer_norm_params(model);
    add_attention_biases(params, model);
    add_mlp_biases(params, model, layer);
    return params;
}

ParameterCount parameters(const Model& model) {
    ParameterCount count;
    count.embedding = (model.vocab + model.positions) * model.hidden;
    count.head = model.tied_embeddings ? 0 : model.vocab * model.hidden;
    count.total = count.embedding + count.head + norm_params(model) + model.other_params;
    count.active = count.total;
    for (const LayerType& layer : model.layers) {
        const LayerParams params = layer_params(model, layer);
        const std::int64_t idle = layer.moe() ? params.experts / layer.experts * (layer.experts - layer.experts_per_token) : 0;
        count.total += layer.count * params.total();
        count.active += layer.count * (params.total() - idle);
    }
    return count;
}

double flops_per_token(const Model& model, std::int64_t seq) {
    const auto length = static_cast<double>(std::max<std::int64_t>(seq, 1));
    const Attention& attention = model.attention;
    // Scores and weighted values: 2 FLOPs per multiply-add, for every query head.
    const double flops_per_pair = 2.0 * attention.heads * (static_cast<double>(attention.head_dim) + attention.value_dim);
    double forward = 2.0 * static_cast<double>(model.vocab) * static_cast<double>(model.hidden);
    for (const LayerType& layer : model.layers) {
        const LayerWeights weights = layer_weights(model, layer);
        const std::int64_t used = weights.projections + weights.latent + weights.dense + weights.routing +
                                  std::int64_t{layer.experts_per_token} * weights.expert;
        const double pairs = attended_pairs(std::max<std::int64_t>(seq, 1), layer.window) / length;
        forward += layer.count * (2.0 * static_cast<double>(used) + flops_per_pair * pairs);
    }
    return 3.0 * forward;  // the backward pass has two matrix products for each of the forward's
}

}  // namespace ndtune
