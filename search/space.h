#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cost_model/estimate.h"

namespace ndtune::search {

/// The knobs of a plan beside mesh, batch split and recompute. Families of one mesh and split differ in these.
struct FamilyKnobs {
    bool reshard_after_forward = true;
    bool sync_every_micro_batch = true;
    bool shard_optimizer = false;
    CpMethod cp_method = CpMethod::ring;

    bool operator==(const FamilyKnobs&) const = default;
};

constexpr std::size_t kMostFamilies = 10;  ///< 2 methods x (4 sharded + 1 ZeRO-1)
using FamilyBuffer = std::array<FamilyKnobs, kMostFamilies>;

/// Every plan that could be, before any rule: all ordered factorizations of the device count into dp_replicate x dp_shard x cp
/// x tp, and for each
///   - micro-batch: every divisor of global_batch / (dp_replicate x dp_shard); a mesh that does not divide the batch is one plan,
///   - recompute: none; selective where the runtime has it; full on n = 1 .. L layers (n = L is written 0),
///   - ring, all-gather: where cp > 1,
///   - sharded optimizer (ZeRO-1, in place of sharded parameters): where the runtime has it, dp_shard = 1 and
///     dp_replicate x cp > 1,
///   - where parameters are sharded (the runtime does so, dp_shard x cp > 1, no ZeRO-1): reshard on, off; and, where grad_accum
///     > 1 and the runtime can wait, gradient sync every, last. Unsharded gradients are reduced once a step anyway.
/// Plans that share all but the recompute are a family; the walk relies on nothing else about them (bounds.h).
class PlanSpace {
public:
    /// `any_batch`: meshes that do not divide the global batch take the nearest batch they can reach. The job must be valid.
    PlanSpace(const Job& job, bool any_batch);

    /// In a fixed order: tp, cp, dp_shard, dp_replicate ascending.
    [[nodiscard]] const std::vector<Mesh>& meshes() const { return meshes_; }
    /// Sequences per data-parallel rank and step; 0 where the mesh does not divide the batch.
    [[nodiscard]] int rank_batch(const Mesh& mesh) const { return split(mesh).rank_batch; }
    /// Micro-batch sizes of a mesh, ascending.
    [[nodiscard]] std::span<const int> micro_batches(const Mesh& mesh) const { return split(mesh).micro_batches; }
    /// Knobs of the families of a mesh at one accumulation count, written to `knobs`.
    [[nodiscard]] std::span<const FamilyKnobs> families(const Mesh& mesh, int grad_accum, FamilyBuffer& knobs) const;
    /// Plans in one family: 1 + selective + L.
    [[nodiscard]] std::uint64_t family_size() const { return family_size_; }
    /// Plans of one mesh, without walking them.
    [[nodiscard]] std::uint64_t plans_of(const Mesh& mesh) const;
    /// Plans in all, by a formula over the divisors of the device count that looks at no mesh.
    [[nodiscard]] std::uint64_t size() const;

private:
    struct Split {
        std::int64_t ranks = 1;  ///< dp_replicate x dp_shard
        int rank_batch = 0;
        std::vector<int> micro_batches;
    };
    [[nodiscard]] const Split& split(const Mesh& mesh) const;
    /// By which axes are above 1.
    [[nodiscard]] std::uint64_t plans(bool replicated, bool sharded, bool context, const Split& split) const;
    [[nodiscard]] std::uint64_t family_count(bool replicated, bool sharded, bool context, bool accumulates) const;

    const Runtime& runtime_;
    std::int64_t devices_;
    std::uint64_t family_size_;
    std::vector<Mesh> meshes_;
    std::vector<Split> splits_;  ///< by ascending divisor of the device count
};

/// `plan` with the knobs of a family.
Plan with_knobs(Plan plan, const FamilyKnobs& knobs);

/// The plan of the space that runs the same step: knobs without effect take their defaults (full:L is written full).
Plan canonical(const Job& job, Plan plan);

/// The divisors of n >= 1, ascending.
std::vector<int> divisors(std::int64_t n);

}  // namespace ndtune::search
