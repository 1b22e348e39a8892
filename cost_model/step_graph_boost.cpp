#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/graph/topological_sort.hpp>

#include "cost_model/step_graph.h"

namespace ndtune {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

/// Dependencies, and the issue order of each lane.
Graph to_boost(const StepGraph& steps) {
    Graph graph(steps.nodes.size());
    for (const StepEdge& edge : steps.edges) {
        boost::add_edge(static_cast<std::size_t>(edge.from), static_cast<std::size_t>(edge.to), graph);
    }
    std::array<std::size_t, kLanes> last{};
    std::array<bool, kLanes> any{};
    for (std::size_t i = 0; i < steps.nodes.size(); ++i) {
        const auto lane = static_cast<std::size_t>(steps.nodes[i].lane);
        if (any[lane]) boost::add_edge(last[lane], i, graph);
        last[lane] = i;
        any[lane] = true;
    }
    return graph;
}

}  // namespace

std::vector<int> topological_order(const StepGraph& graph) {
    std::vector<std::size_t> reversed;
    reversed.reserve(graph.nodes.size());
    try {
        Graph boosted = to_boost(graph);
        boost::topological_sort(boosted, std::back_inserter(reversed));
    } catch (const boost::not_a_dag&) {
        return {};
    }
    std::vector<int> order(reversed.size());
    std::transform(reversed.rbegin(), reversed.rend(), order.begin(), [](std::size_t i) { return static_cast<int>(i); });
    return order;
}

std::string to_graphviz(const StepGraph& graph) {
    std::ostringstream out;
    boost::write_graphviz(out, to_boost(graph), [&](std::ostream& text, std::size_t i) {
        const StepNode& n = graph.nodes[i];
        const std::string where = n.layer >= 0 ? fmt::format(" L{}", n.layer) : std::string{};
        text << fmt::format("[label=\"{}{}\\n{} mb{} {}\\n{:.3g} ms\"]", n.name, where, to_string(n.pass), n.micro_batch,
                            to_string(n.lane), n.duration.value * 1e3);
    });
    return out.str();
}

}  // namespace ndtune
