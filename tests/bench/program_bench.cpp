#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

// The program as a user starts it: time from start to end of the process, and the memory it took.

namespace {

/// Runs the program once and gives its peak resident set in MB, or -1 where it did not answer.
double run(std::vector<std::string> args) {
    args.insert(args.begin(), NDTUNE_BINARY);
    std::vector<char*> argv;
    for (std::string& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failed = posix_spawn(&child, NDTUNE_BINARY, &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    rusage usage{};
    if (failed != 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return -1;
    return static_cast<double>(usage.ru_maxrss) / 1e3;  // Linux counts it in kB
}

void program(benchmark::State& state, const std::vector<std::string>& args) {
    double peak = 0;
    for (auto _ : state) {
        peak = std::max(peak, run(args));
        if (peak <= 0) return state.SkipWithError("the program did not answer");
    }
    state.counters["peak_MB"] = peak;
}

std::vector<std::string> search(const std::string& model, const std::string& cluster, const std::string& batch) {
    return {"search", model, "--cluster", cluster, "--seq", "8k", "--batch", batch, "--json"};
}

BENCHMARK_CAPTURE(program, version, std::vector<std::string>{"--version"})->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(program, 8B_on_8, search("llama-3.1-8b", "8xh100-sxm", "64"))->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(program, 70B_on_1024, search("llama-3.1-70b", "128x8xh100-sxm", "1024"))
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(program, 405B_on_16384, search("llama-3.1-405b", "2048x8xh100-sxm", "2048"))
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(program, sizing_70B_3_devices,
                  std::vector<std::string>{"search", "llama-3.1-70b", "--gpus", "8:4096", "--device",
                                           "h100-sxm,h200-sxm,a100-sxm", "--seq", "8k", "--batch", "512", "--tokens", "2T",
                                           "--json"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
