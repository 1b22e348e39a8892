#pragma once

#include "cost_model/estimate.h"

namespace ndtune {

/// 16-bit tensor-core GEMMs want their weight dimensions in multiples of this.
constexpr int kGemmAlignment = 8;

/// The sizes of one rank's work under a plan, as doubles for formulas; the letters are those of every formula here.
struct Shapes {
    double batch = 1;        ///< B, sequences per micro-batch
    double seq = 1;          ///< S
    double tokens = 1;       ///< T = B S / c, per rank and micro-batch
    double hidden = 1;       ///< h
    double vocab = 1;        ///< V, padded where tp divides it
    double tp = 1;           ///< t
    double cp = 1;           ///< c
    double sigma = 1;        ///< t with sequence parallel, else 1
    double loss_tp = 1;      ///< t with loss parallel, else 1
    double replicas = 1;     ///< R
    double shard_group = 1;  ///< S x C
    double data_group = 1;   ///< R x S x C
    double grad_accum = 1;
    double width = 2;         ///< bytes of an activation element
    double gather_bytes = 2;  ///< per weight
    double reduce_bytes = 4;  ///< per gradient
    bool fsdp = false;        ///< weights are sharded over the shard group
    const Model* model = nullptr;

    /// Weights of one layer held (gathered) by one tp rank.
    [[nodiscard]] double layer_weights(const LayerType& layer) const;
    /// Embedding, positions, final norm and head on one tp rank.
    [[nodiscard]] double root_weights() const;
    /// All weights of one tp rank.
    [[nodiscard]] double rank_weights() const;
    /// Mean number of keys that a query attends to, causal, window respected: S/2 for full attention.
    [[nodiscard]] double mean_keys(std::int64_t window) const;
};

Shapes shapes(const Job& job, const Plan& plan);

}  // namespace ndtune
