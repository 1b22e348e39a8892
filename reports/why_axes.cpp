#include <algorithm>

#include <fmt/format.h>

#include "reports/insight.h"
#include "reports/text.h"

namespace ndtune::reports {

namespace {

std::string baseline_name(const Report& report) {
    return report.job.runtime.allow_fsdp ? "plain FSDP" : "plain data parallel";
}

/// "#2" of a ranked plan, else its text.
std::string place_or_text(const Report& report, const Plan& plan) {
    for (std::size_t i = 0; i < report.result.plans.size(); ++i) {
        if (report.result.plans[i].plan == plan) return fmt::format("#{}", i + 1);
    }
    return to_text(plan);
}

/// Why the one-axis plan is out of the question.
std::string infeasible_text(const Report& report, const search::Violation& reason) {
    const std::string name = baseline_name(report);
    if (reason.rule == search::Rule::memory) {
        return fmt::format("a layer or sequence too large for one device: {} does not fit ({})", name, reason.message);
    }
    if (reason.rule == search::Rule::batch) {
        return fmt::format("a batch too small for so many devices: {} is ruled out ({})", name, reason.message);
    }
    return fmt::format("{} is ruled out ({}: {})", name, search::to_string(reason.rule), reason.message);
}

/// The reason behind the term in which the one-axis plan loses most.
std::string_view reason_of(Bucket bucket) {
    switch (bucket) {
        case Bucket::fsdp_exposed: return "the traffic of FSDP at this scale";
        case Bucket::dp_exposed: return "the gradient sync at this scale";
        case Bucket::recompute: return "a layer or sequence too large for one device, unless more is recomputed";
        case Bucket::host: return "a batch too small for so many devices: kernels end before the next is launched";
        default: return "better filled kernels";
    }
}

}  // namespace

std::string why_axes(const Report& report) {
    if (!report.baseline || report.result.plans.empty()) return "";
    const search::RankedPlan& best = report.result.plans.front();
    const std::string name = baseline_name(report);
    if (!report.baseline->best) {
        return report.baseline->reason ? infeasible_text(report, *report.baseline->reason) : "";
    }
    const search::RankedPlan& single = *report.baseline->best;
    if (single.plan == best.plan) {
        return fmt::format("{} is best: at this scale no second axis pays for its traffic", name);
    }
    std::string against =
        fmt::format("{} ({}) is {}", name, place_or_text(report, single.plan), comparison_text(best.estimate, single.estimate));
    const std::vector<Term> terms = differences(best.estimate, single.estimate);
    const auto loss = std::find_if(terms.begin(), terms.end(), [](const Term& term) { return term.delta.value > 0; });
    if (loss == terms.end() || single.estimate.step_time <= best.estimate.step_time) return against;
    return fmt::format("{}: {}", reason_of(loss->bucket), against);
}

}  // namespace ndtune::reports
