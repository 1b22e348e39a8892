#include "profiles/catalog.h"

#include <fmt/format.h>

#include "cli/flag_values.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cost_model/quantity.h"
#include "reports/enum_names.h"
#include "reports/table.h"

namespace ndtune::cli {
namespace {

using reports::Table;

std::string graded(std::string text, Provenance grade) {
    return fmt::format("{} ({})", text, to_string(grade));
}

std::string teraflops(FlopsPerSecond rate) {
    return rate.value > 0 ? fmt::format("{:.0f}", rate.value / 1e12) : "-";
}

Result<std::string> list_devices() {
    Table table;
    table.column("device", Table::Align::left);
    for (const char* header : {"memory", "bandwidth", "bf16 TFLOP/s", "link", "NIC", "per node"}) table.column(header);
    for (const std::string& name : profiles::device_names()) {
        const auto device = profiles::find_device(name);
        if (!device) return tl::unexpected(device.error());
        table.row({name, format_bytes(device->memory.value), format_bandwidth(device->hbm.value),
                   teraflops(device->gemm[static_cast<std::size_t>(Precision::bf16)].nominal),
                   format_bandwidth(device->link.value), format_bandwidth(device->nic.value),
                   fmt::to_string(device->devices_per_node)});
    }
    return table.text(false);
}

Result<std::string> show_device(const std::string& name) {
    const auto device = profiles::find_device(name);
    if (!device) return tl::unexpected(device.error());
    const Device& d = *device;
    std::string text = fmt::format("{}  {}\n  source     {}\n", d.name, d.title, d.source);
    text += fmt::format("  memory     {}\n", graded(format_bytes(d.memory.value), d.memory.provenance));
    text += fmt::format("  bandwidth  {}\n", graded(format_bandwidth(d.hbm.value), d.hbm.provenance));
    text += fmt::format("  link       {}, joins {}\n", graded(format_bandwidth(d.link.value), d.link.provenance), d.scale_up);
    text += fmt::format("  NIC        {} per device, {} devices a node\n",
                        graded(format_bandwidth(d.nic.value), d.nic.provenance), d.devices_per_node);
    for (int p = 0; p < kPrecisions; ++p) {
        const GemmCurve& curve = d.gemm[static_cast<std::size_t>(p)];
        if (!(curve.peak.value > 0)) continue;
        text += fmt::format("  {:<9}  {} TFLOP/s nominal, {} reached by large products ({})\n",
                            reports::name(static_cast<Precision>(p)), teraflops(curve.nominal), teraflops(curve.peak),
                            to_string(curve.provenance));
    }
    return text;
}

Result<std::string> list_models() {
    Table table;
    table.column("model", Table::Align::left);
    table.column("type", Table::Align::left);
    for (const char* header : {"parameters", "active", "layers", "hidden", "vocabulary"}) table.column(header);
    for (const std::string& name : profiles::model_names()) {
        const auto model = profiles::find_model(name);
        if (!model) return tl::unexpected(model.error());
        const ParameterCount count = parameters(*model);
        table.row({name, model->model_type, format_count(static_cast<double>(count.total)),
                   format_count(static_cast<double>(count.active)), fmt::to_string(model->layer_count()),
                   fmt::to_string(model->hidden), fmt::to_string(model->vocab)});
    }
    return table.text(false);
}

std::string layer_line(const LayerType& layer) {
    std::string text = fmt::format("  {} layers  ", layer.count);
    if (layer.moe()) {
        text += fmt::format("{} of {} experts of width {}", layer.experts_per_token, layer.experts, layer.expert_ffn);
        if (layer.shared_ffn > 0) text += fmt::format(", shared {}", layer.shared_ffn);
    } else {
        text += fmt::format("MLP of width {}", layer.ffn);
    }
    if (layer.window > 0) text += fmt::format(", window {}", layer.window);
    return text + "\n";
}

Result<std::string> show_model(const std::string& name) {
    const auto model = profiles::find_model(name);
    if (!model) return tl::unexpected(model.error());
    const Model& m = *model;
    const ParameterCount count = parameters(m);
    std::string text = fmt::format("{}  {}\n  parameters  {} in all, {} active, {} embedding, {} head{}\n", m.name, m.model_type,
                                   count.total, count.active, count.embedding, count.head, m.tied_embeddings ? " (tied)" : "");
    text += fmt::format("  hidden {}, vocabulary {}, attention {} heads, {} key/value heads of {}\n", m.hidden, m.vocab,
                        m.attention.heads, m.attention.kv_heads, m.attention.head_dim);
    for (const LayerType& layer : m.layers) text += layer_line(layer);
    return text;
}

Result<std::string> list_runtimes() {
    Table table;
    table.column("runtime", Table::Align::left);
    table.column("title", Table::Align::left);
    table.column("constants", Table::Align::left);
    for (const std::string& name : profiles::runtime_names()) {
        const auto runtime = profiles::find_runtime(name);
        if (!runtime) return tl::unexpected(runtime.error());
        table.row({name, runtime->title, std::string(to_string(runtime->provenance))});
    }
    return table.text(false);
}

std::string yes_no(bool value) {
    return value ? "yes" : "no";
}

Result<std::string> show_runtime(const std::string& name) {
    const auto runtime = profiles::find_runtime(name);
    if (!runtime) return tl::unexpected(runtime.error());
    const Runtime& r = *runtime;
    std::string text = fmt::format("{}  {}\n  source    {} ({})\n", r.name, r.title, r.source, to_string(r.provenance));
    text += fmt::format("  host      {} per layer, {} per micro-batch, {} per step\n", format_duration(Seconds{r.host_layer}),
                        format_duration(Seconds{r.host_micro_batch}), format_duration(Seconds{r.host_step}));
    text += fmt::format("  weights   {} bytes gathered, gradients {} bytes reduced\n", r.gather_bytes, r.reduce_bytes);
    text += fmt::format("  has       FSDP {}, context parallel {}, sequence parallel {}, loss parallel {}, ZeRO-1 {}\n",
                        yes_no(r.allow_fsdp), yes_no(r.allow_cp), yes_no(r.sequence_parallel), yes_no(r.loss_parallel),
                        yes_no(r.allow_zero1));
    return text;
}

Result<std::string> show_fabric(const std::string& name) {
    const auto tier = profiles::find_fabric(name);
    const auto per_node = profiles::fabric_is_per_node(name);
    if (!tier || !per_node) return tl::unexpected(tier ? per_node.error() : tier.error());
    const std::string rate = tier->bandwidth.value > 0 ? format_bandwidth(tier->bandwidth) : "the device's own NIC rate";
    return fmt::format("{}  {} per {}, {} a hop, reached share {:.2f}, oversubscription {} ({})\n", name, rate,
                       *per_node ? "node" : "device", format_duration(tier->latency), tier->efficiency, tier->oversubscription,
                       to_string(tier->provenance));
}

Result<std::string> list_fabrics() {
    std::string text;
    for (const std::string& name : profiles::fabric_names()) {
        const auto line = show_fabric(name);
        if (!line) return line;
        text += *line;
    }
    return text;
}

std::string list_rules() {
    std::string text;
    for (int i = 0; i < search::kRules; ++i) text += fmt::format("{}\n", search::to_string(static_cast<search::Rule>(i)));
    return text;
}

Result<std::string> entry(const CatalogCommand& c) {
    if (c.kind == "devices") return c.name.empty() ? list_devices() : show_device(c.name);
    if (c.kind == "models") return c.name.empty() ? list_models() : show_model(c.name);
    if (c.kind == "runtimes") return c.name.empty() ? list_runtimes() : show_runtime(c.name);
    if (c.kind == "fabrics") return c.name.empty() ? list_fabrics() : show_fabric(c.name);
    if (!c.name.empty()) return bad_input("rules have no entries of their own", "NAME", "ndtune catalog rules");
    return list_rules();
}

}  // namespace

Result<int> run(const CatalogCommand& command) {
    return parse_choice(command.kind, "KIND", {"devices", "models", "runtimes", "fabrics", "rules"})
        .and_then([&](const std::string&) { return entry(command); })
        .and_then([&](const std::string& text) { return write_result(text, command.common.output); })
        .map([] { return kAnswer; });
}

}  // namespace ndtune::cli
