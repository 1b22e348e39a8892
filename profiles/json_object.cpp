#include "profiles/json_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ndtune::profiles {

using nlohmann::json;

std::optional<Provenance> provenance_named(std::string_view name) {
    for (const auto grade :
         {Provenance::exact, Provenance::measured, Provenance::calibrated, Provenance::datasheet, Provenance::assumed}) {
        if (to_string(grade) == name) return grade;
    }
    return std::nullopt;
}

Result<json> parse_json(std::string_view text, std::string_view where) {
    try {
        return json::parse(text);
    } catch (const json::exception& e) {
        // nlohmann's text begins with an error number in brackets, which tells a reader nothing.
        std::string_view what = e.what();
        if (const auto end = what.find("] "); end != std::string_view::npos) what.remove_prefix(end + 2);
        return bad_input(fmt::format("this is not JSON: {}", what), std::string(where));
    }
}

JsonObject::JsonObject(const json& value, std::string where, std::optional<Error>& failure)
    : object_(&value), where_(std::move(where)), failure_(&failure) {
    if (!object_->is_object()) fail({}, "this must be an object {...}");
}

void JsonObject::fail(std::string_view key, std::string message, std::string hint) {
    if (*failure_) return;
    *failure_ = Error{ErrorCode::bad_input, std::move(message), key.empty() ? where_ : fmt::format("{}: {}", where_, key),
                      std::move(hint)};
}

bool JsonObject::has(std::string_view key) const {
    return object_->is_object() && object_->contains(key);
}

const json* JsonObject::find(std::string_view key) {
    asked_.emplace_back(key);
    if (*failure_ || !object_->is_object()) return nullptr;
    const auto found = object_->find(key);
    return found == object_->end() ? nullptr : &*found;
}

const json* JsonObject::find_value(std::string_view key, Provenance* grade) {
    const json* value = find(key);
    if (value == nullptr || !value->is_object()) return value;
    JsonObject graded(*value, fmt::format("{}: {}", where_, key), *failure_);
    std::string source;
    Provenance stated = Provenance::assumed;
    graded.provenance("provenance", stated);
    graded.text("source", source);
    const json* inner = graded.find("value");
    graded.finish();
    if (inner == nullptr) graded.fail("value", "the value is missing");
    if (*failure_) return nullptr;
    if (grade != nullptr && value->contains("provenance")) *grade = stated;
    return inner;
}

void JsonObject::text(std::string_view key, std::string& out) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_string()) return fail(key, "the value must be text");
    out = value->get<std::string>();
}

void JsonObject::number(std::string_view key, double& out) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_number() || !std::isfinite(value->get<double>())) return fail(key, "the value must be a number");
    out = value->get<double>();
}

void JsonObject::graded_number(std::string_view key, double& out, Provenance* grade) {
    const json* value = find_value(key, grade);
    if (value == nullptr) return;
    if (!value->is_number() || !std::isfinite(value->get<double>())) return fail(key, "the value must be a number");
    out = value->get<double>();
}

void JsonObject::count(std::string_view key, int& out) {
    constexpr std::int64_t kMost = 1'048'576;
    const json* value = find(key);
    if (value == nullptr) return;
    const bool whole = value->is_number_integer() && value->get<std::int64_t>() >= 1 && value->get<std::int64_t>() <= kMost;
    if (!whole) return fail(key, fmt::format("the value must be a whole number from 1 to {}", kMost));
    out = static_cast<int>(value->get<std::int64_t>());
}

void JsonObject::flag(std::string_view key, bool& out) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) return fail(key, "the value must be true or false");
    out = value->get<bool>();
}

void JsonObject::texts(std::string_view key, std::vector<std::string>& out) {
    const json* list = find(key);
    if (list == nullptr) return;
    if (!list->is_array()) return fail(key, "the value must be a list of texts");
    for (const json& item : *list) {
        if (!item.is_string()) return fail(key, "the value must be a list of texts");
        out.push_back(item.get<std::string>());
    }
}

void JsonObject::provenance(std::string_view key, Provenance& out) {
    std::string name;
    text(key, name);
    if (name.empty()) return;
    const auto grade = provenance_named(name);
    if (!grade)
        return fail(key, fmt::format("'{}' is not a grade", name), "one of exact, measured, calibrated, datasheet, assumed");
    out = *grade;
}

JsonObject JsonObject::child(std::string_view key) {
    static const json empty = json::object();
    const json* value = find(key);
    return {value == nullptr ? empty : *value, fmt::format("{}: {}", where_, key), *failure_};
}

void JsonObject::finish() {
    if (*failure_ || !object_->is_object()) return;
    for (const auto& [key, value] : object_->items()) {
        if (std::find(asked_.begin(), asked_.end(), key) == asked_.end())
            return fail(key, "this key is not known", "remove it or correct its spelling");
    }
}

}  // namespace ndtune::profiles
