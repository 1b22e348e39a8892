#include "cost_model/step_graph.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "cost_model/collectives.h"
#include "cost_model/compute.h"
#include "cost_model/memory.h"
#include "cost_model/step_time.h"

namespace ndtune {
namespace {

/// One FSDP unit: a layer, or the embedding's or the head's half of the root unit.
struct Unit {
    double weights = 0;
    double gather = 0, reduce = 0, all_reduce = 0;  ///< seconds
    bool regather = false;
};

constexpr int kRoot = -1;

struct Layer {
    int type = 0;
    bool recomputed = false;
};

/// The layers in the order they run: types spread evenly over the depth (gemma's windows alternate; where they do not, only the
/// order is off), recomputed layers too.
std::vector<Layer> layer_order(const Job& job, const Plan& plan) {
    const auto& types = job.model.layers;
    const std::int64_t all = job.model.layer_count();
    const std::int64_t again = plan.recompute == Recompute::full && plan.recompute_layers > 0 ? plan.recompute_layers : all;
    std::vector<Layer> order;
    std::array<std::int64_t, Model::kMaxLayerTypes> used{};
    for (std::int64_t i = 0; i < all; ++i) {
        std::size_t next = 0;
        std::int64_t most = INT64_MIN;
        for (std::size_t t = 0; t < types.size(); ++t) {
            const std::int64_t due = types[t].count * (i + 1) - used[t] * all;
            if (used[t] < types[t].count && due > most) {
                most = due;
                next = t;
            }
        }
        ++used[next];
        const bool recomputed = plan.recompute != Recompute::none && (i + 1) * again / all > i * again / all;
        order.push_back({static_cast<int>(next), recomputed});
    }
    return order;
}

class StepBuilder {
public:
    StepBuilder(const Job& job, const Plan& plan, int built)
        : job_(job),
          plan_(plan),
          rt_(job.runtime),
          shapes_(shapes(job, plan)),
          compute_(job),
          work_(work_times(job, plan, compute_)),
          mesh_(mesh_times(job, plan, compute_)),
          memory_(memory_shapes(job, shapes_)),
          layers_(layer_order(job, plan)) {
        const int all = std::max(1, plan.grad_accum);
        built_ = std::min(all, std::max(3, built));
        graph_.micro_batches = all;
        graph_.folded = all - built_;
        graph_.folded_after = std::max(0, built_ - 3);
        graph_.contention = rt_.contention;
        graph_.data_overlap = rt_.dp_overlap;
        set_units();
    }

    StepGraph build() {
        for (int m = 0; m < built_; ++m) {
            micro_batch_ = m;
            last_ = m + 1 == built_;
            reduces_ = last_ || plan_.sync_every_micro_batch;
            forward();
            backward();
        }
        finish();
        return std::move(graph_);
    }

private:
    void set_units();
    int add(StepNode node, std::initializer_list<int> after);
    int add_compute(std::string_view name, Bucket bucket, double seconds, int after = -1);
    void add_host(double seconds);
    int add_gather(int index, int after);
    void add_reduce(int index);
    void add_sync(int index);
    void add_param_gather(int index);
    void add_data(std::string_view name, double seconds, double share, int after);
    void add_root_grads(std::string_view name, Bucket bucket, double seconds);
    void add_layer(int index, int gathered);
    void forward();
    void backward();
    void finish();

    /// What becomes of the 16-bit gradients of a backward pass that does not reduce them.
    [[nodiscard]] double keep_grads(double weights) const {
        if (reduces_) return 0;
        return ((micro_batch_ == 0 ? shapes_.reduce_bytes : 0.0) - shapes_.width) * weights;
    }
    [[nodiscard]] double repeated_seconds(const Layer& layer) const;
    [[nodiscard]] double kept_bytes(const Layer& layer) const;
    [[nodiscard]] const Layer& layer(int index) const { return layers_[static_cast<std::size_t>(index)]; }
    /// The unit of a layer, or half of the root for kRoot.
    [[nodiscard]] const Unit& unit_of(int index) const {
        return index == kRoot ? half_root_ : units_[static_cast<std::size_t>(layer(index).type)];
    }
    /// What the next nodes belong to.
    void enter(int index) {
        layer_ = index;
        type_ = index == kRoot ? -1 : layer(index).type;
    }
    [[nodiscard]] bool holds_grads() const { return shapes_.fsdp && !plan_.sync_every_micro_batch && plan_.grad_accum > 1; }

    const Job& job_;
    const Plan& plan_;
    const Runtime& rt_;
    Shapes shapes_;
    ComputeModel compute_;
    WorkTimes work_;
    MeshTimes mesh_;
    MemoryShapes memory_;
    std::vector<Layer> layers_;
    std::array<Unit, Model::kMaxLayerTypes> units_{};
    Unit half_root_;
    Lane replicate_lane_ = Lane::replicate;
    StepGraph graph_;
    int built_ = 1;

    // Where the builder stands.
    Pass pass_ = Pass::forward;
    int micro_batch_ = 0, layer_ = -1, type_ = -1;
    bool last_ = false, reduces_ = true;
    int issued_ = -1;        // last host node
    int computed_ = -1;      // last node of the compute lane
    int reduced_ = -1;       // last reduction of the shard lane
    int all_reduced_ = -1;   // last one of the replicate lane
    int data_ = -1;          // last one of the data lane
    AliveBytes next_start_;  // goes to the next compute node
};

int StepBuilder::add(StepNode node, std::initializer_list<int> after) {
    node.pass = pass_;
    node.micro_batch = micro_batch_;
    node.layer = layer_;
    node.layer_type = type_;
    const int index = static_cast<int>(graph_.nodes.size());
    for (const int from : after) {
        // Order within a lane needs no edge.
        if (from >= 0 && graph_.nodes[static_cast<std::size_t>(from)].lane != node.lane) graph_.edges.push_back({from, index});
    }
    graph_.nodes.push_back(node);
    return index;
}

int StepBuilder::add_compute(std::string_view name, Bucket bucket, double seconds, int after) {
    StepNode node{.name = name, .lane = Lane::compute, .bucket = bucket, .duration = Seconds{seconds}};
    node.at_start = next_start_;
    next_start_ = {};
    computed_ = add(node, {after});
    return computed_;
}

void StepBuilder::add_host(double seconds) {
    if (seconds <= 0) return;
    const int boundary = graph_.ends.empty() ? -1 : graph_.ends.back();  // the host reads the loss: no run-ahead over its end
    issued_ = add({.name = "launch", .lane = Lane::host, .bucket = Bucket::host, .duration = Seconds{seconds}}, {boundary});
}

int StepBuilder::add_gather(int index, int after) {
    const Unit& unit = unit_of(index);
    if (unit.gather <= 0) return -1;
    StepNode node{.name = "gather", .lane = Lane::shard, .bucket = Bucket::fsdp_exposed, .duration = Seconds{unit.gather}};
    node.at_start.gathered_units = shapes_.width * unit.weights;
    enter(index);
    return add(node, {after, issued_});
}

void StepBuilder::add_reduce(int index) {
    const Unit& unit = unit_of(index);
    enter(index);
    add_sync(index);
    if (!reduces_ || !shapes_.fsdp) return;
    StepNode node{.name = "reduce", .lane = Lane::shard, .bucket = Bucket::fsdp_exposed, .duration = Seconds{unit.reduce}};
    // Under accumulation without sync the buffer that is reduced is there already.
    if (!holds_grads()) node.at_start.unsharded_grads = shapes_.reduce_bytes * unit.weights;
    node.at_end.unsharded_grads = -(shapes_.reduce_bytes + shapes_.width) * unit.weights;
    reduced_ = add(node, {computed_});
    if (unit.all_reduce <= 0) return;
    all_reduced_ =
        add({.name = "all_reduce", .lane = replicate_lane_, .bucket = Bucket::fsdp_exposed, .duration = Seconds{unit.all_reduce}},
            {reduced_});
}

/// Runtimes that hide nothing of it synchronize after the last pass (and gather before the first): `share` is 1 there.
void StepBuilder::add_data(std::string_view name, double seconds, double share, int after) {
    if (seconds * share <= 0) return;
    data_ = add({.name = name, .lane = Lane::data, .bucket = Bucket::dp_exposed, .duration = Seconds{seconds * share}}, {after});
}

/// DDP and ZeRO-1 reduce bucket by bucket while the last backward pass runs.
void StepBuilder::add_sync(int index) {
    if (!last_ || rt_.dp_overlap <= 0) return;
    add_data("grad_sync", mesh_.grad_sync, unit_of(index).weights / shapes_.rank_weights(), computed_);
}

/// ZeRO-1's new parameters where the runtime gathers them under the next forward pass.
void StepBuilder::add_param_gather(int index) {
    if (micro_batch_ > 0 || !rt_.parameter_gather_overlaps) return;
    const bool whole = rt_.dp_overlap <= 0;
    if (whole && data_ >= 0) return;
    enter(index);
    add_data("param_gather", mesh_.param_gather, whole ? 1 : unit_of(index).weights / shapes_.rank_weights(), -1);
}

void StepBuilder::set_units() {
    for (std::size_t i = 0; i < job_.model.layers.size(); ++i) {
        const LayerType& type = job_.model.layers[i];
        const UnitTimes& u = mesh_.layers[i];
        units_[i] = {shapes_.layer_weights(type), u.gather, u.reduce, u.all_reduce, plan_.reshard_after_forward && u.gather > 0};
    }
    // The embedding's half of the root shows at both ends of a micro-batch, the head's half hides: the closed form's
    // kRootExposed.
    const UnitTimes& root = mesh_.root;
    half_root_ = {shapes_.root_weights() / 2, root.gather / 2, root.reduce / 2, root.all_reduce / 2, false};
    if (!mesh_.replicate_links) replicate_lane_ = Lane::shard;  // on the same links
}

double StepBuilder::repeated_seconds(const Layer& layer) const {
    if (!layer.recomputed) return 0;
    const LayerTimes& t = work_.layers[static_cast<std::size_t>(layer.type)];
    const RecomputeShare share = recompute_share(job_, plan_);
    return share.forward * t.sum(0) + share.attention * t.attention[0];
}

double StepBuilder::kept_bytes(const Layer& layer) const {
    const LayerMemory& m = memory_.layers[static_cast<std::size_t>(layer.type)];
    if (!layer.recomputed) return m.kept;
    return plan_.recompute == Recompute::full ? m.checkpoint : m.selective;
}

/// One layer's pass on the compute lane. The host starts to launch it when the layer before is launched; it cannot end before
/// its own launches do.
void StepBuilder::add_layer(int index, int gathered) {
    const Layer& l = layer(index);
    const LayerTimes& t = work_.layers[static_cast<std::size_t>(l.type)];
    const LayerMemory& m = memory_.layers[static_cast<std::size_t>(l.type)];
    const bool back = pass_ == Pass::backward;
    const std::size_t p = back ? 1 : 0;
    const double weights = shapes_.width * unit_of(index).weights, kept = kept_bytes(l);
    const double repeated = back ? repeated_seconds(l) : 0, latency = t.tp_latency[p];
    const double host =
        host_seconds(job_, plan_, job_.model.layers[static_cast<std::size_t>(l.type)], back ? 1 : 0, l.recomputed);
    const double gpu = t.sum(back ? 1 : 0) + repeated - latency;
    const int started = issued_;
    enter(index);
    if (!back) next_start_.activations += kept;
    if (back && l.recomputed) next_start_.activations += m.kept;
    if (back && shapes_.fsdp) next_start_.unsharded_grads += weights;
    add_host(host > 0 ? host + latency : 0);
    // Empty, it carries what the first op waits for and allocates.
    add_compute("recompute", Bucket::recompute, repeated, gathered);
    if (started >= 0) graph_.edges.push_back({started, computed_});
    const std::array<std::pair<Bucket, double>, 5> parts = {{{Bucket::cp_exposed, t.cp[p]},
                                                             {Bucket::attention, t.attention[p]},
                                                             {Bucket::matmul, t.matmul[p]},
                                                             {Bucket::elementwise, t.elementwise[p]},
                                                             {Bucket::tp_exposed, t.tp[p]}}};
    for (const auto& [bucket, seconds] : parts) {
        if (seconds > 0) add_compute(to_string(bucket), bucket, seconds);
    }
    // What host and GPU lose to each other where neither leads clearly (the closed form's smooth maximum).
    add_compute("jitter", Bucket::host, smooth_max(gpu, host) - std::max(gpu, host), issued_);
    AliveBytes& end = graph_.nodes.back().at_end;
    if (back) end.activations -= kept + (l.recomputed ? m.kept : 0.0);
    if (back && shapes_.fsdp) end.unsharded_grads += keep_grads(unit_of(index).weights);
    if (shapes_.fsdp && (back || unit_of(index).regather)) end.gathered_units -= weights;
}

void StepBuilder::add_root_grads(std::string_view name, Bucket bucket, double seconds) {
    if (shapes_.fsdp) next_start_.unsharded_grads += shapes_.width * half_root_.weights;
    add_compute(name, bucket, seconds);
    if (shapes_.fsdp) graph_.nodes.back().at_end.unsharded_grads += keep_grads(half_root_.weights);
}

void StepBuilder::forward() {
    pass_ = Pass::forward;
    enter(kRoot);
    const int boundary = computed_;
    const int depth = static_cast<int>(layers_.size());
    add_gather(kRoot, boundary);
    add_param_gather(kRoot);
    int gathered = add_gather(0, boundary);
    for (int i = 0; i < depth; ++i) {
        const int before = computed_;
        add_param_gather(i);
        add_layer(i, gathered >= 0 ? gathered : data_);
        gathered = add_gather(i + 1 < depth ? i + 1 : kRoot, before);
    }
    add_param_gather(kRoot);
    enter(kRoot);
    add_host(rt_.host_micro_batch / 2);
    next_start_.logits += memory_.logits;
    add_compute("head", Bucket::matmul, work_.head[0], gathered >= 0 ? gathered : data_);
    add_compute("loss", Bucket::loss, work_.head_other[0]);
}

void StepBuilder::backward() {
    pass_ = Pass::backward;
    const int depth = static_cast<int>(layers_.size());
    int gathered = unit_of(depth - 1).regather ? add_gather(depth - 1, computed_) : -1;
    enter(kRoot);
    add_compute("loss", Bucket::loss, work_.head_other[1], issued_);
    add_root_grads("head", Bucket::matmul, work_.head[1]);
    graph_.nodes.back().at_end.logits -= memory_.logits;
    add_reduce(kRoot);
    for (int i = depth - 1; i >= 0; --i) {
        const int current = gathered;
        const bool regathers = i > 0 && unit_of(i - 1).regather;
        gathered = regathers ? add_gather(i - 1, computed_) : -1;
        add_layer(i, current);
        add_reduce(i);
    }
    enter(kRoot);
    add_host(rt_.host_micro_batch / 2);
    add_root_grads("embedding", Bucket::loss, 0);
    add_reduce(kRoot);
    add_compute("end", Bucket::fsdp_exposed, 0, reduces_ ? reduced_ : -1);
    if (reduces_ && all_reduced_ >= 0) graph_.edges.push_back({all_reduced_, computed_});
    if (shapes_.fsdp) graph_.nodes.back().at_end.gathered_units -= shapes_.width * 2 * half_root_.weights;
    graph_.ends.push_back(computed_);
}

void StepBuilder::finish() {
    pass_ = Pass::step;
    enter(kRoot);
    if (rt_.dp_overlap <= 0) add_data("grad_sync", mesh_.grad_sync, 1, computed_);
    add_compute("end", Bucket::dp_exposed, 0, data_);
    const int host =
        rt_.host_step > 0
            ? add({.name = "step", .lane = Lane::host, .bucket = Bucket::host, .duration = Seconds{rt_.host_step}}, {computed_})
            : -1;
    add_compute("optimizer", Bucket::optimizer, mesh_.optimizer, host);
    const double gather = rt_.parameter_gather_overlaps ? 0.0 : rt_.parameter_gather * mesh_.param_gather;
    if (gather <= 0) return;
    add({.name = "param_gather", .lane = Lane::data, .bucket = Bucket::dp_exposed, .duration = Seconds{gather}}, {computed_});
}

}  // namespace

std::string_view to_string(Lane lane) {
    constexpr std::string_view kNames[] = {"host", "compute", "shard", "replicate", "data"};
    return kNames[static_cast<std::size_t>(lane)];
}

std::string_view to_string(Pass pass) {
    constexpr std::string_view kNames[] = {"forward", "backward", "step"};
    return kNames[static_cast<std::size_t>(pass)];
}

StepGraph build_step_graph(const Job& job, const Plan& plan, int built) {
    return StepBuilder(job, plan, built).build();
}

}  // namespace ndtune
