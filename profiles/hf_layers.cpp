#include "profiles/hf_layers.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/text_file.h"

namespace ndtune::profiles {

namespace {

constexpr std::int64_t kMaxWindow = std::int64_t{1} << 40;

// The width of the sliding window in tokens, 0 where no layer has one. An explicit null means none.
std::int64_t window_width(ConfigKeys& keys, const Family& family, std::vector<std::string>& warnings) {
    constexpr std::string_view kKey = "sliding_window";
    const std::int64_t fallback = keys.present(kKey) ? 0 : family.window;
    const std::int64_t width = keys.integer_or(kKey, {0, kMaxWindow}, fallback);
    if (family.windows == Windows::upper_layers) return keys.flag_or("use_sliding_window", false) ? width : 0;
    if (fallback > 0) {
        warnings.push_back(fmt::format("{} is not given; {}, the default of {}, is used", kKey, fallback, family.type));
    }
    return width;
}

// `layer_types` of transformers 4.53 and later: one name per layer.
std::vector<std::int64_t> named_windows(ConfigKeys& keys, const Family& family, const Shape& shape, std::int64_t width) {
    const std::vector<std::string> types = keys.texts("layer_types");
    const auto layers = static_cast<std::size_t>(shape.layers);
    std::vector<std::int64_t> windows(layers, 0);
    if (types.size() != layers && !keys.error()) {
        keys.fail("layer_types", fmt::format("layer_types has {} entries for {} layers", types.size(), layers),
                  "give one entry per layer");
        return windows;
    }
    for (std::size_t i = 0; i < types.size() && i < layers; ++i) {
        if (types[i] == "full_attention") continue;
        if (types[i] != "sliding_attention") {
            keys.fail("layer_types", fmt::format("layers of type '{}' are not understood", printable(types[i])),
                      "only full_attention and sliding_attention can be counted; use a model of those", ErrorCode::unsupported);
            return windows;
        }
        if (width == 0 && family.windows != Windows::upper_layers) {
            keys.fail("sliding_window", "layer_types names sliding_attention but sliding_window is not set",
                      "give sliding_window in tokens");
        }
        windows[i] = width;
    }
    return windows;
}

std::vector<std::int64_t> layer_windows(ConfigKeys& keys, const Family& family, const Shape& shape,
                                        std::vector<std::string>& warnings) {
    const auto layers = static_cast<std::size_t>(shape.layers);
    const bool named = keys.meaningful("layer_types");
    if (family.windows == Windows::none && !named) return std::vector<std::int64_t>(layers, 0);
    const std::int64_t width = window_width(keys, family, warnings);
    if (named) return named_windows(keys, family, shape, width);
    std::vector<std::int64_t> windows(layers, width);
    if (family.windows == Windows::pattern) {
        // Gemma 3 writes the period under either name; layer numbers start at 1.
        const std::string_view key = keys.first_of({"sliding_window_pattern", "_sliding_window_pattern"});
        const std::int64_t period = keys.integer_or(key, {1, kMaxLayers}, family.pattern);
        for (std::size_t i = 0; i < layers; ++i) {
            if ((static_cast<std::int64_t>(i) + 1) % period == 0) windows[i] = 0;
        }
    } else if (family.windows == Windows::upper_layers) {
        // 28 is the default of every Qwen class.
        const std::int64_t lower =
            std::min<std::int64_t>(keys.integer_or("max_window_layers", {0, kMaxLayers}, 28), shape.layers);
        std::fill_n(windows.begin(), lower, 0);
    }
    return windows;
}

std::int64_t expert_count(ConfigKeys& keys, const Family& family) {
    if (!family.moe) return 0;
    const std::string_view key = keys.first_of({"num_local_experts", "n_routed_experts", "num_experts"});
    const bool optional = family.latent || &family == &unknown_family();
    return optional ? keys.integer_or(key, {0, kMaxExperts}, 0) : keys.integer(key, {1, kMaxExperts});
}

// A MoE layer of this model; `experts` 0 where it has none.
LayerType read_experts(ConfigKeys& keys, const Family& family) {
    LayerType layer;
    layer.experts = static_cast<int>(expert_count(keys, family));
    if (!layer.moe()) return layer;
    const std::string_view active =
        keys.first_of({"num_experts_per_tok", "experts_per_token", "num_experts_per_token", "moe_topk"});
    layer.experts_per_token = static_cast<int>(keys.integer(active, {1, layer.experts}));
    const bool known = &family != &unknown_family();
    const std::string_view width = known ? family.expert_width : keys.first_of({"moe_intermediate_size", "intermediate_size"});
    layer.expert_ffn = keys.integer(width, {1, kMaxFfn});
    layer.shared_gate = family.shared_gate;
    if (family.shared_gate || keys.has("shared_expert_intermediate_size")) {
        layer.shared_ffn = keys.integer("shared_expert_intermediate_size", {1, kMaxFfn});
    } else {
        layer.shared_ffn = layer.expert_ffn * keys.integer_or("n_shared_experts", {0, kMaxExperts}, 0);
    }
    return layer;
}

// Qwen places the experts by step and exception, DeepSeek by a dense start and a frequency; each is neutral by default.
std::vector<bool> moe_layers(ConfigKeys& keys, const Shape& shape) {
    const std::int64_t step = keys.integer_or("decoder_sparse_step", {1, kMaxLayers}, 1);
    const std::vector<std::int64_t> dense = keys.integers("mlp_only_layers", {0, kMaxLayers});
    const std::int64_t first = keys.integer_or("first_k_dense_replace", {0, kMaxLayers}, 0);
    const std::int64_t frequency = keys.integer_or("moe_layer_freq", {1, kMaxLayers}, 1);
    std::vector<bool> moe(static_cast<std::size_t>(shape.layers));
    for (int i = 0; i < shape.layers; ++i) {
        moe[static_cast<std::size_t>(i)] = (i + 1) % step == 0 && i >= first && i % frequency == 0;
    }
    for (const std::int64_t i : dense) {
        if (i < shape.layers) moe[static_cast<std::size_t>(i)] = false;
    }
    return moe;
}

void add_layer(std::vector<LayerType>& types, LayerType layer) {
    layer.count = 0;
    for (LayerType& type : types) {
        LayerType same = type;
        same.count = 0;
        if (same == layer) {
            ++type.count;
            return;
        }
    }
    layer.count = 1;
    types.push_back(layer);
}

}  // namespace

std::vector<LayerType> read_layers(ConfigKeys& keys, const Family& family, const Shape& shape,
                                   std::vector<std::string>& warnings) {
    const std::vector<std::int64_t> windows = layer_windows(keys, family, shape, warnings);
    const LayerType expert_layer = read_experts(keys, family);
    const std::vector<bool> moe =
        expert_layer.moe() ? moe_layers(keys, shape) : std::vector<bool>(static_cast<std::size_t>(shape.layers), false);
    std::vector<LayerType> types;
    for (std::size_t i = 0; i < windows.size() && !keys.error(); ++i) {
        LayerType layer = expert_layer;
        if (!moe[i]) {
            layer = LayerType{};
            layer.ffn = shape.ffn > 0 ? shape.ffn : keys.integer("intermediate_size", {1, kMaxFfn});
        }
        layer.window = windows[i];
        add_layer(types, layer);
    }
    return types;
}

}  // namespace ndtune::profiles
