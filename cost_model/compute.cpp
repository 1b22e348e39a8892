#include "cost_model/compute.h"

#include <algorithm>
#include <cmath>

namespace ndtune {
namespace {

/// A launched attention kernel pays about this, seconds. Assumed; GEMM launches of the devices lie at 2 to 10 us.
constexpr double kAttentionLaunch = 6e-6;
/// Attention and fp8 casts heat the part less than dense GEMMs: they see this share of the sustained-clock loss.
/// Assumed: attention's own rates are fitted beside it.
constexpr double kAttentionClockShare = 0.7;
/// Time of a 16-bit GEMM whose weight has an unaligned dimension over the aligned one's (a head of 50,257 words on A100:
/// calibrated on the published vTrain runs, where the head takes 26 ms for 2.5 TFLOP unsplit and a quarter of that on two ranks,
/// padded).
constexpr double kUnaligned = 2.5;
/// A low-precision linear reads each 16-bit operand and writes the cast one.
constexpr double kCastBytes = 3;

std::size_t head_class(int head_dim) {
    return head_dim <= 96 ? 0 : head_dim <= 192 ? 1 : 2;
}

/// The precision whose kernels run where the device has none of the wished one: fp4 -> fp8 -> 16 bit -> fp32.
Precision available(const Device& device, Precision wished) {
    constexpr Precision kFallback[] = {Precision::fp4,  Precision::mxfp8, Precision::fp8,
                                       Precision::bf16, Precision::fp16,  Precision::fp32};
    bool reached = false;
    for (const Precision p : kFallback) {
        reached = reached || p == wished;
        if (reached && device.gemm[static_cast<std::size_t>(p)].peak.value > 0) return p;
    }
    return Precision::fp32;
}

/// The kernel that runs, or the nearest older one the device has.
const AttentionCurve& attention_curve(const Device& device, AttentionKernel wished) {
    for (auto k = static_cast<std::size_t>(wished); k > 0; --k) {
        if (device.attention[k].peak[1].value > 0) return device.attention[k];
    }
    for (const AttentionCurve& curve : device.attention) {
        if (curve.peak[1].value > 0) return curve;
    }
    return device.attention[static_cast<std::size_t>(wished)];
}

}  // namespace

double smooth_max(double a, double b) {
    const double hi = std::max(a, b), lo = std::min(a, b);
    if (hi <= 0) return 0;
    const double r = lo / hi, r2 = r * r;
    return hi * std::sqrt(std::sqrt(1 + r2 * r2));
}

double overlap_max(double a, double b) {
    const double hi = std::max(a, b), lo = std::min(a, b);
    if (hi <= 0) return 0;
    const double r = lo / hi, r2 = r * r, r4 = r2 * r2;
    return hi * std::sqrt(std::sqrt(std::sqrt(1 + r4 * r4)));
}

double smooth_positive(double x, double eps) {
    return 0.5 * (x + std::sqrt(x * x + eps * eps));
}

ComputeModel::ComputeModel(const Job& job) {
    const Device& device = job.cluster.device;
    const Runtime& rt = job.runtime;
    fp32_ = job.workload.precision == Precision::fp32;
    const auto load = [&](Precision p) {
        const GemmCurve& c = device.gemm[static_cast<std::size_t>(p)];
        provenance_ = weakest(provenance_, c.provenance);
        return Gemm{c.peak.value, c.bandwidth.value, c.launch.value, c.sustained};
    };
    const bool fp16 = job.workload.precision == Precision::fp16;
    const Precision dense = available(device, fp32_ ? Precision::fp32 : fp16 ? Precision::fp16 : Precision::bf16);
    const Precision low = available(device, job.workload.precision);
    dense_ = load(dense);
    low_ = load(low);
    cast_ = low == Precision::fp8 || low == Precision::mxfp8 || low == Precision::fp4;
    width_ = fp32_ ? 4 : 2;
    hbm_ = device.hbm.value.value * device.hbm_efficiency;
    const AttentionCurve& curve = attention_curve(device, rt.attention);
    const std::size_t head = head_class(job.model.attention.head_dim);
    attention_peak_ = curve.peak[head].value * rt.attention_rate / (1 + (dense_.sustained - 1) * kAttentionClockShare);
    // The curves are of 16-bit kernels; one in fp32 multiplies no faster than the fp32 GEMM.
    if (fp32_) attention_peak_ = std::min(attention_peak_, dense_.flops / dense_.sustained);
    attention_pad_ = curve.seq_pad[head];
    attention_backward_ = curve.backward;
    plain_attention_ = rt.attention == AttentionKernel::plain;
    provenance_ = weakest(provenance_, weakest(curve.provenance, weakest(device.hbm.provenance, rt.provenance)));
    dgrad_ = rt.dgrad;
    wgrad_ = rt.wgrad;
    grouped_ = rt.grouped_gemm;
    elementwise_ = job.model.gated_mlp ? rt.elementwise_gated : rt.elementwise_plain;
    loss_bytes_ = rt.loss_bytes;
}

double ComputeModel::gemm(const Op& op) const {
    const Gemm& g = op.low_precision ? low_ : dense_;
    const bool cast = cast_ && op.low_precision;
    const double out = op.batch * op.m * op.n;
    const double bytes = cast ? (op.bytes - out) + 2 * out : width_ * op.bytes;
    double t = smooth_max(op.flops / g.flops, bytes / g.bytes) * g.sustained;
    if (op.phase == Phase::dgrad) t *= dgrad_;
    if (op.phase == Phase::wgrad) t *= wgrad_;
    if (op.batch > 1) t *= grouped_;
    if (op.unaligned && !fp32_) t *= kUnaligned;
    if (cast) t += kCastBytes * (op.bytes - out) / hbm_;
    return g.launch + t;
}

double ComputeModel::attention(const Op& op) const {
    if (plain_attention_) {
        // Scores and values as two batched GEMMs, the softmax in memory; backward twice that.
        const double passes = op.phase == Phase::backward ? 2 : 1;
        const double flops = 2 * op.m * op.k * op.n * op.batch;
        const double bytes = width_ * op.batch * (op.m * op.k + op.k * op.n + op.m * op.n);
        const double t = dense_.launch + dense_.sustained * smooth_max(flops / dense_.flops, bytes / dense_.bytes);
        return 2 * passes * t + op.bytes / hbm_;
    }
    const double rate = attention_peak_ * op.m / (op.m + attention_pad_);
    return kAttentionLaunch + op.flops / rate * (op.phase == Phase::backward ? attention_backward_ : 1.0);
}

Seconds ComputeModel::time(const Op& op) const {
    switch (op.kind) {
        case OpKind::gemm: return Seconds{gemm(op)};
        case OpKind::attention: return Seconds{attention(op)};
        case OpKind::elementwise: return Seconds{op.bytes * elementwise_ / hbm_};
        case OpKind::loss: return Seconds{op.bytes * loss_bytes_ / hbm_};
        case OpKind::stream: return Seconds{op.bytes / hbm_};
        case OpKind::collective: break;
    }
    return Seconds{};
}

}  // namespace ndtune
