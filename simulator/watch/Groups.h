// Groups of asynchronous operations, for handlers.
#pragma once

#include "simulator/machine/Decoder.h"
#include "simulator/watch/Races.h"

namespace triton::simulator {

/// An operation that goes on by itself.
struct Token {
  RaceWatch *races;
  uint32_t number;
  /// Those who wait at the mbarrier know it to be complete.
  void completesAt(const std::byte *barrier) const {
    if (races)
      races->arriveWith(number, races->mbarrierAt(barrier));
  }
};

/// An operation that begins here and ends its accesses with the scope.
class Operation {
public:
  Operation(Warp &warp, Proxy proxy) : warp(warp), races(warp.cta.cluster.races.get()) {
    if (races)
      number = races->begin(warp, proxy);
  }
  ~Operation() {
    if (races)
      races->end(warp);
  }
  Operation(const Operation &) = delete;
  void joins(Group group) {
    if (races)
      races->add(warp, group, number);
  }
  /// What stands for it when it lands.
  Token token() const { return {races, number}; }

private:
  Warp &warp;
  RaceWatch *races;
  uint32_t number = 0;
};

/// What a copy that lands late touches is the operation's.
class Resumed {
public:
  Resumed(Warp &warp, const Token &token) : warp(warp), races(token.races) {
    if (races)
      before = races->resume(warp, token.number);
  }
  ~Resumed() {
    if (races)
      races->resume(warp, before);
  }
  Resumed(const Resumed &) = delete;

private:
  Warp &warp;
  RaceWatch *races;
  uint32_t before = 0;
};

template <Group group> Step commitGroup(Warp &warp, const Instruction &, LaneMask) {
  if (RaceWatch *races = warp.cta.cluster.races.get())
    races->commit(warp, group);
  return Step::Next;
}
/// `immediate`: groups that may be pending; less than 0: what was not committed is waited for, too.
template <Group group> Step waitGroup(Warp &warp, const Instruction &instruction, LaneMask) {
  if (RaceWatch *races = warp.cta.cluster.races.get()) {
    if (instruction.immediate < 0)
      races->commit(warp, group);
    races->waitGroups(warp, group, instruction.immediate < 0 ? 0 : uint32_t(instruction.immediate));
  }
  return Step::Next;
}
/// commit_group, wait_group N, wait_all; false if it is none of these.
inline bool decodeGroup(Decoder &decoder, Handler commit, Handler wait) {
  if (decoder.has("commit_group")) {
    decoder.emit(commit);
    return true;
  }
  bool isAll = decoder.has("wait_all");
  if (!isAll && !decoder.has("wait_group"))
    return false;
  int64_t pending = isAll ? -1 : decoder.integer(decoder.operand(0));
  decoder.emit(wait).immediate = pending;
  return true;
}

} // namespace triton::simulator
