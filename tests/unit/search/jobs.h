#pragma once

#include <array>
#include <cstdint>

#include "cost_model/estimate.h"

// Jobs for the tests and benchmarks of the search: public model shapes on a device close to an H100.
namespace ndtune::search::testing {

struct Shape {
    std::int64_t hidden, ffn, vocab;
    int layers, heads, kv_heads;
};
constexpr Shape kLlama8b = {4096, 14336, 128256, 32, 32, 8};
constexpr Shape kLlama70b = {8192, 28672, 128256, 80, 64, 8};
constexpr Shape kLlama405b = {16384, 53248, 128256, 126, 128, 8};
constexpr Shape kTiny = {256, 1024, 1000, 6, 12, 4};

inline Model model(const Shape& shape) {
    Model m;
    m.name = "test";
    m.model_type = "llama";
    m.hidden = shape.hidden;
    m.vocab = shape.vocab;
    m.attention.heads = shape.heads;
    m.attention.kv_heads = shape.kv_heads;
    m.attention.head_dim = m.attention.value_dim = static_cast<int>(shape.hidden / shape.heads);
    LayerType layer;
    layer.count = shape.layers;
    layer.ffn = shape.ffn;
    m.layers = {layer};
    return m;
}

/// Figures of an H100 SXM, rounded; 80 GB as PyTorch sees them.
inline Device device() {
    Device d;
    d.name = "h100-like";
    d.memory.value = Bytes{static_cast<std::int64_t>(79.1 * kGiB)};
    d.hbm.value = BytesPerSecond{3.35e12};
    d.link.value = BytesPerSecond{450e9};
    d.nic.value = BytesPerSecond{50e9};
    const GemmCurve bf16{FlopsPerSecond{989e12}, FlopsPerSecond{767e12}, BytesPerSecond{1.9e12}, Seconds{2.5e-6}, 1.16,
                         Provenance::assumed};
    d.gemm[static_cast<std::size_t>(Precision::bf16)] = bf16;
    d.gemm[static_cast<std::size_t>(Precision::fp16)] = bf16;
    AttentionCurve& flash = d.attention[static_cast<std::size_t>(AttentionKernel::flash2)];
    flash.peak = {FlopsPerSecond{284e12}, FlopsPerSecond{359e12}, FlopsPerSecond{410e12}};
    flash.seq_pad = {876, 849, 486};
    flash.backward = 1.75;
    // alpha in us, bandwidth in GB/s, gamma in ns/sqrt(B), for groups of 2, 4, 8.
    const double curves[kCollectives][3][3] = {{{5.1, 575, 5.0}, {7.0, 467, 5.5}, {10.5, 423, 5.2}},
                                               {{5.2, 512, 3.7}, {7.0, 439, 3.9}, {10.3, 397, 3.0}},
                                               {{5.9, 336, 5.9}, {9.4, 246, 5.6}, {15.4, 284, 9.7}},
                                               {{7.0, 712, 5.4}, {8.0, 490, 5.4}, {9.0, 385, 5.4}},
                                               {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    for (std::size_t kind = 0; kind < kCollectives; ++kind) {
        for (std::size_t group = 0; group < 3; ++group) {
            const double* c = curves[kind][group];
            d.collectives[kind][group] = {Seconds{c[0] * 1e-6}, BytesPerSecond{c[1] * 1e9}, c[2] * 1e-9, Provenance::assumed};
        }
    }
    return d;
}

inline Job job(const Shape& shape, int nodes, int devices_per_node, std::int64_t seq_len, std::int64_t global_batch) {
    Job j;
    j.model = model(shape);
    j.cluster = make_cluster(device(), nodes, devices_per_node).value();
    j.workload.seq_len = seq_len;
    j.workload.global_batch = global_batch;
    return j;
}

}  // namespace ndtune::search::testing
