#include "reports/table.h"

#include <algorithm>
#include <cctype>

namespace ndtune::reports {

namespace {

/// Characters a terminal shows: bytes of UTF-8 that continue a character do not count.
std::size_t shown_width(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& cell, std::size_t width, Table::Align align) {
    const std::size_t shown = shown_width(cell);
    const std::string space(width > shown ? width - shown : 0, ' ');
    return align == Table::Align::left ? cell + space : space + cell;
}

std::string trimmed(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

/// End of the word at `at`. A number and its unit are one word.
std::size_t word_end(const std::string& text, std::size_t at) {
    std::size_t end = text.find(' ', at);
    while (end != std::string::npos && end > at && end + 1 < text.size() &&
           std::isdigit(static_cast<unsigned char>(text[end - 1])) && std::isalpha(static_cast<unsigned char>(text[end + 1]))) {
        end = text.find(' ', end + 1);
    }
    return std::min(end, text.size());
}

}  // namespace

void Table::column(std::string header, Align align) {
    columns_.push_back({std::move(header), align});
}

void Table::row(std::vector<std::string> cells) {
    cells.resize(columns_.size());
    rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        std::size_t width = shown_width(columns_[c].header);
        for (const auto& cells : rows_) width = std::max(width, shown_width(cells[c]));
        widths.push_back(width);
    }
    return widths;
}

std::size_t Table::width() const {
    std::size_t sum = 0;
    for (const std::size_t width : widths()) sum += 2 + width;
    return sum;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths, std::size_t width) const {
    constexpr std::size_t kLeastText = 20;  // narrower than this, wrapped text is hard to read
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const bool last = c + 1 == columns_.size();
        const std::size_t indent = shown_width(text) + 2;
        if (last && columns_[c].align == Align::left && indent + kLeastText <= width) {
            text += "  " + wrap(std::string(indent, '\1') + cells[c], width, indent).substr(indent);
        } else {
            text += "  " + padded(cells[c], widths[c], columns_[c].align);
        }
    }
    return trimmed(std::move(text));
}

std::string Table::text(bool unicode, std::size_t width) const {
    const std::vector<std::size_t> widths_of = widths();
    std::vector<std::string> header;
    std::string rule;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        header.push_back(columns_[c].header);
        rule += "  ";
        for (std::size_t i = 0; i < widths_of[c]; ++i) rule += "\u2500";
    }
    std::string text = line(header, widths_of, width);
    if (unicode) text += trimmed(rule);
    for (const auto& cells : rows_) text += line(cells, widths_of, width);
    return text;
}

std::string wrap(const std::string& text, std::size_t width, std::size_t indent) {
    std::string out;
    std::size_t column = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = word_end(text, at);
        const std::string word = text.substr(at, end - at);
        if (column > indent && column + 1 + shown_width(word) > width) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (at > 0) {
            out += ' ';
            ++column;
        }
        out += word;
        column += shown_width(word);
        at = end + 1;
    }
    return out;
}

}  // namespace ndtune::reports
