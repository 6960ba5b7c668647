#include "compiler/layout/Conversion.h"
#include "compiler/layout/BitMatrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

using namespace triton::layout;
using llvm::StringRef;

unsigned LaneExchange::Choice::at(unsigned lane) const {
  unsigned result = base;
  for (auto [bit, delta] : llvm::enumerate(perLane))
    if (lane >> bit & 1)
      result ^= delta;
  return result;
}

bool LaneExchange::Choice::isUniform() const {
  return llvm::all_of(perLane, [](unsigned delta) { return delta == 0; });
}

static uint64_t bitAt(llvm::ArrayRef<uint64_t> columns, size_t index) {
  return index < columns.size() ? columns[index] : 0;
}

/// Whether each thread index of `input` may stay where it is when values may move among what `within` spans.
static bool staysPut(const LinearLayout &from, const LinearLayout &to, StringRef input, const ColumnSpan &within) {
  std::vector<uint64_t> a = from.columns(input), b = to.columns(input);
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    if (!within.solve(bitAt(a, i) ^ bitAt(b, i)))
      return false;
  return true;
}

static bool reaches(const ColumnSpan &span, llvm::ArrayRef<uint64_t> targets) {
  return llvm::all_of(targets, [&](uint64_t target) { return span.solve(target).has_value(); });
}

/// Destination registers from source registers, thread by thread. The lane's, warp's and block's own part may differ by registers: then which
/// register it is depends on the thread, and that is no renaming.
static std::optional<RegisterRenaming> planRegisters(const LinearLayout &from, const LinearLayout &to) {
  for (StringRef input : {"lane", "warp", "block"}) {
    std::vector<uint64_t> a = from.columns(input), b = to.columns(input);
    a.resize(std::max(a.size(), b.size()), 0);
    b.resize(a.size(), 0);
    if (a != b)
      return std::nullopt;
  }
  ColumnSpan registers(from.columns("register"));
  std::vector<uint64_t> targets = to.columns("register");
  if (!reaches(registers, targets))
    return std::nullopt;
  RegisterRenaming renaming;
  for (uint64_t r = 0; r < uint64_t(1) << targets.size(); ++r) {
    uint64_t output = 0;
    for (auto [bit, target] : llvm::enumerate(targets))
      if (r >> bit & 1)
        output ^= target;
    renaming.sources.push_back(static_cast<unsigned>(*registers.solve(output)));
  }
  return renaming;
}

/// The map (destination register, lane) -> (source register, lane) as columns: low bits register, high bits lane.
static std::optional<LaneExchange> planLanes(const LinearLayout &from, const LinearLayout &to) {
  std::vector<uint64_t> fromRegisters = from.columns("register"), fromLanes = from.columns("lane");
  std::vector<uint64_t> toRegisters = to.columns("register"), toLanes = to.columns("lane");
  size_t registerBits = fromRegisters.size(), laneBits = std::max(fromLanes.size(), toLanes.size());
  fromLanes.resize(laneBits, 0);
  toLanes.resize(laneBits, 0);
  ColumnSpan registers(fromRegisters), both(concatenate(fromRegisters, fromLanes));
  for (StringRef input : {"warp", "block"})
    if (from.columns(input) != to.columns(input))
      return std::nullopt;
  if (!reaches(both, toRegisters) || !reaches(both, toLanes))
    return std::nullopt;

  // A lane keeps its own number where registers alone can make up the difference; elsewhere any solution will do.
  auto split = [&](uint64_t mask) {
    return std::pair<unsigned, unsigned>(mask & ((uint64_t(1) << registerBits) - 1), mask >> registerBits);
  };
  std::vector<std::pair<unsigned, unsigned>> registerMap, laneMap; // per destination bit: source register, source lane
  for (uint64_t target : toRegisters)
    registerMap.push_back(split(*both.solve(target)));
  for (auto [bit, target] : llvm::enumerate(toLanes)) {
    if (auto mask = registers.solve(target ^ fromLanes[bit]))
      laneMap.emplace_back(static_cast<unsigned>(*mask), 1u << bit);
    else
      laneMap.push_back(split(*both.solve(target)));
  }

  // In one round the source lane must be a bijection of the taking lane. Where it is not, lanes take their registers in another
  // order: XOR into the register index, per lane bit, a combination of register bits whose source lane is what is missing.
  std::vector<unsigned> skew(laneBits, 0);
  {
    std::vector<uint64_t> chosen;
    uint64_t usedRegisters = 0;
    for (size_t bit = 0; bit < laneBits; ++bit) {
      uint64_t column = laneMap[bit].second;
      if (!ColumnSpan(concatenate(chosen, {column})).dependentColumns()) {
        chosen.push_back(column);
        continue;
      }
      bool found = false;
      for (size_t r = 0; r < registerMap.size() && !found; ++r) {
        if (usedRegisters >> r & 1)
          continue;
        uint64_t candidate = column ^ registerMap[r].second;
        // It must also leave room for the lane bits still to come.
        std::vector<uint64_t> trial = concatenate(chosen, {candidate});
        if (ColumnSpan(trial).dependentColumns())
          continue;
        chosen = trial;
        skew[bit] = 1u << r;
        usedRegisters |= uint64_t(1) << r;
        found = true;
      }
      if (!found)
        return std::nullopt;
    }
  }

  LaneExchange exchange;
  for (uint64_t round = 0; round < uint64_t(1) << registerMap.size(); ++round) {
    LaneExchange::Round next;
    auto map = [&](uint64_t destinationRegister, uint64_t lane) {
      std::pair<unsigned, unsigned> source(0, 0);
      for (auto [bit, part] : llvm::enumerate(registerMap))
        if (destinationRegister >> bit & 1)
          source = {source.first ^ part.first, source.second ^ part.second};
      for (auto [bit, part] : llvm::enumerate(laneMap))
        if (lane >> bit & 1)
          source = {source.first ^ part.first, source.second ^ part.second};
      return source;
    };
    next.taken = {static_cast<unsigned>(round), skew};
    next.sourceLane = {map(round, 0).second, {}};
    std::vector<uint64_t> laneColumns;
    std::vector<unsigned> sourceRegister;
    for (size_t bit = 0; bit < laneBits; ++bit) {
      auto source = map(skew[bit], uint64_t(1) << bit);
      next.sourceLane.perLane.push_back(source.second);
      laneColumns.push_back(source.second);
      sourceRegister.push_back(source.first);
    }
    // The offering lane s serves the lane l with sourceLane(l) = s: the register it offers, as a function of s.
    ColumnSpan inverse(laneColumns);
    auto offered = [&](uint64_t sourceLane) {
      uint64_t taker = *inverse.solve(sourceLane ^ next.sourceLane.base);
      unsigned registerIndex = map(round, 0).first;
      for (auto [bit, delta] : llvm::enumerate(sourceRegister))
        if (taker >> bit & 1)
          registerIndex ^= delta;
      return registerIndex;
    };
    next.offered.base = offered(0);
    for (size_t bit = 0; bit < laneBits; ++bit)
      next.offered.perLane.push_back(offered(uint64_t(1) << bit) ^ next.offered.base);
    exchange.rounds.push_back(std::move(next));
  }
  return exchange;
}

/// How often a thread picks one of two registers because lanes offer and take different ones. A shuffle takes as long as a store and a load of
/// the same word; what a barrier costs (about 20 cycles) is spent on about twice as many selections.
static int64_t selectionsOf(const LaneExchange &exchange, const LinearLayout &from, const LinearLayout &to) {
  auto varying = [](const LaneExchange::Choice &choice) {
    return llvm::count_if(choice.perLane, [](unsigned delta) { return delta != 0; });
  };
  const LaneExchange::Round &round = exchange.rounds[0];
  return varying(round.offered) * from.inputSize("register") + varying(round.taken) * to.inputSize("register");
}

ConversionPlan triton::layout::planConversion(const LinearLayout &from, const LinearLayout &to, unsigned elementBits) {
  ConversionPlan plan{ConversionPlan::Kind::Nothing, {}, {}, {}};
  if (from == to)
    return plan;
  if (auto renaming = planRegisters(from, to)) {
    bool same = from.inputSize("register") == to.inputSize("register");
    for (auto [index, source] : llvm::enumerate(renaming->sources))
      same &= index == source;
    plan.kind = same ? ConversionPlan::Kind::Nothing : ConversionPlan::Kind::Registers;
    plan.renaming = std::move(*renaming);
    return plan;
  }
  if (auto exchange = planLanes(from, to); exchange && selectionsOf(*exchange, from, to) <= 40) {
    plan.kind = ConversionPlan::Kind::Lanes;
    plan.exchange = std::move(*exchange);
    return plan;
  }
  ColumnSpan inCta(concatenate(concatenate(from.columns("register"), from.columns("lane")), from.columns("warp")));
  plan.kind = staysPut(from, to, "block", inCta) ? ConversionPlan::Kind::Shared : ConversionPlan::Kind::Cluster;
  bool oneCta = from.inputSize("block") == 1 && to.inputSize("block") == 1;
  plan.shared = oneCta ? planShared(from, to, elementBits) : planCluster(from, to, elementBits);
  return plan;
}
