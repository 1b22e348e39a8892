#pragma once

#include <concepts>
#include <type_traits>

#include "reports/enum_names.h"
#include "reports/report.h"

namespace ndtune::reports {

// The fields of every value that a report holds as input, listed once for the writer and the reader. Keys end in their unit.
// A visitor is called as v(key, member) or v(key, member, min, max); v.named(key, array) for an array indexed by an enum.

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

inline constexpr double kMaxSize = 1 << 24;      ///< of one dimension of a model (widths, vocabulary)
inline constexpr double kMaxHeads = 1 << 14;     ///< heads, and elements of one: products stay in an int
inline constexpr double kMaxDevices = 1 << 20;   ///< as make_cluster
inline constexpr double kMaxTokens = 1LL << 40;  ///< of a sequence or a batch
inline constexpr double kTiny = 1e-30;           ///< least value of what is divided by

template <class V>
void fields(V& v, Is<Attention> auto& a) {
    v("heads", a.heads, 1, kMaxHeads);
    v("kv_heads", a.kv_heads, 1, kMaxHeads);
    v("head_dim", a.head_dim, 1, kMaxHeads);
    v("value_dim", a.value_dim, 1, kMaxHeads);
    v("q_rank", a.q_rank, 0, kMaxSize);
    v("kv_rank", a.kv_rank, 0, kMaxSize);
    v("rope_dim", a.rope_dim, 0, kMaxHeads);
    v("qkv_bias", a.qkv_bias);
    v("out_bias", a.out_bias);
    v("qk_norm", a.qk_norm);
    v("sinks", a.sinks);
}

template <class V>
void fields(V& v, Is<LayerType> auto& l) {
    v("count", l.count, 1, 1 << 16);
    v("window", l.window, 0, kMaxTokens);
    v("ffn", l.ffn, 0, kMaxSize);
    v("experts", l.experts, 0, 1 << 16);
    v("experts_per_token", l.experts_per_token, 0, 1 << 16);
    v("expert_ffn", l.expert_ffn, 0, kMaxSize);
    v("shared_ffn", l.shared_ffn, 0, kMaxSize);
    v("shared_gate", l.shared_gate);
}

template <class V>
void fields(V& v, Is<Model> auto& m) {
    v("name", m.name);
    v("model_type", m.model_type);
    v("hidden", m.hidden, 1, kMaxSize);
    v("vocab", m.vocab, 1, kMaxSize);
    v("positions", m.positions, 0, kMaxSize);
    v("max_seq", m.max_seq, 0, kMaxTokens);
    v("gated_mlp", m.gated_mlp);
    v("mlp_bias", m.mlp_bias);
    v("router_bias", m.router_bias);
    v("expert_bias", m.expert_bias);
    v("norm_bias", m.norm_bias);
    v("norms_per_layer", m.norms_per_layer, 0, 64);
    v("tied_embeddings", m.tied_embeddings);
    v("other_params", m.other_params, 0, kMaxTokens);
    v("attention", m.attention);
    v("layers", m.layers, 1, Model::kMaxLayerTypes);
}

template <class V>
void fields(V& v, Is<GemmCurve> auto& g) {
    v("nominal_flops_per_s", g.nominal);
    v("peak_flops_per_s", g.peak);
    v("bandwidth_bytes_per_s", g.bandwidth);
    v("launch_s", g.launch);
    v("sustained", g.sustained);
    v("provenance", g.provenance);
}

template <class V>
void fields(V& v, Is<AttentionCurve> auto& a) {
    v("peak_flops_per_s", a.peak);
    v("seq_pad", a.seq_pad);
    v("backward", a.backward);
    v("provenance", a.provenance);
}

template <class V>
void fields(V& v, Is<CollectiveCurve> auto& c) {
    v("alpha_s", c.alpha);
    v("bandwidth_bytes_per_s", c.bandwidth);
    v("gamma_s_per_sqrt_byte", c.gamma);
    v("provenance", c.provenance);
}

template <class V>
void fields(V& v, Is<Device> auto& d) {
    v("name", d.name);
    v("title", d.title);
    v("source", d.source);
    v("cpu", d.cpu);
    v("memory_bytes", d.memory);
    v("hbm_bytes_per_s", d.hbm);
    v("hbm_efficiency", d.hbm_efficiency, kTiny, 1e3);
    v("link_bytes_per_s", d.link);
    v("nic_bytes_per_s", d.nic);
    v("devices_per_node", d.devices_per_node, 1, kMaxDevices);
    v("scale_up", d.scale_up, 1, kMaxDevices);
    v.template named<Precision>("gemm", d.gemm);
    v.template named<AttentionKernel>("attention", d.attention);
    v.template named<Collective>("collectives", d.collectives);
}

template <class V>
void fields(V& v, Is<Tier> auto& t) {
    v("name", t.name);
    v("span", t.span, 1, kMaxDevices);
    v("bandwidth_bytes_per_s", t.bandwidth, kTiny, 1e30);
    v("latency_s", t.latency);
    v("oversubscription", t.oversubscription, kTiny, 1e6);
    v("efficiency", t.efficiency, kTiny, 1e3);
    v("decay", t.decay, 0, 10);
    v("provenance", t.provenance);
}

template <class V>
void fields(V& v, Is<Cluster> auto& c) {
    v("name", c.name);
    v("nodes", c.nodes, 1, kMaxDevices);
    v("devices_per_node", c.devices_per_node, 1, kMaxDevices);
    v("order", c.order);
    v("tiers", c.tiers, 1, 16);
    v("price_per_device_hour_usd", c.price_per_device_hour);
    v("device", c.device);
}

template <class V>
void fields(V& v, Is<Workload> auto& w) {
    v("seq_len", w.seq_len, 1, kMaxTokens);
    v("global_batch", w.global_batch, 1, kMaxTokens);
    v("precision", w.precision);
    v("tokens", w.tokens, 0, 1e24);
}

}  // namespace ndtune::reports
