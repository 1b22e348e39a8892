#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/published/csv.h"

namespace ndtune::published {

using Cells = std::map<std::string, std::string>;

/// The columns of a table of published runs.
inline const std::vector<std::string>& columns() {
    static const std::vector<std::string> names = {"id",
                                                   "date_or_release",
                                                   "framework",
                                                   "model",
                                                   "n_params",
                                                   "n_layers",
                                                   "hidden",
                                                   "n_heads",
                                                   "n_kv_heads",
                                                   "ffn_hidden",
                                                   "vocab",
                                                   "seq_len",
                                                   "gpu",
                                                   "n_gpus",
                                                   "gpus_per_node",
                                                   "interconnect_inter",
                                                   "dp_replicate",
                                                   "dp_shard",
                                                   "cp",
                                                   "tp",
                                                   "pp",
                                                   "ep",
                                                   "sp",
                                                   "zero_stage_or_fsdp",
                                                   "micro_batch",
                                                   "global_batch",
                                                   "grad_accum",
                                                   "precision",
                                                   "activation_ckpt",
                                                   "compile",
                                                   "step_time_s",
                                                   "tflops_per_gpu",
                                                   "mfu",
                                                   "peak_mem_gib",
                                                   "notes"};
    return names;
}

/// Llama 3.1 8B in torchtitan on 8 GPUs, with `changes` to single cells.
inline Cells titan_row(const Cells& changes = {}) {
    Cells row = {{"id", "titan-0001"},
                 {"framework", "torchtitan"},
                 {"model", "Llama-3.1-8B"},
                 {"n_params", "8030261248"},
                 {"n_layers", "32"},
                 {"hidden", "4096"},
                 {"n_heads", "32"},
                 {"n_kv_heads", "8"},
                 {"ffn_hidden", "14336"},
                 {"vocab", "128256"},
                 {"seq_len", "8192"},
                 {"gpu", "H100-96GB HBM2e 500W"},
                 {"n_gpus", "8"},
                 {"gpus_per_node", "8"},
                 {"dp_replicate", "1"},
                 {"dp_shard", "8"},
                 {"cp", "1"},
                 {"tp", "1"},
                 {"pp", "1"},
                 {"ep", "1"},
                 {"sp", "0"},
                 {"zero_stage_or_fsdp", "FSDP2 (zero3)"},
                 {"micro_batch", "2"},
                 {"global_batch", "16"},
                 {"grad_accum", "1"},
                 {"precision", "bf16"},
                 {"activation_ckpt", "selective"},
                 {"compile", "0"},
                 {"step_time_s", "2.8435"},
                 {"peak_mem_gib", "82.4"}};
    for (const auto& [column, cell] : changes) row[column] = cell;
    return row;
}

/// A table of such rows.
inline std::string table(const std::vector<Cells>& rows) {
    std::string text;
    for (const std::string& column : columns()) text += (text.empty() ? "" : ",") + column;
    text += '\n';
    for (const Cells& row : rows) {
        std::string line;
        for (const std::string& column : columns()) {
            const auto cell = row.find(column);
            line += csv_cell(cell == row.end() ? std::string_view() : std::string_view(cell->second)) + ',';
        }
        line.back() = '\n';
        text += line;
    }
    return text;
}

}  // namespace ndtune::published
