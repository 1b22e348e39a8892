#pragma once

#include "reports/fields.h"

namespace ndtune::reports {

// Keys of a runtime are the names of its members (cost_model/runtime.h), as in profiles/catalog/runtimes.json.

template <class V>
void fields(V& v, Is<ActivationCoefficients> auto& a) {
    v("hidden", a.hidden);
    v("hidden_tp", a.hidden_tp);
    v("constant", a.constant);
    v("attention", a.attention);
    v("ffn", a.ffn);
    v("moe_token", a.moe_token);
    v("checkpoint", a.checkpoint);
    v("checkpoint_divided", a.checkpoint_divided);
    v("selective_hidden", a.selective_hidden);
    v("selective_attention", a.selective_attention);
    v("selective_ffn", a.selective_ffn);
    v("gathered_kept", a.gathered_kept);
    v("batch_copy", a.batch_copy);
    v("plain_scores", a.plain_scores);
    v("cp_output", a.cp_output);
    v("gathered_inputs", a.gathered_inputs);
}

template <class V>
void fields(V& v, Is<Runtime> auto& r) {
    v("name", r.name);
    v("title", r.title);
    v("source", r.source);
    v("provenance", r.provenance);
    v("host_layer", r.host_layer);
    v("host_backward", r.host_backward);
    v("host_tp", r.host_tp);
    v("host_unfused_softmax", r.host_unfused_softmax);
    v("host_moe", r.host_moe);
    v("host_micro_batch", r.host_micro_batch);
    v("host_step", r.host_step);
    v("attention", r.attention);
    v("attention_rate", r.attention_rate);
    v("plain_score_bytes", r.plain_score_bytes);
    v("causal_work", r.causal_work);
    v("elementwise_gated", r.elementwise_gated);
    v("elementwise_plain", r.elementwise_plain);
    v("loss_bytes", r.loss_bytes);
    v("wgrad_accumulate_bytes", r.wgrad_accumulate_bytes);
    v("grad_accumulate_bytes", r.grad_accumulate_bytes);
    v("grad_accumulate_always", r.grad_accumulate_always);
    v("dgrad", r.dgrad);
    v("wgrad", r.wgrad);
    v("grouped_gemm", r.grouped_gemm);
    v("selective_forward", r.selective_forward);
    v("selective_attention_only", r.selective_attention_only);
    v("gather_bytes", r.gather_bytes);
    v("reduce_bytes", r.reduce_bytes);
    v("sequence_parallel", r.sequence_parallel);
    v("loss_parallel", r.loss_parallel);
    v("tp_overlap", r.tp_overlap);
    v("dp_overlap", r.dp_overlap);
    v("parameter_gather", r.parameter_gather);
    v("parameter_gather_overlaps", r.parameter_gather_overlaps);
    v("contention", r.contention);
    v("optimizer_traffic", r.optimizer_traffic);
    v("main_weights", r.main_weights);
    v("grad_buffer_bytes", r.grad_buffer_bytes);
    v("ddp_bucket_bytes", r.ddp_bucket_bytes);
    v("loss_peak_bytes", r.loss_peak_bytes);
    v("loss_peak_bytes_tp", r.loss_peak_bytes_tp);
    v("wgrad_temporary_bytes", r.wgrad_temporary_bytes);
    v("final_grad_bytes", r.final_grad_bytes);
    v("embedding_grad_copy", r.embedding_grad_copy);
    v("context_gib", r.context_gib);
    v("base_gib", r.base_gib);
    v("slack", r.slack);
    v("activations", r.activations);
    v("allow_ddp_with_tp", r.allow_ddp_with_tp);
    v("allow_tied_with_tp", r.allow_tied_with_tp);
    v("allow_cp_with_window", r.allow_cp_with_window);
    v("allow_cp", r.allow_cp);
    v("allow_fsdp", r.allow_fsdp);
    v("allow_selective", r.allow_selective);
    v("allow_no_sync", r.allow_no_sync);
    v("sync_last_by_default", r.sync_last_by_default);
    v("allow_zero1", r.allow_zero1);
}

template <class V>
void fields(V& v, Is<search::AxisLimit> auto& l) {
    v("axis", l.axis);
    v("min", l.min, 0, kMaxDevices);
    v("max", l.max, 0, kMaxDevices);
}

template <class V>
void fields(V& v, Is<search::Options> auto& o) {
    v("objective", o.objective);
    v("top", o.top, 0, 1e6);
    v("limits", o.limits, 0, 64);
    v("within_node", o.within_node, 0, 64);
    v("disabled_rules", o.disabled_rules, 0, 64);
    v("bounds", o.bounds);
    v("memory_margin", o.memory_margin, 0, 1);
}

}  // namespace ndtune::reports
