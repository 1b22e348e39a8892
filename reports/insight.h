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

/// Seconds or milliseconds, whichever reads better for times around `typical`; one unit for a whole column.
struct TimeUnit {
    double per_second = 1;
    std::string_view name = "s";

    [[nodiscard]] std::string text(Seconds seconds) const;         ///< no unit
    [[nodiscard]] std::string signed_text(Seconds seconds) const;  ///< no unit
};
TimeUnit time_unit(Seconds typical);

/// Why more than one axis pays here (or does not): the baseline against the best plan, in a sentence that names which of the
/// three reasons binds: FSDP's traffic at this scale, a layer or sequence too large for a device, a batch too small. Empty
/// without a baseline or a plan.
std::string why_axes(const Report& report);

/// The grades of the inputs the estimate rests on: "kernels measured, network assumed, ...".
std::string provenance_text(const Job& job);

}  // namespace ndtune::reports
