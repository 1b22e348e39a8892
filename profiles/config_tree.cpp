#include "profiles/config_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "profiles/catalog_files.h"
#include "profiles/text_file.h"

namespace ndtune::profiles {
namespace {

constexpr std::size_t kLargestConfig = std::size_t{4} << 20;
constexpr int kMostDots = 64;  // dotted keys nest too: a.b.c.d

std::optional<Provenance> grade_named(std::string_view name) {
    for (const auto grade : {Provenance::measured, Provenance::calibrated, Provenance::datasheet, Provenance::assumed})
        if (to_string(grade) == name) return grade;
    return std::nullopt;
}

}  // namespace

const ConfigNode* ConfigNode::find(std::string_view key) const {
    const auto found = std::find(keys.begin(), keys.end(), key);
    return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

Result<void> check_config_text(std::string_view text, std::string_view where) {
    if (text.size() > kLargestConfig) {
        return bad_input(fmt::format("the file has {} bytes, more than the {} that are read", text.size(), kLargestConfig),
                         std::string(where), "is it the right file?");
    }
    const std::size_t broken = std::min(invalid_utf8_at(text), text.find('\0'));
    const auto line_of = [&](std::size_t at) {
        return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    };
    if (broken != std::string_view::npos)
        return bad_input("the text is not UTF-8", fmt::format("{}:{}", where, line_of(broken)), "save the file as UTF-8 text");
    int depth = 0;
    int dots = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        if (c == '.') ++dots;
        if (c == '\n') dots = 0;
        if (depth > kDeepestConfig || dots > kMostDots) {
            return bad_input(depth > kDeepestConfig ? fmt::format("brackets are nested more than {} deep", kDeepestConfig)
                                                    : fmt::format("a line has more than {} dots", kMostDots),
                             fmt::format("{}:{}", where, line_of(i)), "a cluster file needs two levels");
        }
    }
    return {};
}

ConfigTable::ConfigTable(const ConfigNode& table, std::string where, std::string name, std::optional<Error>& failure)
    : node_(&table), where_(std::move(where)), name_(std::move(name)), failure_(&failure) {
    if (node_->kind != ConfigNode::Kind::table) fail({}, "this must be a table of keys and values");
}

bool ConfigTable::is_table(std::string_view key) const {
    const ConfigNode* value = node_->find(key);
    return value != nullptr && value->kind == ConfigNode::Kind::table;
}

void ConfigTable::fail(std::string_view key, std::string message, std::string hint) {
    if (*failure_) return;
    const ConfigNode* value = node_->find(key);
    const int line = value != nullptr && value->line > 0 ? value->line : node_->line;
    std::string place = line > 0 ? fmt::format("{}:{}", where_, line) : where_;
    if (!name_.empty()) place += ": " + name_;
    if (!key.empty()) place += ": " + printable(key, 60);
    *failure_ = Error{ErrorCode::bad_input, std::move(message), std::move(place), std::move(hint)};
}

const ConfigNode* ConfigTable::ask(std::string_view key) {
    asked_.emplace_back(key);
    return failed() ? nullptr : node_->find(key);
}

const ConfigNode* ConfigTable::scalar(std::string_view key) {
    const ConfigNode* value = ask(key);
    if (value == nullptr || value->kind == ConfigNode::Kind::scalar) return value;
    fail(key, "this must be a single value, not a list or a table");
    return nullptr;
}

void ConfigTable::text(std::string_view key, std::string& out) {
    if (const ConfigNode* value = scalar(key)) out = printable(value->text, 200);
}

void ConfigTable::count(std::string_view key, int& out) {
    constexpr int kMost = 1'048'576;
    const ConfigNode* value = scalar(key);
    if (value == nullptr) return;
    int number = 0;
    const char* end = value->text.data() + value->text.size();
    const auto [stop, code] = std::from_chars(value->text.data(), end, number);
    if (code != std::errc{} || stop != end || number < 1 || number > kMost) {
        return fail(key, fmt::format("'{}' is not a whole number from 1 to {}", printable(value->text, 40), kMost));
    }
    out = number;
}

void ConfigTable::number(std::string_view key, double& out, double low, double high) {
    const ConfigNode* value = scalar(key);
    if (value == nullptr) return;
    double number = 0;
    const char* end = value->text.data() + value->text.size();
    const auto [stop, code] = std::from_chars(value->text.data(), end, number);
    // NaN is not inside.
    const bool inside = number >= low && number <= high;
    if (code != std::errc{} || stop != end || !inside) {
        return fail(key, fmt::format("'{}' is not a number from {} to {}", printable(value->text, 40), low, high));
    }
    out = number;
}

void ConfigTable::provenance(std::string_view key, Provenance& out) {
    const ConfigNode* value = scalar(key);
    if (value == nullptr) return;
    const auto grade = grade_named(value->text);
    if (!grade) {
        return fail(key, fmt::format("'{}' is not a grade", printable(value->text, 40)),
                    "one of measured, calibrated, datasheet, assumed");
    }
    out = *grade;
}

std::optional<ConfigTable> ConfigTable::table(std::string_view key) {
    const ConfigNode* value = ask(key);
    if (value == nullptr) return std::nullopt;
    return ConfigTable(*value, where_, std::string(key), *failure_);
}

std::vector<ConfigTable> ConfigTable::tables(std::string_view key) {
    std::vector<ConfigTable> out;
    const ConfigNode* value = ask(key);
    if (value == nullptr) return out;
    if (value->kind == ConfigNode::Kind::scalar) {
        fail(key, "this must be a list of tables");
    } else if (value->kind == ConfigNode::Kind::table) {
        out.emplace_back(*value, where_, std::string(key), *failure_);
    } else {
        for (const ConfigNode& item : value->items)
            out.emplace_back(item, where_, fmt::format("{} {}", key, out.size() + 1), *failure_);
    }
    return out;
}

std::vector<std::string> ConfigTable::texts(std::string_view key) {
    std::vector<std::string> out;
    const ConfigNode* value = ask(key);
    if (value == nullptr) return out;
    for (const ConfigNode& item : value->items) {
        if (item.kind == ConfigNode::Kind::scalar) out.push_back(item.text);
    }
    if (value->kind != ConfigNode::Kind::list || out.size() != value->items.size()) fail(key, "this must be a list of texts");
    return out;
}

void ConfigTable::finish() {
    if (failed() || node_->kind != ConfigNode::Kind::table) return;
    for (const std::string& key : node_->keys) {
        if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
        const std::string near = nearest_names(key, asked_);
        return fail(
            key, fmt::format("the key '{}' is not known", printable(key, 40)),
            near.empty() ? fmt::format("known keys: {}", fmt::join(asked_, ", ")) : fmt::format("did you mean {}?", near));
    }
}

}  // namespace ndtune::profiles
