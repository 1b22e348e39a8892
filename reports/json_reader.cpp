#include <algorithm>
#include <exception>

#include "reports/json_node.h"
#include "reports/report.h"

namespace ndtune::reports {

namespace {

constexpr std::size_t kMaxReportBytes = std::size_t{64} << 20;
constexpr int kMaxDepth = 64;  ///< a report has 9 levels

/// Deepest nesting of brackets outside of strings.
int nesting(std::string_view text) {
    int depth = 0;
    int deepest = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
            continue;
        }
        if (c == '"') in_string = true;
        if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
        if (c == ']' || c == '}') --depth;
    }
    return deepest;
}

/// "line 3, column 14" of a byte offset.
std::string position(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    return fmt::format("line {}, column {}", line, start == std::string_view::npos ? before.size() : before.size() - start - 1);
}

Result<InputJson> parse_text(std::string_view text, std::string_view where) {
    const std::string hint = "pass a file written by 'ndtune search ... --json'";
    if (text.size() > kMaxReportBytes) {
        return bad_input(fmt::format("the report has {} bytes, more than 64 MiB", text.size()), std::string(where), hint);
    }
    if (const int depth = nesting(text); depth > kMaxDepth) {
        return bad_input(fmt::format("the report is nested {} levels deep, more than {}", depth, kMaxDepth), std::string(where),
                         hint);
    }
    try {
        return InputJson::parse(text);
    } catch (const InputJson::parse_error& error) {
        return bad_input("the report is not JSON", fmt::format("{}: {}", where, position(text, error.byte)), hint);
    } catch (const std::exception&) {
        return bad_input("the report is not JSON: a number is out of range", std::string(where), hint);
    }
}

void check_head(const Node& root) {
    std::string schema;
    int version = 0;
    read(root["schema"], schema);
    if (root.json() != nullptr && schema != "ndtune.search") {
        root.fail(fmt::format("schema must be \"ndtune.search\", found {}", root["schema"].found()));
    }
    read(root["schema_version"], version, 1, 1e6);
    if (root.json() != nullptr && version > kSchemaVersion) {
        root.fail(fmt::format("schema_version is {}, this program reads up to {}: take a newer ndtune", version, kSchemaVersion));
    }
}

/// Sizes that divide and multiply without overflow, as the model reader would have it.
void check_model(const Node& node, const Model& model) {
    if (node.json() == nullptr) return;
    const Attention& a = model.attention;
    if (a.heads % a.kv_heads != 0) {
        return node.fail(fmt::format("inputs.model: {} kv heads do not divide {} heads", a.kv_heads, a.heads));
    }
    double params = 2.0 * static_cast<double>(model.hidden) * static_cast<double>(model.vocab + model.positions);
    for (const LayerType& layer : model.layers) {
        if (layer.experts_per_token > layer.experts || (layer.moe() && layer.experts_per_token == 0)) {
            return node.fail(
                fmt::format("inputs.model.layers: {} of {} experts per token", layer.experts_per_token, layer.experts));
        }
        const double width = 4.0 * a.heads * (a.head_dim + a.value_dim) + a.q_rank + a.kv_rank +
                             3.0 * static_cast<double>(layer.ffn + layer.shared_ffn) +
                             3.0 * layer.experts * static_cast<double>(layer.expert_ffn + 1);
        params += layer.count * width * static_cast<double>(model.hidden + a.q_rank + a.kv_rank);
    }
    if (params > 1e15) node.fail(fmt::format("inputs.model has about {:.1e} parameters, more than 1e15", params));
}

void check_cluster(const Node& node, const Cluster& cluster) {
    if (node.json() == nullptr) return;
    if (static_cast<double>(cluster.devices()) > kMaxDevices) {
        return node.fail(fmt::format("inputs.cluster: {} nodes x {} devices are more than 1,048,576", cluster.nodes,
                                     cluster.devices_per_node));
    }
    for (std::size_t i = 1; i < cluster.order.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (cluster.order[i] == cluster.order[j]) return node.fail("inputs.cluster.order must name each axis once");
        }
    }
}

void read_inputs(const Node& inputs, Report& report) {
    read(inputs["model"], report.job.model);
    check_model(inputs, report.job.model);
    read(inputs["workload"], report.job.workload);
    read(inputs["options"], report.options);
    read(inputs["cluster"], report.job.cluster);
    check_cluster(inputs, report.job.cluster);
    read(inputs["runtime"], report.job.runtime);
}

void read_plan_text(const Node& node, Plan& plan) {
    std::string text;
    read(node["plan"], text);
    if (node.json() == nullptr) return;
    const Result<Plan> parsed = parse_plan(text);
    if (!parsed) return node.fail(fmt::format("{}.plan: {}", node.path(), parsed.error().message));
    plan = *parsed;
    Mesh mesh;
    const Node sizes = node["mesh"];
    read(sizes["dp_replicate"], mesh.dp_replicate);
    read(sizes["dp_shard"], mesh.dp_shard);
    read(sizes["cp"], mesh.cp);
    read(sizes["tp"], mesh.tp);
    int micro_batch = 0;
    int grad_accum = 0;
    read(node["micro_batch"], micro_batch);
    read(node["grad_accum"], grad_accum);
    if (node.json() == nullptr) return;
    if (mesh != plan.mesh || micro_batch != plan.micro_batch || grad_accum != plan.grad_accum) {
        node.fail(
            fmt::format("{}.plan \"{}\" does not agree with the mesh, micro_batch and grad_accum beside it", node.path(), text));
    }
}

void read_ledger(const Node& node, MemoryLedger& memory) {
    const std::size_t size = node.size(kLedgerRows, kLedgerRows);
    Bytes sum;
    for (std::size_t i = 0; i < size; ++i) {
        const Node row = node.at(i);
        LedgerRow which{};
        read(row["name"], which);
        if (node.json() == nullptr) return;
        if (static_cast<std::size_t>(which) != i) {
            return node.fail(fmt::format("{}.name must be {}", row.path(), name(static_cast<LedgerRow>(i))));
        }
        read(row["bytes"], memory.rows[i], 0, kMaxRow);
        sum += memory.rows[i];
    }
    if (node.json() != nullptr && sum != memory.peak) {
        node.fail(fmt::format("{} sums to {} bytes, peak_bytes says {}", node.path(), sum.value, memory.peak.value));
    }
}

void read_memory(const Node& node, MemoryLedger& memory) {
    read(node["peak_bytes"], memory.peak);
    read(node["capacity_bytes"], memory.capacity);
    read(node["phase"], memory.phase);
    FieldReader(node).named<MemoryPhase>("phase_bytes", memory.phase_totals);
    read_ledger(node["ledger"], memory);
}

void read_ranked(const Node& node, search::RankedPlan& ranked) {
    read_plan_text(node, ranked.plan);
    Estimate& estimate = ranked.estimate;
    read(node["step_time_s"], estimate.step_time);
    FieldReader(node).named<Bucket>("breakdown", estimate.breakdown);
    double sum = 0;
    for (const Seconds part : estimate.breakdown) sum += part.value;
    // A reader in another language may have summed in another order: 1e-9 is far above rounding, far below any figure shown.
    if (node.json() != nullptr && std::abs(sum - estimate.step_time.value) > 1e-9 * sum) {
        node.fail(fmt::format("{}.breakdown sums to {} s, step_time_s says {}", node.path(), sum, estimate.step_time.value));
    }
    read_memory(node["memory"], estimate.memory);
    read(node["tokens_per_s_per_gpu"], estimate.tokens_per_s_per_gpu);
    read(node["mfu"], estimate.mfu);
    read(node["provenance"], estimate.provenance);
}

std::optional<search::RankedPlan> read_optional_plan(const Node& node) {
    if (node.json() == nullptr || node.is_null()) return std::nullopt;
    search::RankedPlan ranked;
    read_ranked(node, ranked);
    return ranked;
}

void read_plans(const Node& node, std::vector<search::RankedPlan>& plans) {
    const std::size_t size = node.size(0, 1e6);
    plans.resize(size);
    for (std::size_t i = 0; i < size && node.json() != nullptr; ++i) read_ranked(node.at(i), plans[i]);
}

void read_near_misses(const Node& node, std::vector<search::NearMiss>& misses) {
    const std::size_t size = node.size(0, 1e6);
    misses.resize(size);
    for (std::size_t i = 0; i < size && node.json() != nullptr; ++i) {
        const Node item = node.at(i);
        read_ranked(item, misses[i].plan);
        read(item["over_bytes"], misses[i].over);
        read(item["change"], misses[i].change);
        misses[i].remedy = read_optional_plan(item["remedy"]);
    }
}

void read_space(const Node& node, search::Space& space) {
    read(node["size"], space.size);
    read(node["visited"], space.visited);
    read(node["feasible"], space.feasible);
    read(node["rejected"], space.rejected);
    read(node["estimated"], space.estimated);
    FieldReader(node).named<search::Rule>("rejected_by", space.rejected_by);
}

void read_baseline(const Node& node, std::optional<Baseline>& baseline) {
    if (node.json() == nullptr || node.is_null()) return;
    baseline.emplace();
    baseline->best = read_optional_plan(node["best"]);
    const Node reason = node["reason"];
    if (reason.json() == nullptr || reason.is_null()) return;
    search::Violation& violation = baseline->reason.emplace();
    read(reason["rule"], violation.rule);
    read(reason["message"], violation.message);
    read(reason["hint"], violation.hint);
}

}  // namespace

Result<Report> parse_report(std::string_view text, std::string_view where) {
    const Result<InputJson> json = parse_text(text, where);
    if (!json) return tl::unexpected(json.error());
    std::optional<Error> error;
    const Node root(*json, error, where);
    Report report;
    check_head(root);
    read_inputs(root["inputs"], report);
    read_space(root["space"], report.result.space);
    read_plans(root["plans"], report.result.plans);
    read_plans(root["pareto"], report.result.pareto);
    read_near_misses(root["near_misses"], report.result.near_misses);
    read_baseline(root["baseline"], report.baseline);
    read(root["warnings"], report.warnings, 0, 1e4);
    if (error) return tl::unexpected(std::move(*error));
    return report;
}

}  // namespace ndtune::reports
