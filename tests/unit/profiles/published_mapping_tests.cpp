#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiles/published/cluster_of_run.h"
#include "profiles/published/run_mapping.h"
#include "profiles/published/runtime_of_run.h"
#include "published_rows.h"

namespace ndtune::published {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<MappedRun> map_row(const Cells& changes) {
    const auto runs = parse_run_table(table({titan_row(changes)}), "t.csv");
    if (!runs) return tl::unexpected(runs.error());
    CatalogCache catalog;
    return map_run(runs->front(), catalog);
}

MappedRun mapped(const Cells& changes = {}) {
    const auto run = map_row(changes);
    EXPECT_TRUE(run) << run.error().message;
    return run.value_or(MappedRun{});
}

std::string reason(const Cells& changes) {
    const auto run = map_row(changes);
    return run ? "" : run.error().message;
}

Cells gpt(Cells changes = {}) {
    changes.insert({{"model", "GPT-h1024-L24"},
                    {"n_kv_heads", ""},
                    {"ffn_hidden", ""},
                    {"zero_stage_or_fsdp", ""},
                    {"dp_replicate", "8"},
                    {"dp_shard", "1"},
                    {"n_params", ""}});
    return changes;
}

TEST(Mapping, APlainFsdpRow) {
    const MappedRun run = mapped();
    EXPECT_THAT(run.assumptions, IsEmpty());
    EXPECT_EQ(run.job.runtime.name, "torchtitan");
    EXPECT_EQ(run.job.cluster.device.name, "h100-96gb-500w");
    EXPECT_EQ(run.job.cluster.tiers.size(), 1U);
    EXPECT_EQ(to_text(run.plan), "s8/mb2/ac=sel");
    EXPECT_EQ(run.job.workload.global_batch, 16);
    EXPECT_EQ(parameters(run.job.model).total, 8'030'261'248);
    EXPECT_EQ(run.reading, MemoryReading::reserved);
}

TEST(Mapping, WhatIsNotModelledSaysSo) {
    EXPECT_THAT(reason({{"pp", "4"}}), HasSubstr("pp = 4"));
    EXPECT_THAT(reason({{"ep", "8"}}), HasSubstr("ep = 8"));
    EXPECT_THAT(reason({{"notes", "LoRA fine-tuning"}}), HasSubstr("LoRA"));
    EXPECT_THAT(reason({{"model", "Nemotron_3_Nano"}}), HasSubstr("not modelled"));
    EXPECT_THAT(reason({{"model", "Qwen3-Next-80B"}}), HasSubstr("not modelled"));
    EXPECT_THAT(reason({{"notes", "MoE with 64 experts"}}), HasSubstr("experts"));
    EXPECT_THAT(reason({{"gpu", "TPU v5p"}}), HasSubstr("TPU v5p"));
    EXPECT_THAT(reason({{"seq_len", ""}}), HasSubstr("seq_len"));
    EXPECT_THAT(reason({{"n_layers", ""}, {"n_params", ""}}), HasSubstr("n_layers"));
    EXPECT_THAT(reason({{"dp_shard", "4"}}), HasSubstr("= 4, but n_gpus = 8"));
    EXPECT_THAT(reason({{"global_batch", "8"}}), HasSubstr("less than micro_batch 2 x dp 8"));
    EXPECT_THAT(reason({{"hidden", "many"}}), HasSubstr("hidden 'many'"));
    EXPECT_THAT(reason({{"tp", ""}, {"zero_stage_or_fsdp", ""}}), HasSubstr("tp and pp are not stated"));
    EXPECT_THAT(reason({{"micro_batch", "1000000"}, {"global_batch", "1000000000"}, {"seq_len", "1000000000"}}),
                HasSubstr("sizes beyond reason"));
}

TEST(Mapping, WhatIsLeftOpenIsNamed) {
    EXPECT_THAT(mapped({{"micro_batch", ""}, {"grad_accum", ""}}).assumptions, ElementsAre("micro_batch not stated: 1 taken"));
    const MappedRun derived = mapped({{"micro_batch", ""}, {"grad_accum", "2"}, {"global_batch", "64"}});
    EXPECT_THAT(derived.assumptions, IsEmpty());
    EXPECT_EQ(derived.plan.micro_batch, 4);
    EXPECT_EQ(derived.plan.grad_accum, 2);
    const MappedRun memory = mapped({{"global_batch", ""}});
    EXPECT_FALSE(memory.time_known);
    EXPECT_TRUE(memory.memory_known);
}

TEST(Mapping, ShardingDecidesTheMesh) {
    EXPECT_EQ(to_text(mapped({{"dp_replicate", "2"}, {"dp_shard", "4"}}).plan), "r2.s4/mb2/ac=sel");
    // FSDP stated, degree not: over all data-parallel ranks.
    EXPECT_EQ(to_text(mapped({{"dp_replicate", "8"}, {"dp_shard", "1"}}).plan), "s8/mb2/ac=sel");
    const MappedRun zero1 = mapped({{"dp_replicate", "8"}, {"dp_shard", "1"}, {"zero_stage_or_fsdp", "zero1"}});
    EXPECT_EQ(zero1.plan.mesh.dp_replicate, 8);
    EXPECT_TRUE(zero1.plan.shard_optimizer);
    EXPECT_FALSE(zero1.job.runtime.allow_fsdp);
    const MappedRun keeps = mapped({{"zero_stage_or_fsdp", "FSDP SHARD_GRAD_OP"}});
    EXPECT_EQ(keeps.plan.mesh.dp_shard, 8);
    EXPECT_FALSE(keeps.plan.reshard_after_forward);
    EXPECT_EQ(mapped({{"cp", "8"}, {"dp_shard", "1"}, {"micro_batch", "1"}}).plan.mesh.cp, 8);
}

TEST(Mapping, NotesAndColumnsChangeTheRuntimeOnly) {
    EXPECT_EQ(mapped({{"compile", "1"}}).job.runtime.name, "torchtitan-compile");
    EXPECT_DOUBLE_EQ(mapped({{"notes", "async TP"}}).job.runtime.tp_overlap, 0.6);
    EXPECT_DOUBLE_EQ(mapped({{"notes", "float8 all-gather"}}).job.runtime.gather_bytes, 1);
    EXPECT_FALSE(mapped().job.runtime.sequence_parallel);
    EXPECT_TRUE(mapped({{"sp", ""}}).job.runtime.sequence_parallel);
    const Cells foundry = {{"framework", "llm-foundry/composer"}, {"id", "mosaic-1"}};
    Cells pure = foundry;
    pure["notes"] = "mp_mode=PURE";
    EXPECT_DOUBLE_EQ(mapped(foundry).job.runtime.reduce_bytes, 4);
    EXPECT_DOUBLE_EQ(mapped(pure).job.runtime.reduce_bytes, 2);
}

TEST(Mapping, StacksByFramework) {
    const std::vector<std::pair<Cells, Stack>> cases = {
        {{{"framework", "nanotron"}}, Stack::nanotron},
        {{{"framework", "Megatron-DeepSpeed"}}, Stack::megatron_deepspeed},
        {{{"framework", "Megatron-LM"}, {"precision", "fp16"}}, Stack::megatron_lm},
        {{{"framework", "Megatron-LM"}, {"precision", "bf16"}}, Stack::megatron_core},
        {{{"framework", "NeMo"}, {"id", "mlperf-7"}}, Stack::megatron_core},
        {{{"framework", "Modalities"}, {"id", "modal-1"}}, Stack::pytorch_fsdp},
        {{{"framework", "accelerate FSDP2 + torchao"}}, Stack::accelerate},
        {{{"framework", "DeepSpeed"}}, Stack::deepspeed},
        {{{"framework", "InternEvo"}, {"zero_stage_or_fsdp", "zero1"}}, Stack::internevo},
        {{{"framework", "PyTorch FSDP2"}}, Stack::fsdp2},
    };
    for (const auto& [changes, stack] : cases) {
        const auto runs = parse_run_table(table({titan_row(changes)}), "t.csv");
        ASSERT_TRUE(runs);
        EXPECT_EQ(stack_of_run(runs->front()), stack) << runs->front().framework;
    }
}

TEST(Mapping, GptModelsHaveOldTraits) {
    const MappedRun run = mapped(gpt({{"framework", "Megatron-DeepSpeed"}, {"activation_ckpt", "full"}, {"sp", ""}}));
    const Model& model = run.job.model;
    EXPECT_FALSE(model.gated_mlp);
    EXPECT_TRUE(model.tied_embeddings);
    EXPECT_TRUE(model.norm_bias && model.mlp_bias && model.attention.qkv_bias);
    EXPECT_EQ(model.positions, 8192);
    EXPECT_EQ(model.layers.front().ffn, 4 * 4096);
    EXPECT_FALSE(run.job.runtime.sequence_parallel);
    EXPECT_EQ(run.plan.recompute, Recompute::full);
    const MappedRun mpt = mapped(gpt({{"framework", "llm-foundry/composer"}}));
    EXPECT_FALSE(mpt.job.model.norm_bias || mpt.job.model.mlp_bias);
}

TEST(Mapping, HeadSizesExpertsAndLatentAttention) {
    EXPECT_EQ(mapped({{"model", "Qwen3-30B-A3B"}}).job.model.attention.head_dim, 128);
    const MappedRun moe = mapped({{"model", "Mixtral-8x7B"}, {"notes", "MoE, 8 experts"}});
    EXPECT_EQ(moe.job.model.layers.front().experts, 8);
    EXPECT_EQ(moe.job.model.layers.front().ffn, 0);
    const MappedRun latent = mapped({{"model", "deepseekv3 cut to 4 layers"}});
    EXPECT_TRUE(latent.job.model.attention.latent());
    EXPECT_EQ(latent.job.model.layers.front().experts, 256);
}

TEST(Mapping, RecomputeOfSomeLayers) {
    const MappedRun part = mapped({{"activation_ckpt", "full:5/32 layers"}});
    EXPECT_EQ(part.plan.recompute, Recompute::full);
    EXPECT_EQ(part.plan.recompute_layers, 5);
    EXPECT_EQ(mapped({{"activation_ckpt", "full:32/32 layers"}}).plan.recompute_layers, 0);
    EXPECT_EQ(mapped({{"activation_ckpt", "full:x"}}).plan.recompute, Recompute::none);
    EXPECT_THAT(mapped({{"activation_ckpt", "full:x"}}).assumptions, ElementsAre(HasSubstr("'full:x' is not known")));
    // Megatron-Core's flash attention already recomputes the scores.
    EXPECT_EQ(mapped({{"framework", "Megatron-Bridge (Megatron-Core)"}}).plan.recompute, Recompute::none);
}

TEST(Mapping, OffloadLeavesMemoryOut) {
    const MappedRun optimizer = mapped({{"framework", "DeepSpeed"}, {"notes", "optimizer offload to CPU"}});
    EXPECT_FALSE(optimizer.memory_known);
    EXPECT_TRUE(optimizer.time_known);
    EXPECT_GT(optimizer.job.runtime.optimizer_traffic, mapped({{"framework", "DeepSpeed"}}).job.runtime.optimizer_traffic);
    EXPECT_FALSE(mapped({{"notes", "recipe offloads activations of part of the layers to CPU"}}).memory_known);
}

TEST(Mapping, GpuNamesAndPrecision) {
    EXPECT_EQ(device_name("H100-96GB HBM2e 500W"), "h100-96gb-500w");
    EXPECT_EQ(device_name("A100-SXM (DGX A100)"), "a100-sxm");
    EXPECT_EQ(device_name("A100-SXM-40GB"), "a100-sxm-40gb");
    EXPECT_EQ(device_name("V100-SXM3 (DGX-2)"), "v100-sxm3");
    EXPECT_EQ(device_name("GB200"), "gb200");
    EXPECT_EQ(device_name("MI300X"), "mi300x");
    EXPECT_EQ(device_name("TPU v5p"), "");
    EXPECT_EQ(mapped({{"gpu", "A100-SXM-80GB"}, {"precision", "fp8"}}).job.workload.precision, Precision::bf16);
    EXPECT_EQ(mapped({{"precision", "fp8"}}).job.workload.precision, Precision::fp8);
}

TEST(Mapping, NicShareAsWritten) {
    const auto gigabytes = [](std::string_view text, double per_node) { return nic_of_text(text, per_node).value_or(0) / 1e9; };
    EXPECT_DOUBLE_EQ(gigabytes("8x HDR 200 Gb/s IB per node (Selene)", 8), 25);
    EXPECT_DOUBLE_EQ(gigabytes("1600 Gbps/node RoCE", 8), 25);
    EXPECT_DOUBLE_EQ(gigabytes("800 Gb/s per node", 8), 12.5);
    EXPECT_DOUBLE_EQ(gigabytes("400 Gb/s RDMA per GPU", 8), 50);
    EXPECT_DOUBLE_EQ(gigabytes("4x NDR200", 4), 25);
    EXPECT_DOUBLE_EQ(gigabytes("dual-port HDR100", 4), 12.5);
    EXPECT_FALSE(nic_of_text("", 8).has_value());
    EXPECT_FALSE(nic_of_text("InfiniBand", 8).has_value());
    EXPECT_FALSE(nic_of_text("99999999999999999999x 99999999999999 Gb/s per node", 8).has_value());
}

TEST(Mapping, NanotronRunsOnItsOwnFabric) {
    const Cells rows = {{"framework", "nanotron"}, {"gpu", "H100-SXM-80GB"},        {"n_gpus", "16"},      {"dp_replicate", "16"},
                        {"dp_shard", "1"},         {"zero_stage_or_fsdp", "zero1"}, {"global_batch", "32"}};
    Cells other = rows;
    other["framework"] = "Megatron-Core";
    const MappedRun shared = mapped(rows), usual = mapped(other);
    ASSERT_EQ(shared.job.cluster.tiers.size(), 2U);
    EXPECT_EQ(shared.job.cluster.tiers[1].name, "efa-shared-hf");
    EXPECT_EQ(usual.job.cluster.tiers[1].name, "infiniband");
    EXPECT_GT(shared.job.cluster.tiers[1].latency, usual.job.cluster.tiers[1].latency);
}

}  // namespace
}  // namespace ndtune::published
