#include "cost_model/schedule.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "cost_model/assert.h"

namespace ndtune {
namespace {

constexpr auto kCompute = static_cast<std::size_t>(Lane::compute);
constexpr auto kShard = static_cast<std::size_t>(Lane::shard);
constexpr auto kReplicate = static_cast<std::size_t>(Lane::replicate);
constexpr auto kData = static_cast<std::size_t>(Lane::data);

using Buckets = std::array<double, kBuckets>;

/// Plays the graph event by event: the next event is the first running op to end at its present speed.
class Player {
public:
    explicit Player(const StepGraph& graph) : graph_(graph) {
        const std::size_t n = graph.nodes.size();
        times.resize(n);
        waits_.resize(n);
        ready_by_.assign(n, -1);
        first_.assign(n + 1, 0);
        for (const StepEdge& e : graph.edges) {
            ++waits_[at(e.to)];
            ++first_[at(e.from) + 1];
        }
        for (std::size_t i = 0; i < n; ++i) first_[i + 1] += first_[i];
        next_.resize(graph.edges.size());
        std::vector<int> fill(first_.begin(), first_.end() - 1);
        for (const StepEdge& e : graph.edges) next_[at(fill[at(e.from)]++)] = e.to;
        for (std::size_t i = 0; i < n; ++i) queue_[lane_of(i)].push_back(static_cast<int>(i));
    }

    void play() {
        for (;;) {
            start_ready();
            record_memory();
            if (!advance()) break;
        }
        NDTUNE_ASSERT(ended_ == graph_.nodes.size());
    }

    std::vector<NodeTimes> times;
    std::vector<MemoryPoint> timeline;

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] std::size_t lane_of(std::size_t node) const { return static_cast<std::size_t>(graph_.nodes[node].lane); }

    void start_ready() {
        for (bool any = true; any;) {
            any = false;
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                while (running_[lane] < 0 && head_[lane] < queue_[lane].size() && waits_[at(queue_[lane][head_[lane]])] == 0) {
                    start(lane, queue_[lane][head_[lane]++]);
                    any = true;
                }
            }
        }
    }

    void start(std::size_t lane, int node) {
        NodeTimes& t = times[at(node)];
        const int before = last_[lane], ready = ready_by_[at(node)];
        t.start = now_;
        t.binding = before;
        if (before < 0 || (ready >= 0 && times[at(ready)].end > times[at(before)].end)) t.binding = ready;
        alive_ += graph_.nodes[at(node)].at_start;
        running_[lane] = node;
        remaining_[lane] = graph_.nodes[at(node)].duration.value;
        if (remaining_[lane] <= 0) end(lane);
    }

    void end(std::size_t lane) {
        const int node = running_[lane];
        times[at(node)].end = now_;
        alive_ += graph_.nodes[at(node)].at_end;
        for (int i = first_[at(node)]; i < first_[at(node) + 1]; ++i) {
            const int to = next_[at(i)];
            --waits_[at(to)];
            ready_by_[at(to)] = node;
        }
        last_[lane] = node;
        running_[lane] = -1;
        ++ended_;
    }

    [[nodiscard]] std::array<double, kLanes> speeds() const {
        const int op = running_[kCompute];
        const bool computes = op >= 0 && graph_.nodes[at(op)].bucket != Bucket::host;
        const bool communicates = running_[kShard] >= 0 || running_[kReplicate] >= 0;
        std::array<double, kLanes> speed{};
        speed.fill(1);
        if (computes && communicates) speed[kCompute] = speed[kShard] = speed[kReplicate] = 1 / (1 + graph_.contention);
        if (computes) speed[kData] = graph_.data_overlap;
        return speed;
    }

    /// To the next end of an op. False when nothing runs.
    bool advance() {
        const std::array<double, kLanes> speed = speeds();
        std::array<double, kLanes> left{};
        left.fill(std::numeric_limits<double>::infinity());
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            if (running_[lane] >= 0 && speed[lane] > 0) left[lane] = remaining_[lane] / speed[lane];
        }
        const double step = *std::min_element(left.begin(), left.end());
        if (step == std::numeric_limits<double>::infinity()) return false;
        now_ += step;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            if (running_[lane] < 0) continue;
            if (left[lane] == step)
                end(lane);
            else
                remaining_[lane] = std::max(0.0, remaining_[lane] - step * speed[lane]);
        }
        return true;
    }

    void record_memory() {
        if (!timeline.empty() && timeline.back().alive == alive_) return;
        timeline.push_back({Seconds{now_}, alive_});
    }

    const StepGraph& graph_;
    double now_ = 0;
    AliveBytes alive_;
    std::size_t ended_ = 0;
    std::vector<int> waits_;         // dependencies still open
    std::vector<int> ready_by_;      // the dependency that ended last
    std::vector<int> first_, next_;  // edges by source
    std::array<std::vector<int>, kLanes> queue_;
    std::array<std::size_t, kLanes> head_{};
    std::array<int, kLanes> running_{-1, -1, -1, -1, -1};
    std::array<int, kLanes> last_{-1, -1, -1, -1, -1};
    std::array<double, kLanes> remaining_{};
};

/// Reads the attributions off a played graph.
class Reader {
public:
    Reader(const StepGraph& graph, const std::vector<NodeTimes>& times) : graph_(graph), times_(times) {
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (last_ < 0 || times[i].end >= time(last_).end) last_ = static_cast<int>(i);
        }
        if (graph.folded > 0) {
            window_start_ = time(graph.ends[static_cast<std::size_t>(graph.folded_after)]).end;
            window_end_ = time(graph.ends[static_cast<std::size_t>(graph.folded_after) + 1]).end;
        }
    }

    [[nodiscard]] double period() const { return window_end_ - window_start_; }
    [[nodiscard]] double makespan() const { return last_ < 0 ? 0 : time(last_).end + graph_.folded * period(); }

    [[nodiscard]] Buckets breakdown() const {
        Buckets sum{}, opened{}, window{};
        double until = 0;
        for (std::size_t i = 0; i < times_.size(); ++i) {
            const StepNode& node = graph_.nodes[i];
            if (node.lane != Lane::compute) continue;
            charge_wait(sum, times_[i].binding, until, times_[i].start);
            const double lasted = times_[i].end - times_[i].start, own = std::min(lasted, node.duration.value);
            into(sum, node.bucket) += own;
            into(sum, Bucket::fsdp_exposed) += lasted - own;
            until = times_[i].end;
            if (graph_.folded == 0) continue;
            if (is_end(i, 0)) opened = sum;
            if (is_end(i, 1)) window = sum;
        }
        if (last_ >= 0) charge_wait(sum, last_, until, time(last_).end);
        for (std::size_t b = 0; b < sum.size(); ++b) sum[b] += graph_.folded * (window[b] - opened[b]);
        return sum;
    }

    [[nodiscard]] std::vector<PathSegment> critical_path() const {
        std::array<PathSegment, std::size_t{kBuckets} * kPasses*(Model::kMaxLayerTypes + 1)> sums{};
        for (int i = last_; i >= 0; i = time(i).binding) {
            const StepNode& node = graph_.nodes[static_cast<std::size_t>(i)];
            const double lasted = time(i).end - time(i).start;
            if (lasted <= 0) continue;
            // A folded micro-batch repeats what of the op lies inside its window.
            const double inside = std::max(0.0, std::min(time(i).end, window_end_) - std::max(time(i).start, window_start_));
            const double times = 1 + graph_.folded * inside / lasted;
            const bool repeats = time(i).end > window_start_ && time(i).end <= window_end_;
            const std::int64_t count = 1 + (repeats ? graph_.folded : 0);
            const double own = node.lane == Lane::compute ? std::min(lasted, node.duration.value) : lasted;
            add(sums, node, node.bucket, own * times, count);
            if (lasted > own) add(sums, node, Bucket::fsdp_exposed, (lasted - own) * times, count);
        }
        std::vector<PathSegment> path;
        for (const PathSegment& s : sums) {
            if (s.count > 0) path.push_back(s);
        }
        const auto key = [](const PathSegment& s) { return std::tuple(-s.seconds.value, s.bucket, s.pass, s.layer_type); };
        std::sort(path.begin(), path.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
        return path;
    }

private:
    [[nodiscard]] const NodeTimes& time(int i) const { return times_[static_cast<std::size_t>(i)]; }
    static double& into(Buckets& sum, Bucket b) { return sum[static_cast<std::size_t>(b)]; }
    [[nodiscard]] bool is_end(std::size_t node, int which) const {
        const int end = graph_.folded_after + which;
        return graph_.ends[static_cast<std::size_t>(end)] == static_cast<int>(node);
    }

    /// The compute lane's idle time from `from` to `to` goes to the chain of ops that it waits for.
    void charge_wait(Buckets& sum, int node, double from, double to) const {
        for (; node >= 0 && to > from; node = time(node).binding) {
            const double start = std::clamp(time(node).start, from, to);
            into(sum, graph_.nodes[static_cast<std::size_t>(node)].bucket) += to - start;
            to = start;
        }
    }

    template <class Sums>
    static void add(Sums& sums, const StepNode& node, Bucket bucket, double seconds, std::int64_t count) {
        const auto group = static_cast<std::size_t>(bucket) * kPasses + static_cast<std::size_t>(node.pass);
        PathSegment& s = sums[group * (Model::kMaxLayerTypes + 1) + static_cast<std::size_t>(node.layer_type + 1)];
        s.bucket = bucket;
        s.pass = node.pass;
        s.layer_type = node.layer_type;
        s.seconds += Seconds{seconds};
        s.count += count;
    }

    const StepGraph& graph_;
    const std::vector<NodeTimes>& times_;
    int last_ = -1;  // the node that ends the step
    double window_start_ = 0, window_end_ = 0;
};

}  // namespace

Schedule schedule(const StepGraph& graph) {
    NDTUNE_ASSERT(topological_order(graph).size() == graph.nodes.size());  // no cycle: every op gets its turn
    Player player(graph);
    player.play();
    const Reader reader(graph, player.times);
    Schedule s;
    s.makespan = Seconds{reader.makespan()};
    s.period = Seconds{reader.period()};
    const Buckets breakdown = reader.breakdown();
    for (std::size_t b = 0; b < breakdown.size(); ++b) s.breakdown[b] = Seconds{breakdown[b]};
    s.critical_path = reader.critical_path();
    for (const MemoryPoint& p : player.timeline) {
        if (p.alive.total() > s.peak.alive.total()) s.peak = p;
    }
    s.nodes = std::move(player.times);
    s.timeline = std::move(player.timeline);
    return s;
}

}  // namespace ndtune
