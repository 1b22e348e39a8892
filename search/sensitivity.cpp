#include "search/sensitivity.h"

#include <cmath>
#include <cstdint>
#include <functional>

namespace ndtune::search {
namespace {

constexpr double kMostFactor = 8;
constexpr int kStepsPerOctave = 4;  // of the scan for the first flip on each side
constexpr double kPrecision = 1e-3;

/// A job and the two plans as they are under a changed input; not every factor is possible for counts.
struct Contest {
    Job job;
    Plan a, b;
};
using Change = std::function<bool(Contest&, double factor)>;

bool prefers_b(const Contest& contest) {
    const Estimate a = estimate(contest.job, contest.a);
    const Estimate b = estimate(contest.job, contest.b);
    if (!b.memory.fits()) return false;
    return !a.memory.fits() || b.step_time < a.step_time;
}

bool flips(const Contest& base, const Change& change, double factor) {
    Contest changed = base;
    return change(changed, factor) && prefers_b(changed);
}

// From 1 in the direction of `sign` until B is preferred; then halves the last step.
std::optional<double> first_flip(const Contest& base, const Change& change, int sign) {
    const int steps = static_cast<int>(std::log2(kMostFactor)) * kStepsPerOctave;
    double low = 0;  // log2 of a factor without a flip
    for (int i = 1; i <= steps; ++i) {
        double high = sign * static_cast<double>(i) / kStepsPerOctave;
        if (!flips(base, change, std::exp2(high))) {
            low = high;
            continue;
        }
        while (std::abs(high - low) > kPrecision) {
            const double middle = (low + high) / 2;
            (flips(base, change, std::exp2(middle)) ? high : low) = middle;
        }
        return std::exp2(high);
    }
    return std::nullopt;
}

std::optional<double> continuous(const Contest& base, const Change& change) {
    const auto up = first_flip(base, change, 1);
    const auto down = first_flip(base, change, -1);
    if (up && down) return *up * *down <= 1 ? up : down;  // the closer to 1 on a log scale
    return up ? up : down;
}

std::optional<double> by_powers_of_two(const Contest& base, const Change& change) {
    for (double factor = 2; factor <= kMostFactor; factor *= 2) {
        if (flips(base, change, factor)) return factor;
        if (flips(base, change, 1 / factor)) return 1 / factor;
    }
    return std::nullopt;
}

bool scale_out(Contest& contest, double factor) {
    auto& tiers = contest.job.cluster.tiers;
    for (std::size_t i = 1; i < tiers.size(); ++i) tiers[i].bandwidth = tiers[i].bandwidth * factor;
    return true;
}

bool scale_up(Contest& contest, double factor) {
    Cluster& cluster = contest.job.cluster;
    cluster.tiers.front().bandwidth = cluster.tiers.front().bandwidth * factor;
    for (auto& of_kind : cluster.device.collectives) {
        for (CollectiveCurve& curve : of_kind) {
            // The sqrt term is the ramp to full bandwidth: half of it is the link's.
            curve.bandwidth = curve.bandwidth * factor;
            curve.gamma /= std::sqrt(factor);
        }
    }
    return true;
}

bool memory(Contest& contest, double factor) {
    Bytes& capacity = contest.job.cluster.device.memory.value;
    capacity = Bytes{static_cast<std::int64_t>(static_cast<double>(capacity.value) * factor)};
    return true;
}

bool gemm_speed(Contest& contest, double factor) {
    for (GemmCurve& curve : contest.job.cluster.device.gemm) {
        curve.peak = curve.peak * factor;
        curve.bandwidth = curve.bandwidth * factor;
    }
    return true;
}

bool host_time(Contest& contest, double factor) {
    Runtime& runtime = contest.job.runtime;
    runtime.host_layer *= factor;
    runtime.host_unfused_softmax *= factor;
    runtime.host_micro_batch *= factor;
    runtime.host_step *= factor;
    return true;
}

// Whether count x factor is whole and positive; then scales it.
template <class Count>
bool scale(Count& count, double factor) {
    const double scaled = static_cast<double>(count) * factor;
    if (scaled < 1 || scaled != std::floor(scaled) || scaled > 1 << 30) return false;
    count = static_cast<Count>(scaled);
    return true;
}

bool global_batch(Contest& contest, double factor) {
    return scale(contest.job.workload.global_batch, factor) && scale(contest.a.grad_accum, factor) &&
           scale(contest.b.grad_accum, factor);
}

bool rival_micro_batch(Contest& contest, double factor) {
    return scale(contest.b.micro_batch, factor) && scale(contest.b.grad_accum, 1 / factor);
}

bool sequence(Contest& contest, double factor) {
    return scale(contest.job.workload.seq_len, factor);
}

}  // namespace

std::vector<Sensitivity> what_would_flip(const Job& job, const Plan& a, const Plan& b) {
    const Contest base{job, a, b};
    const bool already = prefers_b(base);
    std::vector<Sensitivity> result;
    const auto add = [&](std::string name, const std::optional<double>& factor) {
        result.push_back({std::move(name), already ? std::optional(1.0) : factor});
    };
    if (job.cluster.tiers.size() > 1) add("scale-out bandwidth", continuous(base, scale_out));
    add("scale-up bandwidth", continuous(base, scale_up));
    add("memory capacity", continuous(base, memory));
    add("GEMM speed", continuous(base, gemm_speed));
    add("host time", continuous(base, host_time));
    add("micro-batch of the rival", by_powers_of_two(base, rival_micro_batch));
    add("global batch", by_powers_of_two(base, global_batch));
    add("sequence length", by_powers_of_two(base, sequence));
    return result;
}

}  // namespace ndtune::search
