// The register-blocked loop: a block of accumulators lives in registers while k runs.
//
//   for each panel of B
//     for each block of rows of A
//       load the accumulators
//       for k, four at a time
//         load the panel's row; for each row of the block: broadcast a[row][k], multiply and add
//       store the accumulators
//
// The panel stays in the first-level cache while A passes by. Every address is one base and a constant, since sizes are
// known.
#include "compiler/cpu/dots/Dot.h"

#include "compiler/cpu/LoopHints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace triton::cpu {

static constexpr int64_t unroll = 4;

namespace {
struct MicroKernel {
  OpBuilder &builder;
  Location loc;
  const DotPlan &plan;
  Value a, b, accumulator;

  Value constant(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value)); }
  Value add(Value x, int64_t y) { return y ? arith::AddIOp::create(builder, loc, x, constant(y)).getResult() : x; }
  Value mul(Value x, int64_t y) { return arith::MulIOp::create(builder, loc, x, constant(y)); }

  /// The address of element `offset` + `constantOffset` of a buffer.
  Value at(Value base, Type element, Value offset, int64_t constantOffset = 0) {
    Value address = LLVM::GEPOp::create(builder, loc, base.getType(), element, base, ArrayRef<LLVM::GEPArg>{offset});
    if (constantOffset == 0)
      return address;
    return LLVM::GEPOp::create(builder, loc, base.getType(), element, address,
                               ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(constantOffset))});
  }
  Value load(Type type, Value address, Type element) {
    return LLVM::LoadOp::create(builder, loc, type, address, element.getIntOrFloatBitWidth() / 8);
  }

  VectorType accumulatorVector(int64_t length) { return VectorType::get(length, plan.accumulatorType); }
  VectorType operandVector(int64_t length) { return VectorType::get(length * plan.group, plan.stagedType); }

  Value broadcastUnit(Value address, int64_t length);
  Value callIntrinsic(StringRef name, int64_t length, ValueRange arguments);
  Value multiplyAdd(Value x, Value y, Value sum, int64_t length);

  SmallVector<Value> loopOverK(int64_t width, ValueRange sums, Value panel,
                               llvm::function_ref<Value(Value k, int64_t row, int64_t length)> unitOfA, int64_t rows);
  SmallVector<Value> correction(int64_t width, Value panel);
  void block(Value row, int64_t rows, Value column, int64_t width, Value panel, ValueRange correction);
  void panels(const DotPanels &run);
};
} // namespace

/// One unit of A (the `group` consecutive k of a lane) in every lane.
Value MicroKernel::broadcastUnit(Value address, int64_t length) {
  Type unit = plan.group == 1 ? plan.stagedType : builder.getI32Type();
  Value scalar = load(unit, address, plan.stagedType);
  Value vector = vector::BroadcastOp::create(builder, loc, VectorType::get(length, unit), scalar);
  return plan.group == 1 ? vector : vector::BitCastOp::create(builder, loc, operandVector(length), vector).getResult();
}

Value MicroKernel::callIntrinsic(StringRef name, int64_t length, ValueRange arguments) {
  auto call =
      LLVM::CallIntrinsicOp::create(builder, loc, accumulatorVector(length), builder.getStringAttr(name), arguments);
  return call.getResults();
}

/// sum + x * y, summed over the group.
Value MicroKernel::multiplyAdd(Value x, Value y, Value sum, int64_t length) {
  std::string bits = std::to_string(length * 32);
  switch (plan.kernel) {
  case DotKernel::BFloatPairs:
    return callIntrinsic("llvm.x86.avx512bf16.dpbf16ps." + bits, length, {sum, x, y});
  case DotKernel::ByteQuads:
    return callIntrinsic("llvm.x86.avx512.vpdpbusd." + bits, length, {sum, x, y});
  case DotKernel::ShortPairs: {
    if (plan.target.avx512vnni)
      return callIntrinsic("llvm.x86.avx512.vpdpwssd." + bits, length, {sum, x, y});
    StringRef name = length == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                     : length == 8 ? "llvm.x86.avx2.pmadd.wd"
                                   : "llvm.x86.sse2.pmadd.wd";
    return arith::AddIOp::create(builder, loc, sum, callIntrinsic(name, length, {x, y}));
  }
  case DotKernel::MultiplyAdd:
    break;
  case DotKernel::BFloatTiles:
  case DotKernel::ByteTiles:
    llvm_unreachable("products on tiles are built elsewhere");
  }
  if (isa<IntegerType>(plan.accumulatorType))
    return arith::AddIOp::create(builder, loc, sum, arith::MulIOp::create(builder, loc, x, y));
  if (plan.target.fma)
    return math::FmaOp::create(builder, loc, x, y, sum);
  return arith::AddFOp::create(builder, loc, sum, arith::MulFOp::create(builder, loc, x, y));
}

/// Adds products to `sums`, row by row, for all k; `unitOfA` gives A's factor in every lane.
SmallVector<Value> MicroKernel::loopOverK(int64_t width, ValueRange sums, Value panel,
                                          llvm::function_ref<Value(Value k, int64_t row, int64_t length)> unitOfA,
                                          int64_t rows) {
  int64_t length = std::min(width, plan.lanes), vectors = width / length;
  auto step = [&](SmallVector<Value> sums, Value k, int64_t ahead) {
    Value unit = add(k, ahead * plan.group);
    SmallVector<Value> factors;
    for (int64_t vector = 0; vector < vectors; ++vector)
      factors.push_back(
          load(operandVector(length),
               at(panel, plan.stagedType, mul(k, width), ahead * plan.group * width + vector * length * plan.group),
               plan.stagedType));
    for (int64_t row = 0; row < rows; ++row) {
      Value factor = unitOfA(unit, row, length);
      for (int64_t vector = 0; vector < vectors; ++vector) {
        Value &sum = sums[row * vectors + vector];
        sum = multiplyAdd(factor, factors[vector], sum, length);
      }
    }
    return sums;
  };
  int64_t units = plan.k / plan.group, looped = units / unroll * unroll;
  SmallVector<Value> current(sums);
  if (looped > 0) {
    auto loop = scf::ForOp::create(builder, loc, constant(0), constant(looped * plan.group),
                                   constant(unroll * plan.group), current);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    SmallVector<Value> next(loop.getRegionIterArgs());
    for (int64_t ahead = 0; ahead < unroll; ++ahead)
      next = step(next, loop.getInductionVar(), ahead);
    scf::YieldOp::create(builder, loc, next);
    keepRolled(loop);
    current = SmallVector<Value>(loop.getResults());
  }
  for (int64_t unit = looped; unit < units; ++unit)
    current = step(current, constant(unit * plan.group), 0);
  return current;
}

/// Bytes of A are staged 128 too high, as the unsigned factor of vpdpbusd: what that adds to each column's sum.
SmallVector<Value> MicroKernel::correction(int64_t width, Value panel) {
  if (plan.kernel != DotKernel::ByteQuads)
    return {};
  int64_t length = std::min(width, plan.lanes);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(accumulatorVector(length)));
  SmallVector<Value> zeros(width / length, zero);
  return loopOverK(
      width, zeros, panel,
      [&](Value, int64_t, int64_t) -> Value {
        return arith::ConstantOp::create(builder, loc,
                                         DenseElementsAttr::get(operandVector(length), builder.getI8IntegerAttr(-128)));
      },
      1);
}

void MicroKernel::block(Value row, int64_t rows, Value column, int64_t width, Value panel, ValueRange correction) {
  int64_t length = std::min(width, plan.lanes), vectors = width / length;
  Type element = plan.accumulatorType;
  Value corner = at(accumulator, element, arith::AddIOp::create(builder, loc, mul(row, plan.n), column));
  auto sumAddress = [&](int64_t index) {
    int64_t offset = index / vectors * plan.n + index % vectors * length;
    return offset == 0 ? corner
                       : LLVM::GEPOp::create(builder, loc, corner.getType(), element, corner,
                                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(offset))})
                             .getResult();
  };
  SmallVector<Value> sums;
  for (int64_t index = 0; index < rows * vectors; ++index) {
    Value sum = load(accumulatorVector(length), sumAddress(index), element);
    if (!correction.empty())
      sum = arith::SubIOp::create(builder, loc, sum, correction[index % vectors]);
    sums.push_back(sum);
  }
  Value rowOfA = at(a, plan.stagedType, mul(row, plan.k));
  sums = loopOverK(
      width, sums, panel,
      [&](Value k, int64_t blockRow, int64_t length) {
        return broadcastUnit(at(rowOfA, plan.stagedType, k, blockRow * plan.k), length);
      },
      rows);
  for (auto [index, sum] : llvm::enumerate(sums))
    LLVM::StoreOp::create(builder, loc, sum, sumAddress(int64_t(index)), element.getIntOrFloatBitWidth() / 8);
}

/// All blocks of rows against each panel of one width.
void MicroKernel::panels(const DotPanels &run) {
  auto body = [&](Value column) {
    Value panel = at(b, plan.stagedType, mul(column, plan.k));
    SmallVector<Value> corrections = correction(run.width, panel);
    int64_t whole = plan.m / plan.rows * plan.rows;
    auto rows = scf::ForOp::create(builder, loc, constant(0), constant(whole), constant(plan.rows));
    keepRolled(rows);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(rows.getBody());
      block(rows.getInductionVar(), plan.rows, column, run.width, panel, corrections);
    }
    if (whole < plan.m)
      block(constant(whole), plan.m - whole, column, run.width, panel, corrections);
  };
  auto columns = scf::ForOp::create(builder, loc, constant(run.column), constant(run.column + run.count * run.width),
                                    constant(run.width));
  keepRolled(columns);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(columns.getBody());
  body(columns.getInductionVar());
}

void buildDot(OpBuilder &builder, Location loc, const DotPlan &plan, Value a, Value b, Value accumulator) {
  if (plan.usesTiles())
    return buildTileDot(builder, loc, plan, a, b, accumulator);
  MicroKernel kernel{builder, loc, plan, a, b, accumulator};
  for (const DotPanels &run : plan.panels)
    kernel.panels(run);
}

} // namespace triton::cpu
