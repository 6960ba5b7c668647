// How a tensor gets from one register layout to another: the cheapest of doing nothing, renaming registers, exchanging lanes by shuffles, and
// going through shared memory. A plan is data: it is printed, simulated in tests for every thread, and lowered mechanically.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace triton::layout {

/// Each thread of the destination takes its registers from its own: `sources[r]` is the source register of destination register r.
struct RegisterRenaming {
  std::vector<unsigned> sources;
};

/// Values move between the lanes of a warp, one shuffle per entry of `rounds`. In a round every lane offers one register and takes
/// one value, from lane `sourceLane`, into one register. Which registers those are depends on the lane: each choice is linear in its bits.
struct LaneExchange {
  struct Choice {
    unsigned base;                 // for lane 0
    std::vector<unsigned> perLane; // XORed in for each set bit of the lane; all zero: the same register in every lane
    unsigned at(unsigned lane) const;
    bool isUniform() const;
  };
  struct Round {
    Choice offered;    // source register, by the offering lane
    Choice taken;      // destination register, by the taking lane
    Choice sourceLane; // by the taking lane
  };
  std::vector<Round> rounds;
};

/// Values go through a buffer: every thread stores its registers, all wait, every thread loads. `store` and `load` map (register, lane,
/// warp) to an offset in elements; the lowest `vectorBits` of an access are contiguous.
struct SharedExchange {
  LinearLayout memory; // offset -> dims, a bijection: the swizzle
  LinearLayout store;  // register, lane, warp -> offset
  LinearLayout load;
  unsigned storeVectorBits, loadVectorBits;
  /// Between CTAs of a cluster: each stores what it holds into its own buffer, and loads from the buffer of CTA number
  /// `sourceCta`(register, lane, warp, block). `load` then depends on the block too, and `memory` is unused.
  LinearLayout sourceCta = {};
};

struct ConversionPlan {
  enum class Kind { Nothing, Registers, Lanes, Shared, Cluster } kind;
  RegisterRenaming renaming; // Registers
  LaneExchange exchange;     // Lanes
  SharedExchange shared;     // Shared, Cluster

  bool usesBuffer() const { return kind == Kind::Shared || kind == Kind::Cluster; }
};

/// Both map register, lane, warp, block onto the same tensor.
ConversionPlan planConversion(const LinearLayout &from, const LinearLayout &to, unsigned elementBits);

/// A bit of the register's number on both sides that stands for one bit of one coordinate, which nothing else on either side changes: elements where
/// it is 0 and those where it is 1 are two conversions that have nothing to do with each other.
struct CommonRegisterBit {
  unsigned from, to;
};
/// The highest first, by the number in `from`.
std::vector<CommonRegisterBit> commonRegisterBits(const LinearLayout &from, const LinearLayout &to);

/// Half of a layout: without register bits that stand for one bit of a coordinate each, nor those bits. `bits` go down.
LinearLayout withoutRegisterBits(LinearLayout layout, llvm::ArrayRef<unsigned> bits);

/// The buffer for going from `from` to `to`: the widest vectors that both sides can use, then offsets whose banks differ across the lanes that
/// access memory together, on both sides where such offsets exist.
SharedExchange planShared(const LinearLayout &from, const LinearLayout &to, unsigned elementBits);

/// The same for layouts that put elements into different CTAs.
SharedExchange planCluster(const LinearLayout &from, const LinearLayout &to, unsigned elementBits);

/// How many times slower than the fewest possible one access by a warp is, because lanes hit different words of one bank: 1 is free.
/// `access` maps register, lane, … to offsets of `elementBits`-wide elements, `vectorBits` of them at a time.
unsigned bankConflicts(const LinearLayout &access, unsigned vectorBits, unsigned elementBits);

/// What such an access costs a warp: instructions, and times that it uses all banks. Matrices of 8 x 16 bytes are moved by their own instructions.
unsigned accessCost(const LinearLayout &access, unsigned elementBits);

/// log2 of how many elements one access moves, up to 16 bytes: how many of the lowest bits of the offset registers alone decide.
unsigned vectorBitsOf(const LinearLayout &access, unsigned elementBits);

} // namespace triton::layout
