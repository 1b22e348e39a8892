#include <fmt/format.h>

#include "profiles/catalog.h"
#include "profiles/catalog_files.h"
#include "profiles/hf_config.h"

namespace ndtune::profiles {

Result<Model> find_model(std::string_view name) {
    const auto names = model_names();
    for (const std::string& key : names) {
        if (key != name) continue;
        const std::string path = fmt::format("models/{}.json", key);
        return catalog_text(path)
            .and_then([&](const std::string& text) { return parse_hf_config(text, "catalog " + path); })
            .map([](ModelConfig config) { return std::move(config.model); });
    }
    const std::string near = nearest_names(name, names);
    return tl::unexpected(Error{ErrorCode::not_found,
                                fmt::format("the catalog has no model '{}'", name.substr(0, 80)),
                                {},
                                near.empty() ? "ndtune catalog lists them" : fmt::format("did you mean {}?", near)});
}

}  // namespace ndtune::profiles
