// Whole searches and a sizing on the catalog's models and devices. Counters: plans of the space, the share of them visited
// (1 = exhaustive) and priced, plans a second, peak resident memory of the process so far.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <string_view>

#include "profiles/catalog.h"
#include "search/search.h"
#include "search/sizing.h"

namespace ndtune::search {
namespace {

double peak_rss_mb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

Job job(std::string_view model, int nodes, std::int64_t batch) {
    Job j;
    j.model = profiles::find_model(model).value();
    j.runtime = profiles::find_runtime("fsdp2").value();
    j.cluster = make_cluster(profiles::find_device("h100-sxm").value(), nodes, 8).value();
    j.workload.seq_len = 8192;
    j.workload.global_batch = batch;
    return j;
}

void run_search(benchmark::State& state, const Job& j, const Options& options = {}) {
    Space space;
    for (auto _ : state) space = search(j, options).value().space;
    state.counters["plans"] = static_cast<double>(space.size);
    state.counters["visited/size"] = static_cast<double>(space.visited) / static_cast<double>(space.size);
    state.counters["priced/size"] = static_cast<double>(space.estimated) / static_cast<double>(space.size);
    state.counters["plans/s"] =
        benchmark::Counter(static_cast<double>(space.visited), benchmark::Counter::kIsIterationInvariantRate);
    state.counters["peak_rss_MB"] = peak_rss_mb();
}

void search_8b_on_8(benchmark::State& state) {
    run_search(state, job("llama-3.1-8b", 1, 512));
}
BENCHMARK(search_8b_on_8)->Unit(benchmark::kMillisecond)->UseRealTime();

void search_70b_on_1024(benchmark::State& state) {
    run_search(state, job("llama-3.1-70b", 128, 1024));
}
BENCHMARK(search_70b_on_1024)->Unit(benchmark::kMillisecond)->UseRealTime();

void search_405b_on_16384(benchmark::State& state) {
    run_search(state, job("llama-3.1-405b", 2048, 16384));
}
BENCHMARK(search_405b_on_16384)->Unit(benchmark::kMillisecond)->UseRealTime();

// The same without bounds: every plan that a rule does not exclude is priced.
void search_405b_on_16384_every_plan(benchmark::State& state) {
    Options options;
    options.bounds = false;
    run_search(state, job("llama-3.1-405b", 2048, 16384), options);
}
BENCHMARK(search_405b_on_16384_every_plan)->Unit(benchmark::kMillisecond)->UseRealTime();

// 12,288 = 2^12 x 3 devices and a batch with many divisors: more meshes and micro-batches than a power of two has.
void search_405b_on_12288(benchmark::State& state) {
    run_search(state, job("llama-3.1-405b", 1536, 12288));
}
BENCHMARK(search_405b_on_12288)->Unit(benchmark::kMillisecond)->UseRealTime();

SizingRequest sizing_request() {
    const Job base = job("llama-3.1-70b", 1, 1024);
    SizingRequest request;
    request.model = base.model;
    request.workload = base.workload;
    request.workload.tokens = 2e12;
    request.runtime = base.runtime;
    request.batch_tolerance = 0.1;
    const auto sizes = cluster_sizes(8, 4096, 8, 60).value();
    for (const std::string_view name : {"h100-sxm", "h200-sxm", "a100-sxm"}) {
        const Device device = profiles::find_device(name).value();
        for (const ClusterSize& size : sizes) {
            request.clusters.push_back(make_cluster(device, size.nodes, size.devices_per_node).value());
        }
    }
    return request;
}

void sizing_70b_3_devices(benchmark::State& state) {
    const SizingRequest request = sizing_request();
    std::size_t fitting = 0;
    for (auto _ : state) {
        fitting = 0;
        const SizingResult result = size_clusters(request).value();
        for (const SizingRow& row : result.rows) fitting += row.best ? 1 : 0;
    }
    state.counters["clusters"] = static_cast<double>(request.clusters.size());
    state.counters["with_a_plan"] = static_cast<double>(fitting);
    state.counters["peak_rss_MB"] = peak_rss_mb();
}
BENCHMARK(sizing_70b_3_devices)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace ndtune::search
