#include "reports/headroom.h"

#include <numeric>

#include <fmt/format.h>

#include "reports/text.h"

namespace ndtune::reports {

namespace {

MemoryLedger memory_at(Job job, const Plan& plan, std::int64_t seq) {
    job.workload.seq_len = seq;
    return estimate(job, plan).memory;
}

bool fits_with(const MemoryLedger& memory, double memory_margin) {
    return static_cast<double>(memory.peak.value) <= (1 - memory_margin) * static_cast<double>(memory.capacity.value);
}

/// The longest sequence that fits, in steps that context and sequence parallelism can split evenly; 0 if that of the job does
/// not.
std::int64_t longest_sequence(const Job& job, const Plan& plan, double memory_margin) {
    constexpr std::int64_t kTokenStep = 1024;
    constexpr std::int64_t kMostTimes = 64;  // of the job's sequence; beyond that the answer is "much longer"
    const std::int64_t step = std::lcm(kTokenStep, std::int64_t{2} * plan.mesh.cp * plan.mesh.tp);
    std::int64_t fits = 0;
    std::int64_t too_long = kMostTimes * job.workload.seq_len / step + 1;
    while (too_long - fits > 1) {
        const std::int64_t middle = (fits + too_long) / 2;
        (fits_with(memory_at(job, plan, middle * step), memory_margin) ? fits : too_long) = middle;
    }
    return fits * step;
}

}  // namespace

std::string headroom_text(const Job& job, const Plan& plan, double memory_margin) {
    const std::int64_t longest = longest_sequence(job, plan, memory_margin);
    std::string text = longest == 0
                           ? std::string("no sequence fits")
                           : fmt::format("sequences of up to {} tokens fit", grouped(static_cast<std::uint64_t>(longest)));
    Plan wider = plan;
    wider.micro_batch = 2 * plan.micro_batch;
    const MemoryLedger memory = estimate(job, wider).memory;
    return text + fmt::format("; micro-batch {} {} ({} of {} GiB)", wider.micro_batch,
                              fits_with(memory, memory_margin) ? "fits" : "does not", gib(memory.peak), gib(memory.capacity));
}

}  // namespace ndtune::reports
