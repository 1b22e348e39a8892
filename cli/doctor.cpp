#include <fmt/format.h>

#include <cstdlib>
#include <thread>

#include "cli/terminal.h"
#include "cli/verbs.h"
#include "profiles/catalog.h"
#include "reports/report.h"

namespace ndtune::cli {
namespace {

/// The first entry that cannot be read, or "ok".
template <class Find>
std::string state(const std::vector<std::string>& names, Find find) {
    for (const std::string& name : names) {
        const auto entry = find(name);
        if (!entry) return fmt::format("broken at {}: {}", name, entry.error().message);
    }
    return names.empty() ? "empty" : "ok";
}

template <class Find>
std::string line(std::string_view what, const std::vector<std::string>& names, Find find, bool& healthy) {
    const std::string found = state(names, find);
    healthy = healthy && found == "ok";
    return fmt::format("  {:<10} {:>3}  {}\n", what, names.size(), found);
}

}  // namespace

Result<int> run(const DoctorCommand& command) {
    const char* folder = std::getenv("NDTUNE_CATALOG");
    bool healthy = true;
    std::string text = fmt::format("ndtune {}  report schema {}, compiler {}, {} threads\n", NDTUNE_VERSION,
                                   reports::kSchemaVersion, __VERSION__, std::thread::hardware_concurrency());
    text += fmt::format("catalog: {}\n", folder != nullptr && *folder != '\0' ? folder : "compiled in");
    text += line("devices", profiles::device_names(), profiles::find_device, healthy);
    text += line("models", profiles::model_names(), profiles::find_model, healthy);
    text += line("runtimes", profiles::runtime_names(), profiles::find_runtime, healthy);
    text += line("fabrics", profiles::fabric_names(), profiles::find_fabric, healthy);
    text += "planner    ok\nexecutor   not in this build\nprofiler   not in this build\n";
    const auto written = write_result(text, command.common.output);
    if (!written) return tl::unexpected(written.error());
    if (healthy) return kAnswer;
    print_error("doctor", {ErrorCode::check_failed, "the catalog has an entry that cannot be read", {}, "see the lines above"});
    return kCheckFailed;
}

}  // namespace ndtune::cli
