#pragma once

#include <cstdint>

#include "cost_model/cluster.h"

namespace ndtune {

/// Sizes of the four axes. Ranks are laid out dp_replicate, dp_shard, cp, tp from outer to inner unless the cluster says
/// otherwise.
struct Mesh {
    int dp_replicate = 1;  ///< R: full copies of the (sharded) model
    int dp_shard = 1;      ///< S: FSDP/ZeRO-3; the weights are sharded over S x C
    int cp = 1;            ///< C: splits the sequence
    int tp = 1;            ///< T: splits the matrices of a layer

    [[nodiscard]] std::int64_t size() const { return std::int64_t{dp_replicate} * dp_shard * cp * tp; }
    [[nodiscard]] std::int64_t data_parallel() const { return std::int64_t{dp_replicate} * dp_shard; }
    [[nodiscard]] std::int64_t shard_group() const { return std::int64_t{dp_shard} * cp; }
    [[nodiscard]] int along(Axis axis) const {
        switch (axis) {
            case Axis::dp_replicate: return dp_replicate;
            case Axis::dp_shard: return dp_shard;
            case Axis::cp: return cp;
            case Axis::tp: return tp;
        }
        return 1;
    }
    bool operator==(const Mesh&) const = default;
};

}  // namespace ndtune
