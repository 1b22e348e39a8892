#include "search/space.h"

#include <algorithm>
#include <cstddef>

#include "cost_model/assert.h"

namespace ndtune::search {

std::vector<int> divisors(std::int64_t n) {
    std::vector<int> low;
    std::vector<int> high;
    for (std::int64_t d = 1; d * d <= n; ++d) {
        if (n % d != 0) continue;
        low.push_back(static_cast<int>(d));
        if (d * d != n) high.push_back(static_cast<int>(n / d));
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

Plan with_knobs(Plan plan, const FamilyKnobs& knobs) {
    plan.reshard_after_forward = knobs.reshard_after_forward;
    plan.sync_every_micro_batch = knobs.sync_every_micro_batch;
    plan.shard_optimizer = knobs.shard_optimizer;
    plan.cp_method = knobs.cp_method;
    return plan;
}

Plan canonical(const Job& job, Plan plan) {
    if (plan.recompute != Recompute::full || plan.recompute_layers == job.model.layer_count()) plan.recompute_layers = 0;
    if (plan.mesh.cp == 1) plan.cp_method = CpMethod::ring;
    if (plan.mesh.dp_replicate == 1 && plan.mesh.cp == 1) plan.shard_optimizer = false;
    const bool shards = job.runtime.allow_fsdp && plan.mesh.shard_group() > 1 && !plan.shard_optimizer;
    if (!shards) plan.reshard_after_forward = true;
    if (!shards || plan.grad_accum == 1) plan.sync_every_micro_batch = true;
    return plan;
}

PlanSpace::PlanSpace(const Job& job, bool any_batch)
    : runtime_(job.runtime),
      devices_(job.cluster.devices()),
      family_size_(1 + (job.runtime.allow_selective ? 1U : 0U) + static_cast<std::uint64_t>(job.model.layer_count())) {
    const std::vector<int> sizes = divisors(devices_);
    const std::int64_t wanted = job.workload.global_batch;
    for (const int ranks : sizes) {
        Split split{ranks, 0, {}};
        if (wanted % ranks == 0) {
            split.rank_batch = static_cast<int>(wanted / ranks);
        } else if (any_batch) {
            split.rank_batch = static_cast<int>(std::max<std::int64_t>(1, (wanted + ranks / 2) / ranks));
        }
        if (split.rank_batch > 0) split.micro_batches = divisors(split.rank_batch);
        splits_.push_back(std::move(split));
    }
    for (const int tp : sizes) {
        for (const int cp : divisors(devices_ / tp)) {
            const std::int64_t data = devices_ / tp / cp;
            for (const int shard : divisors(data)) meshes_.push_back({static_cast<int>(data / shard), shard, cp, tp});
        }
    }
}

const PlanSpace::Split& PlanSpace::split(const Mesh& mesh) const {
    const auto at = std::lower_bound(splits_.begin(), splits_.end(), mesh.data_parallel(),
                                     [](const Split& split, std::int64_t ranks) { return split.ranks < ranks; });
    NDTUNE_ASSERT(at != splits_.end() && at->ranks == mesh.data_parallel());
    return *at;
}

std::span<const FamilyKnobs> PlanSpace::families(const Mesh& mesh, int grad_accum, FamilyBuffer& knobs) const {
    const bool shards = runtime_.allow_fsdp && mesh.shard_group() > 1;
    const bool can_wait = shards && runtime_.allow_no_sync && grad_accum > 1;
    const bool zero1 = runtime_.allow_zero1 && mesh.dp_shard == 1 && (mesh.dp_replicate > 1 || mesh.cp > 1);
    std::size_t count = 0;
    for (const CpMethod method : {CpMethod::ring, CpMethod::all_gather}) {
        if (method == CpMethod::all_gather && mesh.cp == 1) continue;
        for (int keeps = 0; keeps <= (shards ? 1 : 0); ++keeps) {
            for (int waits = 0; waits <= (can_wait ? 1 : 0); ++waits) knobs[count++] = {keeps == 0, waits == 0, false, method};
        }
        if (zero1) knobs[count++] = {true, true, true, method};
    }
    return {knobs.data(), count};
}

std::uint64_t PlanSpace::family_count(bool replicated, bool sharded, bool context, bool accumulates) const {
    const bool shards = runtime_.allow_fsdp && (sharded || context);
    std::uint64_t count = shards ? 2 : 1;
    if (shards && runtime_.allow_no_sync && accumulates) count *= 2;
    if (runtime_.allow_zero1 && !sharded && (replicated || context)) count += 1;
    return context ? 2 * count : count;
}

// One split (micro-batch = whole rank batch) does not accumulate, all others do.
std::uint64_t PlanSpace::plans(bool replicated, bool sharded, bool context, const Split& split) const {
    if (split.micro_batches.empty()) return 1;
    const std::uint64_t accumulating = split.micro_batches.size() - 1;
    return family_size_ *
           (family_count(replicated, sharded, context, false) + accumulating * family_count(replicated, sharded, context, true));
}

std::uint64_t PlanSpace::plans_of(const Mesh& mesh) const {
    return plans(mesh.dp_replicate > 1, mesh.dp_shard > 1, mesh.cp > 1, split(mesh));
}

// For each divisor d of W: the ways to write R x S = d by whether R and S are above 1, times those of C x T = W / d by C.
std::uint64_t PlanSpace::size() const {
    std::uint64_t total = 0;
    for (const Split& split : splits_) {
        const std::uint64_t contexts = divisors(devices_ / split.ranks).size() - 1;  // cp > 1
        const std::uint64_t both = split.ranks == 1 ? 0 : divisors(split.ranks).size() - 2;
        const auto add = [&](std::uint64_t ways, bool replicated, bool sharded) {
            total += ways * (plans(replicated, sharded, false, split) + contexts * plans(replicated, sharded, true, split));
        };
        add(both, true, true);
        if (split.ranks > 1) add(1, true, false);
        if (split.ranks > 1) add(1, false, true);
        if (split.ranks == 1) add(1, false, false);
    }
    return total;
}

}  // namespace ndtune::search
