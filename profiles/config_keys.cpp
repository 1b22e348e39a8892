#include "profiles/config_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiles/text_file.h"

namespace ndtune::profiles {

namespace {

using nlohmann::json;

// Published configurations nest 4 deep; 64 leaves room and keeps any parser's stack small.
constexpr int kMaxDepth = 64;

std::string line_and_column(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t start = before.rfind('\n');
    const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
    return fmt::format("line {}, column {}", line, column);
}

// Offset of the first bracket nested too deep, npos where there is none. Brackets inside strings do not count.
std::size_t too_deep_at(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > kMaxDepth) return i;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return std::string_view::npos;
}

// Finds a key given twice in one object: JSON leaves open which of them counts.
class DuplicateKeys {
public:
    bool operator()(json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) {
            open_.emplace_back();
        } else if (event == json::parse_event_t::object_end) {
            open_.pop_back();
        } else if (event == json::parse_event_t::key) {
            const auto& key = parsed.get_ref<const std::string&>();
            if (!open_.back().insert(key).second && first_.empty()) first_ = fmt::format("'{}'", printable(key));
        }
        return true;
    }
    [[nodiscard]] const std::string& first() const { return first_; }

private:
    std::vector<std::set<std::string>> open_;
    std::string first_;
};

std::string_view type_name(const json& value) {
    switch (value.type()) {
        case json::value_t::null: return "null";
        case json::value_t::boolean: return "a boolean";
        case json::value_t::string: return "a string";
        case json::value_t::array: return "a list";
        case json::value_t::object: return "an object";
        case json::value_t::number_float: return "not a whole number";
        default: return "a number";
    }
}

Result<json> parse_json(std::string_view text, const std::string& where) {
    if (const std::size_t at = invalid_utf8_at(text); at != std::string_view::npos) {
        return bad_input(fmt::format("not UTF-8 text: bad byte 0x{:02x} at offset {}", static_cast<unsigned char>(text[at]), at),
                         where, "save the file as UTF-8");
    }
    if (const std::size_t at = too_deep_at(text); at != std::string_view::npos) {
        return bad_input(fmt::format("nested deeper than {} at {}", kMaxDepth, line_and_column(text, at)), where,
                         "give a Hugging Face config.json");
    }
    DuplicateKeys duplicates;
    try {
        json root = json::parse(text, [&](int, json::parse_event_t event, json& parsed) { return duplicates(event, parsed); });
        if (!duplicates.first().empty()) {
            return bad_input(fmt::format("the key {} is given twice in one object", duplicates.first()), where,
                             "delete one of them");
        }
        return root;
    } catch (const json::parse_error& error) {
        const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
        return bad_input(fmt::format("broken JSON at {}", line_and_column(text, offset)), where,
                         "write standard JSON (no comments, trailing commas, NaN or Infinity)");
    } catch (const json::exception&) {
        return bad_input("broken JSON: a number is too large to be read", where, "write numbers of ordinary size");
    }
}

}  // namespace

Result<ConfigKeys> ConfigKeys::parse(std::string_view text, std::string_view where) {
    ConfigKeys keys;
    keys.where_ = printable(where);
    Result<json> root = parse_json(text, keys.where_);
    if (!root) return tl::unexpected(root.error());
    if (!root->is_object()) {
        return bad_input(fmt::format("the top of the file is {}, not an object", type_name(*root)), keys.where_,
                         "give a Hugging Face config.json");
    }
    keys.root_ = std::make_shared<const json>(std::move(*root));
    keys.object_ = keys.root_.get();
    return keys;
}

const json* ConfigKeys::find(std::string_view key) const {
    if (object_ == nullptr) return nullptr;
    const auto found = object_->find(key);
    return found == object_->end() ? nullptr : &*found;
}

bool ConfigKeys::enter(std::string_view key) {
    const json* value = find(key);
    if (value == nullptr || !value->is_object()) return false;
    object_ = value;
    prefix_ += fmt::format("{}.", key);
    read_.clear();
    return true;
}

ConfigKeys ConfigKeys::child(std::string_view key) {
    ConfigKeys keys = *this;
    read_.emplace(key);
    if (keys.enter(key)) return keys;
    if (has(key)) fail_type(key, *find(key), "an object");
    keys.object_ = nullptr;
    return keys;
}

void ConfigKeys::adopt_error(const ConfigKeys& child) {
    if (!error_) error_ = child.error_;
}

bool ConfigKeys::present(std::string_view key) const {
    return find(key) != nullptr;
}

bool ConfigKeys::has(std::string_view key) const {
    const json* value = find(key);
    return value != nullptr && !value->is_null();
}

bool ConfigKeys::meaningful(std::string_view key) const {
    const json* value = find(key);
    if (value == nullptr || value->is_null()) return false;
    if (value->is_boolean()) return value->get<bool>();
    if (value->is_number()) return value->get<double>() != 0.0;
    if (value->is_string()) return !value->get_ref<const std::string&>().empty();
    return !value->empty();
}

std::string ConfigKeys::place(std::string_view key) const {
    return fmt::format("{}, key {}{}", where_, prefix_, printable(key));
}

void ConfigKeys::fail(std::string_view key, std::string message, std::string hint, ErrorCode code) {
    if (error_) return;
    error_ = Error{code, std::move(message), place(key), std::move(hint)};
}

void ConfigKeys::fail_type(std::string_view key, const json& value, std::string_view wanted) {
    fail(key, fmt::format("{} is {}, not {}", printable(key), type_name(value), wanted), fmt::format("write {}", wanted));
}

std::int64_t ConfigKeys::checked_integer(std::string_view key, const json& value, Range range) {
    if (!value.is_number_integer()) {
        fail_type(key, value, fmt::format("an integer from {} to {}", range.min, range.max));
        return range.min;
    }
    // nlohmann keeps what does not fit a signed integer as an unsigned one.
    const bool huge = value.is_number_unsigned() && !std::in_range<std::int64_t>(value.get<std::uint64_t>());
    if (huge || value.get<std::int64_t>() < range.min || value.get<std::int64_t>() > range.max) {
        fail(key, fmt::format("{} is {}, outside {} to {}", printable(key), value.dump(), range.min, range.max),
             "write the value the model really has");
        return range.min;
    }
    return value.get<std::int64_t>();
}

std::int64_t ConfigKeys::integer(std::string_view key, Range range) {
    if (!has(key)) {
        fail(key, fmt::format("{} is missing", key), fmt::format("add it: an integer from {} to {}", range.min, range.max));
        return range.min;
    }
    return integer_or(key, range, range.min);
}

std::int64_t ConfigKeys::integer_or(std::string_view key, Range range, std::int64_t fallback) {
    read_.emplace(key);
    return has(key) ? checked_integer(key, *find(key), range) : fallback;
}

bool ConfigKeys::flag_or(std::string_view key, bool fallback) {
    read_.emplace(key);
    if (!has(key)) return fallback;
    const json& value = *find(key);
    if (value.is_boolean()) return value.get<bool>();
    fail_type(key, value, "true or false");
    return fallback;
}

std::string ConfigKeys::text_or(std::string_view key, std::string_view fallback) {
    read_.emplace(key);
    if (!has(key)) return std::string(fallback);
    const json& value = *find(key);
    if (value.is_string()) return value.get<std::string>();
    fail_type(key, value, "a string");
    return std::string(fallback);
}

std::vector<std::string> ConfigKeys::texts(std::string_view key) {
    read_.emplace(key);
    std::vector<std::string> out;
    if (!has(key)) return out;
    const json& value = *find(key);
    const bool ok =
        value.is_array() && std::all_of(value.begin(), value.end(), [](const json& item) { return item.is_string(); });
    if (!ok) {
        fail(key, fmt::format("{} is not a list of strings", key), "write a list of strings");
        return out;
    }
    for (const json& item : value) out.push_back(item.get<std::string>());
    return out;
}

std::vector<std::int64_t> ConfigKeys::integers(std::string_view key, Range range) {
    read_.emplace(key);
    std::vector<std::int64_t> out;
    if (!has(key)) return out;
    const json& value = *find(key);
    if (!value.is_array()) {
        fail_type(key, value, "a list of integers");
        return out;
    }
    for (const json& item : value) out.push_back(checked_integer(key, item, range));
    return out;
}

std::string_view ConfigKeys::first_of(std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys) {
        if (has(key)) return key;
    }
    return *keys.begin();
}

std::vector<std::string> ConfigKeys::names() const {
    std::vector<std::string> out;
    if (object_ == nullptr) return out;
    for (const auto& item : object_->items()) out.push_back(item.key());
    return out;
}

std::vector<std::string> ConfigKeys::unread_numbers() const {
    std::vector<std::string> out;
    for (std::string& name : names()) {
        const json& value = *find(name);
        if (value.is_number() && value.get<double>() > 0.0 && !read_.contains(name)) out.push_back(std::move(name));
    }
    return out;
}

}  // namespace ndtune::profiles
