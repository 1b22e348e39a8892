#include "reports/explain.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "reports/assumptions.h"
#include "reports/critical_path.h"
#include "reports/headroom.h"
#include "reports/insight.h"
#include "reports/table.h"
#include "reports/text.h"
#include "search/sensitivity.h"

namespace ndtune::reports {

namespace {

using search::RankedPlan;
using search::Rule;

std::string answer_line(const Job& job, const Estimate& e) {
    const TimeUnit unit = time_unit(e.step_time);
    return fmt::format("{} {} a step, {} tokens/s per {}, {}% MFU; peak {} of {} GiB", unit.text(e.step_time), unit.name,
                       short_count(e.tokens_per_s_per_gpu), device_word(job.cluster.device), percent(e.mfu), gib(e.memory.peak),
                       gib(e.memory.capacity));
}

/// Of the ledger's formulas, as in cost_model/memory.h.
constexpr const char* kSymbols =
    "P parameters, T tokens of one micro-batch on a rank, h hidden size, f MLP width, A attention width, V vocabulary, w bytes "
    "of a "
    "gathered weight, k_ bytes kept per element; r, s, c, t the sizes of the axes, sigma = t where norms are split too";

std::size_t width_of(const ConsoleStyle& style) {
    return static_cast<std::size_t>(std::max(style.width, 40));
}

std::string time_table(const Estimate& e, const ConsoleStyle& style) {
    const TimeUnit unit = time_unit(e.step_time);
    const auto time = [&](Seconds part) { return sig3_like(part.value * unit.per_second, unit.typical, 1); };
    Table table;
    table.column("where the time goes", Table::Align::left);
    table.column(std::string(unit.name));
    table.column("share %");
    table.column("what it is", Table::Align::left);
    for (int i = 0; i < kBuckets; ++i) {
        const auto bucket = static_cast<Bucket>(i);
        if (e.bucket(bucket).value <= 0) continue;
        table.row(
            {words(bucket), time(e.bucket(bucket)), percent(e.bucket(bucket) / e.step_time), std::string(describe(bucket))});
    }
    table.row({"step", time(e.step_time), "100", "sum of the above"});
    return table.text(style.unicode, width_of(style));
}

std::string memory_table(const Job& job, const MemoryLedger& memory, const ConsoleStyle& style) {
    const auto size = [&](Bytes bytes) { return sig3_like(in_gib(bytes), in_gib(memory.peak), 1); };
    Table table;
    table.column("where the memory goes", Table::Align::left);
    table.column("GiB");
    table.column("share %");
    table.column("grade", Table::Align::left);
    table.column("formula", Table::Align::left);
    for (int i = 0; i < kLedgerRows; ++i) {
        const auto row = static_cast<LedgerRow>(i);
        if (memory.row(row).value == 0) continue;
        table.row({words(row), size(memory.row(row)), percent(memory.row(row) / memory.peak),
                   std::string(to_string(provenance(job, row))), std::string(formula(row))});
    }
    table.row({"peak", size(memory.peak), "100", "", fmt::format("sum of the above, at {}", words(memory.phase))});
    return table.text(style.unicode, width_of(style));
}

/// The same sum at the other moments of the step: how far the peak stands out.
std::string moments_line(const MemoryLedger& memory) {
    std::string text;
    for (int i = 0; i < kMemoryPhases; ++i) {
        const auto phase = static_cast<MemoryPhase>(i);
        text += fmt::format("{}{} GiB at {}", i == 0 ? "" : ", ", gib(memory.phase_totals[static_cast<std::size_t>(i)]),
                            words(phase));
    }
    return text;
}

std::string binds_line(const Estimate& e) {
    LedgerRow largest = LedgerRow::parameters;
    for (int i = 0; i < kLedgerRows; ++i) {
        if (e.memory.row(static_cast<LedgerRow>(i)) > e.memory.row(largest)) largest = static_cast<LedgerRow>(i);
    }
    return fmt::format("time: {}; memory: {} ({}% of the peak)", bound_by(e, 3), words(largest),
                       percent(e.memory.row(largest) / e.memory.peak));
}

/// "scale-out bandwidth x0.41, memory capacity x1.3" and what would not do.
std::string flips_line(const Report& report, const std::string& rival_name, const Plan& plan, const Plan& rival) {
    Job job = report.job;
    Bytes& capacity = job.cluster.device.memory.value;
    capacity = whole_bytes(static_cast<double>(capacity.value) * (1 - report.options.memory_margin));
    std::vector<search::Sensitivity> all = search::what_would_flip(job, plan, rival);
    const auto distance = [](const search::Sensitivity& s) { return s.factor ? std::abs(std::log(*s.factor)) : 1e9; };
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    std::string flips;
    std::string never;
    for (const search::Sensitivity& s : all) {
        if (s.factor) {
            flips += fmt::format("{}{} x{}", flips.empty() ? "" : ", or ", s.name, sig3(*s.factor));
        } else {
            never += fmt::format("{}{}", never.empty() ? "" : ", ", s.name);
        }
    }
    std::string text = flips.empty() ? fmt::format("nothing alone, within a factor of 8, makes {} the better one", rival_name)
                                     : fmt::format("{} would be better with {}", rival_name, flips);
    if (!never.empty() && !flips.empty()) text += fmt::format("; not within a factor of 8: {}", never);
    return text;
}

/// Against the next two plans; a plan that is not the best is held against the best.
std::string rivals_text(const Report& report, const RankedPlan& ranked, std::optional<std::size_t> index,
                        const ConsoleStyle& style) {
    const std::vector<RankedPlan>& plans = report.result.plans;
    std::string text;
    const auto against = [&](std::size_t i) {
        text += labelled(
            text.empty() ? "Against" : "",
            fmt::format("#{} {} is {}", i + 1, to_text(plans[i].plan), comparison_text(ranked.estimate, plans[i].estimate, 4)),
            style);
    };
    if (plans.empty()) return text;
    if (index != 0) {
        against(0);
        return text + labelled("Flips", flips_line(report, "this plan", plans.front().plan, ranked.plan), style);
    }
    for (std::size_t i = 1; i < std::min<std::size_t>(plans.size(), 3); ++i) against(i);
    if (plans.size() > 1) text += labelled("Flips", flips_line(report, "#2", ranked.plan, plans[1].plan), style);
    return text;
}

std::string explanation(const Report& report, const RankedPlan& ranked, std::optional<std::size_t> index,
                        const ConsoleStyle& style) {
    const Job& job = report.job;
    const std::string label = index ? fmt::format("Plan #{}", *index + 1) : "Plan";
    std::string text = labelled(label, fmt::format("{}: {}", to_text(ranked.plan), spelled_out(ranked.plan)), style);
    text += labelled("Answer", answer_line(job, ranked.estimate), style) + assumptions(job, report.options.memory_margin, style) +
            "\n";
    text += time_table(ranked.estimate, style) + "\n" + memory_table(job, ranked.estimate.memory, style) + "\n";
    text += labelled("Symbols", kSymbols, style);
    text += labelled("Moments", moments_line(ranked.estimate.memory), style);
    text += labelled("Binds", binds_line(ranked.estimate), style);
    text += labelled("Headroom", headroom_text(job, ranked.plan, report.options.memory_margin), style);
    text += labelled("Path", critical_path_text(job, ranked.plan), style);
    text += rivals_text(report, ranked, index, style);
    if (const std::string axes = why_axes(report); index == 0 && !axes.empty()) text += labelled("Why axes", axes, style);
    return text + labelled("Figures", provenance_text(job), style);
}

/// The rules that say no although the plan can be priced: limits of the user, of the runtime, of memory.
search::Options without_soft_rules(search::Options options) {
    for (const Rule rule : {Rule::user_limit, Rule::within_node, Rule::ddp_with_tp_cp, Rule::cp_window, Rule::tied_with_tp,
                            Rule::runtime_knob, Rule::memory}) {
        options.disabled_rules.push_back(rule);
    }
    return options;
}

std::string violation_text(const search::Violation& violation) {
    std::string text = fmt::format("{} ({})", violation.message, search::to_string(violation.rule));
    if (!violation.hint.empty()) text += ". Hint: " + violation.hint;
    return text;
}

std::optional<std::size_t> rank_of(const Report& report, const Plan& plan) {
    const std::vector<RankedPlan>& plans = report.result.plans;
    const auto it = std::find_if(plans.begin(), plans.end(), [&](const RankedPlan& ranked) { return ranked.plan == plan; });
    if (it == plans.end()) return std::nullopt;
    return static_cast<std::size_t>(it - plans.begin());
}

}  // namespace

Result<std::string> explain(const Report& report, std::size_t index, const ConsoleStyle& style) {
    // A report that was read may have been edited: its inputs must be fit for the cost model.
    if (const auto ok = search::check(report.job, report.options); !ok) return tl::unexpected(ok.error());
    const std::vector<RankedPlan>& plans = report.result.plans;
    if (index >= plans.size()) {
        return bad_input(fmt::format("the report has {}, there is no #{}", plural(plans.size(), "plan"), index + 1), {},
                         plans.empty() ? "nothing fits; ask '--why PLAN' of one plan" : fmt::format("#1 to #{}", plans.size()));
    }
    return explanation(report, plans[index], index, style);
}

Result<std::string> explain(const Report& report, const Plan& plan, const ConsoleStyle& style) {
    if (const auto index = rank_of(report, plan)) return explain(report, *index, style);
    if (const auto ok = search::check(report.job, report.options); !ok) return tl::unexpected(ok.error());
    if (const auto hard = search::why_not(report.job, without_soft_rules(report.options), plan)) {
        return tl::unexpected(Error{ErrorCode::infeasible, fmt::format("{}: {}", to_text(plan), hard->message), {}, hard->hint});
    }
    std::string text;
    if (const auto soft = search::why_not(report.job, report.options, plan)) {
        text = labelled("Rejected", violation_text(*soft), style);
    }
    return text + explanation(report, {plan, estimate(report.job, plan)}, std::nullopt, style);
}

std::string why(const Report& report, const Plan& plan, const ConsoleStyle& style) {
    const std::string name = to_text(plan);
    std::string text = labelled("Plan", fmt::format("{}: {}", name, spelled_out(plan)), style);
    if (const auto violation = search::why_not(report.job, report.options, plan)) {
        text += labelled("Rejected", violation_text(*violation), style);
        if (search::why_not(report.job, without_soft_rules(report.options), plan)) return text;
        return text + labelled("Would be", answer_line(report.job, estimate(report.job, plan)), style);
    }
    const Estimate e = estimate(report.job, plan);
    text += labelled("Fits", answer_line(report.job, e), style);
    if (const auto index = rank_of(report, plan)) text += labelled("Rank", fmt::format("#{}", *index + 1), style);
    if (!report.result.plans.empty() && rank_of(report, plan) != 0) {
        const RankedPlan& best = report.result.plans.front();
        text +=
            labelled("Against", fmt::format("#1 {} it is {}", to_text(best.plan), comparison_text(best.estimate, e, 4)), style);
    }
    return text;
}

}  // namespace ndtune::reports
