#include <fmt/format.h>

#include <exception>
#include <sstream>

// Only the parser is wanted, compiled here, with errors as values.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "profiles/config_tree.h"
#include "profiles/text_file.h"

namespace ndtune::profiles {
namespace {

std::string scalar_text(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
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
            out.keys.emplace_back(key.str());
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
        const toml::parse_result parsed = toml::parse(text, where);
        if (!parsed) {
            return bad_input(fmt::format("this is not TOML: {}", printable(parsed.error().description(), 200)),
                             fmt::format("{}:{}", where, parsed.error().source().begin.line));
        }
        return convert(parsed.table());
    } catch (const std::exception& e) {
        return bad_input(fmt::format("this TOML cannot be read: {}", e.what()), std::string(where));
    }
}

}  // namespace ndtune::profiles
