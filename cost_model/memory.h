#pragma once

#include <array>

#include "cost_model/estimate.h"
#include "cost_model/shapes.h"

namespace ndtune {

/// Bytes per layer and micro-batch that depend on tp, cp and micro-batch alone.
struct LayerMemory {
    double kept = 0;        ///< saved for backward, no recompute
    double selective = 0;   ///< saved under selective recompute
    double checkpoint = 0;  ///< saved under full recompute
};

/// What all plans of one (tp, cp, micro-batch) share.
struct MemoryShapes {
    std::array<LayerMemory, Model::kMaxLayerTypes> layers{};
    double weights = 0;  ///< of one tp rank
    double root = 0;     ///< of embedding, final norm and head
    double unit = 0;     ///< of the largest layer
    double table = 0;    ///< of the embedding alone
    int layer_count = 0;
    double logits = 0;         ///< the loss's peak, all copies
    double work = 0;           ///< backward working set of one layer beyond what is kept
    double gathered = 0;       ///< undivided inputs and outputs alive at once (tp, cp)
    double loss_gathered = 0;  ///< the same in the loss phase
    double wgrad_temporary = 0;
};

MemoryShapes memory_shapes(const Job& job, const Shapes& s);

/// The ledger at the step's peak: the sum of rows is taken at each moment of the step and the largest wins.
MemoryLedger memory_ledger(const Job& job, const Plan& plan, const Shapes& s, const MemoryShapes& m);

}  // namespace ndtune
