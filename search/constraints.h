#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cost_model/estimate.h"
#include "search/axis_limit.h"

namespace ndtune::search {

struct Options;

/// Named rules, in the order they are checked; the tests go by the numbers. Each but the first can be switched off by name.
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

/// The rules of one job under one set of options. Holds references: both must outlive it.
/// The mesh's rules are checked once per mesh, the knobs' and the memory's per plan.
class Constraints {
public:
    Constraints(const Job& job, const Options& options);

    [[nodiscard]] bool enabled(Rule rule) const { return enabled_[static_cast<std::size_t>(rule)]; }
    /// The first rule that every plan on this mesh breaks.
    [[nodiscard]] std::optional<Violation> mesh(const Mesh& mesh) const;
    /// The first rule that the plan breaks, memory aside.
    [[nodiscard]] std::optional<Violation> plan(const Plan& plan) const;
    /// The memory rule alone.
    [[nodiscard]] std::optional<Violation> memory(const MemoryLedger& ledger) const;
    /// What the peak may be at most: the capacity less the margin.
    [[nodiscard]] Bytes usable() const { return usable_; }
    [[nodiscard]] bool fits(Bytes peak) const { return !enabled(Rule::memory) || peak <= usable_; }
    /// Without the batch rule every mesh is searched, with the nearest batch it can reach.
    [[nodiscard]] bool any_batch() const { return !enabled(Rule::batch); }

private:
    const Job& job_;
    const Options& options_;
    Bytes usable_;
    std::array<bool, kRules> enabled_{};
};

/// What is allowed but deserves a word with a plan: tensor or context parallelism across nodes (rule 7). Empty if nothing.
std::string caution(const Job& job, const Mesh& mesh);

}  // namespace ndtune::search
