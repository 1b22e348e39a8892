#pragma once

#include <array>
#include <string>
#include <utility>

#include "cost_model/estimate.h"

// Round figures of no real product, so that no new fit of the catalog's constants can move a test.
namespace ndtune::toy {

inline GemmCurve gemm_curve(double flops) {
    return {FlopsPerSecond{flops}, FlopsPerSecond{0.8 * flops}, BytesPerSecond{2e12}, Seconds{3e-6}, 1.1, Provenance::assumed};
}

/// An accelerator of 1 PFLOP/s in 16 bit, 3 TB/s, 80 GiB, 400 GB/s to its 7 neighbours and 50 GB/s to other nodes.
inline Device device() {
    Device d;
    d.name = "toy";
    d.memory = {Bytes{std::int64_t{80} << 30}, Provenance::datasheet};
    d.hbm = {BytesPerSecond{3e12}, Provenance::datasheet};
    d.hbm_efficiency = 0.9;
    d.link = {BytesPerSecond{400e9}, Provenance::datasheet};
    d.nic = {BytesPerSecond{50e9}, Provenance::datasheet};
    d.gemm[static_cast<std::size_t>(Precision::fp32)] = gemm_curve(60e12);
    d.gemm[static_cast<std::size_t>(Precision::bf16)] = gemm_curve(1e15);
    d.gemm[static_cast<std::size_t>(Precision::fp8)] = gemm_curve(2e15);
    AttentionCurve flash;
    flash.peak = {FlopsPerSecond{300e12}, FlopsPerSecond{400e12}, FlopsPerSecond{450e12}};
    flash.seq_pad = {800, 800, 500};
    d.attention[static_cast<std::size_t>(AttentionKernel::flash2)] = flash;
    for (const auto& [kind, rate] : {std::pair{Collective::all_gather, 500e9}, std::pair{Collective::reduce_scatter, 450e9},
                                     std::pair{Collective::all_reduce, 280e9}, std::pair{Collective::all_to_all, 500e9}}) {
        for (std::size_t i = 0; i < 3; ++i) {
            const double n = static_cast<double>(i);
            d.collectives[static_cast<std::size_t>(kind)][i] = {Seconds{(5 + 3 * n) * 1e-6}, BytesPerSecond{rate * (1 - 0.1 * n)},
                                                                5e-9, Provenance::assumed};
        }
    }
    return d;
}

/// A device without measured collectives: the rings' formulas show.
inline Device bare_device() {
    Device d = device();
    d.collectives = {};
    return d;
}

inline Cluster cluster(int nodes, int per_node, const Device& of = device()) {
    return make_cluster(of, nodes, per_node).value();
}

inline Model dense(int layers, std::int64_t hidden, int heads, int kv_heads, std::int64_t ffn, std::int64_t vocab) {
    Model m;
    m.name = "toy";
    m.hidden = hidden;
    m.vocab = vocab;
    m.attention.heads = heads;
    m.attention.kv_heads = kv_heads;
    m.attention.head_dim = m.attention.value_dim = static_cast<int>(hidden / heads);
    LayerType layer;
    layer.count = layers;
    layer.ffn = ffn;
    m.layers = {layer};
    return m;
}

// Shapes of published models.
inline Model llama_8b() {
    return dense(32, 4096, 32, 8, 14336, 128256);
}
inline Model llama_70b() {
    return dense(80, 8192, 64, 8, 28672, 128256);
}
inline Model llama_405b() {
    return dense(126, 16384, 128, 8, 53248, 128256);
}

/// An FSDP runtime; the defaults of `Runtime` are one already.
inline Runtime runtime() {
    Runtime rt;
    rt.name = "toy";
    return rt;
}

/// Without host time, contention or kernels' excess traffic: what is left can be computed by hand.
inline Runtime ideal_runtime() {
    Runtime rt = runtime();
    rt.host_layer = rt.host_micro_batch = rt.host_step = 0;
    rt.contention = 0;
    rt.elementwise_gated = rt.elementwise_plain = 1;
    rt.dgrad = rt.wgrad = 1;
    return rt;
}

inline Workload workload(std::int64_t seq, std::int64_t batch) {
    Workload w;
    w.seq_len = seq;
    w.global_batch = batch;
    return w;
}

inline Job job(Model model, Cluster cluster, std::int64_t seq, std::int64_t batch, Runtime rt = runtime()) {
    return {std::move(model), std::move(cluster), workload(seq, batch), std::move(rt)};
}

/// A plan whose micro-batch and accumulation make up the batch; sizes must divide.
inline Plan plan(const Job& job, Mesh mesh, int micro_batch = 1) {
    Plan p;
    p.mesh = mesh;
    p.micro_batch = micro_batch;
    p.grad_accum = static_cast<int>(job.workload.global_batch / (micro_batch * mesh.data_parallel()));
    return p;
}

}  // namespace ndtune::toy
