#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profiles/config_keys.h"

namespace ndtune::profiles {

/// Which names the shape goes by.
enum class Spelling { llama, gpt2, mpt };
/// Which attention projections carry a bias.
enum class AttentionBias {
    never,
    by_key,      ///< `attention_bias`, default false: q, k, v and o
    by_key_on,   ///< `attention_bias`, default true: q, k, v and o
    qkv,         ///< always on q, k, v only
    qkv_by_key,  ///< `qkv_bias`, default true: q, k, v only
};
/// Which layers attend to a sliding window only.
enum class Windows {
    none,
    every_layer,   ///< all, where `sliding_window` is set
    pattern,       ///< all but every n-th
    upper_layers,  ///< from `max_window_layers` on, where `use_sliding_window`
};

/// What `model_type` says and the keys do not: the defaults and fixed choices of the Hugging Face class of that name
/// (transformers 4.57, October 2025).
struct Family {
    std::string_view type;
    Spelling spelling = Spelling::llama;
    AttentionBias attention_bias = AttentionBias::never;
    Windows windows = Windows::none;
    std::int64_t window = 0;    ///< default of `sliding_window`, 0 = none
    std::int64_t pattern = 0;   ///< every n-th layer attends fully
    std::int64_t vocab = 0;     ///< default of `vocab_size`, 0 = must be given
    std::int64_t heads = 0;     ///< default of `num_attention_heads`, 0 = must be given
    std::int64_t kv_heads = 0;  ///< default of `num_key_value_heads`, 0 = heads
    std::int64_t head_dim = 0;  ///< default of `head_dim`, 0 = hidden / heads
    bool mlp_bias_key = false;  ///< reads `mlp_bias`
    bool gated_mlp = true;
    bool biased = false;        ///< biases in MLP and norms
    bool qk_norm = false;       ///< RMSNorm of head_dim on q and k
    bool wide_qk_norm = false;  ///< RMSNorm over all heads at once on q and k
    int norms = 2;
    bool tied = false;                                        ///< default of `tie_word_embeddings`
    bool moe = false;                                         ///< reads the expert keys
    std::string_view expert_width = "moe_intermediate_size";  ///< key of one expert's width
    bool expert_biases = false;                               ///< router, experts; attention sinks (gpt_oss)
    bool shared_gate = false;
    bool latent = false;           ///< multi-head latent attention (MLA)
    bool correction_bias = false;  ///< default of `topk_method` is noaux_tc: one bias per expert in the router
    bool text_part = false;        ///< the language model of a vision-language model, keys not nested
};

/// The row of `type`, null where it is not known.
const Family* find_family(std::string_view type);

/// How a `model_type` nobody knows is read: llama keys, expert and latent-attention keys where they are given.
const Family& unknown_family();

/// "linear attention layers", where models of this type have layers that cannot be counted; empty where they have none.
std::string_view refused_type(std::string_view type);

/// The first key that shows such layers, and why: "linear_num_value_heads (linear attention)"; empty where there is none.
std::string refused_key(const ConfigKeys& keys);

}  // namespace ndtune::profiles
