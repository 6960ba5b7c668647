// The layouts of AMD's matrix instructions as linear maps: accumulators and operands of MFMA (a wave of 64 lanes) and WMMA (of 32), and LDS that is swizzled for
// operands transposed in registers. Accumulators are (.., M, N), operands (.., M, K) and (.., K, N).
#pragma once

#include "compiler/layout/NamedLayouts.h"

namespace triton::layout {

struct MfmaLayout {
  unsigned version;                               // 1: gfx908, 2: gfx90a, 3: gfx942, 4: gfx950
  llvm::SmallVector<int64_t, 4> warpsPerCta;      // the last dimension varies fastest
  llvm::SmallVector<int64_t, 3> instructionShape; // m, n, k
  bool isTransposed;                              // the instruction is given B first: what a lane holds lies along N
  llvm::SmallVector<int64_t, 4> tilesPerWarp;     // instructions side by side before the next warp begins
  unsigned elementBits = 32;                      // of the accumulator: 32 or 64
  ClusterBases cluster;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  /// Of operand 0 or 1, `kWidth` neighbours along K at a time.
  LinearLayout operand(unsigned index, unsigned kWidth, llvm::ArrayRef<int64_t> shape) const;
};

struct WmmaLayout {
  unsigned version; // 1: gfx11, 2: gfx12, 3: gfx1250
  unsigned rank;
  ClusterBases registers, warps; // of a CTA, in units of one instruction's tile
  llvm::SmallVector<int64_t, 3> instructionShape;
  bool isTransposed;
  ClusterBases cluster;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  LinearLayout operand(unsigned index, unsigned kWidth, llvm::ArrayRef<int64_t> shape) const;
};

/// The bases of warps that lie along the last dimension first, one tile each.
ClusterBases warpBases(llvm::ArrayRef<int64_t> warpsPerCta);

/// Element (r, c) lies at r * columns + (c ^ vec * (p % maxPhase ^ p / maxPhase % maxPhase)), p = r / perPhase.
struct RotatingSharedLayout {
  int64_t vec, perPhase, maxPhase;
  llvm::SmallVector<unsigned, 4> order;
  ClusterBases cluster;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
};

} // namespace triton::layout
