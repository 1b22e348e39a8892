#pragma once

#include <fmt/format.h>

#include <map>
#include <string>

#include "profiles/hf_config.h"

// Small configurations as key-value pairs, so that a test shows only what it changes.
namespace ndtune::profiles {

using Keys = std::map<std::string, std::string>;

inline Keys llama_keys() {
    return {{"model_type", "\"llama\""},
            {"hidden_size", "64"},
            {"num_hidden_layers", "6"},
            {"num_attention_heads", "8"},
            {"num_key_value_heads", "4"},
            {"intermediate_size", "96"},
            {"vocab_size", "100"},
            {"tie_word_embeddings", "false"},
            {"max_position_embeddings", "256"}};
}

inline Keys with(Keys keys, const Keys& changes) {
    for (const auto& [key, value] : changes) keys[key] = value;
    return keys;
}

inline std::string json(const Keys& keys) {
    std::string text = "{";
    for (const auto& [key, value] : keys) text += fmt::format("{}\"{}\": {}", text.size() > 1 ? ", " : "", key, value);
    return text + "}";
}

inline Result<ModelConfig> parse(const Keys& keys) {
    return parse_hf_config(json(keys), "config.json");
}

inline Result<ModelConfig> changed(const Keys& changes) {
    return parse(with(llama_keys(), changes));
}

inline Error error_of(const Result<ModelConfig>& config) {
    return config ? Error{} : config.error();
}

inline std::string data_file(const std::string& name) {
    return std::string(NDTUNE_SOURCE_DIR) + "/tests/data/configs/" + name;
}

}  // namespace ndtune::profiles
