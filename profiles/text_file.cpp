#include "profiles/text_file.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace ndtune::profiles {

namespace {

struct Utf8Lead {
    unsigned char first;  // smallest and largest lead byte of the row
    unsigned char last;
    unsigned char second_min;  // bounds of the next byte: they exclude overlong forms, surrogates and values above U+10FFFF
    unsigned char second_max;
    std::size_t length;
};

// RFC 3629, section 4.
constexpr std::array<Utf8Lead, 9> kLeads{{
    {0x00, 0x7F, 0x00, 0x00, 1},
    {0xC2, 0xDF, 0x80, 0xBF, 2},
    {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4},
    {0xF4, 0xF4, 0x80, 0x8F, 4},
}};

bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Length of the well-formed character at the start of `text`, 0 where there is none.
std::size_t utf8_length(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    for (const Utf8Lead& row : kLeads) {
        if (lead < row.first || lead > row.last) continue;
        if (row.length > text.size()) return 0;
        if (row.length == 1) return 1;
        const auto second = static_cast<unsigned char>(text[1]);
        if (second < row.second_min || second > row.second_max) return 0;
        for (std::size_t i = 2; i < row.length; ++i) {
            if (!is_continuation(text[i])) return 0;
        }
        return row.length;
    }
    return 0;
}

Result<std::uintmax_t> regular_file_size(const std::string& path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) {
        return tl::unexpected(Error{ErrorCode::not_found, "no such file", printable(path), "check the path"});
    }
    if (error)
        return bad_input(fmt::format("cannot look at the file: {}", error.message()), printable(path), "check its permissions");
    if (status.type() == std::filesystem::file_type::directory) {
        return bad_input("this is a folder, not a file", printable(path), "name the file inside it");
    }
    if (status.type() != std::filesystem::file_type::regular) {
        return bad_input("not a regular file", printable(path), "save the text to a file first");
    }
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) return bad_input(fmt::format("cannot read the file's size: {}", error.message()), printable(path));
    return size;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::int64_t max_bytes) {
    const Result<std::uintmax_t> size = regular_file_size(path);
    if (!size) return tl::unexpected(size.error());
    if (*size > static_cast<std::uintmax_t>(max_bytes)) {
        return bad_input(fmt::format("the file has {} bytes, more than the {} that are read", *size, max_bytes), printable(path),
                         "check that this is the right file");
    }
    std::ifstream stream(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(*size), '\0');
    if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream) return bad_input("cannot read the file", printable(path), "check its permissions");
    return text;
}

std::size_t invalid_utf8_at(std::string_view text) {
    std::size_t offset = 0;
    while (offset < text.size()) {
        const std::size_t length = utf8_length(text.substr(offset));
        if (length == 0) return offset;
        offset += length;
    }
    return std::string_view::npos;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
    const bool cut = text.size() > max_bytes;
    if (cut) {
        std::size_t end = max_bytes;
        while (end > 0 && is_continuation(text[end])) --end;
        text = text.substr(0, end);
    }
    const bool utf8 = invalid_utf8_at(text) == std::string_view::npos;
    std::string out(text);
    for (char& character : out) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !utf8)) character = '?';
    }
    return cut ? out + "..." : out;
}

}  // namespace ndtune::profiles
