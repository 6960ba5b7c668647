#include "compiler/gpu/passes/MinimumCut.h"

#include <algorithm>
#include <limits>

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

int64_t MinimumCut::push(unsigned node, int64_t limit) {
  if (node == sink())
    return limit;
  for (unsigned &index = next[node]; index < edges[node].size(); ++index) {
    Edge &edge = edges[node][index];
    if (edge.capacity <= 0 || levels[edge.target] != levels[node] + 1)
      continue;
    if (int64_t pushed = push(edge.target, std::min(limit, edge.capacity))) {
      edge.capacity -= pushed;
      edges[edge.target][edge.reverse].capacity += pushed;
      return pushed;
    }
  }
  return 0;
}

std::vector<bool> MinimumCut::solve() {
  // Dinic's algorithm: as much as fits along shortest ways, until no way is left.
  while (findLevels()) {
    next.assign(edges.size(), 0);
    while (push(source(), std::numeric_limits<int64_t>::max())) {
    }
  }
  std::vector<bool> answers(edges.size() - 2);
  for (size_t question = 0; question < answers.size(); ++question)
    answers[question] = levels[question] < 0;
  return answers;
}

} // namespace triton::gpu
