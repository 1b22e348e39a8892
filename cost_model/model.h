#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ndtune {

/// Attention of every layer: symbols a = heads, g = kv_heads, d = head_dim (elements of one query/key head).
struct Attention {
    int heads = 0;
    int kv_heads = 0;
    int head_dim = 0;   ///< query/key head size; for latent attention nope + rope
    int value_dim = 0;  ///< value head size; equals head_dim except for latent attention (MLA)
    int q_rank = 0;     ///< MLA: rank of the query compression, 0 = none
    int kv_rank = 0;    ///< MLA: rank of the key/value compression, 0 = plain grouped-query attention
    int rope_dim = 0;   ///< MLA: part of head_dim that carries RoPE (shared key)
    bool qkv_bias = false;
    bool out_bias = false;
    bool qk_norm = false;  ///< RMSNorm of head_dim weights on q and on k
    bool sinks = false;    ///< one learned logit per query head (gpt_oss)

    [[nodiscard]] bool latent() const { return kv_rank > 0; }
    bool operator==(const Attention&) const = default;
};

/// Layers that cost the same. f = ffn; the expert fields are 0 for a dense layer.
struct LayerType {
    int count = 0;              ///< how many layers of this type
    std::int64_t window = 0;    ///< sliding attention window in tokens, 0 = full causal
    std::int64_t ffn = 0;       ///< dense MLP width, 0 where the layer is MoE
    int experts = 0;            ///< routed experts E
    int experts_per_token = 0;  ///< active routed experts K
    std::int64_t expert_ffn = 0;
    std::int64_t shared_ffn = 0;  ///< total width of the shared experts
    bool shared_gate = false;     ///< one h -> 1 gate on the shared expert (qwen2_moe)

    [[nodiscard]] bool moe() const { return experts > 0; }
    bool operator==(const LayerType&) const = default;
};

/// A decoder-only language model, as far as its size and cost depend on it. Made by profiles/hf_config.
struct Model {
    std::string name;
    std::string model_type;      ///< Hugging Face `model_type`
    std::int64_t hidden = 0;     ///< h
    std::int64_t vocab = 0;      ///< V
    std::int64_t positions = 0;  ///< learned position embeddings, 0 = RoPE
    std::int64_t max_seq = 0;    ///< max_position_embeddings, 0 = not stated
    bool gated_mlp = true;       ///< SwiGLU/GeGLU: 3 matrices, else 2
    bool mlp_bias = false;
    bool router_bias = false;
    bool expert_bias = false;
    bool norm_bias = false;   ///< LayerNorm with bias; RMSNorm has none
    int norms_per_layer = 2;  ///< of size hidden (gemma2 and gemma3 have 4)
    bool tied_embeddings = false;
    std::int64_t other_params = 0;  ///< weights that cost nothing to speak of (router correction biases)
    Attention attention;
    std::vector<LayerType> layers;  ///< by type; at most kMaxLayerTypes

    static constexpr int kMaxLayerTypes = 4;
    [[nodiscard]] int layer_count() const;
    bool operator==(const Model&) const = default;
};

/// Weights of one layer, split by what shards them.
struct LayerParams {
    std::int64_t attention = 0;   ///< projections: divided by tp (MLA's latent projections are not, see replicated)
    std::int64_t mlp = 0;         ///< dense MLP and shared experts: divided by tp
    std::int64_t experts = 0;     ///< routed experts: divided by ep (and tp)
    std::int64_t replicated = 0;  ///< norms, router, latent projections: a full copy on every tp rank

    [[nodiscard]] std::int64_t total() const { return attention + mlp + experts + replicated; }
    bool operator==(const LayerParams&) const = default;
};

struct ParameterCount {
    std::int64_t total = 0;
    std::int64_t active = 0;     ///< used by one token: K of E experts
    std::int64_t embedding = 0;  ///< input embedding and learned positions
    std::int64_t head = 0;       ///< output projection; 0 where tied

    bool operator==(const ParameterCount&) const = default;
};

LayerParams layer_params(const Model& model, const LayerType& layer);
ParameterCount parameters(const Model& model);

/// Model FLOPs of forward + backward for one token in a sequence of `seq` tokens: 6 x matmul weights used (head included,
/// embedding look-up not) + causal attention, windows respected, no recompute (PaLM, appendix B).
double flops_per_token(const Model& model, std::int64_t seq);

}  // namespace ndtune
