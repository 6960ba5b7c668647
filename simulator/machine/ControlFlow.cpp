// Where paths that part at a branch meet again.
#include "simulator/machine/Decoder.h"

#include <algorithm>
#include <map>

namespace triton::simulator {

namespace {

/// Blocks of one function, by their first instruction; the last one, empty, is the way out.
struct Graph {
  std::vector<uint32_t> begins;
  std::vector<std::vector<uint32_t>> successors, predecessors;
  uint32_t exit() const { return uint32_t(begins.size()); }
};

} // namespace

static Graph graphOf(const std::vector<Instruction> &code, uint32_t begin, uint32_t end,
                     const std::map<uint32_t, const std::vector<uint32_t> *> &tables) {
  std::vector<bool> isLeader(end - begin + 1, false);
  isLeader[0] = true;
  auto lead = [&](uint32_t pc) {
    if (pc >= begin && pc < end)
      isLeader[pc - begin] = true;
  };
  for (uint32_t pc = begin; pc < end; ++pc) {
    if (isBranch(code[pc]))
      lead(code[pc].target);
    else if (isIndexedBranch(code[pc]))
      std::for_each(tables.at(pc)->begin(), tables.at(pc)->end(), lead);
    else if (!isReturn(code[pc]))
      continue;
    lead(pc + 1);
  }
  Graph graph;
  std::vector<uint32_t> blockOf(end - begin);
  for (uint32_t pc = begin; pc < end; ++pc) {
    if (isLeader[pc - begin])
      graph.begins.push_back(pc);
    blockOf[pc - begin] = uint32_t(graph.begins.size() - 1);
  }
  graph.successors.resize(graph.begins.size() + 1);
  graph.predecessors.resize(graph.begins.size() + 1);
  for (uint32_t block = 0; block < graph.exit(); ++block) {
    uint32_t last = (block + 1 < graph.exit() ? graph.begins[block + 1] : end) - 1;
    const Instruction &ending = code[last];
    bool isAlways = ending.guard.index == 1 && !ending.guard.isNegated;
    std::vector<uint32_t> &out = graph.successors[block];
    if (isBranch(ending))
      out.push_back(blockOf[ending.target - begin]);
    else if (isIndexedBranch(ending))
      for (uint32_t target : *tables.at(last))
        out.push_back(blockOf[target - begin]);
    else if (isReturn(ending))
      out.push_back(graph.exit());
    else
      isAlways = false;
    if (!isAlways)
      out.push_back(last + 1 < end ? blockOf[last + 1 - begin] : graph.exit());
    for (uint32_t next : out)
      graph.predecessors[next].push_back(block);
  }
  return graph;
}

/// Immediate post-dominators; of blocks from which no way leads out, the exit. By the method of Cooper, Harvey and Kennedy on the reversed graph.
static std::vector<uint32_t> postDominators(const Graph &graph) {
  constexpr uint32_t none = ~0u;
  uint32_t exit = graph.exit();
  std::vector<uint32_t> order, number(exit + 1, none), dominator(exit + 1, none);
  std::vector<std::pair<uint32_t, size_t>> stack = {{exit, 0}};
  std::vector<bool> isSeen(exit + 1, false);
  isSeen[exit] = true;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next < graph.predecessors[block].size()) {
      uint32_t predecessor = graph.predecessors[block][next++];
      if (!isSeen[predecessor]) {
        isSeen[predecessor] = true;
        stack.emplace_back(predecessor, 0);
      }
    } else {
      number[block] = uint32_t(order.size());
      order.push_back(block);
      stack.pop_back();
    }
  }
  dominator[exit] = exit;
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (auto block = order.rbegin(); block != order.rend(); ++block) {
      if (*block == exit)
        continue;
      uint32_t best = none;
      for (uint32_t successor : graph.successors[*block]) {
        if (dominator[successor] == none)
          continue;
        uint32_t other = successor;
        if (best == none) {
          best = other;
          continue;
        }
        while (best != other)
          if (number[best] < number[other])
            best = dominator[best];
          else
            other = dominator[other];
      }
      if (best != none && dominator[*block] != best) {
        dominator[*block] = best;
        hasChanged = true;
      }
    }
  }
  for (uint32_t &each : dominator)
    if (each == none)
      each = exit;
  return dominator;
}

void findJoins(std::vector<Instruction> &code, uint32_t begin, uint32_t end,
               const std::vector<std::pair<uint32_t, std::vector<uint32_t>>> &indexedBranches) {
  std::map<uint32_t, const std::vector<uint32_t> *> tables;
  for (auto &[pc, targets] : indexedBranches)
    tables[pc] = &targets;
  Graph graph = graphOf(code, begin, end, tables);
  std::vector<uint32_t> dominators = postDominators(graph);
  for (uint32_t block = 0; block < graph.exit(); ++block) {
    uint32_t last = (block + 1 < graph.exit() ? graph.begins[block + 1] : end) - 1;
    uint32_t meeting = dominators[block];
    if (isBranch(code[last]) || isIndexedBranch(code[last]))
      code[last].join = meeting == graph.exit() ? end - 1 : graph.begins[meeting];
  }
}

} // namespace triton::simulator
