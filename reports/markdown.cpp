#include <fmt/format.h>

#include "reports/assumptions.h"
#include "reports/insight.h"
#include "reports/report.h"
#include "reports/text.h"

namespace ndtune::reports {

std::string to_markdown(const Report& report) {
    const Job& job = report.job;
    std::string text = fmt::format("**{}** on {}\n\n", markdown_text(model_line(job.model, job.workload)),
                                   markdown_text(cluster_line(job.cluster, report.options.memory_margin)));
    text += fmt::format("Assumes {}. {} a step.\n\n", markdown_text(runtime_line(job.runtime, job.workload)),
                        step_line(job.workload));
    if (report.result.plans.empty()) return text + "No plan fits.\n";
    const TimeUnit unit = time_unit(report.result.plans.front().estimate.step_time);
    text += fmt::format("| # | plan | step ({}) | tok/s/{} | MFU (%) | peak (GiB) | free (GiB) | time goes to |\n", unit.name,
                        job.cluster.device.cpu ? "rank" : "GPU");
    text += "| ---: | :--- | ---: | ---: | ---: | ---: | ---: | :--- |\n";
    int rank = 0;
    for (const search::RankedPlan& ranked : report.result.plans) {
        const Estimate& e = ranked.estimate;
        text += fmt::format("| {} | `{}` | {} | {} | {} | {} | {} | {} |\n", ++rank, to_text(ranked.plan), unit.text(e.step_time),
                            short_count(e.tokens_per_s_per_gpu), percent(e.mfu), gib(e.memory.peak),
                            gib(e.memory.capacity - e.memory.peak), bound_by(e, 3));
    }
    const std::string axes = why_axes(report);
    if (!axes.empty()) text += fmt::format("\nWhy these axes: {}.\n", markdown_text(axes));
    for (const std::string& warning : report.warnings) text += fmt::format("\n> {}\n", markdown_text(warning));
    return text;
}

}  // namespace ndtune::reports
