#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost_model/model.h"
#include "profiles/config_keys.h"
#include "profiles/hf_families.h"

namespace ndtune::profiles {

// Bounds of what a config.json may say: well above any published model, low enough that no product of them overflows.
constexpr std::int64_t kMaxHidden = std::int64_t{1} << 20;
constexpr std::int64_t kMaxLayers = 10'000;
constexpr std::int64_t kMaxHeads = 8'192;
constexpr std::int64_t kMaxHeadDim = 8'192;
constexpr std::int64_t kMaxFfn = std::int64_t{1} << 22;
constexpr std::int64_t kMaxVocab = std::int64_t{1} << 24;
constexpr std::int64_t kMaxExperts = 65'536;
constexpr std::int64_t kMaxPositions = std::int64_t{1} << 30;

/// What the layers have in common, before they are told apart.
struct Shape {
    int layers = 0;
    std::int64_t ffn = 0;  ///< dense MLP width, 0 = not given (allowed where all layers are MoE)
};

/// Fills everything of `model` but name, type, layers and tied_embeddings. Failures stay in `keys`; warnings tell which class
/// defaults were used.
Shape read_shape(ConfigKeys& keys, const Family& family, Model& model, std::vector<std::string>& warnings);

}  // namespace ndtune::profiles
