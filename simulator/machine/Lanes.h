// Loops over lanes, for handlers that do the same in each: the compiler makes vector code of them.
#pragma once

#include "simulator/machine/Machine.h"

#include <type_traits>

namespace triton::simulator {

template <typename Body> inline void eachLane(LaneMask mask, Body body) {
  for (unsigned lane = 0; lane < laneCount; ++lane)
    if (mask >> lane & 1)
      body(lane);
}

/// d = operation(a), where operation must not trap whatever it is given: it also runs for lanes whose result is not wanted.
template <typename D, typename A, auto operation>
Step unary(Warp &warp, const Instruction &instruction, LaneMask mask) {
  D *d = warp.out<D>(instruction.d);
  const A *a = warp.in<A>(instruction.a);
  if (mask == allLanes) {
#pragma clang loop vectorize(assume_safety)
    for (unsigned lane = 0; lane < laneCount; ++lane)
      d[lane] = operation(a[lane]);
  } else {
    eachLane(mask, [&](unsigned lane) { d[lane] = operation(a[lane]); });
  }
  return Step::Next;
}

template <typename D, typename A, typename B, auto operation>
Step binary(Warp &warp, const Instruction &instruction, LaneMask mask) {
  D *d = warp.out<D>(instruction.d);
  const A *a = warp.in<A>(instruction.a);
  const B *b = warp.in<B>(instruction.b);
  if (mask == allLanes) {
#pragma clang loop vectorize(assume_safety)
    for (unsigned lane = 0; lane < laneCount; ++lane)
      d[lane] = operation(a[lane], b[lane]);
  } else {
    eachLane(mask, [&](unsigned lane) { d[lane] = operation(a[lane], b[lane]); });
  }
  return Step::Next;
}

template <typename D, typename A, typename B, typename C, auto operation>
Step ternary(Warp &warp, const Instruction &instruction, LaneMask mask) {
  D *d = warp.out<D>(instruction.d);
  const A *a = warp.in<A>(instruction.a);
  const B *b = warp.in<B>(instruction.b);
  const C *c = warp.in<C>(instruction.c);
  if (mask == allLanes) {
#pragma clang loop vectorize(assume_safety)
    for (unsigned lane = 0; lane < laneCount; ++lane)
      d[lane] = operation(a[lane], b[lane], c[lane]);
  } else {
    eachLane(mask, [&](unsigned lane) { d[lane] = operation(a[lane], b[lane], c[lane]); });
  }
  return Step::Next;
}

} // namespace triton::simulator
