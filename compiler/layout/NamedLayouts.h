// The layouts that have names, as linear maps (gluon.md 4 to 7): each function is one way to write a map down.
//   Register layouts: register, lane, warp, block -> dim0, dim1, ….   Shared memory: offset (in elements), block -> dim0, dim1, ….
//   Tensor memory:    row, col -> dim0, dim1.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace triton::layout {

/// "dim0", "dim1", ….
std::string dimension(unsigned index);

/// Bases of the CTAs of a cluster, in units of one CTA's tile: `[[0, 1]]` splits dim1 in two. Empty: one CTA.
using ClusterBases = std::vector<Coordinates>;

/// Multiplies in identity bases on the first input until each output reaches `shape`, in the order of the outputs.
LinearLayout grow(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape);
/// Zeroes output components, largest strides first, until no output is larger than `shape`.
LinearLayout shrink(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape);
/// Fits one CTA's layout to a tensor of `shape` that is spread over a cluster.
LinearLayout finish(const LinearLayout &layout, const ClusterBases &cluster, llvm::ArrayRef<int64_t> shape);
/// The product over d in `order` of I(sizes[d], input -> dim_d): order[0] varies fastest.
LinearLayout identityNd(llvm::StringRef input, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<unsigned> order);

struct BlockedLayout {
  llvm::SmallVector<int64_t, 4> sizePerThread, threadsPerWarp, warpsPerCta;
  llvm::SmallVector<unsigned, 4> order;
  ClusterBases cluster;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
};

/// The layout of a reduction of `parent` over `removed`, where `parent` is its map on the shape with a 1 at that dimension.
LinearLayout sliceLayout(const LinearLayout &parent, unsigned removed);

/// Accumulators of tensor-core instructions: version 2 is mma.sync (instruction 16 x 8), version 3 is wgmma (instruction 16 x n).
struct MmaLayout {
  unsigned version;
  llvm::SmallVector<int64_t, 4> warpsPerCta;
  llvm::SmallVector<int64_t, 4> instructionShape; // [.., 16, 8] or [16, n, k]
  ClusterBases cluster;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
};

/// Operand 0 (A: .., M, K) or 1 (B: .., K, N) of an instruction of `parent`; `kWidth` consecutive K elements per register group.
struct DotOperandLayout {
  unsigned operand;
  MmaLayout parent;
  unsigned kWidth;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
};

/// Operands of a dot done with scalar multiply-adds: K lies in registers, whole.
LinearLayout fmaOperandLayout(unsigned operand, const BlockedLayout &parent, llvm::ArrayRef<int64_t> shape);

/// Element (r, c) lies at r * columns + (c ^ vec * ((r / perPhase) % maxPhase)).
struct SwizzledSharedLayout {
  int64_t vec, perPhase, maxPhase;
  llvm::SmallVector<unsigned, 4> order;
  ClusterBases cluster;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
};

/// What TMA, wgmma and tcgen05 read and write: 8 rows by `swizzleBytes` columns, 16-byte chunks permuted by the row.
struct NvmmaSharedLayout {
  unsigned swizzleBytes; // 0, 32, 64 or 128
  unsigned elementBits;
  bool transposed = false, fp4Padded = false;
  ClusterBases cluster;
  /// Nullopt if the shape is too small for the swizzle.
  std::optional<LinearLayout> toLinear(llvm::ArrayRef<int64_t> shape) const;
  /// The elements of 16 bytes; padded, half of these are unused.
  unsigned vec() const { return 128 / elementBits / (fp4Padded ? 2 : 1); }
  unsigned perPhase() const { return 128 / swizzleBytes; }
  unsigned maxPhase() const { return swizzleBytes / 16; }
  /// Of the buffer's start, in bytes.
  unsigned alignment() const { return 128 * std::max(1u, swizzleBytes / 16); }
  /// The box that one TMA copy moves.
  Coordinates tmaBox(llvm::ArrayRef<int64_t> shape) const;
};

/// Accumulators and operands in tensor memory, one CTA.
struct TensorMemoryLayout {
  int64_t blockM, blockN, columnStride;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
};

/// 8-bit block scales [MN, K / 32] in tensor memory.
LinearLayout tensorMemoryScales(llvm::ArrayRef<int64_t> shape);

} // namespace triton::layout
