#include "profiles/hf_families.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ndtune::profiles {

namespace {

constexpr Family kUnknown{.type = "unknown", .attention_bias = AttentionBias::by_key, .mlp_bias_key = true, .moe = true};

constexpr std::int64_t kNoWindow = 0;

constexpr std::array kFamilies{
    Family{.type = "llama", .attention_bias = AttentionBias::by_key, .mlp_bias_key = true},
    Family{.type = "granite", .attention_bias = AttentionBias::by_key, .mlp_bias_key = true},
    Family{.type = "mistral", .windows = Windows::every_layer, .window = 4096, .kv_heads = 8},
    Family{.type = "mixtral",
           .windows = Windows::every_layer,
           .window = kNoWindow,
           .kv_heads = 8,
           .moe = true,
           .expert_width = "intermediate_size"},
    Family{.type = "phi3", .windows = Windows::every_layer, .window = kNoWindow},
    Family{.type = "olmo2", .attention_bias = AttentionBias::by_key, .wide_qk_norm = true},
    Family{.type = "qwen2", .attention_bias = AttentionBias::qkv, .windows = Windows::upper_layers, .window = 4096},
    Family{.type = "qwen2_vl",
           .attention_bias = AttentionBias::qkv,
           .windows = Windows::upper_layers,
           .window = 4096,
           .text_part = true},
    Family{.type = "qwen2_5_vl",
           .attention_bias = AttentionBias::qkv,
           .windows = Windows::upper_layers,
           .window = 4096,
           .text_part = true},
    Family{.type = "qwen2_vl_text", .attention_bias = AttentionBias::qkv, .windows = Windows::upper_layers, .window = 4096},
    Family{.type = "qwen2_5_vl_text", .attention_bias = AttentionBias::qkv, .windows = Windows::upper_layers, .window = 4096},
    Family{.type = "qwen2_moe",
           .attention_bias = AttentionBias::qkv_by_key,
           .windows = Windows::upper_layers,
           .window = 4096,
           .moe = true,
           .shared_gate = true},
    Family{.type = "qwen3",
           .attention_bias = AttentionBias::by_key,
           .windows = Windows::upper_layers,
           .window = 4096,
           .head_dim = 128,
           .qk_norm = true},
    Family{.type = "qwen3_vl_text", .attention_bias = AttentionBias::by_key, .head_dim = 128, .qk_norm = true},
    Family{.type = "qwen3_moe",
           .attention_bias = AttentionBias::by_key,
           .windows = Windows::upper_layers,
           .window = 4096,
           .qk_norm = true,
           .moe = true},
    Family{.type = "qwen3_vl_moe_text", .attention_bias = AttentionBias::by_key, .qk_norm = true, .moe = true},
    Family{.type = "gemma", .attention_bias = AttentionBias::by_key, .head_dim = 256, .tied = true},
    Family{.type = "gemma2",
           .attention_bias = AttentionBias::by_key,
           .windows = Windows::pattern,
           .window = 4096,
           .pattern = 2,
           .head_dim = 256,
           .norms = 4,
           .tied = true},
    Family{.type = "gemma3",
           .attention_bias = AttentionBias::by_key,
           .windows = Windows::pattern,
           .window = 4096,
           .pattern = 6,
           .vocab = 262208,
           .heads = 8,
           .kv_heads = 4,
           .head_dim = 256,
           .qk_norm = true,
           .norms = 4,
           .tied = true},
    Family{.type = "gemma3_text",
           .attention_bias = AttentionBias::by_key,
           .windows = Windows::pattern,
           .window = 4096,
           .pattern = 6,
           .vocab = 262208,
           .heads = 8,
           .kv_heads = 4,
           .head_dim = 256,
           .qk_norm = true,
           .norms = 4,
           .tied = true},
    Family{.type = "gpt_oss",
           .attention_bias = AttentionBias::by_key_on,
           .windows = Windows::pattern,
           .window = 128,
           .pattern = 2,
           .kv_heads = 8,
           .head_dim = 64,
           .moe = true,
           .expert_width = "intermediate_size",
           .expert_biases = true},
    Family{.type = "deepseek_v2", .attention_bias = AttentionBias::by_key, .moe = true, .latent = true},
    Family{.type = "deepseek_v3", .attention_bias = AttentionBias::by_key, .moe = true, .latent = true, .correction_bias = true},
    Family{.type = "kimi_k2", .attention_bias = AttentionBias::by_key, .moe = true, .latent = true, .correction_bias = true},
    Family{.type = "gpt_neox", .attention_bias = AttentionBias::by_key_on, .gated_mlp = false, .biased = true},
    Family{.type = "gpt2", .spelling = Spelling::gpt2, .gated_mlp = false, .biased = true, .tied = true},
    Family{.type = "mpt", .spelling = Spelling::mpt, .gated_mlp = false, .tied = true},
};

struct Refusal {
    std::string_view name;
    std::string_view reason;
};

constexpr std::string_view kLinear = "linear attention layers";
constexpr std::string_view kStateSpace = "state space layers";
constexpr std::string_view kRecurrent = "recurrent layers";
constexpr std::string_view kConvolution = "convolution layers";
constexpr std::string_view kIndexer = "a sparse-attention indexer";
constexpr std::string_view kEncoder = "an encoder";
constexpr std::string_view kCross = "cross-attention layers";
constexpr std::string_view kChunked = "chunked attention";
constexpr std::string_view kPerLayer = "layers of different shapes";
constexpr std::string_view kPlainMlp = "a two-matrix MLP and LayerNorm that this reader does not know";

constexpr std::array kRefusedTypes{
    Refusal{"qwen3_next", kLinear},
    Refusal{"qwen3_5", kLinear},
    Refusal{"qwen3_5_text", kLinear},
    Refusal{"qwen3_5_moe", kLinear},
    Refusal{"qwen3_5_moe_text", kLinear},
    Refusal{"minimax", kLinear},
    Refusal{"minimax_text_01", kLinear},
    Refusal{"MiniMaxText01", kLinear},
    Refusal{"minimax_m1", kLinear},
    Refusal{"MiniMaxM1", kLinear},
    Refusal{"kimi_linear", kLinear},
    Refusal{"bailing_moe_linear", kLinear},
    Refusal{"olmo_hybrid", kLinear},
    Refusal{"mamba", kStateSpace},
    Refusal{"mamba2", kStateSpace},
    Refusal{"falcon_mamba", kStateSpace},
    Refusal{"falcon_h1", kStateSpace},
    Refusal{"jamba", kStateSpace},
    Refusal{"nemotron_h", kStateSpace},
    Refusal{"granitemoehybrid", kStateSpace},
    Refusal{"bamba", kStateSpace},
    Refusal{"zamba", kStateSpace},
    Refusal{"zamba2", kStateSpace},
    Refusal{"hymba", kStateSpace},
    Refusal{"plamo2", kStateSpace},
    Refusal{"rwkv", kRecurrent},
    Refusal{"rwkv5", kRecurrent},
    Refusal{"rwkv6", kRecurrent},
    Refusal{"rwkv7", kRecurrent},
    Refusal{"xlstm", kRecurrent},
    Refusal{"retnet", kRecurrent},
    Refusal{"recurrent_gemma", kRecurrent},
    Refusal{"lfm2", kConvolution},
    Refusal{"lfm2_moe", kConvolution},
    Refusal{"deepseek_v32", kIndexer},
    Refusal{"deepseek_v4", kIndexer},
    Refusal{"glm_moe_dsa", kIndexer},
    Refusal{"t5", kEncoder},
    Refusal{"mt5", kEncoder},
    Refusal{"umt5", kEncoder},
    Refusal{"longt5", kEncoder},
    Refusal{"t5gemma", kEncoder},
    Refusal{"switch_transformers", kEncoder},
    Refusal{"bart", kEncoder},
    Refusal{"mbart", kEncoder},
    Refusal{"pegasus", kEncoder},
    Refusal{"marian", kEncoder},
    Refusal{"m2m_100", kEncoder},
    Refusal{"led", kEncoder},
    Refusal{"whisper", kEncoder},
    Refusal{"encoder-decoder", kEncoder},
    Refusal{"bert", kEncoder},
    Refusal{"roberta", kEncoder},
    Refusal{"xlm-roberta", kEncoder},
    Refusal{"distilbert", kEncoder},
    Refusal{"albert", kEncoder},
    Refusal{"electra", kEncoder},
    Refusal{"deberta", kEncoder},
    Refusal{"deberta-v2", kEncoder},
    Refusal{"modernbert", kEncoder},
    Refusal{"vit", kEncoder},
    Refusal{"clip", kEncoder},
    Refusal{"siglip", kEncoder},
    Refusal{"mllama", kCross},
    Refusal{"mllama_text_model", kCross},
    Refusal{"llama4", kChunked},
    Refusal{"llama4_text", kChunked},
    Refusal{"gemma3n", "per-layer embeddings"},
    Refusal{"gemma3n_text", "per-layer embeddings"},
    Refusal{"openelm", kPerLayer},
    Refusal{"nemotron-nas", kPerLayer},
    Refusal{"deci", kPerLayer},
    Refusal{"dbrx", kPerLayer},
    Refusal{"phi", kPlainMlp},
    Refusal{"phimoe", kPlainMlp},
    Refusal{"starcoder2", kPlainMlp},
    Refusal{"nemotron", kPlainMlp},
    Refusal{"persimmon", kPlainMlp},
    Refusal{"opt", kPlainMlp},
    Refusal{"bloom", kPlainMlp},
    Refusal{"falcon", kPlainMlp},
    Refusal{"gptj", kPlainMlp},
    Refusal{"gpt_neo", kPlainMlp},
    Refusal{"gpt_bigcode", kPlainMlp},
    Refusal{"codegen", kPlainMlp},
};

// Prefixes of keys: "ssm_" stands for ssm_state_size and the like.
constexpr std::array kRefusedKeys{
    Refusal{"linear_num_", kLinear},
    Refusal{"linear_key_", kLinear},
    Refusal{"linear_value_", kLinear},
    Refusal{"linear_conv_", kLinear},
    Refusal{"linear_attn", kLinear},
    Refusal{"attn_type_list", kLinear},
    Refusal{"ssm_", kStateSpace},
    Refusal{"mamba_", kStateSpace},
    Refusal{"state_size", kStateSpace},
    Refusal{"time_step_rank", kStateSpace},
    Refusal{"hybrid_override_pattern", kStateSpace},
    Refusal{"layers_block_type", kStateSpace},
    Refusal{"block_types", kRecurrent},
    Refusal{"lru_width", kRecurrent},
    Refusal{"conv_L_cache", kConvolution},
    Refusal{"index_topk", kIndexer},
    Refusal{"index_n_heads", kIndexer},
    Refusal{"index_head_dim", kIndexer},
    Refusal{"is_encoder_decoder", kEncoder},
    Refusal{"encoder_layers", kEncoder},
    Refusal{"num_decoder_layers", kEncoder},
    Refusal{"add_cross_attention", kCross},
    Refusal{"cross_attention_layers", kCross},
    Refusal{"attention_chunk_size", kChunked},
    Refusal{"block_configs", kPerLayer},
    Refusal{"hidden_size_per_layer_input", "per-layer embeddings"},
    Refusal{"altup_", "per-layer embeddings"},
};

}  // namespace

const Family* find_family(std::string_view type) {
    const auto found = std::find_if(kFamilies.begin(), kFamilies.end(), [&](const Family& row) { return row.type == type; });
    return found == kFamilies.end() ? nullptr : &*found;
}

const Family& unknown_family() {
    return kUnknown;
}

std::string_view refused_type(std::string_view type) {
    const auto found =
        std::find_if(kRefusedTypes.begin(), kRefusedTypes.end(), [&](const Refusal& row) { return row.name == type; });
    return found == kRefusedTypes.end() ? std::string_view{} : found->reason;
}

std::string refused_key(const ConfigKeys& keys) {
    for (const std::string& name : keys.names()) {
        if (!keys.meaningful(name)) continue;
        for (const Refusal& row : kRefusedKeys) {
            if (name.starts_with(row.name)) return fmt::format("{} ({})", name, row.reason);
        }
    }
    return {};
}

}  // namespace ndtune::profiles
