#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "profiles/catalog.h"
#include "profiles/cluster_file.h"
#include "profiles/text_file.h"

namespace ndtune::profiles {
namespace {

constexpr std::size_t kLongestShorthand = 200;
constexpr std::string_view kExample = "write it like 2x8xh100-sxm (nodes x devices x device) or 8xh100-sxm";

// Takes "16x" off the front; 0 where the text does not begin with a number and an x.
Result<int> take_count(std::string_view& text, std::string_view whole) {
    std::int64_t number = 0;
    const char* begin = text.data();
    const char* end = begin + text.size();
    const auto [stop, code] = std::from_chars(begin, end, number);
    if (code == std::errc::invalid_argument || stop == end || (*stop != 'x' && *stop != 'X')) return 0;
    if (code == std::errc::result_out_of_range || number < 1 || number > 1'048'576) {
        return bad_input(fmt::format("cluster '{}': each number must be from 1 to 1048576", printable(whole, 60)), {},
                         std::string(kExample));
    }
    text.remove_prefix(static_cast<std::size_t>(stop - begin) + 1);
    return static_cast<int>(number);
}

}  // namespace

Result<Cluster> parse_cluster_shorthand(std::string_view text) {
    const auto refuse = [&](std::string_view why) {
        return bad_input(fmt::format("cluster '{}': {}", printable(text, 60), why), {}, std::string(kExample));
    };
    if (text.empty()) return refuse("the text is empty");
    if (text.size() > kLongestShorthand) return refuse("the text is too long");
    const std::size_t at = text.find('@');
    std::string_view rest = text.substr(0, at);
    const auto first = take_count(rest, text);
    if (!first) return tl::unexpected(first.error());
    if (*first == 0) return refuse("it must begin with a number of devices");
    const auto second = take_count(rest, text);
    if (!second) return tl::unexpected(second.error());
    if (rest.empty()) return refuse("the device is missing");
    const auto device = find_device(rest);
    if (!device) return tl::unexpected(device.error());
    auto cluster = default_cluster(*device, *second > 0 ? *first : 1, *second > 0 ? *second : *first);
    if (!cluster || at == std::string_view::npos) return cluster;
    return with_fabric(std::move(*cluster), text.substr(at + 1));
}

}  // namespace ndtune::profiles
