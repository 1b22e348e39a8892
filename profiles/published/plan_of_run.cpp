#include "profiles/published/plan_of_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "profiles/published/phrase.h"

namespace ndtune::published {

namespace {

tl::unexpected<Error> unsupported(std::string reason) {
    return tl::unexpected(Error{ErrorCode::unsupported, std::move(reason), {}, {}});
}

/// From here on nobody trains transformers' eager layers without recompute.
constexpr std::int64_t kLongSequence = 8192;

bool shards_parameters(Sharding sharding) {
    return sharding == Sharding::fsdp || sharding == Sharding::fsdp_keeps_weights;
}

/// Axis sizes of the row; dp_replicate may follow from the rest. ZeRO-1 and ZeRO-2 keep whole weights: all data-parallel ranks
/// are replicas.
Result<Mesh> mesh_of_run(const Run& run, Sharding sharding, std::vector<std::string>& assumptions) {
    const bool laid_out = run.tp > 0 && run.pp > 0;
    if (!laid_out && sharding != Sharding::fsdp && sharding != Sharding::zero2) return unsupported("tp and pp are not stated");
    if (!laid_out) assumptions.emplace_back("tp and pp not stated: 1 taken");
    const std::int64_t tp = std::max<std::int64_t>(1, run.tp), cp = std::max<std::int64_t>(1, run.cp);
    const std::int64_t shard = std::max<std::int64_t>(1, run.dp_shard);
    const std::int64_t inner = tp * cp;  // each at most 2^20
    std::int64_t replicate = run.dp_replicate;
    if (replicate == 0) replicate = std::max<std::int64_t>(1, run.gpus / inner / shard);
    const double product = static_cast<double>(replicate) * static_cast<double>(shard) * static_cast<double>(inner);
    if (product != static_cast<double>(run.gpus))
        return unsupported(fmt::format("dp_replicate {} x dp_shard {} x cp {} x tp {} = {:g}, but n_gpus = {}", replicate, shard,
                                       cp, tp, product, run.gpus));
    Mesh mesh;
    mesh.tp = static_cast<int>(tp);
    mesh.cp = static_cast<int>(cp);
    const std::int64_t data = replicate * shard;
    const bool hybrid = shards_parameters(sharding) && shard > 1;
    mesh.dp_replicate = static_cast<int>(hybrid ? replicate : shards_parameters(sharding) ? 1 : data);
    mesh.dp_shard = static_cast<int>(data / mesh.dp_replicate);
    return mesh;
}

/// Micro-batch and accumulation. global_batch = micro_batch x grad_accum x R x S; what is not stated follows from the rest.
Result<void> set_batches(const Run& run, MappedRun& mapped) {
    Plan& plan = mapped.plan;
    const auto data = static_cast<double>(plan.mesh.data_parallel());
    const auto batch = static_cast<double>(run.global_batch);
    double micro = static_cast<double>(run.micro_batch);
    if (micro == 0 && run.grad_accum > 0 && batch > 0) micro = std::max(1.0, batch / data / static_cast<double>(run.grad_accum));
    if (micro == 0) {
        // The flash-attention benchmark prints no micro-batch either; one sequence would not fill its small models' GPUs.
        micro = run.source() == "flash" ? 8 : 1;
        mapped.assumptions.push_back(fmt::format("micro_batch not stated: {:g} taken", micro));
    }
    plan.micro_batch = static_cast<int>(std::llround(std::min(micro, 1e6)));
    if (batch == 0) {
        mapped.time_known = false;
        mapped.assumptions.emplace_back("global_batch not stated: memory only");
        plan.grad_accum = static_cast<int>(std::max<std::int64_t>(1, run.grad_accum));
        mapped.job.workload.global_batch = plan.micro_batch * plan.mesh.data_parallel() * plan.grad_accum;
        return {};
    }
    const double rounds = batch / (data * plan.micro_batch);
    if (rounds < 0.99)
        return unsupported(fmt::format("global_batch {} is less than micro_batch {} x dp {}", run.global_batch, plan.micro_batch,
                                       plan.mesh.data_parallel()));
    plan.grad_accum = static_cast<int>(std::llround(std::min(rounds, 1e6)));
    mapped.job.workload.global_batch = run.global_batch;
    return {};
}

/// "full:5/32 layers": the share of the layers, 0 = not of that form.
double partial_share(std::string_view text) {
    constexpr std::string_view kForm = "full:";
    if (!text.starts_with(kForm)) return 0;
    int part = 0, whole = 0;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data() + kForm.size(), end, part);
    if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '/') return 0;
    if (std::from_chars(first.ptr + 1, end, whole).ec != std::errc{}) return 0;
    return part > 0 && part <= whole ? static_cast<double>(part) / whole : 0;
}

/// Selective recompute repeats the attention core in Megatron-LM and every second matrix product in PyTorch stacks; elsewhere
/// flash attention already does it inside the kernel.
bool selective_matters(Stack stack) {
    switch (stack) {
        case Stack::megatron_lm:
        case Stack::torchtitan:
        case Stack::pytorch_fsdp:
        case Stack::accelerate:
        case Stack::axolotl:
        case Stack::deepspeed:
        case Stack::internevo:
        case Stack::fsdp2: return true;
        default: return false;
    }
}

/// vTrain (MICRO'24) found that the last pipeline stage of its Megatron-DeepSpeed does not recompute; without a pipeline that is
/// the only stage. The times agree: 447 GFLOP a layer and sequence in 1.9 ms would be 94 % of an A100's best GEMM rate.
bool last_stage_skips(const Run& run) {
    return run.source() == "vtrain";
}

void set_recompute(const Run& run, Stack stack, MappedRun& mapped) {
    const std::string text = lower(run.recompute);
    Plan& plan = mapped.plan;
    if (text == "full" && last_stage_skips(run)) {
        plan.recompute = Recompute::none;
    } else if (text == "full") {
        plan.recompute = Recompute::full;
    } else if (const double share = partial_share(text); share > 0) {
        const int layers = mapped.job.model.layer_count();
        plan.recompute = Recompute::full;
        plan.recompute_layers = std::clamp(static_cast<int>(std::lround(share * layers)), 1, layers);
        if (plan.recompute_layers == layers) plan.recompute_layers = 0;
    } else if (text == "selective") {
        plan.recompute = selective_matters(stack) ? Recompute::selective : Recompute::none;
    } else if (text.empty() &&
               (stack == Stack::megatron_deepspeed || (stack == Stack::deepspeed && run.seq_len >= kLongSequence))) {
        plan.recompute = Recompute::full;
        mapped.assumptions.emplace_back("activation_ckpt not stated: full taken");
    } else if (!text.empty() && text != "none") {
        mapped.assumptions.push_back(fmt::format("activation_ckpt '{}' is not known: none taken", run.recompute));
    }
}

/// Adam on the host: its DRAM (250 GB/s, shared by the node's devices) and PCIe (25 GB/s) in place of device memory (assumed).
void set_optimizer_offload(const Run& run, MappedRun& mapped) {
    constexpr double kStateTraffic = 30, kTransfer = 6;  // bytes per owned parameter
    constexpr double kHostBandwidth = 250e9, kPcieBandwidth = 25e9;
    const Cluster& cluster = mapped.job.cluster;
    const double on_host = cluster.devices_per_node * kStateTraffic / kHostBandwidth + kTransfer / kPcieBandwidth;
    const double on_device = kStateTraffic / (cluster.device.hbm.value.value * cluster.device.hbm_efficiency);
    mapped.job.runtime.optimizer_traffic += on_host / on_device;
    mapped.memory_known = false;
    mapped.assumptions.push_back(fmt::format("optimizer states on the host ({}): time estimated, memory not", run.sharding));
}

void set_offload(const Run& run, Stack stack, MappedRun& mapped) {
    const std::string notes = lower(run.notes);
    // DeepSpeed's offload is that of the optimizer; "offload state not printed" states nothing.
    const bool noted = mentions(notes, "offload") && !mentions(notes, "not printed");
    if (mentions(lower(run.sharding), "offload") || (stack == Stack::deepspeed && noted)) {
        set_optimizer_offload(run, mapped);
    } else if (noted && mentions(notes, "activation")) {
        mapped.memory_known = false;
        mapped.assumptions.emplace_back("activations of some layers are kept on the host: memory not estimated");
    }
}

}  // namespace

Result<void> plan_of_run(const Run& run, Stack stack, MappedRun& mapped) {
    if (run.seq_len <= 0) return unsupported("seq_len is not stated");
    mapped.job.workload.seq_len = run.seq_len;
    const Sharding sharding = sharding_of_run(run, stack);
    const Result<Mesh> mesh = mesh_of_run(run, sharding, mapped.assumptions);
    if (!mesh) return tl::unexpected(mesh.error());
    Plan& plan = mapped.plan;
    plan.mesh = *mesh;
    if (run.seq_len % mesh->cp != 0) return unsupported(fmt::format("seq_len {} / cp {} is not whole", run.seq_len, mesh->cp));
    if (auto ok = set_batches(run, mapped); !ok) return ok;
    plan.reshard_after_forward = sharding != Sharding::fsdp_keeps_weights;
    plan.shard_optimizer = sharding == Sharding::zero1 || sharding == Sharding::zero2;
    if (sharding == Sharding::zero2) mapped.assumptions.emplace_back("ZeRO-2 taken as ZeRO-1: gradients are not sharded");
    // Whole-weight data parallelism reduces once a step; FSDP stacks reduce in every micro-batch.
    plan.sync_every_micro_batch = shards_parameters(sharding);
    set_recompute(run, stack, mapped);
    set_offload(run, stack, mapped);
    return {};
}

}  // namespace ndtune::published
