#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cost_model/estimate.h"

namespace ndtune::search {

/// Named rules, in the order they are checked (frameworks.md b4). Each can be switched off by name.
enum class Rule : std::uint8_t {
    mesh_product,    ///< 1: R x S x C x T = devices
    user_limit,      ///< --fix, --limit
    within_node,     ///< --within-node AXIS: the axis may not span nodes
    tp_heads,        ///< 2: T divides heads
    tp_kv_heads,     ///< 2: T divides kv heads
    tp_ffn,          ///< 2: T divides every MLP width
    tp_vocab,        ///< 2: T divides the vocabulary, or it is padded (loss parallel)
    cp_sequence,     ///< 3: L % 2C = 0 (head-tail balance)
    sp_sequence,     ///< 3: (L/C) % T = 0 with sequence parallel
    batch,           ///< 6: B x A x R x S = global batch
    ddp_with_tp_cp,  ///< 5: R > 1 with S = 1 and T or C > 1 where the runtime refuses it
    cp_window,       ///< 8: C > 1 with sliding windows where the mask would be lost
    tied_with_tp,    ///< 9
    runtime_knob,    ///< 10: the runtime has this knob
    memory           ///< 12: peak (reserved + context) within capacity less margin
};
constexpr int kRules = 15;
std::string_view to_string(Rule rule);
std::optional<Rule> parse_rule(std::string_view name);

/// A violated rule with the equation and its numbers: "tp 16 does not divide 8 kv heads".
struct Violation {
    Rule rule = Rule::mesh_product;
    std::string message;
    std::string hint;

    bool operator==(const Violation&) const = default;
};

/// `tp = 8` or `cp <= 4`.
struct AxisLimit {
    Axis axis = Axis::tp;
    int min = 1;
    int max = 1 << 20;

    bool operator==(const AxisLimit&) const = default;
};

}  // namespace ndtune::search
