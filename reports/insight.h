#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace ndtune::reports {

/// The buckets of a step in the groups people act on.
enum class Part : std::uint8_t { compute, recompute, tp, cp, fsdp, dp, optimizer, host };
constexpr int kParts = 8;
std::string_view to_string(Part part);
std::array<Seconds, kParts> parts(const Estimate& estimate);

/// What a step's time goes into, largest part first, as far as it is worth a word: "compute 83%, tp 12%".
std::string bound_by(const Estimate& estimate, std::size_t words = 2);

/// The largest part that is not compute: "tp 12%".
std::string largest_beside_compute(const Estimate& estimate);

/// A bucket in words: "fsdp exposed", and what it holds.
std::string words(Bucket bucket);
std::string_view describe(Bucket bucket);
std::string words(LedgerRow row);
std::string words(MemoryPhase phase);

/// How two plans differ, bucket by bucket, largest difference first; what is below 0.1 % of the step is left out.
struct Term {
    Bucket bucket = Bucket::matmul;
    Seconds delta;  ///< b - a

    bool operator==(const Term&) const = default;
};
std::vector<Term> differences(const Estimate& a, const Estimate& b);
/// "recompute +0.80, matmul -0.31 s": b against a, at most `count` terms.
std::string difference_text(const Estimate& a, const Estimate& b, std::size_t count = 3);
/// "0.41 s (3.4%) slower: recompute +0.80, matmul -0.31 s".
std::string comparison_text(const Estimate& a, const Estimate& b, std::size_t count = 3);

/// Seconds or milliseconds, whichever reads better for times around `typical`; one unit for a whole column. Texts have no unit.
struct TimeUnit {
    double per_second = 1;
    std::string_view name = "s";
    double typical = 1;  ///< in this unit

    [[nodiscard]] std::string text(Seconds seconds) const;
    /// With the decimals of the typical time; empty if that rounds to nothing.
    [[nodiscard]] std::string part_text(Seconds seconds) const;
};
TimeUnit time_unit(Seconds typical);

/// Why more than one axis pays here (or does not): the baseline against the best plan, in a sentence that names which of the
/// three reasons binds: FSDP's traffic at this scale, a layer or sequence too large for a device, a batch too small. Empty
/// without a baseline or a plan.
std::string why_axes(const Report& report);

/// What the plan does, spelled out: "2 replicas x FSDP over 4; micro-batch 2, 4 passes a step, no recompute".
std::string spelled_out(const Plan& plan);

/// The grades of the inputs the estimate rests on: "kernels measured, network assumed, ...".
std::string provenance_text(const Job& job);

}  // namespace ndtune::reports
