#include "profiles/hf_shape.h"

#include <fmt/format.h>

namespace ndtune::profiles {

namespace {

constexpr Range kHiddenRange{1, kMaxHidden};
constexpr Range kLayersRange{1, kMaxLayers};
constexpr Range kHeadsRange{1, kMaxHeads};
constexpr Range kHeadDimRange{1, kMaxHeadDim};
constexpr Range kFfnRange{1, kMaxFfn};
constexpr Range kVocabRange{1, kMaxVocab};
constexpr Range kPositionsRange{1, kMaxPositions};

struct Reading {
    ConfigKeys& keys;
    const Family& family;
    Model& model;
    std::vector<std::string>& warnings;
};

// Required, unless the class of this type has a default; its use is told.
std::int64_t with_default(const Reading& reading, std::string_view key, Range range, std::int64_t fallback) {
    if (reading.keys.has(key) || fallback == 0) return reading.keys.integer(key, range);
    reading.warnings.push_back(
        fmt::format("{} is not given; {}, the default of {}, is used", key, fallback, reading.family.type));
    return fallback;
}

std::int64_t head_dim_of(const Reading& reading, std::string_view hidden_key, std::string_view heads_key) {
    const std::int64_t hidden = reading.model.hidden;
    const std::int64_t heads = reading.model.attention.heads;
    if (hidden % heads != 0) {
        reading.keys.fail(heads_key, fmt::format("{} {} is not a multiple of {} {}", hidden_key, hidden, heads_key, heads),
                          "correct one of them or give head_dim");
        return 1;
    }
    if (hidden / heads > kMaxHeadDim) {
        reading.keys.fail(heads_key, fmt::format("{} / {} = {} is above {}", hidden_key, heads_key, hidden / heads, kMaxHeadDim),
                          "correct one of them or give head_dim");
        return 1;
    }
    return hidden / heads;
}

std::int64_t kv_heads_of(const Reading& reading) {
    constexpr std::string_view kKey = "num_key_value_heads";
    const std::int64_t heads = reading.model.attention.heads;
    // An explicit null means one per query head; an absent key means the class default.
    if (reading.keys.present(kKey) && !reading.keys.has(kKey)) return heads;
    const std::int64_t fallback = reading.family.kv_heads;
    if (!reading.keys.has(kKey) && fallback == 0) return heads;
    return with_default(reading, kKey, {1, kMaxHeads}, fallback);
}

void check_groups(const Reading& reading, std::string_view kv_key) {
    const Attention& attention = reading.model.attention;
    if (attention.heads % attention.kv_heads == 0) return;
    reading.keys.fail(kv_key,
                      fmt::format("{} query heads are not a multiple of {} key-value heads", attention.heads, attention.kv_heads),
                      fmt::format("correct {} or the number of heads", kv_key));
}

void set_head_dim(Attention& attention, std::int64_t head_dim) {
    attention.head_dim = static_cast<int>(head_dim);
    attention.value_dim = attention.head_dim;
}

void read_attention_biases(const Reading& reading) {
    Attention& attention = reading.model.attention;
    switch (reading.family.attention_bias) {
        case AttentionBias::never: return;
        case AttentionBias::by_key:
        case AttentionBias::by_key_on:
            attention.qkv_bias =
                reading.keys.flag_or("attention_bias", reading.family.attention_bias == AttentionBias::by_key_on);
            attention.out_bias = attention.qkv_bias;
            return;
        case AttentionBias::qkv: attention.qkv_bias = true; return;
        case AttentionBias::qkv_by_key: attention.qkv_bias = reading.keys.flag_or("qkv_bias", true); return;
    }
}

// DeepSeek's multi-head latent attention: every head has its own key and value, made from one compression.
void read_latent(const Reading& reading) {
    ConfigKeys& keys = reading.keys;
    Attention& attention = reading.model.attention;
    attention.kv_heads = attention.heads;
    attention.kv_rank = static_cast<int>(keys.integer("kv_lora_rank", kHiddenRange));
    attention.q_rank = static_cast<int>(keys.integer_or("q_lora_rank", {0, kMaxHidden}, 0));
    attention.rope_dim = static_cast<int>(keys.integer("qk_rope_head_dim", kHeadDimRange));
    attention.head_dim = attention.rope_dim + static_cast<int>(keys.integer("qk_nope_head_dim", kHeadDimRange));
    attention.value_dim = static_cast<int>(keys.integer("v_head_dim", kHeadDimRange));
}

void read_grouped(const Reading& reading) {
    Attention& attention = reading.model.attention;
    attention.kv_heads = static_cast<int>(kv_heads_of(reading));
    const bool given = reading.keys.has("head_dim") || reading.family.head_dim != 0;
    set_head_dim(attention, given ? with_default(reading, "head_dim", kHeadDimRange, reading.family.head_dim)
                                  : head_dim_of(reading, "hidden_size", "num_attention_heads"));
    check_groups(reading, "num_key_value_heads");
    attention.qk_norm = reading.family.qk_norm;
}

Shape read_llama(const Reading& reading) {
    auto& [keys, family, model, warnings] = reading;
    Shape shape;
    model.hidden = keys.integer("hidden_size", kHiddenRange);
    shape.layers = static_cast<int>(keys.integer("num_hidden_layers", kLayersRange));
    model.attention.heads = static_cast<int>(with_default(reading, "num_attention_heads", kHeadsRange, family.heads));
    model.vocab = with_default(reading, "vocab_size", kVocabRange, family.vocab);
    shape.ffn = family.moe ? keys.integer_or("intermediate_size", kFfnRange, 0) : keys.integer("intermediate_size", kFfnRange);
    model.max_seq = keys.integer_or("max_position_embeddings", kPositionsRange, 0);
    const bool latent = family.latent || (&family == &unknown_family() && keys.meaningful("kv_lora_rank"));
    latent ? read_latent(reading) : read_grouped(reading);
    read_attention_biases(reading);
    model.attention.sinks = family.expert_biases;
    model.mlp_bias = family.biased || (family.mlp_bias_key && keys.flag_or("mlp_bias", false));
    if (family.wide_qk_norm) {
        model.other_params +=
            std::int64_t{shape.layers} * (model.attention.heads + model.attention.kv_heads) * model.attention.head_dim;
    }
    return shape;
}

Shape read_gpt2(const Reading& reading) {
    auto& [keys, family, model, warnings] = reading;
    Shape shape;
    model.hidden = keys.integer("n_embd", kHiddenRange);
    shape.layers = static_cast<int>(keys.integer("n_layer", kLayersRange));
    model.attention.heads = static_cast<int>(keys.integer("n_head", kHeadsRange));
    model.attention.kv_heads = model.attention.heads;
    set_head_dim(model.attention, head_dim_of(reading, "n_embd", "n_head"));
    model.attention.qkv_bias = model.attention.out_bias = model.mlp_bias = true;
    shape.ffn = keys.integer_or("n_inner", kFfnRange, 4 * model.hidden);
    model.vocab = keys.integer("vocab_size", kVocabRange);
    model.positions = keys.integer("n_positions", kPositionsRange);
    model.max_seq = model.positions;
    return shape;
}

void read_mpt_attention(const Reading& reading) {
    Attention& attention = reading.model.attention;
    ConfigKeys nested = reading.keys.child("attn_config");
    const std::string type = nested.text_or("attn_type", "multihead_attention");
    attention.kv_heads = attention.heads;
    if (type == "multiquery_attention") attention.kv_heads = 1;
    if (type == "grouped_query_attention") attention.kv_heads = static_cast<int>(nested.integer("kv_n_heads", kHeadsRange));
    if (nested.meaningful("qk_ln") || nested.meaningful("qk_gn")) {
        nested.fail("qk_ln", "MPT's query-key norms are not understood", "remove them or describe the model as another type",
                    ErrorCode::unsupported);
    }
    const bool rotary = nested.flag_or("alibi", false) || nested.flag_or("rope", false);
    reading.keys.adopt_error(nested);
    check_groups(reading, "attn_config");
    // llm-foundry drops the learned positions where ALiBi or RoPE is on.
    if (reading.keys.flag_or("learned_pos_emb", true) && !rotary) reading.model.positions = reading.model.max_seq;
}

// The keys of llm-foundry, which the Hugging Face class shares.
Shape read_mpt(const Reading& reading) {
    auto& [keys, family, model, warnings] = reading;
    Shape shape;
    model.hidden = keys.integer("d_model", kHiddenRange);
    shape.layers = static_cast<int>(keys.integer("n_layers", kLayersRange));
    model.attention.heads = static_cast<int>(keys.integer("n_heads", kHeadsRange));
    set_head_dim(model.attention, head_dim_of(reading, "d_model", "n_heads"));
    model.vocab = keys.integer("vocab_size", kVocabRange);
    model.max_seq = keys.integer("max_seq_len", kPositionsRange);
    read_mpt_attention(reading);
    const bool biased = !keys.flag_or("no_bias", true);
    model.attention.qkv_bias = model.attention.out_bias = model.mlp_bias = biased;
    model.norm_bias = biased && keys.text_or("norm_type", "low_precision_layernorm").find("layernorm") != std::string::npos;
    shape.ffn = model.hidden * keys.integer_or("expansion_ratio", {1, 64}, 4);
    ConfigKeys ffn = keys.child("ffn_config");
    shape.ffn = ffn.integer_or("ffn_hidden_size", kFfnRange, shape.ffn);
    const std::string type = ffn.text_or("ffn_type", "mptmlp");
    model.gated_mlp = type == "mptglu";
    if (type != "mptmlp" && type != "mptglu") {
        ffn.fail("ffn_type", "this MPT feed-forward type is not understood", "use mptmlp or mptglu", ErrorCode::unsupported);
    }
    keys.adopt_error(ffn);
    return shape;
}

}  // namespace

Shape read_shape(ConfigKeys& keys, const Family& family, Model& model, std::vector<std::string>& warnings) {
    const Reading reading{keys, family, model, warnings};
    model.gated_mlp = family.gated_mlp;
    model.norm_bias = family.biased;
    model.norms_per_layer = family.norms;
    model.router_bias = family.expert_biases;
    model.expert_bias = family.expert_biases;
    switch (family.spelling) {
        case Spelling::gpt2: return read_gpt2(reading);
        case Spelling::mpt: return read_mpt(reading);
        case Spelling::llama: break;
    }
    return read_llama(reading);
}

}  // namespace ndtune::profiles
