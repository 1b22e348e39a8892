#include "profiles/published/run_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiles/catalog.h"
#include "profiles/published/cluster_of_run.h"
#include "profiles/published/model_of_run.h"
#include "profiles/published/phrase.h"
#include "profiles/published/plan_of_run.h"
#include "profiles/published/runtime_of_run.h"

namespace ndtune::published {

namespace {

template <class Value, class Find>
Result<Value> cached(std::map<std::string, Result<Value>, std::less<>>& known, const std::string& name, Find find) {
    auto at = known.find(name);
    if (at == known.end()) at = known.emplace(name, find(name)).first;
    return at->second;
}

tl::unexpected<Error> unsupported(std::string reason) {
    return tl::unexpected(Error{ErrorCode::unsupported, std::move(reason), {}, {}});
}

/// Kinds of training that no plan of dp_replicate x dp_shard x cp x tp describes.
Result<void> check_kind(const Run& run) {
    if (!run.unreadable.empty()) return unsupported(run.unreadable);
    if (mentions(lower(run.model), "lora") || mentions(lower(run.notes), "lora"))
        return unsupported("LoRA: only adapters are trained, which the cost model does not describe");
    if (run.pp > 1) return unsupported(fmt::format("pp = {}: pipeline parallelism is not modelled", run.pp));
    if (run.ep > 1) return unsupported(fmt::format("ep = {}: expert parallelism is not modelled", run.ep));
    return {};
}

/// Sums in the ledger stay below 2^62 bytes: the largest terms with generous factors.
Result<void> check_magnitude(const MappedRun& mapped) {
    const Model& model = mapped.job.model;
    const double tokens = static_cast<double>(mapped.plan.micro_batch) * static_cast<double>(mapped.job.workload.seq_len);
    double widest = static_cast<double>(model.hidden);
    for (const LayerType& layer : model.layers)
        widest =
            std::max({widest, static_cast<double>(layer.ffn), static_cast<double>(layer.expert_ffn * layer.experts_per_token)});
    const double heads = model.attention.heads;
    const double scores =
        heads * (static_cast<double>(model.attention.head_dim) + static_cast<double>(mapped.job.workload.seq_len));
    const double per_token = model.layer_count() * (64 * widest + 16 * scores) + 64 * static_cast<double>(model.vocab);
    const double bytes = tokens * per_token + 32 * static_cast<double>(parameters(model).total);
    if (bytes > 4e18) return unsupported(fmt::format("sizes beyond reason: about {:.1g} bytes on one device", bytes));
    return {};
}

}  // namespace

Result<Device> CatalogCache::device(const std::string& name) {
    return cached(devices_, name, profiles::find_device);
}

Result<Runtime> CatalogCache::runtime(const std::string& name) {
    return cached(runtimes_, name, profiles::find_runtime);
}

Result<Tier> CatalogCache::fabric(const std::string& name) {
    return cached(fabrics_, name, profiles::find_fabric);
}

Result<MappedRun> map_run(const Run& run, CatalogCache& catalog) {
    if (auto ok = check_kind(run); !ok) return tl::unexpected(ok.error());
    MappedRun mapped;
    const Stack stack = stack_of_run(run);
    if (auto ok = model_of_run(run, stack, mapped); !ok) return tl::unexpected(ok.error());
    if (auto ok = runtime_of_run(run, stack, catalog, mapped); !ok) return tl::unexpected(ok.error());
    if (auto ok = cluster_of_run(run, stack, catalog, mapped); !ok) return tl::unexpected(ok.error());
    if (auto ok = plan_of_run(run, stack, mapped); !ok) return tl::unexpected(ok.error());
    if (auto ok = check_magnitude(mapped); !ok) return tl::unexpected(ok.error());
    return mapped;
}

}  // namespace ndtune::published
