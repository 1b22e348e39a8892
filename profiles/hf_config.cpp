#include "profiles/hf_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>

#include "profiles/catalog.h"
#include "profiles/config_keys.h"
#include "profiles/hf_families.h"
#include "profiles/hf_layers.h"
#include "profiles/hf_shape.h"
#include "profiles/text_file.h"

namespace ndtune::profiles {

namespace {

constexpr std::int64_t kMaxFileBytes = std::int64_t{16} << 20;
// Hundreds of times the largest published model; 16 bytes of state for each still fit 63 bits.
constexpr double kMaxParameters = 1e15;

// "gpt2" of "models/gpt2.json" and of "models/gpt2/config.json".
std::string name_of(std::string_view where) {
    const auto base = [](std::string_view path) {
        while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
        const std::size_t slash = path.rfind('/');
        return slash == std::string_view::npos ? path : path.substr(slash + 1);
    };
    std::string_view name = base(where);
    if (name == "config.json" && where.size() > name.size() + 1) name = base(where.substr(0, where.size() - name.size() - 1));
    if (name.ends_with(".json") && name != "config.json") name.remove_suffix(5);
    return printable(name);
}

// Keys with a number that say nothing about size, although their names look like it.
bool bears_on_size(std::string_view key) {
    constexpr std::array<std::string_view, 15> kParts{"size",  "dim",    "num_",  "n_",     "rank",   "layer",  "head", "expert",
                                                      "inner", "hidden", "width", "window", "period", "kernel", "vocab"};
    constexpr std::array<std::string_view, 12> kOther{"token_id",        "num_labels", "num_beam", "num_return", "n_gram",
                                                      "ngram",           "_std",       "init",     "dropout",    "pretraining",
                                                      "chunk_size_feed", "coef"};
    const auto contains = [&](std::string_view part) { return key.find(part) != std::string_view::npos; };
    return std::any_of(kParts.begin(), kParts.end(), contains) && std::none_of(kOther.begin(), kOther.end(), contains);
}

std::string ignored_keys(const ConfigKeys& keys) {
    constexpr std::size_t kMaxListed = 12;
    std::vector<std::string> listed;
    std::size_t more = 0;
    for (const std::string& key : keys.unread_numbers()) {
        if (!bears_on_size(key)) continue;
        listed.size() < kMaxListed ? listed.push_back(printable(key, 60)) : void(++more);
    }
    if (listed.empty()) return "no key that bears on size is ignored";
    return fmt::format("ignored keys that bear on size: {}{}", fmt::join(listed, ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
}

// The language model of a vision-language model lies under one of these names.
std::string_view nested_key(const ConfigKeys& keys) {
    const std::string_view key = keys.first_of({"text_config", "llm_config", "language_config"});
    return keys.meaningful(key) ? key : std::string_view{};
}

std::optional<Error> refusal(const ConfigKeys& keys, std::string_view type) {
    const std::string_view reason = refused_type(type);
    if (!reason.empty()) {
        return Error{ErrorCode::unsupported, fmt::format("model_type '{}' has {}, which cannot be counted yet", type, reason),
                     keys.place("model_type"), "use a decoder of plain, sliding-window, latent or MoE layers"};
    }
    const std::string key = refused_key(keys);
    if (key.empty()) return std::nullopt;
    return Error{ErrorCode::unsupported,
                 fmt::format("model_type '{}' has layers that cannot be counted yet: key {}", printable(type), printable(key)),
                 keys.place(key.substr(0, key.find(' '))), "use a decoder of plain, sliding-window, latent or MoE layers"};
}

void add_warnings(ConfigKeys& keys, const Family& family, std::string_view type, std::vector<std::string>& warnings) {
    if (keys.meaningful("quantization_config")) {
        warnings.emplace_back("quantization_config is ignored: training uses its own precision");
    }
    if (keys.integer_or("num_nextn_predict_layers", {0, kMaxLayers}, 0) > 0) {
        warnings.emplace_back("num_nextn_predict_layers: the multi-token prediction module is not counted");
    }
    if (&family == &unknown_family()) {
        const std::string known =
            type.empty() ? "model_type is missing" : fmt::format("model_type '{}' is unknown", printable(type));
        warnings.push_back(fmt::format("{}: read as llama; {}", known, ignored_keys(keys)));
    } else if (!family.moe) {
        for (const std::string_view key : {"num_local_experts", "n_routed_experts", "num_experts", "kv_lora_rank"}) {
            if (keys.meaningful(key)) warnings.push_back(fmt::format("{} is ignored: {} has no such layers", key, family.type));
        }
    }
}

// Products are bounded by the ranges of the keys; their sum over the layers is bounded here, before it is taken in integers.
std::optional<Error> check_total(const Model& model, const ConfigKeys& keys) {
    const auto hidden = static_cast<double>(model.hidden);
    double total = hidden * static_cast<double>(2 * model.vocab + model.positions) + static_cast<double>(model.other_params);
    for (const LayerType& layer : model.layers) total += layer.count * static_cast<double>(layer_params(model, layer).total());
    if (total <= kMaxParameters) return std::nullopt;
    return Error{ErrorCode::bad_input,
                 fmt::format("the model would have {:.3g} parameters, more than {:.0e}", total, kMaxParameters),
                 keys.place("hidden_size"), "correct the sizes"};
}

void set_correction_biases(ConfigKeys& keys, const Family& family, Model& model) {
    if (!family.latent) return;
    if (keys.text_or("topk_method", family.correction_bias ? "noaux_tc" : "greedy") != "noaux_tc") return;
    for (const LayerType& layer : model.layers) model.other_params += std::int64_t{layer.count} * layer.experts;
}

Result<ModelConfig> read_text_model(ConfigKeys& keys, const std::string& type, bool tied_outside, bool tied_known) {
    const Family* known = find_family(type);
    const Family& family = known != nullptr ? *known : unknown_family();
    ModelConfig config;
    Model& model = config.model;
    model.model_type = printable(type);
    const Shape shape = read_shape(keys, family, model, config.warnings);
    model.tied_embeddings = keys.flag_or("tie_word_embeddings", tied_known ? tied_outside : family.tied);
    if (!keys.error()) model.layers = read_layers(keys, family, shape, config.warnings);
    set_correction_biases(keys, family, model);
    add_warnings(keys, family, type, config.warnings);
    if (family.text_part) config.warnings.emplace_back("only the language model is counted, the vision tower is not");
    if (const std::optional<Error>& error = keys.error()) return tl::unexpected(*error);
    if (auto error = check_total(model, keys)) return tl::unexpected(std::move(*error));
    return config;
}

}  // namespace

Result<ModelConfig> parse_hf_config(std::string_view text, std::string_view where) {
    Result<ConfigKeys> parsed = ConfigKeys::parse(text, where);
    if (!parsed) return tl::unexpected(parsed.error());
    ConfigKeys& keys = *parsed;
    std::string type = keys.text_or("model_type", "");
    if (auto error = refusal(keys, type)) return tl::unexpected(std::move(*error));
    const bool tied_known = keys.has("tie_word_embeddings");
    const bool tied = keys.flag_or("tie_word_embeddings", false);
    const bool quantized = keys.meaningful("quantization_config");
    const std::string_view nested = nested_key(keys);
    if (!nested.empty()) {
        if (!keys.enter(nested))
            return bad_input(fmt::format("{} is not an object", nested), keys.place(nested), "write an object");
        type = keys.text_or("model_type", type);
        if (auto error = refusal(keys, type)) return tl::unexpected(std::move(*error));
    }
    Result<ModelConfig> config = read_text_model(keys, type, tied, tied_known);
    if (!config) return config;
    config->model.name = name_of(where);
    if (!nested.empty()) {
        config->warnings.push_back(fmt::format("only the language model under {} is counted", nested));
        if (quantized) config->warnings.emplace_back("quantization_config is ignored: training uses its own precision");
    }
    return config;
}

Result<ModelConfig> read_model(const std::string& name_or_path) {
    std::error_code error;
    const bool looks_like_path =
        name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json") || name_or_path == ".";
    if (!looks_like_path) {
        Result<Model> preset = find_model(name_or_path);
        if (preset) return ModelConfig{std::move(*preset), {}};
        const bool on_disk = std::filesystem::exists(name_or_path, error);
        if (preset.error().code != ErrorCode::not_found || !on_disk) return tl::unexpected(preset.error());
    }
    std::string path = name_or_path;
    if (std::filesystem::is_directory(path, error)) {
        path = (std::filesystem::path(path).lexically_normal() / "config.json").string();
        if (!std::filesystem::exists(path, error)) {
            return bad_input("the folder holds no config.json", printable(name_or_path), "name a folder of a Hugging Face model");
        }
    }
    Result<std::string> text = read_text_file(path, kMaxFileBytes);
    if (!text) return tl::unexpected(text.error());
    return parse_hf_config(*text, path);
}

}  // namespace ndtune::profiles
