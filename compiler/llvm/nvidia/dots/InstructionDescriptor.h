// What tcgen05.mma multiplies: the 32-bit word that every instruction takes beside its operands.
//   In:  the types of a dot, the shape of one instruction.
//   Out: the kind of instruction and the word's fields, as the PTX manual lists them.
#pragma once

#include "compiler/tensor/Tensor.h"

namespace triton::nvidia {

/// The names of kinds, without ".kind::".
enum class MmaKind { F16, Tf32, F8f6f4, I8, Mxf8f6f4, Mxf4, Mxf4nvf4 };
llvm::StringRef name(MmaKind kind);

struct InstructionDescriptor {
  MmaKind kind = MmaKind::F16;
  unsigned result = 1;                           // 0 f16, 1 f32, 2 i32
  unsigned a = 0, b = 0;                         // formats, numbered by kind
  bool aTransposed = false, bTransposed = false; // consecutive elements lie along M or N
  unsigned m = 128, n = 128;
  // Of kinds with scales:
  unsigned aScale = 0, bScale = 0; // which byte of the scales' cells is the first
  bool hasExponentScales = true;   // ue8m0, else ue4m3

  bool isScaled() const { return kind >= MmaKind::Mxf8f6f4; }
  /// Elements along K of one instruction.
  unsigned k() const;
  uint32_t encode() const;
};

/// Null kind: tcgen05 does not multiply these types.
std::optional<InstructionDescriptor> describeDot(mlir::Type a, mlir::Type b, mlir::Type result);
/// With scales: `aType` and `bType` are e4m3, e5m2 or e2m1; one scale stands for `block` elements.
std::optional<InstructionDescriptor> describeScaledDot(tensor::ScaleDotElemType aType, tensor::ScaleDotElemType bType,
                                                       int64_t block, bool hasExponentScales);

} // namespace triton::nvidia
