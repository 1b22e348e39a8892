#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/assumptions.h"
#include "reports/insight.h"
#include "reports/report.h"
#include "reports/table.h"
#include "reports/text.h"

namespace ndtune::reports {

namespace {

constexpr std::size_t kNearMissesShown = 3;
constexpr std::size_t kPlansCompared = 2;

std::uint64_t rejected(const search::Space& space, search::Rule rule) {
    return space.rejected_by[static_cast<std::size_t>(rule)];
}

std::string space_line(const search::Space& space, const ConsoleStyle& style) {
    const std::uint64_t memory = rejected(space, search::Rule::memory);
    const std::uint64_t limits = rejected(space, search::Rule::user_limit) + rejected(space, search::Rule::within_node);
    const std::uint64_t rules = space.rejected - memory - limits;
    std::string text = plural(space.visited, "plan");
    if (style.elapsed_s) text += fmt::format(" in {} s", sig3(*style.elapsed_s));
    text += fmt::format(": {} fit, {} out of memory, {} break a rule", grouped(space.feasible), grouped(memory), grouped(rules));
    if (limits > 0) text += fmt::format(", {} outside your limits", grouped(limits));
    return labelled("Searched", text, style);
}

/// What the plan table shows beside the plan and its figures; less on a narrow terminal.
struct TableDetail {
    std::size_t bound_words = 3;
    bool free = true;
};

Table plan_table(const Report& report, const TimeUnit& unit, TableDetail detail) {
    Table table;
    table.column("#");
    table.column("plan", Table::Align::left);
    table.column(fmt::format("step {}", unit.name));
    table.column(report.job.cluster.device.cpu ? "tok/s/rank" : "tok/s/GPU");
    table.column("MFU %");
    table.column("peak GiB");
    if (detail.free) table.column("free GiB");
    table.column(detail.bound_words > 1 ? "time goes to" : "beside compute", Table::Align::left);
    int rank = 0;
    for (const search::RankedPlan& ranked : report.result.plans) {
        const Estimate& e = ranked.estimate;
        std::vector<std::string> cells = {std::to_string(++rank), to_text(ranked.plan),
                                          unit.text(e.step_time), short_count(e.tokens_per_s_per_gpu),
                                          percent(e.mfu),         gib(e.memory.peak)};
        if (detail.free) cells.push_back(gib(e.memory.capacity - e.memory.peak));
        cells.push_back(detail.bound_words > 1 ? bound_by(e, detail.bound_words) : largest_beside_compute(e));
        table.row(std::move(cells));
    }
    return table;
}

/// The table with as much on what binds as the width allows.
std::string plans_text(const Report& report, const ConsoleStyle& style) {
    const TimeUnit unit = time_unit(report.result.plans.front().estimate.step_time);
    const auto width = static_cast<std::size_t>(std::max(style.width, 1));
    for (const TableDetail detail : {TableDetail{3, true}, TableDetail{2, true}, TableDetail{2, false}}) {
        const Table table = plan_table(report, unit, detail);
        if (table.width() <= width) return table.text(style.unicode);
    }
    return plan_table(report, unit, {1, false}).text(style.unicode);
}

/// "matmul 8.01 + attention 1.20 + ... = 12.1 s", largest first; what rounds to nothing is left out.
std::string breakdown_text(const Estimate& estimate) {
    const TimeUnit unit = time_unit(estimate.step_time);
    std::vector<Bucket> order;
    order.reserve(kBuckets);
    for (int i = 0; i < kBuckets; ++i) order.push_back(static_cast<Bucket>(i));
    std::stable_sort(order.begin(), order.end(), [&](Bucket a, Bucket b) { return estimate.bucket(a) > estimate.bucket(b); });
    std::string text;
    for (const Bucket bucket : order) {
        const std::string part = unit.part_text(estimate.bucket(bucket));
        if (part.empty()) break;
        text += fmt::format("{}{} {}", text.empty() ? "" : " + ", words(bucket), part);
    }
    return fmt::format("{} = {} {}", text, unit.text(estimate.step_time), unit.name);
}

std::string memory_text(const MemoryLedger& memory) {
    std::vector<LedgerRow> order;
    order.reserve(kLedgerRows);
    for (int i = 0; i < kLedgerRows; ++i) order.push_back(static_cast<LedgerRow>(i));
    std::stable_sort(order.begin(), order.end(), [&](LedgerRow a, LedgerRow b) { return memory.row(a) > memory.row(b); });
    std::string text;
    for (const LedgerRow row : order) {
        if (memory.row(row) / memory.peak < 2e-3) break;
        const std::string part = sig3_like(in_gib(memory.row(row)), in_gib(memory.peak));
        text += fmt::format("{}{} {}", text.empty() ? "" : " + ", words(row), part);
    }
    return fmt::format("{} = {} of {} GiB, at {}", text, gib(memory.peak), gib(memory.capacity), words(memory.phase));
}

/// Why the best is the best, bucket by bucket against the next ones.
std::string why_text(const Report& report, const ConsoleStyle& style) {
    const std::vector<search::RankedPlan>& plans = report.result.plans;
    std::string text = labelled("Plan #1", spelled_out(plans.front().plan), style);
    text += labelled("Time", breakdown_text(plans.front().estimate), style);
    for (std::size_t i = 1; i < std::min(plans.size(), 1 + kPlansCompared); ++i) {
        const std::string line = fmt::format("#{} is {}", i + 1, comparison_text(plans.front().estimate, plans[i].estimate));
        text += labelled("", line, style);
    }
    if (const std::string axes = why_axes(report); !axes.empty()) text += labelled("Why axes", axes, style);
    return text + labelled("Memory", memory_text(plans.front().estimate.memory), style);
}

/// The plan of the Pareto front that leaves most room for hardly more time.
std::string roomier_text(const Report& report, const ConsoleStyle& style) {
    constexpr double kHardlyMore = 1.05;
    constexpr double kWorthIt = 0.9;  // of the best plan's peak
    const search::RankedPlan& best = report.result.plans.front();
    const search::RankedPlan* roomy = nullptr;
    for (const search::RankedPlan& p : report.result.pareto) {
        if (p.estimate.step_time.value > kHardlyMore * best.estimate.step_time.value) continue;
        if (roomy == nullptr || p.estimate.memory.peak < roomy->estimate.memory.peak) roomy = &p;
    }
    if (roomy == nullptr || roomy->estimate.memory.peak / best.estimate.memory.peak > kWorthIt) return "";
    const double slower = roomy->estimate.step_time / best.estimate.step_time - 1;
    return labelled(
        "Roomier",
        fmt::format("{} needs {} GiB and is {}% slower", to_text(roomy->plan), gib(roomy->estimate.memory.peak), percent(slower)),
        style);
}

std::string near_misses_text(const Report& report, const ConsoleStyle& style) {
    std::string text;
    const std::vector<search::NearMiss>& misses = report.result.near_misses;
    for (std::size_t i = 0; i < std::min(misses.size(), kNearMissesShown); ++i) {
        const search::NearMiss& miss = misses[i];
        const TimeUnit unit = time_unit(miss.plan.estimate.step_time);
        std::string line = fmt::format("{} would take {} {} but is {} GiB over", to_text(miss.plan.plan),
                                       unit.text(miss.plan.estimate.step_time), unit.name, gib(miss.over));
        if (miss.remedy) {
            line += fmt::format("; with {} it fits at {} {}", miss.change, unit.text(miss.remedy->estimate.step_time), unit.name);
        } else {
            line += "; no single knob makes it fit";
        }
        text += labelled(i == 0 ? "Near miss" : "", line, style);
    }
    return text;
}

/// Where not even the states fit: how many devices they would fill.
std::string least_devices_text(const Report& report, const ConsoleStyle& style) {
    if (report.result.near_misses.empty()) return "";
    const search::RankedPlan& leanest = report.result.near_misses.front().plan;
    const MemoryLedger& memory = leanest.estimate.memory;
    const Bytes per_device =
        memory.row(LedgerRow::parameters) + memory.row(LedgerRow::optimizer_states) + memory.row(LedgerRow::gradients);
    const double copies = leanest.plan.shard_optimizer ? 1 : leanest.plan.mesh.dp_replicate;
    const auto devices = static_cast<double>(leanest.plan.mesh.size());
    const double states = in_gib(per_device) * devices / copies;
    const double least = std::ceil(states / in_gib(memory.capacity));
    if (least <= devices) return "";
    const std::string word = device_word(report.job.cluster.device);
    return labelled("States",
                    fmt::format("weights, gradients and optimizer alone take {} GiB, the {} have {} GiB: at least {} are needed",
                                sig3(states), plural(static_cast<std::uint64_t>(devices), word),
                                sig3(in_gib(memory.capacity) * devices), plural(static_cast<std::uint64_t>(least), word)),
                    style);
}

/// With -v: the Pareto front and what was rejected by which rule.
std::string details_text(const Report& report, const ConsoleStyle& style) {
    std::string text;
    if (!report.result.pareto.empty()) {
        const TimeUnit unit = time_unit(report.result.pareto.front().estimate.step_time);
        Table table;
        table.column("Pareto front: plan", Table::Align::left);
        table.column(fmt::format("step {}", unit.name));
        table.column("peak GiB");
        for (const search::RankedPlan& p : report.result.pareto) {
            table.row({to_text(p.plan), unit.text(p.estimate.step_time), gib(p.estimate.memory.peak)});
        }
        text += "\n" + table.text(style.unicode);
    }
    Table rules;
    rules.column("rejected by", Table::Align::left);
    rules.column("plans");
    for (int i = 0; i < search::kRules; ++i) {
        const auto rule = static_cast<search::Rule>(i);
        if (rejected(report.result.space, rule) == 0) continue;
        rules.row({std::string(search::to_string(rule)), grouped(rejected(report.result.space, rule))});
    }
    return text + "\n" + rules.text(style.unicode) + "\n";
}

/// A command broken as a shell reads it, with a backslash at each end of line, never inside quotes.
std::string continued(const std::string& command, const ConsoleStyle& style) {
    constexpr std::size_t kIndent = 10;
    const std::size_t room = static_cast<std::size_t>(std::max(style.width, 40)) - kIndent - 2;
    std::string text;
    std::size_t start = 0, space = std::string::npos;
    bool quoted = false;
    for (std::size_t i = 0; i < command.size(); ++i) {
        if (command[i] == '\'') quoted = !quoted;
        if (i - start > room && space != std::string::npos) {
            text += command.substr(start, space - start) + " \\\n" + std::string(kIndent, ' ');
            start = space + 1;
            space = std::string::npos;
        }
        if (command[i] == ' ' && !quoted) space = i;
    }
    return text + command.substr(start);
}

/// The last line: what to type next.
std::string next_text(const Report& report, const ConsoleStyle& style) {
    if (report.result.plans.empty()) {
        return labelled("Next", "more devices, a shorter --seq, or --why PLAN to see what stands in the way of one plan", style);
    }
    if (!style.report_path.empty()) return labelled("Next", fmt::format("ndtune explain '{}#1'", style.report_path), style);
    return "Next      " +
           continued(printable(style.command.empty() ? "ndtune search ..." : style.command) + " --explain", style) + "\n";
}

std::string emphasized(std::string text, const ConsoleStyle& style) {
    if (!style.color) return text;
    // The first row of the table in bold.
    const std::size_t row = text.find("\n  1  ") == std::string::npos ? text.find("\n   1  ") : text.find("\n  1  ");
    if (row == std::string::npos) return text;
    text.insert(text.find('\n', row + 1), "\x1b[0m");
    return text.insert(row + 1, "\x1b[1m");
}

}  // namespace

std::string to_console(const Report& report, const ConsoleStyle& style) {
    const std::vector<search::RankedPlan>& plans = report.result.plans;
    if (style.verbosity < 0) return plans.empty() ? "" : to_text(plans.front().plan) + "\n";
    std::string text =
        assumptions(report.job, report.options.memory_margin, style) + space_line(report.result.space, style) + "\n";
    if (plans.empty()) {
        text += "No plan fits.\n" + least_devices_text(report, style);
    } else {
        text += emphasized("\n" + plans_text(report, style), style).substr(1) + "\n" + why_text(report, style) +
                roomier_text(report, style);
    }
    text += near_misses_text(report, style);
    if (style.verbosity > 0) text += details_text(report, style);
    text += labelled("Figures", provenance_text(report.job), style);
    for (const std::string& warning : report.warnings) text += labelled("Warning", printable(warning), style);
    return text + next_text(report, style);
}

}  // namespace ndtune::reports
