#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "cost_model/provenance.h"
#include "cost_model/units.h"

namespace ndtune {

enum class Precision : std::uint8_t { fp32, bf16, fp16, fp8, mxfp8, fp4 };
constexpr int kPrecisions = 6;

/// GEMM time on this device: t = launch + sustained x ((F/peak)^4 + (bytes/bandwidth)^4)^(1/4), F = 2mnk.
/// `sustained` is time in a long training run over time in a burst benchmark (clocks under the power limit).
struct GemmCurve {
    FlopsPerSecond nominal;  ///< vendor's dense peak, the denominator of MFU
    FlopsPerSecond peak;     ///< 0 = this precision is not supported
    BytesPerSecond bandwidth;
    Seconds launch;
    double sustained = 1.0;
    Provenance provenance = Provenance::assumed;

    bool operator==(const GemmCurve&) const = default;
};

/// Which attention kernel runs. `plain` materializes the scores (two batched GEMMs and a softmax in memory).
enum class AttentionKernel : std::uint8_t { plain, flash1, flash2, flash3 };
constexpr int kAttentionKernels = 4;

/// Flash attention forward: t = launch + F / (peak[head size class] x S/(S + seq_pad)); classes 64, 128, 256.
struct AttentionCurve {
    std::array<FlopsPerSecond, 3> peak{};  ///< all 0 = kernel not available, the next older one is used
    std::array<double, 3> seq_pad{};       ///< tokens
    double backward = 1.25;                ///< backward time per FLOP over forward's
    Provenance provenance = Provenance::assumed;

    bool operator==(const AttentionCurve&) const = default;
};

enum class Collective : std::uint8_t { all_gather, reduce_scatter, all_reduce, all_to_all, send_recv };
constexpr int kCollectives = 5;

/// Collective inside one fast domain: t = alpha + V/bandwidth + gamma sqrt(V), V = gathered (full) bytes.
struct CollectiveCurve {
    Seconds alpha;
    BytesPerSecond bandwidth;
    double gamma = 0;  ///< seconds per sqrt(byte)
    Provenance provenance = Provenance::assumed;

    bool operator==(const CollectiveCurve&) const = default;
};
constexpr std::array<int, 3> kCurveGroups = {2, 4, 8};  ///< group sizes the curves are given for

/// One accelerator (or one CPU rank). Catalog rows live in profiles/catalog/devices.
struct Device {
    std::string name;    ///< catalog key, e.g. "h100-sxm"
    std::string title;   ///< "NVIDIA H100 SXM5 80GB"
    std::string source;  ///< where the figures come from, with date
    bool cpu = false;
    Graded<Bytes> memory;          ///< usable by the training process before the framework's context
    Graded<BytesPerSecond> hbm;    ///< nominal memory bandwidth
    double hbm_efficiency = 0.87;  ///< of streaming kernels; set beside the published runs, where elementwise traffic absorbs it
    Graded<BytesPerSecond> link;   ///< scale-up link per device, one direction
    Graded<BytesPerSecond> nic;    ///< scale-out share per device, one direction
    int devices_per_node = 8;
    int scale_up = 8;  ///< devices joined by the scale-up link (72 for NVL72, 1 = none)
    std::array<GemmCurve, kPrecisions> gemm{};
    std::array<AttentionCurve, kAttentionKernels> attention{};
    std::array<std::array<CollectiveCurve, 3>, kCollectives> collectives{};  ///< [op][kCurveGroups]

    bool operator==(const Device&) const = default;
};

}  // namespace ndtune
