#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/provenance.h"
#include "cost_model/result.h"

namespace ndtune::profiles {

/// A value of a TOML or YAML file, whichever it was. Scalars are kept as text; units decide what they mean.
struct ConfigNode {
    enum class Kind : std::uint8_t { scalar, list, table };

    Kind kind = Kind::scalar;
    std::string text;               ///< of a scalar
    std::vector<std::string> keys;  ///< of a table, in file order; parallel to items
    std::vector<ConfigNode> items;
    int line = 0;  ///< where it begins, 1 = first; 0 = unknown

    [[nodiscard]] const ConfigNode* find(std::string_view key) const;
    bool operator==(const ConfigNode&) const = default;
};

/// Parse a file into a table. Both refuse text that is not UTF-8, brackets nested more than 16 deep and repeated keys; YAML
/// also anchors, aliases, tags and second documents. Errors name `where` and the line.
Result<ConfigNode> parse_toml(std::string_view text, std::string_view where);
Result<ConfigNode> parse_yaml(std::string_view text, std::string_view where);

constexpr int kDeepestConfig = 16;

/// The checks common to both, before a parser sees the text: UTF-8, size, nesting, endless dotted keys.
Result<void> check_config_text(std::string_view text, std::string_view where);

/// Reads one table. The first failure is kept in `failure` and makes every later call do nothing. Absent keys leave the target
/// as it is.
class ConfigTable {
public:
    ConfigTable(const ConfigNode& table, std::string where, std::string name, std::optional<Error>& failure);

    [[nodiscard]] bool has(std::string_view key) const { return node_->find(key) != nullptr; }
    [[nodiscard]] bool is_table(std::string_view key) const;
    void text(std::string_view key, std::string& out);
    /// A whole number from 1 to 1,048,576.
    void count(std::string_view key, int& out);
    /// A number from `low` to `high`.
    void number(std::string_view key, double& out, double low, double high);
    void provenance(std::string_view key, Provenance& out);
    template <class T>
    void quantity(std::string_view key, Result<T> (*parse)(std::string_view), T& out);
    /// The tables of a list ([[tier]]); a single table counts as a list of one.
    std::vector<ConfigTable> tables(std::string_view key);
    std::optional<ConfigTable> table(std::string_view key);
    std::vector<std::string> texts(std::string_view key);
    /// Refuses keys that nothing has asked for.
    void finish();
    void fail(std::string_view key, std::string message, std::string hint = {});
    [[nodiscard]] bool failed() const { return failure_->has_value(); }

private:
    const ConfigNode* ask(std::string_view key);
    const ConfigNode* scalar(std::string_view key);

    const ConfigNode* node_;
    std::string where_;
    std::string name_;  ///< "tier 2"; empty for the file itself
    std::optional<Error>* failure_;
    std::vector<std::string> asked_;
};

template <class T>
void ConfigTable::quantity(std::string_view key, Result<T> (*parse)(std::string_view), T& out) {
    const ConfigNode* value = scalar(key);
    if (value == nullptr) return;
    const auto parsed = parse(value->text);
    if (!parsed) return fail(key, parsed.error().message, parsed.error().hint);
    out = *parsed;
}

}  // namespace ndtune::profiles
