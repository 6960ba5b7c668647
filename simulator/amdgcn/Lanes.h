// Loops over the lanes of a wave, and numbers of 16 bits as C++ values.
#pragma once

#include "simulator/arithmetic/Floats.h"
#include "simulator/machine/Machine.h"

#include <bit>
#include <tuple>
#include <type_traits>
#include <utility>

namespace triton::simulator::amdgcn {

template <typename T> struct SignedOf {
  using Type = std::make_signed_t<T>;
};
template <> struct SignedOf<unsigned __int128> {
  using Type = __int128;
};
template <typename T> using Signed = typename SignedOf<T>::Type;

struct Half {
  uint16_t bits;
  Half() = default;
  explicit Half(float value) : bits(floatToHalf(value)) {}
  /// Rounded once.
  explicit Half(double value) : bits(uint16_t(encode(value, formatHalf, Rounding::NearestEven, false))) {}
  operator float() const { return halfToFloat(bits); }
};
struct Brain {
  uint16_t bits;
  Brain() = default;
  explicit Brain(float value) : bits(floatToBrain(value)) {}
  explicit Brain(double value) : bits(uint16_t(encode(value, formatBrain, Rounding::NearestEven, false))) {}
  operator float() const { return brainToFloat(bits); }
};

template <typename Body> inline void eachLane(LaneMask mask, Body body) {
  for (; mask; mask &= mask - 1)
    body(unsigned(std::countr_zero(mask)));
}

/// d = operation(a, b, c) with as many sources as there are types; `operation` must not trap whatever it is given.
template <auto operation, typename D, typename... Sources>
Step map(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto run = [&]<size_t... index>(std::index_sequence<index...>) {
    const Slot slots[] = {instruction.a, instruction.b, instruction.c};
    D *d = warp.out<D>(instruction.d);
    std::tuple<const Sources *...> sources{warp.in<Sources>(slots[index])...};
    if (mask == warp.full) {
      const unsigned count = warp.lanes & ~31u;
#pragma clang loop vectorize(assume_safety)
      for (unsigned lane = 0; lane < count; ++lane)
        d[lane] = D(operation(std::get<index>(sources)[lane]...));
    } else {
      eachLane(mask, [&](unsigned lane) { d[lane] = D(operation(std::get<index>(sources)[lane]...)); });
    }
  };
  run(std::index_sequence_for<Sources...>{});
  return Step::Next;
}

} // namespace triton::simulator::amdgcn
