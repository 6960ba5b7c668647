// Matrix products of tiles: accumulator[m][n] += sum over k of a[m][k] * b[k][n], with m, n and k known.
//   In:  the sizes, the operands' element types, the target; then, while building, where to get elements of the
//   operands from. Out: loops that stage both operands into buffers and a register-blocked micro-kernel over those
//   buffers.
//
// How a lowering uses it:
//
//   DotPlan plan = planDot(m, n, k, elementA, elementB, target);
//   // Three buffers, 64-byte aligned, of plan.aBytes(), plan.bBytes() and plan.accumulatorBytes().
//   // The accumulator is row major, [m][n] of plan.accumulatorType; it may live through a whole loop over k tiles.
//   stageA(builder, loc, plan, aBuffer, Along::Columns, [&](OpBuilder &b, Location loc, Value row, Value column,
//   int64_t length) {
//     // vector<length x plan.operandType>: elements (row, column) to (row, column + length - 1) of A, which is m x k
//   });
//   stageB(builder, loc, plan, bBuffer, Along::Columns, …); // likewise for B, which is k x n
//   buildDot(builder, loc, plan, aBuffer, bBuffer, accumulatorBuffer);
//
// Rows and columns are i64. A callback's builder is the one passed in, standing inside the loop. The callback is where
// masks, dequantisation and every other fusable producer go; it is called while the body of a loop is built, several
// times and with different lengths if sizes ask for it, and never for elements outside the operand. It converts to
// plan.operandType, in which every element of the operand's own type is exact: f32 for f16 and 8-bit floats, f32 or
// bf16 for bf16, as it is for f32, f64 and i8. Pass Along::Rows when neighbours in memory are one *row* apart (a
// transposed operand): the vector then holds elements (row, column) to (row + length - 1, column), and staging
// transposes in registers. To split edge tiles from whole ones, build the staging twice, under an scf.if.
#pragma once

#include "compiler/cpu/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace triton::cpu {

/// The instruction a product is made of.
enum class DotKernel {
  MultiplyAdd, // one element at a time in each lane, floats or integers
  BFloatPairs, // dpbf16ps: two k per lane
  ShortPairs,  // pmaddwd or vpdpwssd on bytes widened to 16 bits: two k per lane
  ByteQuads,   // vpdpbusd: four k per lane
  BFloatTiles, // AMX: tdpbf16ps
  ByteTiles    // AMX: tdpbssd
};

/// Panels of B that are `width` columns wide each, from `column` on. Widths are powers of two; there is one run unless
/// n is odd.
struct DotPanels {
  int64_t column, width, count;
};

/// How one product is computed.
struct DotPlan {
  int64_t m, n, k;
  DotKernel kernel;
  mlir::Type operandType;     // what the callbacks deliver
  mlir::Type stagedType;      // what lies in the buffers
  mlir::Type accumulatorType; // f32, f64 or i32
  int64_t group;              // consecutive k that share a lane
  int64_t rows;               // of the register block
  int64_t lanes;              // accumulators in one vector
  llvm::SmallVector<DotPanels, 1> panels;
  HostTarget target;

  // A is staged row major, [m][k]; B as [panel][k / group][width][group].
  int64_t aBytes() const { return m * k * stagedBytes() + (usesTiles() ? tileBytes : 0); }
  int64_t bBytes() const { return k * n * stagedBytes(); }
  int64_t accumulatorBytes() const { return m * n * accumulatorType.getIntOrFloatBitWidth() / 8; }
  bool usesTiles() const { return kernel == DotKernel::BFloatTiles || kernel == DotKernel::ByteTiles; }
  static constexpr int64_t tileRows = 16, tileBytes = 64; // of an AMX tile; its configuration is as long as a row
  int64_t stagedBytes() const { return stagedType.getIntOrFloatBitWidth() / 8; }
};

/// Element types are floats (8-bit ones included) or integers (signed). Different float types multiply in the wider
/// one.
DotPlan planDot(int64_t m, int64_t n, int64_t k, mlir::Type elementA, mlir::Type elementB, const HostTarget &target);

/// Which way a callback's vector runs.
enum class Along { Columns, Rows };
using DotOperand = llvm::function_ref<mlir::Value(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value row,
                                                  mlir::Value column, int64_t length)>;

/// Copies A into `buffer` as the micro-kernel reads it.
void stageA(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, mlir::Value buffer, Along along,
            DotOperand elements);
/// Copies B into `buffer` as the micro-kernel reads it.
void stageB(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, mlir::Value buffer, Along along,
            DotOperand elements);
/// Adds the product of the staged operands to the accumulator.
void buildDot(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, mlir::Value a, mlir::Value b,
              mlir::Value accumulator);
/// What `buildDot` builds for a plan that uses AMX tiles.
void buildTileDot(mlir::OpBuilder &builder, mlir::Location loc, const DotPlan &plan, mlir::Value a, mlir::Value b,
                  mlir::Value accumulator);

} // namespace triton::cpu
