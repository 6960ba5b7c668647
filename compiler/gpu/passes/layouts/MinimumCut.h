// The cheapest way to give each of many yes-or-no questions an answer, where answers cost and where some pairs of answers cost as well.
// Solved exactly as a minimum cut of a network (Kolmogorov and Zabih 2004, "What energy functions can be minimized via graph cuts?").
#pragma once

#include <cstdint>
#include <vector>

namespace triton::gpu {

class MinimumCut {
public:
  explicit MinimumCut(unsigned questions) : edges(questions + 2) {}

  /// What the answers to one question cost.
  void addCost(unsigned question, int64_t no, int64_t yes);
  /// What the four pairs of answers to two questions cost. Where agreeing costs more than differing, differing is charged the difference:
  /// such costs have no cut.
  void addCost(unsigned first, unsigned second, int64_t noNo, int64_t noYes, int64_t yesNo, int64_t yesYes);

  /// The answers.
  std::vector<bool> solve();

private:
  struct Edge {
    unsigned target;
    int64_t capacity;
    unsigned reverse; // its place among the edges of the target
  };
  void addEdge(unsigned from, unsigned to, int64_t capacity);
  bool findLevels();
  Edge *nextEdge(unsigned node);
  void fillWays();
  unsigned source() const { return edges.size() - 2; }
  unsigned sink() const { return edges.size() - 1; }

  std::vector<std::vector<Edge>> edges;
  std::vector<int> levels;
  std::vector<unsigned> next;
};

} // namespace triton::gpu
