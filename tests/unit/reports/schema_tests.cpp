#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fstream>

// valijson 1.0 leaves parameters unused; it is a system header, but its templates are instantiated here.
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "toy.h"

namespace ndtune::reports {
namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

json read_schema(const std::string& name) {
    std::ifstream file(std::string(NDTUNE_SOURCE_DIR) + "/reports/schema/" + name + ".v1.json");
    return json::parse(file);
}

/// Empty if `text` obeys the schema, else the first thing it breaks.
std::string broken_rule(const std::string& schema_name, const json& document) {
    const json schema_text = read_schema(schema_name);
    valijson::Schema schema;
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(NlohmannJsonAdapter(schema_text), schema);
    valijson::ValidationResults results;
    valijson::Validator validator;
    if (validator.validate(schema, NlohmannJsonAdapter(document), &results)) return "";
    valijson::ValidationResults::Error error;
    std::string text = "invalid";
    while (results.popError(error)) {
        text = error.description;
        for (const std::string& step : error.context) text += " " + step;
    }
    return text;
}

TEST(schema, search_reports_obey_it) {
    EXPECT_EQ(broken_rule("ndtune.search", json::parse(to_json(toy::report()))), "");
    EXPECT_EQ(broken_rule("ndtune.search", json::parse(to_json(toy::empty_report()))), "");
}

TEST(schema, a_real_search_obeys_it) {
    const Result<Report> report = make_report(toy::job(), {});
    ASSERT_TRUE(report.has_value());
    ASSERT_FALSE(report->result.plans.empty());
    EXPECT_EQ(broken_rule("ndtune.search", json::parse(to_json(*report))), "");
}

TEST(schema, sizing_reports_obey_it) {
    EXPECT_EQ(broken_rule("ndtune.sizing", json::parse(to_json(toy::sizing()))), "");
}

// The schema is tight: each of these breaks it.
TEST(schema, refuses_what_is_not_a_report) {
    const json good = json::parse(to_json(toy::report()));
    const auto broken = [&](const char* pointer, const json& value) {
        json edited = good;
        edited[json::json_pointer(pointer)] = value;
        return broken_rule("ndtune.search", edited);
    };
    EXPECT_NE(broken("/schema", "ndtune.sizing"), "");
    EXPECT_NE(broken("/schema_version", 2), "");
    EXPECT_NE(broken("/plans/0/step_time_s", "1"), "");
    EXPECT_NE(broken("/plans/0/mesh/tp", 0), "");
    EXPECT_NE(broken("/plans/0/provenance", "guessed"), "");
    EXPECT_NE(broken("/plans/0/memory/ledger/0/name", "rest"), "");
    EXPECT_NE(broken("/near_misses/0/over_bytes", -1), "");
    EXPECT_NE(broken("/inputs/cluster/tiers", json::array()), "");
    json incomplete = good;
    incomplete["plans"][0].erase("breakdown");
    EXPECT_NE(broken_rule("ndtune.search", incomplete), "");
}

// A trait that is written but not described would be undocumented.
TEST(schema, describes_every_trait_of_a_runtime) {
    const json report = json::parse(to_json(toy::report()));
    for (const char* name : {"ndtune.search", "ndtune.sizing"}) {
        const json schema = read_schema(name);
        for (const char* part : {"runtime", "model", "workload", "options", "device"}) {
            const json& value = std::string(part) == "device" ? report["inputs"]["cluster"]["device"] : report["inputs"][part];
            const json& described = schema["definitions"][part]["properties"];
            for (const auto& [key, unused] : value.items())
                EXPECT_TRUE(described.contains(key)) << name << " " << part << " " << key;
            EXPECT_EQ(described.size(), value.size()) << name << " " << part;
        }
        const json& activations = schema["definitions"]["runtime"]["properties"]["activations"]["properties"];
        EXPECT_EQ(activations.size(), report["inputs"]["runtime"]["activations"].size());
    }
}

}  // namespace
}  // namespace ndtune::reports
