#pragma once

#include <array>
#include <optional>

#include "search/constraints.h"

namespace ndtune::search {

/// A rule that depends on the mesh alone.
struct MeshRule {
    Rule rule;
    std::optional<Violation> (*check)(const Job& job, const Options& options, const Mesh& mesh);
};

constexpr int kMeshRuleCount = 14;
/// In the order of Rule.
extern const std::array<MeshRule, kMeshRuleCount> kMeshRules;

}  // namespace ndtune::search
