#include <string>
#include <string_view>

#include <fmt/format.h>

#include "reports/enum_names.h"
#include "reports/report.h"

namespace ndtune::reports {

std::string to_csv(const Report& report) {
    std::string text =
        "rank,plan,dp_replicate,dp_shard,cp,tp,micro_batch,grad_accum,recompute,recompute_layers,step_time_s,"
        "tokens_per_s_per_gpu,mfu,peak_bytes,capacity_bytes";
    for (int i = 0; i < kBuckets; ++i) text += fmt::format(",{}_s", name(static_cast<Bucket>(i)));
    for (int i = 0; i < kLedgerRows; ++i) text += fmt::format(",{}_bytes", name(static_cast<LedgerRow>(i)));
    text += ",provenance\n";
    int rank = 0;
    for (const search::RankedPlan& ranked : report.result.plans) {
        const Plan& p = ranked.plan;
        const Estimate& e = ranked.estimate;
        // No field holds a comma or a quote: plan texts and enumerators are made of letters, digits, '/', '.', '=' and ':'.
        text +=
            fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", ++rank, to_text(p), p.mesh.dp_replicate, p.mesh.dp_shard,
                        p.mesh.cp, p.mesh.tp, p.micro_batch, p.grad_accum, name(p.recompute), p.recompute_layers,
                        e.step_time.value, e.tokens_per_s_per_gpu, e.mfu, e.memory.peak.value, e.memory.capacity.value);
        for (const Seconds part : e.breakdown) text += fmt::format(",{}", part.value);
        for (const Bytes row : e.memory.rows) text += fmt::format(",{}", row.value);
        text += fmt::format(",{}\n", name(e.provenance));
    }
    return text;
}

}  // namespace ndtune::reports
