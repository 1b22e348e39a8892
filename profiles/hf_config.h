#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost_model/model.h"
#include "cost_model/result.h"

namespace ndtune::profiles {

struct ModelConfig {
    Model model;
    std::vector<std::string> warnings;  ///< ignored size-bearing keys, quantization, unknown type
};

/// Reads the text of a Hugging Face config.json. `where` names it in errors.
Result<ModelConfig> parse_hf_config(std::string_view text, std::string_view where);

/// MODEL of the command line: a preset's name, a config.json, or a folder that holds one. Files above 16 MiB are refused.
Result<ModelConfig> read_model(const std::string& name_or_path);

}  // namespace ndtune::profiles
