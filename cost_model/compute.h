#pragma once

#include "cost_model/estimate.h"
#include "cost_model/ops.h"

namespace ndtune {

/// Smooth maximum of two times: (a^4 + b^4)^(1/4), a roofline without the kink: 5 % mean error on H200 GEMM tables, 10 % with it.
double smooth_max(double a, double b);
/// (a^8 + b^8)^(1/8): overlap of two streams, closer to a hard maximum.
double overlap_max(double a, double b);
/// max(0, x), rounded off over a width of about eps.
double smooth_positive(double x, double eps);

/// Prices compute ops of one job: what does not depend on the plan is looked up once.
class ComputeModel {
public:
    explicit ComputeModel(const Job& job);
    /// Time of one compute op (never a collective). `op.repeat` is not applied.
    [[nodiscard]] Seconds time(const Op& op) const;
    /// The weakest number behind `time`.
    [[nodiscard]] Provenance provenance() const { return provenance_; }

private:
    struct Gemm {
        double flops = 0, bytes = 0, launch = 0, sustained = 1;
    };
    [[nodiscard]] double gemm(const Op& op) const;
    [[nodiscard]] double attention(const Op& op) const;

    Gemm dense_;         // 16 bit, or fp32 for an fp32 workload
    Gemm low_;           // the workload's precision
    bool cast_ = false;  // low precision needs the activation and weight cast
    bool fp32_ = false;
    double width_ = 2;  // bytes of an element in a dense GEMM
    double hbm_ = 1;    // bytes/s of streaming kernels
    double attention_peak_ = 1, attention_pad_ = 0, attention_backward_ = 1;
    bool plain_attention_ = false;
    double dgrad_ = 1, wgrad_ = 1, grouped_ = 1, elementwise_ = 1, loss_bytes_ = 0;
    Provenance provenance_ = Provenance::exact;
};

}  // namespace ndtune
