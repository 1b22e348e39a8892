#include "reports/critical_path.h"

#include <fmt/format.h>

#include "cost_model/schedule.h"
#include "reports/insight.h"
#include "reports/text.h"

namespace ndtune::reports {

namespace {

std::string where_text(const Model& model, const PathSegment& segment) {
    if (segment.layer_type < 0) return "";
    if (model.layers.size() == 1) return " of the layers";
    return fmt::format(" of layer type {}", segment.layer_type + 1);
}

}  // namespace

std::string critical_path_text(const Job& job, const Plan& plan) {
    constexpr std::size_t kSegmentsShown = 6;
    const Schedule run = schedule(build_step_graph(job, plan));
    const TimeUnit unit = time_unit(run.makespan);
    std::string text;
    for (const PathSegment& segment : run.top(kSegmentsShown)) {
        const std::string time = unit.part_text(segment.seconds);
        if (time.empty()) break;
        const std::string pass = segment.pass == Pass::step ? "" : fmt::format(" {}", to_string(segment.pass));
        text += fmt::format("{}{}{}{} {} ({} ops)", text.empty() ? "" : " + ", words(segment.bucket), pass,
                            where_text(job.model, segment), time, segment.count);
    }
    return fmt::format("{}; the step graph takes {} {}", text, unit.text(run.makespan), unit.name);
}

}  // namespace ndtune::reports
