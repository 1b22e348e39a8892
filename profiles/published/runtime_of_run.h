#pragma once

#include <cstdint>
#include <string_view>

#include "profiles/published/run_mapping.h"

namespace ndtune::published {

/// Whose training code a row ran.
enum class Stack : std::uint8_t {
    nanotron,
    megatron_deepspeed,
    megatron_lm,    ///< Megatron-LM of 2020-2022: fp16, plain attention
    megatron_core,  ///< Megatron-Core, NeMo, Megatron-Bridge, and vendors' stacks like it
    llm_foundry,
    torchtitan,
    pytorch_fsdp,  ///< PyTorch FSDP blogs, fms-fsdp, Modalities: gradients reduced in 16 bit
    accelerate,
    axolotl,
    deepspeed,
    internevo,
    fsdp2
};

Stack stack_of_run(const Run& run);

/// How parameters, gradients and optimizer states are divided, as column zero_stage_or_fsdp states it.
enum class Sharding : std::uint8_t { none, zero1, zero2, fsdp, fsdp_keeps_weights };

Sharding sharding_of_run(const Run& run, Stack stack);

/// Fills `mapped.job.runtime` (a row of the catalog with what the row says changed) and `mapped.reading`.
Result<void> runtime_of_run(const Run& run, Stack stack, CatalogCache& catalog, MappedRun& mapped);

}  // namespace ndtune::published
