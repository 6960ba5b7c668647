// Where a dot runs and what its operands must look like.
//   In:  a `tt.dot` (with or without layouts), the target, the warps of a CTA.
//   Out: the instruction, the encoding of the accumulator, the encodings that the operands are wanted in.
// A plan is made before layouts are assigned and looks only at shapes, element types and, for chains of dots, at what computes an operand: the
// same op always gets the same plan. Dots that no instruction takes as they are (f32 in three tf32 terms, 8-bit floats before sm_89)
// have been rewritten by `gpu-legalize-dots`.
#pragma once

#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/Target.h"
#include "compiler/tensor/Tensor.h"

namespace triton::gpu {

/// Attributes of modules whose dots are to do without these instructions, for comparison.
inline constexpr llvm::StringLiteral withoutWgmmaName = "ttg.without-wgmma";
inline constexpr llvm::StringLiteral withoutTcgen05Name = "ttg.without-tcgen05";
/// Attributes of AMD's modules, i32: rows and columns of MFMA instructions, and how many of them one read of an operand feeds.
inline constexpr llvm::StringLiteral mfmaSizeName = "ttg.mfma-size";
inline constexpr llvm::StringLiteral kPackName = "ttg.kpack";

/// What one matrix instruction of AMD's takes.
struct AmdInstruction {
  int64_t m, n, k;
  unsigned kBase; // elements along K that a lane gives it
};
/// The MFMA of m x m (16 or 32) for operands of these types; nullopt if the architecture has none. Where there are two, that which takes more along K if
/// `depth` suffices for it.
std::optional<AmdInstruction> findMfma(const AmdArchitecture &architecture, mlir::Type a, mlir::Type b,
                                       mlir::Type accumulator, bool isTf32, int64_t m, int64_t depth);
/// Likewise the WMMA, of 16 x 16.
std::optional<AmdInstruction> findWmma(const AmdArchitecture &architecture, mlir::Type a, mlir::Type b,
                                       mlir::Type accumulator, int64_t depth);
/// How many lanes lie side by side along K in operands of an instruction with m rows.
int64_t lanesAlongK(const AmdArchitecture &architecture, int64_t m);

struct DotPlan {
  enum class Kind {
    Fma,     // scalar multiply-adds; any type
    Mma,     // mma.sync: a warp, operands in registers
    Wgmma,   // wgmma: a warpgroup, B (and mostly A) in shared memory
    Tcgen05, // tcgen05.mma: the CTA, the accumulator in tensor memory, B in shared memory, A in one of them
    Mfma,    // AMD's CDNA: a wave of 64 lanes, operands in registers
    Wmma     // AMD's RDNA: a wave of 32 lanes, operands in registers
  } kind;
  /// Of c and d. With tcgen05, the registers that the accumulator is loaded into: a row per lane.
  mlir::Attribute accumulator;
  /// Encodings of a and b: `#ttg.dot_op` for operands in registers, registers of a store to tensor memory for operands there. Null for an operand
  /// that `gpu-lower-dots` puts into shared memory: it may come in any register layout, best in the one it was loaded with.
  mlir::Attribute a, b;
};

/// A dot of microscaling formats that one instruction does. With tcgen05 operands come from shared memory and scales from tensor memory, with MFMA and WMMA
/// both from registers.
struct ScaledDotPlan {
  mlir::Attribute accumulator, aScale, bScale; // encodings of registers
  mlir::Attribute a, b;                        // null: from shared memory
};
/// The registers that hold the scales, [rows, groups], of operand 0 or 1; null if `accumulator` is in no layout of AMD's matrices.
LinearAttr scaleEncoding(mlir::Attribute accumulator, unsigned index, llvm::ArrayRef<int64_t> shape);
/// The scaled MFMA of m x m, or the scaled WMMA, as it counts K: in elements, of which a byte of e2m1 has two. nullopt if the architecture has none.
std::optional<AmdInstruction> findScaled(const AmdArchitecture &architecture, int64_t m);
/// Neighbours along K, in bytes, that a lane of theirs holds.
inline constexpr unsigned scaledKWidth = 16;

/// The target that a module names, without the instructions that it wants to do without.
Target dotTarget(mlir::ModuleOp module);

DotPlan planDot(tensor::DotOp dot, const Target &target, unsigned numWarps);

/// Nullopt: to be written as a dot of wider floats.
std::optional<ScaledDotPlan> planScaledDot(tensor::DotScaledOp dot, const Target &target, unsigned numWarps);

/// Where the accumulator of a dot lies in tensor memory, where operand A does, and where scales do.
MemDescType accumulatorInTensorMemory(mlir::RankedTensorType type);
MemDescType operandInTensorMemory(mlir::RankedTensorType type);
MemDescType scalesInTensorMemory(mlir::RankedTensorType type);

/// Only the instruction: what legalisation needs to know.
DotPlan::Kind planDotKind(tensor::DotOp dot, const Target &target, unsigned numWarps);

/// Whether `value` is computed, element by element, from the result of another dot: such an operand A stays in registers.
bool comesFromDot(mlir::Value value);

} // namespace triton::gpu
