#pragma once

#include <array>
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
std::string bound_by(const Estimate& estimate, int words = 2);

/// How two plans differ, bucket by bucket, largest difference first; buckets that hardly differ are left out.
struct Term {
    Bucket bucket = Bucket::matmul;
    Seconds delta;  ///< b - a
};
std::vector<Term> differences(const Estimate& a, const Estimate& b);
/// "recompute +0.80, matmul -0.31 s"; at most `words` terms.
std::string difference_text(const Estimate& a, const Estimate& b, std::size_t words = 3);

/// Why more than one axis pays here (or does not): the baseline against the best plan, in a sentence that names which of the
/// three reasons binds: gathers of FSDP at this scale, a layer or sequence too large for a device, a batch too small or too
/// large. Empty without a baseline.
std::string why_axes(const Report& report);

/// The grades of the inputs the estimate rests on, in a sentence.
std::string provenance_text(const Job& job);

}  // namespace ndtune::reports
