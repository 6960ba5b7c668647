// What lowering knows of a tensor's elements while it emits code for one vector of them.
//   `Coordinate`: where along one dimension each lane stands.
//   `Lanes`: one value per lane, in the cheapest form that holds it.
//   `Buffer`: a tensor that lies in scratch memory.
// Index and pointer arithmetic stays in the form `scalar + offset(lane)` with offsets known at compile time, so that a
// contiguous access costs one scalar address per vector, and a transposed, strided or broadcast one is seen as what it
// is.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace triton::cpu {

/// An offset for each lane, known at compile time. Empty: zero for all.
using Offsets = llvm::SmallVector<int64_t, 0>;

/// 0, 1, 2, … for `width` lanes.
Offsets getIota(int64_t width);
/// `a * scale + b`, lane by lane.
Offsets addScaled(llvm::ArrayRef<int64_t> a, int64_t scale, llvm::ArrayRef<int64_t> b);
/// Whether lane `l` has offset `l * stride`.
bool isArithmetic(llvm::ArrayRef<int64_t> offsets, int64_t stride);

/// Lane `l` stands at `base + offsets[l]`. No bit is set in both, so that shifting and masking the sum is shifting and
/// masking each.
struct Coordinate {
  mlir::Value base; // i64
  Offsets offsets;
  int level = 0; // of the loop that `base` comes from: 0 outside of the nest

  bool operator==(const Coordinate &) const = default;
};
using Coordinates = llvm::SmallVector<Coordinate, 4>;

/// Either `vector`, or lane `l` is `scalar + offsets[l] * multiplier`. Of a pointer tensor: the addresses are `pointer`
/// plus `unit` bytes times the lanes.
struct Lanes {
  mlir::Value scalar;
  Offsets offsets;
  mlir::Value multiplier; // null: 1
  mlir::Value vector;
  mlir::Value pointer;
  int64_t unit = 0;

  // The form above is exact unless one of these is set. `assumed`: it holds as long as index arithmetic does not wrap
  // inside of the vector, which addresses rely on and values must not. `condition`: it holds where this i1 does.
  bool assumed = false;
  mlir::Value condition;

  static Lanes uniform(mlir::Value scalar) { return {.scalar = scalar}; }
  static Lanes of(mlir::Value vector) { return {.vector = vector}; }

  bool isUniform() const { return scalar && offsets.empty(); }
  bool isExact() const { return !assumed && !condition; }
};

/// A tensor in scratch memory.
struct Buffer {
  mlir::Value pointer;
  mlir::Type element;                 // of the tensor, not of memory
  llvm::SmallVector<int64_t> strides; // in elements
};

/// Which elements of a buffer stand at `at`: lane `l` at the first plus its offset.
std::pair<mlir::Value, Offsets> elementsAt(mlir::OpBuilder &builder, mlir::Location location, const Buffer &buffer,
                                           llvm::ArrayRef<Coordinate> at);

} // namespace triton::cpu
