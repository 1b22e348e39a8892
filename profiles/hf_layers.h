#pragma once

#include <vector>

#include "cost_model/model.h"
#include "profiles/config_keys.h"
#include "profiles/hf_families.h"
#include "profiles/hf_shape.h"

namespace ndtune::profiles {

/// The layers by type, in the order of their first appearance: sliding or full attention, dense or MoE, so at most 4 types.
/// Failures stay in `keys`; warnings tell which class defaults were used.
std::vector<LayerType> read_layers(ConfigKeys& keys, const Family& family, const Shape& shape,
                                   std::vector<std::string>& warnings);

}  // namespace ndtune::profiles
