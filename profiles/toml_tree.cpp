#include <fmt/format.h>

#include <exception>
#include <sstream>

// Only the parser is wanted, compiled here, with errors as values.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// It asserts what bad input breaks ("[= 1]"), and with NDEBUG lets clang assume it; its own checks behind the assertions do.
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

#include "profiles/config_tree.h"
#include "profiles/text_file.h"

namespace ndtune::profiles {
namespace {

// toml++ 3.3 runs into undefined behaviour where it asks whether U+00A1 to U+0499 and some other characters are blanks, so it
// is given ASCII only: '~' and every byte above 0x7F travel as "~hh" and come back in the values.
std::string to_ascii(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte > 0x7F || c == '~')
            out += fmt::format("~{:02x}", byte);
        else
            out += c;
    }
    return out;
}

std::string from_ascii(std::string_view text) {
    const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool coded = text[i] == '~' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
        out += coded ? static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])) : text[i];
        if (coded) i += 2;
    }
    return out;
}

std::string scalar_text(const toml::node& node) {
    if (const auto* text = node.as_string()) return from_ascii(text->get());
    if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
    if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    return "(date)";
}

ConfigNode convert(const toml::node& node) {
    ConfigNode out;
    out.line = static_cast<int>(node.source().begin.line);
    if (const auto* table = node.as_table()) {
        out.kind = ConfigNode::Kind::table;
        for (const auto& [key, value] : *table) {
            out.keys.push_back(from_ascii(key.str()));
            out.items.push_back(convert(value));
        }
    } else if (const auto* array = node.as_array()) {
        out.kind = ConfigNode::Kind::list;
        for (const auto& item : *array) out.items.push_back(convert(item));
    } else {
        out.text = scalar_text(node);
    }
    return out;
}

}  // namespace

Result<ConfigNode> parse_toml(std::string_view text, std::string_view where) {
    if (const auto checked = check_config_text(text, where); !checked) return tl::unexpected(checked.error());
    // The parser reports errors as values; only allocation can still throw.
    try {
        const std::string ascii = to_ascii(text);
        const toml::parse_result parsed = toml::parse(ascii, where);
        if (!parsed) {
            return bad_input(fmt::format("this is not TOML: {}", printable(from_ascii(parsed.error().description()), 200)),
                             fmt::format("{}:{}", where, parsed.error().source().begin.line),
                             "letters beyond ASCII and texts with units need quotes");
        }
        return convert(parsed.table());
    } catch (const std::exception& e) {
        return bad_input(fmt::format("this TOML cannot be read: {}", e.what()), std::string(where));
    }
}

}  // namespace ndtune::profiles
