#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/result.h"

namespace ndtune::published {

/// One measured training run, as its row states it. Sizes: 0 = not stated. Texts: empty = not stated.
struct Run {
    std::size_t line = 0;
    std::string id;  ///< "mosaic-0002": source, dash, number
    std::string framework;
    std::string model;
    std::string gpu;
    std::string network;     ///< column interconnect_inter
    std::string sharding;    ///< column zero_stage_or_fsdp
    std::string precision;   ///< of the linear layers
    std::string recompute;   ///< column activation_ckpt
    std::string compile;     ///< "1", "0" or empty
    std::string seq_shards;  ///< column sp: Megatron sequence parallelism, "1", "0" or empty
    std::string notes;

    double params = 0;
    std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, ffn = 0, vocab = 0, seq_len = 0;
    std::int64_t gpus = 0, gpus_per_node = 0;
    std::int64_t dp_replicate = 0, dp_shard = 0, cp = 0, tp = 0, pp = 0, ep = 0;
    std::int64_t micro_batch = 0, global_batch = 0, grad_accum = 0;

    std::optional<double> step_time_s, tflops_per_gpu, mfu, memory_gib;  ///< measured

    std::string unreadable;  ///< a size that is free text ("~4096"): column and cell; such a row cannot be predicted

    /// The part of the id before its last dash.
    [[nodiscard]] std::string_view source() const;
    bool operator==(const Run&) const = default;
};

constexpr std::size_t kMaxRunTableBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxRuns = 500'000;

/// Reads a table with the columns of Run (their names: run_table.cpp); columns of other names are ignored, those of measured
/// values may be absent. `where` names it in errors.
/// Errors (file:line): no header, a missing or repeated column, a row of another length, an empty or repeated id, a negative,
/// infinite or not-a-number value, a size beyond reason, text that is not UTF-8, more than 256 MiB or 500,000 rows.
Result<std::vector<Run>> parse_run_table(std::string_view text, std::string_view where);

}  // namespace ndtune::published
