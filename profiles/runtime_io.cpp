#include "profiles/runtime_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiles/json_object.h"

namespace ndtune::profiles {
namespace {

template <class Struct, class Member>
struct Field {
    std::string_view key;
    Member Struct::* member;
};

constexpr std::array kRuntimeNumbers = std::to_array<Field<Runtime, double>>({
    {"host_layer", &Runtime::host_layer},
    {"host_backward", &Runtime::host_backward},
    {"host_tp", &Runtime::host_tp},
    {"host_unfused_softmax", &Runtime::host_unfused_softmax},
    {"host_moe", &Runtime::host_moe},
    {"host_micro_batch", &Runtime::host_micro_batch},
    {"host_step", &Runtime::host_step},
    {"attention_rate", &Runtime::attention_rate},
    {"plain_score_bytes", &Runtime::plain_score_bytes},
    {"elementwise_gated", &Runtime::elementwise_gated},
    {"elementwise_plain", &Runtime::elementwise_plain},
    {"loss_bytes", &Runtime::loss_bytes},
    {"wgrad_accumulate_bytes", &Runtime::wgrad_accumulate_bytes},
    {"grad_accumulate_bytes", &Runtime::grad_accumulate_bytes},
    {"dgrad", &Runtime::dgrad},
    {"wgrad", &Runtime::wgrad},
    {"grouped_gemm", &Runtime::grouped_gemm},
    {"selective_forward", &Runtime::selective_forward},
    {"gather_bytes", &Runtime::gather_bytes},
    {"reduce_bytes", &Runtime::reduce_bytes},
    {"tp_overlap", &Runtime::tp_overlap},
    {"dp_overlap", &Runtime::dp_overlap},
    {"parameter_gather", &Runtime::parameter_gather},
    {"contention", &Runtime::contention},
    {"optimizer_traffic", &Runtime::optimizer_traffic},
    {"grad_buffer_bytes", &Runtime::grad_buffer_bytes},
    {"ddp_bucket_bytes", &Runtime::ddp_bucket_bytes},
    {"loss_peak_bytes", &Runtime::loss_peak_bytes},
    {"loss_peak_bytes_tp", &Runtime::loss_peak_bytes_tp},
    {"wgrad_temporary_bytes", &Runtime::wgrad_temporary_bytes},
    {"final_grad_bytes", &Runtime::final_grad_bytes},
    {"context_gib", &Runtime::context_gib},
    {"base_gib", &Runtime::base_gib},
    {"slack", &Runtime::slack},
});

constexpr std::array kRuntimeFlags = std::to_array<Field<Runtime, bool>>({
    {"causal_work", &Runtime::causal_work},
    {"grad_accumulate_always", &Runtime::grad_accumulate_always},
    {"selective_attention_only", &Runtime::selective_attention_only},
    {"sequence_parallel", &Runtime::sequence_parallel},
    {"loss_parallel", &Runtime::loss_parallel},
    {"parameter_gather_overlaps", &Runtime::parameter_gather_overlaps},
    {"main_weights", &Runtime::main_weights},
    {"embedding_grad_copy", &Runtime::embedding_grad_copy},
    {"allow_ddp_with_tp", &Runtime::allow_ddp_with_tp},
    {"allow_tied_with_tp", &Runtime::allow_tied_with_tp},
    {"allow_cp_with_window", &Runtime::allow_cp_with_window},
    {"allow_cp", &Runtime::allow_cp},
    {"allow_fsdp", &Runtime::allow_fsdp},
    {"allow_selective", &Runtime::allow_selective},
    {"allow_no_sync", &Runtime::allow_no_sync},
    {"sync_last_by_default", &Runtime::sync_last_by_default},
    {"allow_zero1", &Runtime::allow_zero1},
});

constexpr std::array kActivationNumbers = std::to_array<Field<ActivationCoefficients, double>>({
    {"hidden", &ActivationCoefficients::hidden},
    {"hidden_tp", &ActivationCoefficients::hidden_tp},
    {"constant", &ActivationCoefficients::constant},
    {"attention", &ActivationCoefficients::attention},
    {"ffn", &ActivationCoefficients::ffn},
    {"moe_token", &ActivationCoefficients::moe_token},
    {"checkpoint", &ActivationCoefficients::checkpoint},
    {"selective_hidden", &ActivationCoefficients::selective_hidden},
    {"selective_attention", &ActivationCoefficients::selective_attention},
    {"selective_ffn", &ActivationCoefficients::selective_ffn},
    {"gathered_kept", &ActivationCoefficients::gathered_kept},
    {"batch_copy", &ActivationCoefficients::batch_copy},
    {"plain_scores", &ActivationCoefficients::plain_scores},
    {"cp_output", &ActivationCoefficients::cp_output},
    {"gathered_inputs", &ActivationCoefficients::gathered_inputs},
});

void read_attention(JsonObject& row, AttentionKernel& out) {
    constexpr std::array<std::string_view, kAttentionKernels> kNames = {"plain", "flash1", "flash2", "flash3"};
    std::string name;
    row.text("attention", name);
    if (name.empty()) return;
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end())
        return row.fail("attention", fmt::format("'{}' is not an attention kernel", name),
                        "one of plain, flash1, flash2, flash3");
    out = static_cast<AttentionKernel>(found - kNames.begin());
}

void read_row(JsonObject& row, Runtime& out) {
    row.text("name", out.name);
    row.text("title", out.title);
    row.text("source", out.source);
    row.provenance("provenance", out.provenance);
    read_attention(row, out.attention);
    for (const auto& field : kRuntimeNumbers) row.number(field.key, out.*field.member);
    for (const auto& field : kRuntimeFlags) row.flag(field.key, out.*field.member);
    JsonObject activations = row.child("activations");
    for (const auto& field : kActivationNumbers) activations.number(field.key, out.activations.*field.member);
    activations.flag("checkpoint_divided", out.activations.checkpoint_divided);
    activations.finish();
    row.finish();
}

}  // namespace

Result<std::vector<Runtime>> parse_runtimes(std::string_view text, std::string_view where) {
    const auto json = parse_json(text, where);
    if (!json) return tl::unexpected(json.error());
    if (!json->is_object() || !json->contains("runtimes") || !(*json)["runtimes"].is_array())
        return bad_input("the key \"runtimes\" must hold a list", std::string(where));
    std::optional<Error> failure;
    std::vector<Runtime> rows;
    const auto named = [&rows](const std::string& name) {
        return std::find_if(rows.begin(), rows.end(), [&](const Runtime& r) { return r.name == name; });
    };
    for (const auto& value : (*json)["runtimes"]) {
        JsonObject row(value, fmt::format("{}: runtime {}", where, rows.size() + 1), failure);
        Runtime runtime;
        std::string base;
        row.text("extends", base);
        if (!base.empty()) {
            if (named(base) == rows.end())
                row.fail("extends", fmt::format("no earlier runtime is named '{}'", base));
            else
                runtime = *named(base);
        }
        runtime.name.clear();
        read_row(row, runtime);
        if (runtime.name.empty()) row.fail("name", "the name is missing");
        if (named(runtime.name) != rows.end()) row.fail("name", fmt::format("'{}' is given twice", runtime.name));
        if (failure) return tl::unexpected(*failure);
        rows.push_back(std::move(runtime));
    }
    return rows;
}

}  // namespace ndtune::profiles
