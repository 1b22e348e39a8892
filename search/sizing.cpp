#include "search/sizing.h"

#include <atomic>
#include <functional>

#include <fmt/format.h>

#include "search/best_plan.h"
#include "search/parallel.h"
#include "search/space.h"

namespace ndtune::search {
namespace {

constexpr double kSecondsPerHour = 3600;

Result<bool> check_request(const SizingRequest& request) {
    if (request.clusters.empty()) return bad_input("no cluster to size", "clusters");
    // Written so that NaN is refused.
    const bool sane_tokens = request.workload.tokens >= 1 && request.workload.tokens <= 1e18;
    const bool sane_tolerance = request.batch_tolerance >= 0 && request.batch_tolerance < 1;
    if (!sane_tokens) {
        return bad_input(fmt::format("{} tokens is not within 1 to 1e18", request.workload.tokens), "tokens",
                         "say how much to train, e.g. --tokens 2T");
    }
    if (request.deadline_s && !(*request.deadline_s > 0)) {
        return bad_input(fmt::format("a deadline of {} seconds is not positive", *request.deadline_s), "deadline");
    }
    if (request.budget && !(request.budget->value > 0)) {
        return bad_input(fmt::format("a budget of ${} is not positive", request.budget->value), "budget");
    }
    if (!sane_tolerance) {
        return bad_input(fmt::format("batch tolerance {} is not within 0 to 1", request.batch_tolerance), "batch tolerance");
    }
    return true;
}

// Why nothing fits. A plan that meets every rule but memory got furthest (the smallest such plan speaks); else the mesh whose
// first broken rule comes last.
std::optional<Violation> reason_for_nothing(const Job& job, const Options& options) {
    const auto result = search(job, options);
    if (!result) return std::nullopt;
    if (!result->near_misses.empty()) return why_not(job, options, result->near_misses.front().plan.plan);
    const Constraints constraints(job, options);
    const PlanSpace space(job, constraints.any_batch());
    std::optional<Violation> furthest;
    for (const Mesh& mesh : space.meshes()) {
        auto violation = constraints.mesh(mesh);
        if (violation && (!furthest || violation->rule > furthest->rule)) furthest = std::move(violation);
    }
    return furthest;
}

void add_duration_and_cost(SizingRow& row, const SizingRequest& request) {
    const double devices = static_cast<double>(row.cluster.devices());
    row.duration_s = request.workload.tokens / (row.best->estimate.tokens_per_s_per_gpu * devices);
    row.gpu_hours = row.duration_s * devices / kSecondsPerHour;
    const double price = row.cluster.price_per_device_hour.value.value;
    if (price > 0) row.cost = Dollars{row.gpu_hours * price};
    row.meets_deadline = !request.deadline_s || row.duration_s <= *request.deadline_s;
    row.meets_budget = !request.budget || (row.cost && *row.cost <= *request.budget);
}

Result<SizingRow> size_one(const SizingRequest& request, const Cluster& cluster) {
    SizingRow row;
    row.cluster = cluster;
    Job job{request.model, cluster, request.workload, request.runtime};
    if (cluster.devices() >= 1) {
        job.workload.global_batch = suitable_batch(request.workload.global_batch, cluster.devices(), request.batch_tolerance);
    }
    row.global_batch = job.workload.global_batch;
    Options options = request.options;
    options.threads = 1;
    auto best = best_plan(job, options);
    if (!best) return tl::unexpected(best.error());
    row.best = *best;
    if (row.best) {
        add_duration_and_cost(row, request);
    } else {
        row.reason = reason_for_nothing(job, options);
    }
    return row;
}

// The row with the least key among those that `counts`; of equals the one with fewer devices, then the earlier one.
std::optional<std::size_t> least(const std::vector<SizingRow>& rows, const std::function<bool(const SizingRow&)>& counts,
                                 const std::function<double(const SizingRow&)>& key) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!counts(rows[i])) continue;
        if (best) {
            const double mine = key(rows[i]);
            const double theirs = key(rows[*best]);
            if (mine > theirs || (mine == theirs && rows[i].cluster.devices() >= rows[*best].cluster.devices())) continue;
        }
        best = i;
    }
    return best;
}

void name_winners(SizingResult& result) {
    const auto wished = [](const SizingRow& row) { return row.meets_wishes(); };
    const auto duration = [](const SizingRow& row) { return row.duration_s; };
    const auto cost = [](const SizingRow& row) { return row.cost->value; };
    const auto devices = [](const SizingRow& row) { return static_cast<double>(row.cluster.devices()); };
    result.cheapest = least(result.rows, [&](const SizingRow& row) { return wished(row) && row.cost; }, cost);
    result.fastest = least(result.rows, wished, duration);
    result.smallest = least(result.rows, wished, devices);
    if (result.fastest) return;
    const auto in_budget = least(result.rows, [](const SizingRow& row) { return row.best && row.meets_budget; }, duration);
    const auto in_time =
        least(result.rows, [](const SizingRow& row) { return row.best && row.meets_deadline && row.cost; }, cost);
    if (in_budget) result.deadline_needed_s = result.rows[*in_budget].duration_s;
    if (in_time) result.budget_needed = result.rows[*in_time].cost;
}

}  // namespace

Result<SizingResult> size_clusters(const SizingRequest& request) {
    if (auto ok = check_request(request); !ok) return tl::unexpected(ok.error());
    std::vector<Result<SizingRow>> rows(request.clusters.size());
    const int workers = worker_count(request.options.threads, rows.size());
    std::atomic<std::size_t> next{0};
    run_workers(workers, [&](int) {
        for (std::size_t i = next++; i < rows.size(); i = next++) rows[i] = size_one(request, request.clusters[i]);
    });
    SizingResult result;
    for (auto& row : rows) {
        if (!row) return tl::unexpected(row.error());
        result.rows.push_back(std::move(*row));
    }
    name_winners(result);
    return result;
}

}  // namespace ndtune::search
