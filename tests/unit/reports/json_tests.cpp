#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "field_count.h"
#include "reports/runtime_fields.h"
#include "toy.h"

namespace ndtune::reports {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

Error error_of(const std::string& text) {
    const Result<Report> report = parse_report(text, "toy.json");
    EXPECT_FALSE(report.has_value());
    return report ? Error{} : report.error();
}

/// The toy report with the value at `pointer` replaced.
std::string edited(const char* pointer, const Json& value) {
    Json json = Json::parse(to_json(toy::report()));
    json[Json::json_pointer(pointer)] = value;
    return json.dump();
}

std::string without(const char* parent, const char* key) {
    Json json = Json::parse(to_json(toy::report()));
    json[Json::json_pointer(parent)].erase(key);
    return json.dump();
}

template <class T>
std::size_t listed_fields() {
    T value;
    FieldCounter counter;
    fields(counter, value);
    return counter.count;
}

// A member added to an input and forgotten in the report would make reports that do not repeat.
TEST(report_fields, name_every_member) {
    EXPECT_EQ(listed_fields<Attention>(), field_count<Attention>());
    EXPECT_EQ(listed_fields<LayerType>(), field_count<LayerType>());
    EXPECT_EQ(listed_fields<Model>(), field_count<Model>());
    EXPECT_EQ(listed_fields<GemmCurve>(), field_count<GemmCurve>());
    EXPECT_EQ(listed_fields<AttentionCurve>(), field_count<AttentionCurve>());
    EXPECT_EQ(listed_fields<CollectiveCurve>(), field_count<CollectiveCurve>());
    EXPECT_EQ(listed_fields<Device>(), field_count<Device>());
    EXPECT_EQ(listed_fields<Tier>(), field_count<Tier>());
    EXPECT_EQ(listed_fields<Cluster>(), field_count<Cluster>());
    EXPECT_EQ(listed_fields<Workload>(), field_count<Workload>());
    EXPECT_EQ(listed_fields<ActivationCoefficients>(), field_count<ActivationCoefficients>());
    EXPECT_EQ(listed_fields<Runtime>(), field_count<Runtime>());
    EXPECT_EQ(listed_fields<search::AxisLimit>(), field_count<search::AxisLimit>());
    EXPECT_EQ(listed_fields<search::Options>(), field_count<search::Options>() - 1) << "all but threads";
}

TEST(report_json, reads_back_equal_and_writes_the_same_bytes) {
    for (const Report& report : {toy::report(), toy::empty_report()}) {
        const std::string text = to_json(report);
        const Result<Report> again = parse_report(text, "toy.json");
        ASSERT_TRUE(again.has_value()) << again.error().message;
        EXPECT_TRUE(*again == report);
        EXPECT_EQ(to_json(*again), text);
    }
}

TEST(report_json, does_not_depend_on_the_number_of_threads) {
    Report report = toy::report();
    const std::string text = to_json(report);
    report.options.threads = 7;
    EXPECT_EQ(to_json(report), text);
}

TEST(report_json, has_the_fields_of_the_contract) {
    const Json json = Json::parse(to_json(toy::report()));
    EXPECT_EQ(json["schema"], "ndtune.search");
    EXPECT_EQ(json["schema_version"], 1);
    EXPECT_EQ(json["model"]["params"], parameters(toy::model()).total);
    EXPECT_EQ(json["space"]["visited"], 1148);
    EXPECT_EQ(json["space"]["feasible"].get<int>() + json["space"]["rejected"].get<int>(), 1148);
    const Json& plan = json["plans"][0];
    EXPECT_EQ(plan["plan"], "r2.s4/mb2.ga4");
    EXPECT_EQ(plan["mesh"], Json::parse(R"({"dp_replicate": 2, "dp_shard": 4, "cp": 1, "tp": 1})"));
    EXPECT_EQ(plan["micro_batch"], 2);
    EXPECT_EQ(plan["grad_accum"], 4);
    for (const char* key : {"step_time_s", "tokens_per_s_per_gpu", "mfu", "provenance"}) EXPECT_TRUE(plan.contains(key)) << key;
    for (const char* key : {"peak_bytes", "capacity_bytes"}) EXPECT_TRUE(plan["memory"].contains(key)) << key;
    for (const char* key : {"name", "bytes", "formula", "provenance"}) {
        EXPECT_TRUE(plan["memory"]["ledger"][0].contains(key)) << key;
    }
    EXPECT_EQ(json["near_misses"][1]["remedy"], nullptr);
    EXPECT_EQ(json["near_misses"][0]["change"], "ac=full");
}

// As printed: whoever adds up the text's own numbers in their order gets exactly the sum that is printed.
TEST(report_json, breakdown_and_ledger_sum_exactly) {
    const Json json = Json::parse(to_json(toy::report()));
    for (const Json& plan : json["plans"]) {
        double seconds = 0;
        for (const auto& part : plan["breakdown"]) seconds += part.get<double>();
        EXPECT_EQ(seconds, plan["step_time_s"].get<double>());
        std::int64_t bytes = 0;
        for (const Json& row : plan["memory"]["ledger"]) bytes += row["bytes"].get<std::int64_t>();
        EXPECT_EQ(bytes, plan["memory"]["peak_bytes"].get<std::int64_t>());
    }
}

TEST(report_json, survives_bytes_that_are_no_utf8) {
    Report report = toy::report();
    report.job.cluster.name = "\xff\xfe";
    EXPECT_TRUE(parse_report(to_json(report), "toy.json").has_value());
}

TEST(report_reader, skips_fields_of_a_later_minor_version) {
    EXPECT_TRUE(parse_report(edited("/plans/0/energy_j", 5.0), "toy.json").has_value());
}

TEST(report_reader, refuses_what_is_not_json) {
    for (const char* text : {"", "{", "nonsense", "{\"schema\": NaN}", "[1,2", "\xff"}) {
        const Error error = error_of(text);
        EXPECT_THAT(error.message, HasSubstr("not JSON")) << text;
        EXPECT_THAT(error.where, HasSubstr("toy.json: line 1")) << text;
    }
    EXPECT_THAT(error_of("{\n  \"schema\": ?}").where, HasSubstr("line 2"));
    EXPECT_THAT(error_of("{\"schema\": 1e999}").message, HasSubstr("out of range"));
}

TEST(report_reader, refuses_deep_nesting_and_giant_files) {
    EXPECT_THAT(error_of(std::string(1000000, '[')).message, HasSubstr("1000000 levels deep"));
    EXPECT_THAT(error_of(std::string((std::size_t{64} << 20) + 1, ' ')).message, HasSubstr("more than 64 MiB"));
}

TEST(report_reader, refuses_other_schemas_and_later_versions) {
    EXPECT_THAT(error_of("[]").message, HasSubstr("must be an object"));
    EXPECT_THAT(error_of("{}").message, HasSubstr("the field schema is missing"));
    EXPECT_THAT(error_of(edited("/schema", "ndtune.sizing")).message, HasSubstr("ndtune.sizing"));
    EXPECT_THAT(error_of(edited("/schema_version", 2)).message, HasSubstr("reads up to 1"));
}

struct Edit {
    const char* pointer;
    Json value;
    const char* message;
};

class report_reader_edit : public testing::TestWithParam<Edit> {};

TEST_P(report_reader_edit, is_refused_with_its_path) {
    const Error error = error_of(edited(GetParam().pointer, GetParam().value));
    EXPECT_THAT(error.message, HasSubstr(GetParam().message));
    EXPECT_EQ(error.where, "toy.json");
    EXPECT_FALSE(error.hint.empty());
}

INSTANTIATE_TEST_SUITE_P(
    bad_values, report_reader_edit,
    testing::Values(Edit{"/inputs/model/hidden", -1, "inputs.model.hidden must be a whole number from 1"},
                    Edit{"/inputs/model/hidden", 9999999999, "inputs.model.hidden must be a whole number from 1"},
                    Edit{"/inputs/model/hidden", 1.5, "inputs.model.hidden must be a whole number"},
                    Edit{"/inputs/model/hidden", "1024", "inputs.model.hidden must be a whole number"},
                    Edit{"/inputs/model/tied_embeddings", 1, "inputs.model.tied_embeddings must be true or false"},
                    Edit{"/inputs/model/name", 1, "inputs.model.name must be a text"},
                    Edit{"/inputs/model/layers", Json::array(), "inputs.model.layers must hold 1 to 4 items"},
                    Edit{"/inputs/model/layers/0/count", 0, "inputs.model.layers[0].count must be a whole number from 1"},
                    Edit{"/inputs/model/attention/kv_heads", 3, "3 kv heads do not divide 16 heads"},
                    Edit{"/inputs/cluster/nodes", 0, "inputs.cluster.nodes must be a whole number from 1 to 1048576"},
                    Edit{"/inputs/cluster/nodes", 1000000, "more than 1,048,576"},
                    Edit{"/inputs/cluster/order", {"tp", "tp", "cp", "dp_shard"}, "each axis once"},
                    Edit{"/inputs/cluster/order/0", "pp",
                         "inputs.cluster.order[0] must be one of dp_replicate, dp_shard, cp, tp"},
                    Edit{"/inputs/cluster/tiers/0/bandwidth_bytes_per_s", 0, "inputs.cluster.tiers[0].bandwidth_bytes_per_s"},
                    Edit{"/inputs/cluster/device/memory_bytes/value", 1e40, "inputs.cluster.device.memory_bytes.value"},
                    Edit{"/inputs/cluster/device/gemm/bf16", 5, "inputs.cluster.device.gemm.bf16 must be an object"},
                    Edit{"/inputs/runtime/slack", nullptr, "inputs.runtime.slack must be a number"},
                    Edit{"/inputs/options/limits", 5, "inputs.options.limits must be a list"},
                    Edit{"/inputs/workload/global_batch", -8, "inputs.workload.global_batch"},
                    Edit{"/space/visited", -1, "space.visited"}, Edit{"/plans/1/plan", "s8/mb0", "plans[1].plan"},
                    Edit{"/plans/1/mesh/tp", 2, "plans[1].plan \"s8/mb1.ga8/ac=sel\" does not agree"},
                    Edit{"/plans/0/step_time_s", 1.0, "plans[0].breakdown sums to"},
                    Edit{"/plans/0/memory/ledger/0/bytes", 1, "plans[0].memory.ledger sums to"},
                    Edit{"/plans/0/memory/ledger/0/name", "logits", "plans[0].memory.ledger[0].name must be parameters"},
                    Edit{"/plans/0/memory/ledger", Json::array(), "plans[0].memory.ledger must hold 11"},
                    Edit{"/near_misses/0/remedy", 3, "near_misses[0].remedy must be an object"},
                    Edit{"/baseline/reason", "no", "baseline.reason must be an object"},
                    Edit{"/warnings/0", 1, "warnings[0] must be a text"}));

TEST(report_reader, names_the_missing_field) {
    EXPECT_THAT(error_of(without("/inputs/runtime", "slack")).message, HasSubstr("the field inputs.runtime.slack is missing"));
    EXPECT_THAT(error_of(without("/plans/0/breakdown", "host")).message,
                HasSubstr("the field plans[0].breakdown.host is missing"));
    EXPECT_THAT(error_of(without("/plans/0/memory/ledger/3", "bytes")).message,
                HasSubstr("the field plans[0].memory.ledger[3].bytes is missing"));
}

// Every input counts: none may be left out, and another value reads as another report.
TEST(report_reader, reads_every_input) {
    const Report original = toy::report();
    const Json json = Json::parse(to_json(original));
    const Json flat = Json{{"inputs", json["inputs"]}}.flatten();
    ASSERT_GT(flat.size(), 200U);
    for (const auto& [pointer, value] : flat.items()) {
        const Json::json_pointer at(pointer);
        if (json[at.parent_pointer()].is_object()) {
            Json shorter = json;
            shorter[at.parent_pointer()].erase(at.back());
            EXPECT_FALSE(parse_report(shorter.dump(), "toy.json").has_value()) << pointer;
        }
        if (!value.is_number() || value.get<double>() == 0) continue;
        Json changed = json;
        changed[at] = value.is_number_integer() ? Json(2 * value.get<std::int64_t>()) : Json(1.5 * value.get<double>());
        const Result<Report> report = parse_report(changed.dump(), "toy.json");
        EXPECT_FALSE(report.has_value() && *report == original) << pointer;
    }
}

TEST(report_reader, refuses_a_model_beyond_reason) {
    Json json = Json::parse(to_json(toy::report()));
    json["inputs"]["model"]["hidden"] = 1 << 24;
    json["inputs"]["model"]["layers"][0]["ffn"] = 1 << 24;
    json["inputs"]["model"]["layers"][0]["count"] = 1 << 16;
    EXPECT_THAT(error_of(json.dump()).message, HasSubstr("parameters, more than 1e15"));
}

}  // namespace
}  // namespace ndtune::reports
