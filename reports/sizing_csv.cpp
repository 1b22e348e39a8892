#include <fmt/format.h>

#include "cost_model/quantity.h"
#include "reports/assumptions.h"
#include "reports/insight.h"
#include "reports/sizing_report.h"
#include "reports/sizing_text.h"
#include "reports/text.h"

namespace ndtune::reports {

namespace {

using search::SizingRow;

/// Quoted where a spreadsheet would split or run it (RFC 4180).
std::string csv_field(std::string_view text) {
    std::string clean = printable(text);
    if (clean.find_first_of(",\"") == std::string::npos) return clean;
    std::string quoted = "\"";
    for (const char c : clean) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

std::string to_csv(const SizingReport& report) {
    std::string text =
        "cluster,device,nodes,devices,global_batch,plan,mfu,step_time_s,duration_s,device_hours,cost_usd,meets_deadline,"
        "meets_budget,verdict\n";
    for (std::size_t i = 0; i < report.result.rows.size(); ++i) {
        const SizingRow& row = report.result.rows[i];
        text += fmt::format("{},{},{},{},{},", csv_field(row.cluster.name), csv_field(row.cluster.device.name), row.cluster.nodes,
                            row.cluster.devices(), row.global_batch);
        if (row.best) {
            text += fmt::format("{},{},{},{},{},", to_text(row.best->plan), row.best->estimate.mfu,
                                row.best->estimate.step_time.value, row.duration_s, row.gpu_hours);
        } else {
            text += ",,,,,";
        }
        text += row.best && row.cost ? fmt::format("{},", row.cost->value) : ",";
        text += fmt::format("{},{},{}\n", row.meets_deadline, row.meets_budget, csv_field(verdict(report, i)));
    }
    return text;
}

std::string to_markdown(const SizingReport& report) {
    const search::SizingRequest& request = report.request;
    std::string text = fmt::format("**{}**: {}. {} a step.\n\nAssumes {}.\n\n",
                                   markdown_text(model_line(request.model, request.workload)), markdown_text(wishes_line(report)),
                                   step_line(request.workload), markdown_text(runtime_line(request.runtime, request.workload)));
    text += "| device | nodes | GPUs | plan | MFU (%) | step (s) | days | GPU-hours | cost | verdict |\n";
    text += "| :--- | ---: | ---: | :--- | ---: | ---: | ---: | ---: | ---: | :--- |\n";
    for (const std::size_t i : rows_that_matter(report)) {
        const SizingRow& row = report.result.rows[i];
        text += fmt::format("| {} | {} | {} |", markdown_text(row.cluster.device.name), row.cluster.nodes, row.cluster.devices());
        if (row.best) {
            const Estimate& e = row.best->estimate;
            text +=
                fmt::format(" `{}` | {} | {} | {} | {} | {} |", to_text(row.best->plan), percent(e.mfu), sig3(e.step_time.value),
                            sig3(row.duration_s / 86400), short_count(row.gpu_hours), row.cost ? format_dollars(*row.cost) : "-");
        } else {
            text += " - | - | - | - | - | - |";
        }
        text += fmt::format(" {} |\n", markdown_text(verdict(report, i)));
    }
    if (const std::string needed = needed_text(report); !needed.empty()) text += fmt::format("\n{}.\n", markdown_text(needed));
    for (const std::string& warning : report.warnings) text += fmt::format("\n> {}\n", markdown_text(warning));
    return text;
}

}  // namespace ndtune::reports
