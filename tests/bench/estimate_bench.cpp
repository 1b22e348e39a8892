#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "cost_model/schedule.h"
#include "tests/support/toy.h"

namespace {
std::int64_t allocations = 0;
}

// Counts every allocation of this program. Not inlined: g++ would then warn of free() on memory from new.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* p = std::malloc(size > 0 ? size : 1)) return p;  // NOLINT(cppcoreguidelines-no-malloc)
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
    std::free(p);  // NOLINT(cppcoreguidelines-no-malloc)
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
    std::free(p);  // NOLINT(cppcoreguidelines-no-malloc)
}

namespace ndtune {
namespace {

constexpr int kDevices = 1024, kLayers = 80;

Job job_70b() {
    return toy::job(toy::llama_70b(), toy::cluster(kDevices / 8, 8), 8192, kDevices);
}

// The order in which a search visits plans: meshes outside, then micro-batch, then the knobs.
std::vector<Plan> walk() {
    std::vector<Plan> plans;
    for (int tp = 1; tp <= 8; tp *= 2) {
        for (int cp = 1; cp <= 8; cp *= 2) {
            for (int shard = 1; shard * tp * cp <= kDevices; shard *= 2) {
                Plan p;
                p.mesh = {kDevices / (tp * cp * shard), shard, cp, tp};
                for (p.micro_batch = 1; p.micro_batch <= tp * cp && p.micro_batch <= 8; p.micro_batch *= 2) {
                    p.grad_accum = tp * cp / p.micro_batch;
                    for (const bool reshard : {true, false}) {
                        for (const bool every : {true, false}) {
                            p.reshard_after_forward = reshard;
                            p.sync_every_micro_batch = every;
                            for (int n = 0; n <= kLayers; ++n) {
                                p.recompute = n > 0 ? Recompute::full : Recompute::none;
                                p.recompute_layers = n;
                                plans.push_back(p);
                            }
                        }
                    }
                }
            }
        }
    }
    return plans;
}

void count(benchmark::State& state, std::int64_t plans, std::int64_t allocated) {
    state.counters["plans/s"] = benchmark::Counter(static_cast<double>(plans), benchmark::Counter::kIsRate);
    state.counters["allocations/plan"] = static_cast<double>(allocated) / static_cast<double>(plans);
}

/// Time and memory of every plan of a 70B model on 1,024 devices, one pricer.
void price_70b(benchmark::State& state) {
    const Job job = job_70b();
    const std::vector<Plan> plans = walk();
    Pricer pricer(job);
    std::int64_t done = 0;
    const std::int64_t before = allocations;
    for (auto _ : state) {
        for (const Plan& plan : plans) benchmark::DoNotOptimize(pricer.price(plan));
        done += static_cast<std::int64_t>(plans.size());
    }
    count(state, done, allocations - before);
    state.counters["plans"] = static_cast<double>(plans.size());
}
BENCHMARK(price_70b)->Unit(benchmark::kMillisecond);

/// One plan after another of different meshes: nothing is shared.
void estimate_70b_cold(benchmark::State& state) {
    const Job job = job_70b();
    const std::vector<Plan> plans = walk();
    std::size_t i = 0;
    std::int64_t done = 0;
    const std::int64_t before = allocations;
    for (auto _ : state) {
        benchmark::DoNotOptimize(estimate(job, plans[i]));
        i = (i + 3 * kLayers + 1) % plans.size();
        ++done;
    }
    count(state, done, allocations - before);
}
BENCHMARK(estimate_70b_cold);

/// Build and run the step graph of a 405B model with 1,024 micro-batches.
void step_graph_405b(benchmark::State& state) {
    const Job job = toy::job(toy::llama_405b(), toy::cluster(2048, 8), 8192, 256 * 1024);
    const Plan plan = toy::plan(job, {2, 128, 8, 8});
    for (auto _ : state) benchmark::DoNotOptimize(schedule(build_step_graph(job, plan)));
}
BENCHMARK(step_graph_405b)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ndtune
