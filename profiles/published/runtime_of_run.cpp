#include "profiles/published/runtime_of_run.h"

#include <array>
#include <string>

#include "profiles/published/phrase.h"

namespace ndtune::published {

namespace {

constexpr double kAsyncTpOverlap = 0.6;  // torchtitan's async TP hides this share (fitted on its published runs)
constexpr double kCudaGraphHost = 0.3;   // MLPerf entries replay CUDA graphs: host time of a layer left over (assumed)
constexpr std::array<std::string_view, 3> kSixteenBitReduceSources = {"modal", "fms", "ptblog"};

std::string_view runtime_name(Stack stack, bool compiled) {
    switch (stack) {
        case Stack::nanotron: return "nanotron";
        case Stack::megatron_deepspeed: return "megatron-deepspeed";
        case Stack::megatron_lm: return "megatron-lm";
        case Stack::megatron_core: return "megatron-core";
        case Stack::llm_foundry: return "llm-foundry";
        case Stack::torchtitan: return compiled ? "torchtitan-compile" : "torchtitan";
        case Stack::pytorch_fsdp: return compiled ? "fsdp2-compile" : "pytorch-fsdp";
        case Stack::accelerate: return compiled ? "fsdp2-compile" : "accelerate";
        case Stack::axolotl: return compiled ? "fsdp2-compile" : "axolotl";
        case Stack::deepspeed: return "deepspeed";
        case Stack::internevo: return "internevo";
        case Stack::fsdp2: return compiled ? "fsdp2-compile" : "fsdp2";
    }
    return "fsdp2";
}

/// Sequence parallelism: as stated; where the cell is empty, what the stack does by default.
bool sequence_parallel(const Run& run, Stack stack) {
    if (!run.seq_shards.empty()) return run.seq_shards == "1";
    return stack == Stack::nanotron || stack == Stack::megatron_core || stack == Stack::torchtitan;
}

/// Where the source reads its memory figure: SimuMax prints max_memory_allocated, BigScience what the node shows.
MemoryReading memory_reading(const Run& run) {
    if (run.source() == "simumax") return MemoryReading::allocated;
    if (run.source() == "bigsci") return MemoryReading::device;
    return MemoryReading::reserved;
}

void set_reduce_bytes(const Run& run, Stack stack, Runtime& runtime) {
    if (stack == Stack::llm_foundry && mentions(run.notes, "PURE")) runtime.reduce_bytes = 2;
    if (stack == Stack::pytorch_fsdp) runtime.reduce_bytes = 2;
    // Megatron-LM keeps fp32 gradient reduction; NeMo's and Megatron-Bridge's recipes turn it off.
    if (stack == Stack::megatron_core && mentions(run.framework, "Megatron-LM")) runtime.reduce_bytes = 4;
}

/// What is resident where the sharding differs from the stack's usual one.
void set_states(const Run& run, Stack stack, Sharding sharding, Runtime& runtime) {
    const bool fsdp = sharding == Sharding::fsdp || sharding == Sharding::fsdp_keeps_weights;
    runtime.allow_fsdp = fsdp;
    if (!fsdp) runtime.allow_zero1 = true;
    if (stack == Stack::megatron_core && fsdp) runtime.main_weights = false;
    if (stack == Stack::deepspeed && !fsdp) {
        runtime.main_weights = true;
        runtime.grad_buffer_bytes = 2;
    }
    if (stack == Stack::megatron_deepspeed && run.precision == "fp16") {
        runtime.grad_buffer_bytes = 2;  // fp16 gradients stay where they are; bf16 ones are added to an fp32 buffer
        runtime.final_grad_bytes = 0;
    } else if (stack == Stack::megatron_deepspeed) {
        runtime.grad_buffer_bytes = 4;
    }
}

}  // namespace

Stack stack_of_run(const Run& run) {
    const std::string framework = lower(run.framework);
    const std::string_view source = run.source();
    if (mentions(framework, "nanotron")) return Stack::nanotron;
    if (mentions(framework, "megatron-deepspeed") || source == "bigsci") return Stack::megatron_deepspeed;
    if (mentions(framework, "llm-foundry") || mentions(framework, "composer")) return Stack::llm_foundry;
    if (mentions(framework, "megatron-lm") && run.precision == "fp16") return Stack::megatron_lm;
    if (mentions(framework, "megatron") || mentions(framework, "maxtext") || source == "mlperf" || source == "llama3paper")
        return Stack::megatron_core;
    if (mentions(framework, "torchtitan") || mentions(framework, "torchao") || source == "ao") {
        return mentions(framework, "accelerate") ? Stack::accelerate : Stack::torchtitan;
    }
    for (const std::string_view sixteen_bit : kSixteenBitReduceSources)
        if (source == sixteen_bit) return Stack::pytorch_fsdp;
    if (mentions(framework, "intern")) return mentions(lower(run.sharding), "fsdp") ? Stack::fsdp2 : Stack::internevo;
    if (mentions(framework, "axolotl")) return Stack::axolotl;
    if (mentions(framework, "accelerate")) return Stack::accelerate;
    if (mentions(framework, "deepspeed") || mentions(framework, "zero-3") || source == "stas") return Stack::deepspeed;
    return Stack::fsdp2;
}

Sharding sharding_of_run(const Run& run, Stack stack) {
    std::string text = lower(run.sharding);
    std::erase_if(text, [](char c) { return c == '-' || c == ' '; });  // "ZeRO-3", "zero 3"
    if (mentions(text, "shard_grad_op")) return Sharding::fsdp_keeps_weights;
    if (mentions(text, "fsdp") || mentions(text, "hsdp") || mentions(text, "zero3")) return Sharding::fsdp;
    if (mentions(text, "zero2")) return Sharding::zero2;
    if (mentions(text, "zero1") || mentions(text, "optimizer")) return Sharding::zero1;
    // MLPerf's scripts run Megatron's distributed optimizer; the column is often empty.
    if (text.empty() && stack == Stack::megatron_core && run.source() == "mlperf") return Sharding::zero1;
    return Sharding::none;
}

Result<void> runtime_of_run(const Run& run, Stack stack, CatalogCache& catalog, MappedRun& mapped) {
    Result<Runtime> row = catalog.runtime(std::string(runtime_name(stack, run.compile == "1")));
    if (!row) return tl::unexpected(row.error());
    Runtime& runtime = mapped.job.runtime = std::move(*row);
    runtime.sequence_parallel = sequence_parallel(run, stack);
    runtime.loss_parallel = true;  // no source gathers its logits over tp
    if (mentions(run.notes, "async TP")) runtime.tp_overlap = kAsyncTpOverlap;
    if (mentions(run.notes, "float8 all-gather")) runtime.gather_bytes = 1;
    if (run.source() == "mlperf") runtime.host_layer *= kCudaGraphHost;
    set_reduce_bytes(run, stack, runtime);
    set_states(run, stack, sharding_of_run(run, stack), runtime);
    mapped.reading = memory_reading(run);
    return {};
}

}  // namespace ndtune::published
