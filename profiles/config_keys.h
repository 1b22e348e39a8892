#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/result.h"

namespace ndtune::profiles {

/// Bounds of an integer, both included.
struct Range {
    std::int64_t min = 0;
    std::int64_t max = 0;
};

/// Checked access to the keys of one JSON object. The first failure is kept and every later read gives its fallback, so a reader
/// asks for all it needs and looks at `error()` once. `null` counts as absent.
class ConfigKeys {
public:
    /// Errors: not UTF-8, nested deeper than 64, not JSON (with line and column), a key given twice, not an object.
    static Result<ConfigKeys> parse(std::string_view text, std::string_view where);

    /// Reads go to the object under `key` from now on. False where there is no such object.
    bool enter(std::string_view key);
    /// The object under `key`, its own reader; an empty one where absent. Pass its error on with `adopt_error`.
    [[nodiscard]] ConfigKeys child(std::string_view key);
    void adopt_error(const ConfigKeys& child);

    [[nodiscard]] bool present(std::string_view key) const;  ///< given, even as null
    [[nodiscard]] bool has(std::string_view key) const;      ///< given and not null
    /// Says something: neither null, false, 0, nor an empty list, object or string.
    [[nodiscard]] bool meaningful(std::string_view key) const;

    std::int64_t integer(std::string_view key, Range range);
    std::int64_t integer_or(std::string_view key, Range range, std::int64_t fallback);
    bool flag_or(std::string_view key, bool fallback);
    std::string text_or(std::string_view key, std::string_view fallback);
    std::vector<std::string> texts(std::string_view key);
    std::vector<std::int64_t> integers(std::string_view key, Range range);
    /// The first of several spellings that is given; the first of all where none is (so that errors name the usual one).
    [[nodiscard]] std::string_view first_of(std::initializer_list<std::string_view> keys) const;

    /// All keys of the object, sorted.
    [[nodiscard]] std::vector<std::string> names() const;
    /// Numbers above 0 that nobody asked for, sorted.
    [[nodiscard]] std::vector<std::string> unread_numbers() const;

    void fail(std::string_view key, std::string message, std::string hint, ErrorCode code = ErrorCode::bad_input);
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }
    /// "config.json, key text_config.hidden_size", for messages.
    [[nodiscard]] std::string place(std::string_view key) const;

private:
    const nlohmann::json* find(std::string_view key) const;
    void fail_type(std::string_view key, const nlohmann::json& value, std::string_view wanted);
    std::int64_t checked_integer(std::string_view key, const nlohmann::json& value, Range range);

    std::shared_ptr<const nlohmann::json> root_;
    const nlohmann::json* object_ = nullptr;
    std::string where_;
    std::string prefix_;
    std::set<std::string, std::less<>> read_;
    std::optional<Error> error_;
};

}  // namespace ndtune::profiles
