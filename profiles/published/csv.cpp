#include "profiles/published/csv.h"

#include <fmt/format.h>

#include <algorithm>

namespace ndtune::published {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Bytes of the UTF-8 sequence that starts with `lead`, 0 = no sequence starts so.
std::size_t sequence_length(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead < 0xE0) return 2;
    if (lead >= 0xE0 && lead < 0xF0) return 3;
    if (lead >= 0xF0 && lead < 0xF5) return 4;
    return 0;
}

}  // namespace

CsvReader::CsvReader(std::string_view text, std::string_view where) : text_(text), where_(where) {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

std::string CsvReader::place(std::size_t line) const {
    return fmt::format("{}:{}", where_, line);
}

Result<bool> CsvReader::next(CsvRecord& record) {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) {
        if (text_[at_++] == '\n') ++line_;
    }
    record.cells.clear();
    record.line = line_;
    if (at_ >= text_.size()) return false;
    for (;;) {
        if (at_ < text_.size() && text_[at_] == '"') {
            Result<std::string> cell = quoted_cell();
            if (!cell) return tl::unexpected(cell.error());
            record.cells.push_back(std::move(*cell));
        } else {
            record.cells.push_back(plain_cell());
        }
        if (record.cells.back().find('\0') != std::string::npos)
            return bad_input("a NUL byte in a cell: not a text file", place(record.line), "save the table as UTF-8 text");
        if (at_ >= text_.size()) return true;
        const char end = text_[at_++];
        if (end == ',') continue;
        if (end == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
        ++line_;
        return true;
    }
}

Result<std::string> CsvReader::quoted_cell() {
    const std::size_t start = line_;
    std::string cell;
    ++at_;
    for (;;) {
        const std::size_t quote = text_.find('"', at_);
        if (quote == std::string_view::npos)
            return bad_input("a quote is never closed", place(start), "close it, or double quotes inside a cell");
        const std::string_view piece = text_.substr(at_, quote - at_);
        line_ += static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
        cell += piece;
        at_ = quote + 1;
        if (at_ >= text_.size() || text_[at_] != '"') break;
        cell += '"';
        ++at_;
    }
    if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r')
        return bad_input("text after a closing quote", place(line_), "double quotes inside a cell: \"\"");
    return cell;
}

std::string CsvReader::plain_cell() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string cell(text_.substr(at_, end - at_));
    at_ = end;
    return cell;
}

Utf8Check check_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = sequence_length(lead);
        if (length == 0 || i + length > text.size()) return {false, i};
        for (std::size_t k = 1; k < length; ++k) {
            const auto byte = static_cast<unsigned char>(text[i + k]);
            if ((byte & 0xC0) != 0x80) return {false, i};
        }
        // Overlong forms, surrogates and code points above U+10FFFF (RFC 3629 section 4).
        const auto second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0U;
        if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
            (lead == 0xF4 && second > 0x8F))
            return {false, i};
        i += length;
    }
    return {};
}

std::string csv_cell(std::string_view cell) {
    if (cell.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(cell);
    std::string quoted = "\"";
    for (const char c : cell) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace ndtune::published
