#include "reports/json_values.h"

#include <concepts>

#include <nlohmann/json.hpp>

#include "reports/runtime_fields.h"

namespace ndtune::reports {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json to_value(const T& value);

/// Collects the fields of one value into an object.
class FieldWriter {
public:
    template <class T>
    void operator()(const char* key, const T& value, double = 0, double = 0) {
        object_[key] = to_value(value);
    }
    template <class E, class T, std::size_t N>
    void named(const char* key, const std::array<T, N>& values) {
        Json& map = object_[key] = Json::object();
        for (std::size_t i = 0; i < N; ++i) map[std::string(name(static_cast<E>(i)))] = to_value(values[i]);
    }
    Json take() { return std::move(object_); }

private:
    Json object_ = Json::object();
};

template <class Unit, class Rep>
Json scalar(const Quantity<Unit, Rep>& value) {
    return value.value;
}

template <class T>
    requires std::is_arithmetic_v<T> || std::same_as<T, std::string>
Json scalar(const T& value) {
    return value;
}

template <class E>
    requires std::is_enum_v<E>
Json scalar(const E& value) {
    return std::string(name(value));
}

template <class T>
Json scalar(const Graded<T>& value) {
    return Json{{"value", scalar(value.value)}, {"provenance", scalar(value.provenance)}};
}

template <class T>
concept Sequence = !std::same_as<T, std::string> && requires(const T& t) { t.begin(); };

template <class T>
Json to_value(const T& value) {
    if constexpr (Sequence<T>) {
        Json list = Json::array();
        for (const auto& item : value) list.push_back(to_value(item));
        return list;
    } else if constexpr (requires { scalar(value); }) {
        return scalar(value);
    } else {
        FieldWriter writer;
        fields(writer, value);
        return writer.take();
    }
}

Json mesh_value(const Mesh& mesh) {
    return Json{{"dp_replicate", mesh.dp_replicate}, {"dp_shard", mesh.dp_shard}, {"cp", mesh.cp}, {"tp", mesh.tp}};
}

Json memory_value(const Job& job, const MemoryLedger& memory) {
    Json phases = Json::object();
    for (int i = 0; i < kMemoryPhases; ++i) {
        phases[std::string(name(static_cast<MemoryPhase>(i)))] = memory.phase_totals[static_cast<std::size_t>(i)].value;
    }
    Json ledger = Json::array();
    for (int i = 0; i < kLedgerRows; ++i) {
        const auto row = static_cast<LedgerRow>(i);
        ledger.push_back(Json{{"name", name(row)},
                              {"bytes", memory.row(row).value},
                              {"formula", formula(row)},
                              {"provenance", name(provenance(job, row))}});
    }
    return Json{{"peak_bytes", memory.peak.value},
                {"capacity_bytes", memory.capacity.value},
                {"allocated_bytes", memory.allocated().value},
                {"reserved_bytes", memory.reserved().value},
                {"phase", name(memory.phase)},
                {"phase_bytes", std::move(phases)},
                {"ledger", std::move(ledger)}};
}

Json breakdown_value(const Estimate& estimate) {
    Json breakdown = Json::object();
    for (int i = 0; i < kBuckets; ++i) {
        const auto bucket = static_cast<Bucket>(i);
        breakdown[std::string(name(bucket))] = estimate.bucket(bucket).value;
    }
    return breakdown;
}

}  // namespace

Json json_value(const Device& device) {
    return to_value(device);
}

Json json_value(const Cluster& cluster, bool device_in_full) {
    Json value = to_value(cluster);
    if (!device_in_full) value["device"] = cluster.device.name;
    return value;
}

Json json_value(const search::Options& options) {
    return to_value(options);
}

Json json_value(const Workload& workload) {
    return to_value(workload);
}

Json json_value(const Runtime& runtime) {
    return to_value(runtime);
}

Json json_inputs(const Model& model) {
    return to_value(model);
}

Json json_value(const search::Violation& violation) {
    return Json{{"rule", name(violation.rule)}, {"message", violation.message}, {"hint", violation.hint}};
}

Json json_value(const Job& job, const search::RankedPlan& ranked) {
    const Plan& plan = ranked.plan;
    const Estimate& estimate = ranked.estimate;
    return Json{{"plan", to_text(plan)},
                {"mesh", mesh_value(plan.mesh)},
                {"micro_batch", plan.micro_batch},
                {"grad_accum", plan.grad_accum},
                {"recompute", name(plan.recompute)},
                {"recompute_layers", plan.recompute_layers},
                {"reshard_after_forward", plan.reshard_after_forward},
                {"sync_every_micro_batch", plan.sync_every_micro_batch},
                {"shard_optimizer", plan.shard_optimizer},
                {"cp_method", name(plan.cp_method)},
                {"step_time_s", estimate.step_time.value},
                {"tokens_per_s_per_gpu", estimate.tokens_per_s_per_gpu},
                {"mfu", estimate.mfu},
                {"memory", memory_value(job, estimate.memory)},
                {"breakdown", breakdown_value(estimate)},
                {"provenance", name(estimate.provenance)}};
}

Json json_facts(const Model& model, std::int64_t seq) {
    const ParameterCount count = parameters(model);
    return Json{{"name", model.name},
                {"params", count.total},
                {"active_params", count.active},
                {"embedding_params", count.embedding},
                {"head_params", count.head},
                {"flops_per_token", flops_per_token(model, seq)}};
}

Json json_head(const char* schema) {
    return Json{{"schema", schema}, {"schema_version", kSchemaVersion}, {"ndtune_version", NDTUNE_VERSION}};
}

std::string dump(const Json& report) {
    return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ndtune::reports
