#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cost_model/mesh.h"
#include "cost_model/result.h"

namespace ndtune {

enum class Recompute : std::uint8_t { none, selective, full };
enum class CpMethod : std::uint8_t { ring, all_gather };

/// How to run one training step on a mesh. Written and read as `r2.s4.c2.t2/mb1.ga4/ac=full` (see to_text).
struct Plan {
    Mesh mesh;
    int micro_batch = 1;  ///< sequences per rank and forward pass
    int grad_accum = 1;   ///< forward/backward passes per optimizer step
    Recompute recompute = Recompute::none;
    int recompute_layers = 0;            ///< with Recompute::full: how many layers, 0 = all of them
    bool reshard_after_forward = true;   ///< ZeRO-3; false keeps the gathered weights until the backward pass
    bool sync_every_micro_batch = true;  ///< reduce gradients in each pass; false keeps them unsharded until the last
    bool shard_optimizer = false;        ///< ZeRO-1 over dp_replicate (runtimes with a distributed optimizer)
    CpMethod cp_method = CpMethod::ring;

    bool operator==(const Plan&) const = default;
};

/// Canonical text. Axes: r s c t, those above 1 only, `1` when none is. Knobs: mbN, gaN (if above 1); then, where they differ
/// from the default: `/ac=sel`, `/ac=full`, `/ac=full:12` (layers), `/rs=off` (reshard), `/sync=last`, `/z1` (sharded optimizer),
/// `/cp=ag`. Example: `r2.s4.c2.t2/mb1.ga4/ac=full`.
std::string to_text(const Plan& plan);

/// Reads what to_text writes; knobs may come in any order, those left out take their defaults.
/// Errors: unknown or repeated axis or knob, sizes below 1 or above 1,048,576, trailing text.
Result<Plan> parse_plan(std::string_view text);

}  // namespace ndtune
