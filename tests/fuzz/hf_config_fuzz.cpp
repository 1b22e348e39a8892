#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cost_model/model.h"
#include "profiles/hf_config.h"

// Whatever the bytes: a model that can be counted, or a sentence that says why not.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto config = ndtune::profiles::parse_hf_config(text, "config.json");
    if (!config) {
        if (config.error().message.empty()) __builtin_trap();
        return 0;
    }
    const ndtune::Model& model = config->model;
    const ndtune::ParameterCount count = ndtune::parameters(model);
    if (count.total <= 0 || count.active <= 0 || count.active > count.total) __builtin_trap();
    if (!(ndtune::flops_per_token(model, 8192) > 0.0)) __builtin_trap();
    return 0;
}
