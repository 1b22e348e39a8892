#pragma once

#include <string>

#include "cost_model/device.h"
#include "cost_model/plan.h"

namespace ndtune {

/// Bytes one layer keeps for its backward pass, per token of one micro-batch, 16-bit compute. Counted from what autograd saves in
/// each implementation and checked against published peaks.
/// kept = hidden x h/sigma + constant + attention x A/t + ffn x f/t, A = 2(a+2g)d + 2ad + 4a; sigma = t with sequence parallel.
struct ActivationCoefficients {
    double hidden = 16;              ///< bytes x h
    double hidden_tp = 0;            ///< bytes x h/t always divided by tp (Megatron's 24h/t form)
    double constant = 8;             ///< bytes (log-sum-exp of norms)
    double attention = 1;            ///< x A
    double ffn = 8;                  ///< bytes x f
    double moe_token = 2;            ///< bytes x h per routed copy of a token
    double checkpoint = 2;           ///< bytes x h kept by a fully recomputed layer
    bool checkpoint_divided = true;  ///< the checkpoint is divided by sigma
    double selective_hidden = 4;     ///< the same for selective recompute, bytes x h/sigma
    double selective_attention = 1;  ///< x (4ad + 2gd + 4a)/t
    double selective_ffn = 2;
    double gathered_kept = 0;    ///< bytes x h (1 - 1/sigma): all-gathered inputs kept instead of gathered again
    double batch_copy = 0;       ///< bytes x h/t: copy of the output projection's input where micro-batch > 1 and t > 1
    double plain_scores = 5;     ///< plain attention: bytes x a S/t (scores, softmax, mask)
    double cp_output = 0;        ///< bytes x a d/t kept more where c > 1
    double gathered_inputs = 4;  ///< bytes x h of undivided inputs alive at once where t > 1 (sequence parallel)

    bool operator==(const ActivationCoefficients&) const = default;
};

/// Where a run's memory figure is taken.
enum class MemoryReading : std::uint8_t { allocated, reserved, device };

/// Whose semantics a plan is run under: a row of facts, not code. Rows: profiles/catalog/runtimes.json; the values
/// here only stand in for keys that its first row leaves out.
struct Runtime {
    std::string name;    ///< "fsdp2", "torchtitan", "megatron-core", ...
    std::string title;   ///< for the first line of the answer
    std::string source;  ///< where the constants come from
    Provenance provenance = Provenance::calibrated;

    // Host (CPU launch) time, seconds.
    double host_layer = 2.3e-3;       ///< per layer, forward + backward
    double host_backward = 1.9;       ///< backward / forward
    double host_tp = 1.03;            ///< factor where tp > 1
    double host_moe = 1.26;           ///< factor of a MoE layer
    double host_unfused_softmax = 0;  ///< plain attention: per layer, where the fused softmax refuses (B a/t no multiple of 4)
    double host_micro_batch = 3e-3;   ///< per micro-batch
    double host_step = 5e-3;          ///< per optimizer step

    // Kernels.
    AttentionKernel attention = AttentionKernel::flash2;
    double attention_rate = 1.0;          ///< factor on the kernel's rate
    double plain_score_bytes = 3.5;       ///< plain attention: bytes of traffic per score and pass
    bool causal_work = true;              ///< the kernel skips the masked half
    double elementwise_gated = 1.3;       ///< elementwise traffic / minimum, gated (Llama) blocks
    double elementwise_plain = 1.3;       ///< the same for GPT blocks
    double loss_bytes = 56;               ///< traffic per logit, forward + backward
    double wgrad_accumulate_bytes = 0;    ///< per weight and micro-batch: fused accumulation into a main gradient
    double grad_accumulate_bytes = 0;     ///< per weight and micro-batch: separate accumulation pass
    bool grad_accumulate_always = false;  ///< also with one micro-batch
    double dgrad = 1.04;                  ///< dgrad GEMM time over forward's
    double wgrad = 1.14;
    double grouped_gemm = 1.7;              ///< expert GEMM time over one large GEMM of the same work
    double selective_forward = 0.35;        ///< share of the forward pass repeated by selective recompute
    bool selective_attention_only = false;  ///< selective = the attention core alone (Megatron-LM)

    // Communication.
    double gather_bytes = 2;        ///< per weight, FSDP all-gather
    double reduce_bytes = 4;        ///< per gradient, reduce-scatter / all-reduce
    bool sequence_parallel = true;  ///< norms and residuals divided by tp; all-gather + reduce-scatter in place of all-reduce
    bool loss_parallel = true;      ///< logits stay divided over tp
    double tp_overlap = 0;          ///< share of in-node TP communication hidden
    double dp_overlap = 0;          ///< share of the last backward pass that can hide a DDP/ZeRO-1 gradient sync
    double parameter_gather = 1;    ///< ZeRO-1: exposed share of the parameter all-gather
    bool parameter_gather_overlaps = false;  ///< ... hidden under the next forward as far as it goes
    double contention = 0.42;                ///< slow-down per second of overlapped communication
    double optimizer_traffic = 1;            ///< over 30 bytes per owned parameter

    // Memory.
    bool main_weights =
        true;  ///< 16-bit compute weights stay resident beside fp32 masters (Megatron, nanotron); FSDP2 shards fp32 only
    double grad_buffer_bytes = 4;      ///< DDP/ZeRO-1: resident gradient bytes per parameter
    double ddp_bucket_bytes = 0;       ///< DDP: extra bytes per parameter for buckets where dp > 1
    double loss_peak_bytes = 14;       ///< per logit at the loss's peak
    double loss_peak_bytes_tp = 14;    ///< the same under loss parallel
    double wgrad_temporary_bytes = 0;  ///< per element of the two MLP matrices of one layer
    double final_grad_bytes = 0;  ///< per parameter, at the end of the backward pass, before it is added to the gradient buffer
    bool embedding_grad_copy = false;  ///< 16-bit gradient of the embedding alive at the end of the backward pass
    double context_gib = 1.5;          ///< CUDA context and communicators (only in MemoryReading::device and against capacity)
    double base_gib = 0.25;            ///< workspaces, small buffers
    double slack = 1.06;               ///< reserved / allocated
    ActivationCoefficients activations;

    // What the search may use, and what the target refuses (search/constraints.h).
    bool allow_ddp_with_tp = true;     ///< R > 1, S = C = 1 together with T > 1 (ddp_with_tp_cp)
    bool allow_tied_with_tp = true;    ///< tied_with_tp
    bool allow_cp_with_window = true;  ///< cp_window
    bool allow_cp = true;
    bool allow_fsdp = true;       ///< shards parameters over dp_shard (else only dp_replicate, ZeRO-1)
    bool allow_selective = true;  ///< runtime_knob
    bool allow_no_sync = true;    ///< can leave gradients unreduced until the last micro-batch
    bool sync_last_by_default = false;
    bool allow_zero1 = false;  ///< has a sharded optimizer over dp_replicate

    bool operator==(const Runtime&) const = default;
};

}  // namespace ndtune
