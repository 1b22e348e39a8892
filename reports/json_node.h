#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reports/runtime_fields.h"

namespace ndtune::reports {

/// std::map underneath: objects with millions of keys stay cheap to read (ordered_json looks keys up one by one).
using InputJson = nlohmann::json;

/// One value of a document and the way back to its root, from which the path in an error is built. The first error is kept; a
/// node that does not exist reads as nothing.
class Node {
public:
    Node(const InputJson& root, std::optional<Error>& error, std::string_view where)
        : json_(&root), error_(&error), where_(where) {}

    [[nodiscard]] const InputJson* json() const { return *error_ ? nullptr : json_; }
    [[nodiscard]] bool is_null() const { return json() != nullptr && json_->is_null(); }

    [[nodiscard]] Node operator[](const char* key) const {
        Node child = *this;
        child.parent_ = this;
        child.key_ = key;
        child.json_ = nullptr;
        if (json() == nullptr) return child;
        if (!json_->is_object()) {
            fail(fmt::format("{} must be an object, found {}", path(), found()));
            return child;
        }
        const auto it = json_->find(key);
        if (it == json_->end()) {
            fail(fmt::format("the field {} is missing", child.path()));
            return child;
        }
        child.json_ = &*it;
        return child;
    }

    [[nodiscard]] Node at(std::size_t index) const {
        Node child = *this;
        child.parent_ = this;
        child.key_ = nullptr;
        child.index_ = index;
        child.json_ = json() == nullptr ? nullptr : &(*json_)[index];
        return child;
    }

    /// Number of items of an array; 0 after an error.
    [[nodiscard]] std::size_t size(double min, double max) const {
        if (json() == nullptr) return 0;
        if (!json_->is_array()) {
            fail(fmt::format("{} must be a list, found {}", path(), found()));
            return 0;
        }
        const auto size = static_cast<double>(json_->size());
        if (size < min || size > max) {
            fail(fmt::format("{} must hold {:.0f} to {:.0f} items, found {}", path(), min, max, json_->size()));
            return 0;
        }
        return json_->size();
    }

    void fail(std::string message) const {
        if (!*error_) {
            *error_ = Error{ErrorCode::bad_input, std::move(message), std::string(where_),
                            "write the report anew with 'ndtune search ... --json'"};
        }
    }

    [[nodiscard]] std::string path() const {
        if (parent_ == nullptr) return "the report";
        const std::string above = parent_->parent_ == nullptr ? "" : parent_->path();
        if (key_ == nullptr) return fmt::format("{}[{}]", above, index_);
        return above.empty() ? key_ : above + "." + key_;
    }

    /// What stands there, short enough for a message.
    [[nodiscard]] std::string found() const {
        if (json_->is_object()) return "an object";
        if (json_->is_array()) return "a list";
        std::string text = json_->dump(-1, ' ', true, InputJson::error_handler_t::replace);
        if (text.size() > 40) text = text.substr(0, 37) + "...";
        return text;
    }

private:
    const InputJson* json_;
    std::optional<Error>* error_;
    std::string_view where_;
    const Node* parent_ = nullptr;
    const char* key_ = nullptr;
    std::size_t index_ = 0;
};

// read(node, value, min, max): takes the value over or records an error. Without a range: numbers from 0 to what is sane for
// their type.

inline constexpr double kMaxNumber = 1e30;
inline constexpr double kMaxWhole = 0x1p62;
inline constexpr double kMaxRow = 0x1p58;  ///< bytes of a ledger row, as whole_bytes has it

inline void read(const Node& node, bool& value, double = 0, double = 0) {
    if (node.json() == nullptr) return;
    if (!node.json()->is_boolean())
        return node.fail(fmt::format("{} must be true or false, found {}", node.path(), node.found()));
    value = node.json()->get<bool>();
}

inline void read(const Node& node, std::string& value, double = 0, double = 0) {
    if (node.json() == nullptr) return;
    if (!node.json()->is_string()) return node.fail(fmt::format("{} must be a text, found {}", node.path(), node.found()));
    value = node.json()->get<std::string>();
}

template <class T>
    requires(std::integral<T> && !std::same_as<T, bool>)
void read(const Node& node, T& value, double min = 0, double max = std::min(kMaxWhole, double(std::numeric_limits<T>::max()))) {
    if (node.json() == nullptr) return;
    const bool whole = node.json()->is_number_integer();
    const double number = whole ? node.json()->get<double>() : 0;
    if (!whole || number < min || number > max) {
        return node.fail(
            fmt::format("{} must be a whole number from {:.0f} to {:.0f}, found {}", node.path(), min, max, node.found()));
    }
    value = node.json()->get<T>();
}

inline void read(const Node& node, double& value, double min = 0, double max = kMaxNumber) {
    if (node.json() == nullptr) return;
    const double number = node.json()->is_number() ? node.json()->get<double>() : NAN;
    if (!(number >= min && number <= max)) {
        return node.fail(fmt::format("{} must be a number from {:g} to {:g}, found {}", node.path(), min, max, node.found()));
    }
    value = number;
}

template <class Unit, class Rep, class... Range>
void read(const Node& node, Quantity<Unit, Rep>& value, Range... range) {
    read(node, value.value, range...);
}

template <class E>
    requires std::is_enum_v<E>
void read(const Node& node, E& value, double = 0, double = 0) {
    std::string text;
    read(node, text);
    if (node.json() == nullptr) return;
    const std::optional<E> parsed = parse_enum<E>(text);
    if (parsed) {
        value = *parsed;
        return;
    }
    std::string words;
    for (int i = 0; i < kCount<E>; ++i) words += fmt::format("{}{}", i == 0 ? "" : ", ", name(static_cast<E>(i)));
    node.fail(fmt::format("{} must be one of {}; found {}", node.path(), words, node.found()));
}

template <class T, class... Range>
void read(const Node& node, Graded<T>& value, Range... range) {
    read(node["value"], value.value, range...);
    read(node["provenance"], value.provenance);
}

class FieldReader;

template <class T>
    requires requires(FieldReader& reader, T& value) { fields(reader, value); }
void read(const Node& node, T& value, double = 0, double = 0);

template <class T, std::size_t N>
void read(const Node& node, std::array<T, N>& values, double = 0, double = 0) {
    if (node.size(N, N) != N) return;
    for (std::size_t i = 0; i < N; ++i) read(node.at(i), values[i]);
}

template <class T>
void read(const Node& node, std::vector<T>& values, double min = 0, double max = 1e6) {
    const std::size_t size = node.size(min, max);
    values.resize(size);
    for (std::size_t i = 0; i < size && node.json() != nullptr; ++i) read(node.at(i), values[i]);
}

/// Reads the fields of one value out of an object.
class FieldReader {
public:
    explicit FieldReader(const Node& node) : node_(&node) {}

    template <class T, class... Range>
    void operator()(const char* key, T& value, Range... range) {
        read((*node_)[key], value, static_cast<double>(range)...);
    }
    template <class E, class T, std::size_t N>
    void named(const char* key, std::array<T, N>& values) {
        const Node map = (*node_)[key];
        for (std::size_t i = 0; i < N; ++i) {
            const std::string word(name(static_cast<E>(i)));
            read(map[word.c_str()], values[i]);
        }
    }

private:
    const Node* node_;
};

template <class T>
    requires requires(FieldReader& reader, T& value) { fields(reader, value); }
void read(const Node& node, T& value, double, double) {
    FieldReader reader(node);
    fields(reader, value);
}

}  // namespace ndtune::reports
