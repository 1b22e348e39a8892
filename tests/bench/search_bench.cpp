// Whole searches and a sizing. Counters: plans a second, plans of the space visited (1 = exhaustive), share of them priced,
// peak resident memory of the process so far.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "search/cluster_sizes.h"
#include "search/search.h"
#include "search/sizing.h"
#include "tests/unit/search/jobs.h"

namespace ndtune::search {
namespace {

double peak_rss_mb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

void run_search(benchmark::State& state, const Job& job) {
    Space space;
    for (auto _ : state) space = search(job, Options{}).value().space;
    state.counters["plans"] = static_cast<double>(space.size);
    state.counters["visited/size"] = static_cast<double>(space.visited) / static_cast<double>(space.size);
    state.counters["priced/size"] = static_cast<double>(space.estimated) / static_cast<double>(space.size);
    state.counters["plans/s"] =
        benchmark::Counter(static_cast<double>(space.visited), benchmark::Counter::kIsIterationInvariantRate);
    state.counters["peak_rss_MB"] = peak_rss_mb();
}

void search_8b_on_8(benchmark::State& state) {
    run_search(state, testing::job(testing::kLlama8b, 1, 8, 8192, 512));
}
BENCHMARK(search_8b_on_8)->Unit(benchmark::kMillisecond)->UseRealTime();

void search_70b_on_1024(benchmark::State& state) {
    run_search(state, testing::job(testing::kLlama70b, 128, 8, 8192, 1024));
}
BENCHMARK(search_70b_on_1024)->Unit(benchmark::kMillisecond)->UseRealTime();

void search_405b_on_16384(benchmark::State& state) {
    run_search(state, testing::job(testing::kLlama405b, 2048, 8, 8192, 2048));
}
BENCHMARK(search_405b_on_16384)->Unit(benchmark::kMillisecond)->UseRealTime();

// 12,288 = 2^12 x 3 devices, and a batch with many divisors: more meshes and micro-batches than a power of two has.
void search_405b_on_12288(benchmark::State& state) {
    run_search(state, testing::job(testing::kLlama405b, 1536, 8, 8192, 12288));
}
BENCHMARK(search_405b_on_12288)->Unit(benchmark::kMillisecond)->UseRealTime();

SizingRequest sizing_70b() {
    const Job base = testing::job(testing::kLlama70b, 1, 8, 8192, 1024);
    SizingRequest request;
    request.model = base.model;
    request.workload = base.workload;
    request.workload.tokens = 2e12;
    request.batch_tolerance = 0.1;
    const auto sizes = cluster_sizes(8, 4096, 8, 60).value();
    for (const double gib : {39.5, 79.1, 140.0}) {  // three devices that differ in memory
        Device device = testing::device();
        device.memory.value = Bytes{static_cast<std::int64_t>(gib * kGiB)};
        for (const ClusterSize& size : sizes) {
            request.clusters.push_back(make_cluster(device, size.nodes, size.devices_per_node).value());
            request.clusters.back().price_per_device_hour.value = Dollars{2};
        }
    }
    return request;
}

void sizing_70b_3_devices(benchmark::State& state) {
    const SizingRequest request = sizing_70b();
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
