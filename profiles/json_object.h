#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/provenance.h"
#include "cost_model/result.h"

namespace ndtune::profiles {

/// Parses a JSON text; no exceptions. Errors name `where` and the position.
Result<nlohmann::json> parse_json(std::string_view text, std::string_view where);

/// Reads the members of one JSON object. The first failure is kept in `failure` (shared by the objects of one file) and makes
/// every later call do nothing, so that a reader checks once, at its end. Absent keys leave the target as it is.
class JsonObject {
public:
    JsonObject(const nlohmann::json& value, std::string where, std::optional<Error>& failure);

    [[nodiscard]] bool has(std::string_view key) const;
    void text(std::string_view key, std::string& out);
    void number(std::string_view key, double& out);
    void count(std::string_view key, int& out);
    void flag(std::string_view key, bool& out);
    void texts(std::string_view key, std::vector<std::string>& out);
    /// "measured" and so on; the name of a Provenance.
    void provenance(std::string_view key, Provenance& out);
    /// A quantity as text with its unit, or {"value": text, "provenance": grade, "source": text}. `grade` receives the grade
    /// of the second form.
    template <class T>
    void quantity(std::string_view key, Result<T> (*parse)(std::string_view), T& out, Provenance* grade = nullptr);
    template <class T>
    void graded(std::string_view key, Result<T> (*parse)(std::string_view), Graded<T>& out) {
        quantity(key, parse, out.value, &out.provenance);
    }
    /// A number, or {"value": number, "provenance": grade, "source": text}.
    void graded_number(std::string_view key, double& out, Provenance* grade);
    /// A list of quantities, exactly `out.size()` of them.
    template <class T, std::size_t N>
    void quantities(std::string_view key, Result<T> (*parse)(std::string_view), std::array<T, N>& out);
    template <std::size_t N>
    void numbers(std::string_view key, std::array<double, N>& out);
    /// The object at `key`; an empty one where it is absent.
    JsonObject child(std::string_view key);
    /// Refuses members that nothing has asked for.
    void finish();
    void fail(std::string_view key, std::string message, std::string hint = {});

private:
    const nlohmann::json* find(std::string_view key);
    /// The member, or the "value" of a graded object.
    const nlohmann::json* find_value(std::string_view key, Provenance* grade);
    template <class T>
    void parse_text(std::string_view key, const nlohmann::json& value, Result<T> (*parse)(std::string_view), T& out);

    const nlohmann::json* object_;
    std::string where_;
    std::optional<Error>* failure_;
    std::vector<std::string> asked_;
};

template <class T>
void JsonObject::parse_text(std::string_view key, const nlohmann::json& value, Result<T> (*parse)(std::string_view), T& out) {
    if (!value.is_string()) return fail(key, "the value must be text with a unit");
    const auto parsed = parse(value.get_ref<const std::string&>());
    if (!parsed) return fail(key, parsed.error().message, parsed.error().hint);
    out = *parsed;
}

template <class T>
void JsonObject::quantity(std::string_view key, Result<T> (*parse)(std::string_view), T& out, Provenance* grade) {
    if (const nlohmann::json* value = find_value(key, grade)) parse_text(key, *value, parse, out);
}

template <class T, std::size_t N>
void JsonObject::quantities(std::string_view key, Result<T> (*parse)(std::string_view), std::array<T, N>& out) {
    const nlohmann::json* list = find(key);
    if (list == nullptr) return;
    if (!list->is_array() || list->size() != N) return fail(key, "the value must be a list of " + std::to_string(N) + " texts");
    for (std::size_t i = 0; i < N; ++i) parse_text(key, (*list)[i], parse, out[i]);
}

template <std::size_t N>
void JsonObject::numbers(std::string_view key, std::array<double, N>& out) {
    const nlohmann::json* list = find(key);
    if (list == nullptr) return;
    if (!list->is_array() || list->size() != N) return fail(key, "the value must be a list of " + std::to_string(N) + " numbers");
    for (std::size_t i = 0; i < N; ++i) {
        if (!(*list)[i].is_number()) return fail(key, "the list must hold numbers only");
        out[i] = (*list)[i].template get<double>();
    }
}

/// The grade of that name, if there is one.
std::optional<Provenance> provenance_named(std::string_view name);

}  // namespace ndtune::profiles
