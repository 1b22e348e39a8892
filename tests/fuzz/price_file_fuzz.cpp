#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profiles/price_file.h"

// Whatever the bytes: quotes with a positive price of known devices, or a sentence that says why not.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto prices = ndtune::profiles::parse_prices(text, "prices.csv");
    if (!prices) {
        if (prices.error().message.empty()) __builtin_trap();
        return 0;
    }
    for (const ndtune::profiles::PriceQuote& quote : prices->quotes) {
        if (quote.device.empty() || (!quote.on_demand && !quote.spot)) __builtin_trap();
        if (quote.on_demand && !(quote.on_demand->value > 0)) __builtin_trap();
        if (!ndtune::profiles::cheapest(*prices, quote.device, !quote.on_demand)) __builtin_trap();
    }
    return 0;
}
