#include "profiles/published/model_of_run.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "profiles/published/phrase.h"

namespace ndtune::published {

namespace {

constexpr std::int64_t kGptVocab = 51'200;         // GPT-2's 50,257 tokens padded by Megatron to a multiple of 1,024
constexpr std::int64_t kModalitiesVocab = 50'304;  // the same padded by Modalities to a multiple of 128

/// Experts of public mixture-of-experts models, which the table states only in its notes (public configurations).
struct Experts {
    std::string_view model;  ///< the name before " cut to"
    int experts;
    int per_token;
    std::int64_t ffn;
    std::int64_t shared_ffn;
};

constexpr std::array kMixtures = {
    Experts{"DeepSeek-V3", 256, 8, 2048, 2048},  Experts{"deepseekv3", 256, 8, 2048, 2048},
    Experts{"deepseekv2", 160, 6, 1536, 3072},   Experts{"Qwen3-30B-A3B", 128, 8, 768, 0},
    Experts{"Qwen3-235B-A22B", 128, 8, 1536, 0}, Experts{"GPT-OSS-120B", 128, 4, 2880, 0},
    Experts{"GPT-OSS-20B", 32, 4, 2880, 0},      Experts{"Mixtral-8x7B", 8, 2, 14336, 0},
    Experts{"Mixtral-8x22B", 8, 2, 16384, 0},    Experts{"Grok-1-314B", 8, 2, 32768, 0},
};

/// Layers of GPT-like models that their source names only by size (the smallest GPT-3 shapes of that size).
struct Shape {
    std::string_view model;
    std::int64_t layers, hidden, heads;
};

constexpr std::array kNamedShapes = {
    Shape{"GPT2-like 2.7B", 32, 2560, 32},
    Shape{"GPT2-like 6.7B", 32, 4096, 32},
    Shape{"GPT2-like 13B", 40, 5120, 40},
};

constexpr std::array<std::string_view, 11> kGatedNames = {"llama", "qwen",    "internlm", "grok",  "gpt-oss", "deepseek",
                                                          "kimi",  "mixtral", "mistral",  "gemma", "phi-3"};
/// Layers that are not attention + MLP: state space, linear attention, sparse-attention indexers.
constexpr std::array<std::string_view, 8> kHybridNames = {"nemotron_3", "nemotron-h", "nemotron-nano", "qwen3-next",
                                                          "v4",         "mamba",      "jamba",         "kimi-linear"};

tl::unexpected<Error> unsupported(std::string reason) {
    return tl::unexpected(Error{ErrorCode::unsupported, std::move(reason), {}, {}});
}

const Experts* find_mixture(const Run& run) {
    const std::string_view name = std::string_view(run.model).substr(0, run.model.find(" cut"));
    for (const Experts& mixture : kMixtures)
        if (mixture.model == name) return &mixture;
    return nullptr;
}

/// The dimensions a row leaves open, from its name or its parameter count.
struct Dims {
    std::int64_t layers, hidden, heads, kv_heads, ffn, vocab;
};

Result<Dims> dims_of_run(const Run& run, std::vector<std::string>& assumptions) {
    Dims dims{run.layers, run.hidden, run.heads, run.kv_heads, run.ffn, run.vocab};
    for (const Shape& shape : kNamedShapes) {
        if (shape.model != run.model || (dims.layers > 0 && dims.hidden > 0)) continue;
        dims.layers = shape.layers, dims.hidden = shape.hidden, dims.heads = shape.heads;
        if (dims.vocab == 0) dims.vocab = kModalitiesVocab;
        assumptions.push_back(fmt::format("dimensions not stated: {} layers of {} taken", shape.layers, shape.hidden));
    }
    if (run.source() == "flash") dims.vocab = (dims.vocab + 7) / 8 * 8;  // its training code pads to a multiple of 8
    if (dims.vocab == 0) {
        dims.vocab = kGptVocab;
        assumptions.push_back(fmt::format("vocab not stated: {} taken", kGptVocab));
    }
    if (dims.layers == 0 && dims.hidden > 0 && run.params > 0) {
        const double h = static_cast<double>(dims.hidden);
        dims.layers = std::llround((run.params - static_cast<double>(dims.vocab) * h) / (12 * h * h));
        assumptions.push_back(fmt::format("n_layers not stated: {} follow from n_params", dims.layers));
    }
    if (dims.heads == 0 && run.source() == "bigsci") {
        dims.heads = 64;
        assumptions.push_back("n_heads not stated: 64 taken");
    }
    if (dims.layers <= 0) return unsupported("n_layers is not stated");
    if (dims.hidden <= 0) return unsupported("hidden is not stated");
    if (dims.heads <= 0) return unsupported("n_heads is not stated");
    if (dims.layers > 10'000) return unsupported(fmt::format("n_params = {:g} asks for {} layers", run.params, dims.layers));
    if (dims.heads > dims.hidden) return unsupported(fmt::format("n_heads {} > hidden {}", dims.heads, dims.hidden));
    if (dims.kv_heads == 0) dims.kv_heads = dims.heads;
    if (dims.kv_heads > dims.heads) return unsupported(fmt::format("n_kv_heads {} > n_heads {}", dims.kv_heads, dims.heads));
    return dims;
}

void set_attention(const std::string& name, const Dims& dims, Model& model) {
    Attention& attention = model.attention;
    attention.heads = static_cast<int>(dims.heads);
    attention.kv_heads = static_cast<int>(dims.kv_heads);
    attention.head_dim = static_cast<int>(dims.hidden / dims.heads);
    if (mentions(name, "qwen3")) attention.head_dim = 128;
    if (mentions(name, "gpt-oss")) attention.head_dim = 64;
    attention.value_dim = attention.head_dim;
    if (!mentions(name, "deepseek")) return;
    attention.head_dim = 192, attention.value_dim = 128, attention.rope_dim = 64;
    attention.q_rank = 1536, attention.kv_rank = 512;
}

/// Old GPT code has learned positions and LayerNorm; Megatron's linears carry biases, MPT's do not.
void set_gpt(const Run& run, Stack stack, Model& model) {
    model.positions = run.seq_len;
    const bool biases = stack != Stack::llm_foundry;
    model.norm_bias = biases;
    model.mlp_bias = biases;
    model.attention.qkv_bias = biases;
    model.attention.out_bias = biases;
}

/// Whether the output projection is the embedding: by stack and size, else by which count is nearer to n_params.
bool tied(const Run& run, Stack stack, Model model) {
    switch (stack) {
        case Stack::megatron_deepspeed:
        case Stack::megatron_lm:
        case Stack::llm_foundry: return true;
        case Stack::nanotron: return model.hidden < 4000;
        case Stack::megatron_core: break;
        default:
            if (!model.gated_mlp) return true;
    }
    if (run.params <= 0 || !model.gated_mlp) return false;
    model.tied_embeddings = false;
    const ParameterCount untied = parameters(model);
    const double total = static_cast<double>(untied.total);
    const double less = total - static_cast<double>(untied.head);
    return std::abs(run.params - less) < std::abs(run.params - total) && std::abs(run.params / less - 1) < 0.02;
}

}  // namespace

Result<void> model_of_run(const Run& run, Stack stack, MappedRun& mapped) {
    const std::string name = lower(run.model);
    if (mentions_any(name, kHybridNames)) return unsupported(fmt::format("{}: layers that are not modelled", run.model));
    const Experts* mixture = find_mixture(run);
    if (mixture == nullptr && mentions(run.notes, "MoE") && mentions(run.notes, "experts"))
        return unsupported(fmt::format("{}: number and width of its experts are not stated", run.model));
    const Result<Dims> dims = dims_of_run(run, mapped.assumptions);
    if (!dims) return tl::unexpected(dims.error());

    Model& model = mapped.job.model;
    model.name = run.model;
    model.hidden = dims->hidden;
    model.vocab = dims->vocab;
    model.max_seq = run.seq_len;
    model.gated_mlp = mentions_any(name, kGatedNames);
    model.model_type = model.gated_mlp ? "llama" : "gpt2";
    set_attention(name, *dims, model);
    if (!model.gated_mlp) set_gpt(run, stack, model);

    LayerType layer;
    layer.count = static_cast<int>(dims->layers);
    if (mixture != nullptr) {
        layer.experts = mixture->experts;
        layer.experts_per_token = mixture->per_token;
        layer.expert_ffn = mixture->ffn;
        layer.shared_ffn = mixture->shared_ffn;
    } else {
        layer.ffn = dims->ffn > 0 ? dims->ffn : 4 * dims->hidden;
        if (dims->ffn == 0 && model.gated_mlp) mapped.assumptions.push_back("ffn_hidden not stated: 4 x hidden taken");
    }
    model.layers = {layer};
    model.tied_embeddings = tied(run, stack, model);
    return {};
}

}  // namespace ndtune::published
