#include "compiler/gpu/passes/layouts/MinimumCut.h"

#include <algorithm>

namespace triton::gpu {

void MinimumCut::addEdge(unsigned from, unsigned to, int64_t capacity) {
  if (capacity <= 0)
    return;
  edges[from].push_back({to, capacity, static_cast<unsigned>(edges[to].size())});
  edges[to].push_back({from, 0, static_cast<unsigned>(edges[from].size() - 1)});
}

// Yes is the sink's side: what saying yes costs is cut between the source and the question.
void MinimumCut::addCost(unsigned question, int64_t no, int64_t yes) {
  addEdge(source(), question, yes - no);
  addEdge(question, sink(), no - yes);
}

void MinimumCut::addCost(unsigned first, unsigned second, int64_t noNo, int64_t noYes, int64_t yesNo, int64_t yesYes) {
  noYes = std::max(noYes, noNo + yesYes - yesNo);
  addCost(first, noNo, yesNo);
  addCost(second, yesNo, yesYes);
  addEdge(first, second, noYes + yesNo - noNo - yesYes);
}

bool MinimumCut::findLevels() {
  levels.assign(edges.size(), -1);
  levels[source()] = 0;
  std::vector<unsigned> reached = {source()};
  for (size_t index = 0; index < reached.size(); ++index)
    for (const Edge &edge : edges[reached[index]])
      if (edge.capacity > 0 && levels[edge.target] < 0) {
        levels[edge.target] = levels[reached[index]] + 1;
        reached.push_back(edge.target);
      }
  return levels[sink()] >= 0;
}

/// The first edge on from `node`, a level further, that leads anywhere as far as is known.
MinimumCut::Edge *MinimumCut::nextEdge(unsigned node) {
  for (unsigned &index = next[node]; index < edges[node].size(); ++index)
    if (Edge &edge = edges[node][index]; edge.capacity > 0 && levels[edge.target] == levels[node] + 1)
      return &edge;
  return nullptr;
}

/// As much as fits along the ways that go up one level with each edge. A way is as long as the kernel says, so it is no recursion.
void MinimumCut::fillWays() {
  next.assign(edges.size(), 0);
  std::vector<Edge *> way;
  auto end = [&] { return way.empty() ? source() : way.back()->target; };
  for (;;) {
    if (end() == sink()) {
      auto least = std::ranges::min_element(way, {}, &Edge::capacity);
      const int64_t amount = (*least)->capacity;
      for (Edge *edge : way) {
        edge->capacity -= amount;
        edges[edge->target][edge->reverse].capacity += amount;
      }
      way.erase(least, way.end()); // what is before it has room left
    } else if (Edge *edge = nextEdge(end())) {
      way.push_back(edge);
    } else if (way.empty()) {
      return;
    } else {
      way.pop_back();
      ++next[end()]; // it led nowhere
    }
  }
}

std::vector<bool> MinimumCut::solve() {
  // Dinic's algorithm: as much as fits along shortest ways, until no way is left.
  while (findLevels())
    fillWays();
  std::vector<bool> answers(edges.size() - 2);
  for (size_t question = 0; question < answers.size(); ++question)
    answers[question] = levels[question] < 0;
  return answers;
}

} // namespace triton::gpu
