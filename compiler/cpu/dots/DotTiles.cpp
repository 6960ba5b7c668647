// The micro-kernel on AMX tiles: sixteen rows of 64 bytes each, 32 x 32 accumulators in four of the eight tiles.
//
//   tile 0 1    accumulators: two rows of tiles by two columns
//   tile 2 3
//   tile 4 5    A: 16 rows, 64 bytes of k each
//   tile 6 7    B: 16 groups of k, 16 columns each
//
// Buffers are those of the other kernels: a tile of A is sixteen rows of the row-major tile, a tile of B sixteen rows
// of a panel. Every tile is 16 x 64 bytes, so one configuration serves all; it is written behind A's buffer and loaded
// anew for each product, since the code around may use tiles of its own.
#include "compiler/cpu/dots/Dot.h"

#include "compiler/cpu/LoopHints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::cpu {

static constexpr int64_t tileRows = DotPlan::tileRows, tileBytes = DotPlan::tileBytes;

namespace {
struct TileKernel {
  OpBuilder &builder;
  Location loc;
  const DotPlan &plan;
  Value a, b, accumulator;

  Value constant(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value)); }
  Value add(Value x, Value y) { return arith::AddIOp::create(builder, loc, x, y); }
  Value mul(Value x, int64_t y) { return arith::MulIOp::create(builder, loc, x, constant(y)); }

  void call(StringRef name, ValueRange arguments) {
    LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr(name), arguments);
  }
  Value tile(int64_t number) {
    return arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(int8_t(number)));
  }
  /// The address `bytes` + `constantBytes` behind `base`.
  Value at(Value base, Value bytes, int64_t constantBytes) {
    Value offset = constantBytes ? add(bytes, constant(constantBytes)) : bytes;
    return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset});
  }

  void configure();
  void block(Value row, int64_t rowTiles, Value column, int64_t columnTiles, Value panel, int64_t width);
  void panels(const DotPanels &run);
};
} // namespace

/// Palette 1, sixteen rows of 64 bytes in all eight tiles: bytes a row as 16-bit numbers from byte 16 on, rows from
/// byte 48 on.
void TileKernel::configure() {
  SmallVector<int8_t> bytes(64, 0);
  bytes[0] = 1;
  for (int64_t tile = 0; tile < 8; ++tile) {
    bytes[16 + 2 * tile] = tileBytes;
    bytes[48 + tile] = tileRows;
  }
  auto type = VectorType::get(64, builder.getI8Type());
  Value value = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef(bytes)));
  Value place = at(a, constant(plan.m * plan.k * plan.stagedBytes()), 0);
  LLVM::StoreOp::create(builder, loc, value, place, 1);
  call("llvm.x86.ldtilecfg", place);
}

void TileKernel::block(Value row, int64_t rowTiles, Value column, int64_t columnTiles, Value panel, int64_t width) {
  int64_t sumStride = plan.n * 4, aStride = plan.k * plan.stagedBytes(), bStride = width * 4;
  StringRef multiply = plan.kernel == DotKernel::BFloatTiles ? "llvm.x86.tdpbf16ps" : "llvm.x86.tdpbssd";
  Value corner = add(mul(row, sumStride), mul(column, 4)), rowOfA = mul(row, aStride);
  auto forSums = [&](StringRef name) {
    for (int64_t i = 0; i < rowTiles; ++i)
      for (int64_t j = 0; j < columnTiles; ++j)
        call(name,
             {tile(2 * i + j), at(accumulator, corner, i * tileRows * sumStride + j * tileBytes), constant(sumStride)});
  };
  forSums("llvm.x86.tileloadd64");
  auto loop = scf::ForOp::create(builder, loc, constant(0), constant(aStride), constant(tileBytes));
  keepRolled(loop);
  {
    // Counts bytes of k: 64 of them are one tile of A, and sixteen rows of B.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar(), rowOfB = mul(k, width);
    for (int64_t i = 0; i < rowTiles; ++i)
      call("llvm.x86.tileloadd64", {tile(4 + i), at(a, add(rowOfA, k), i * tileRows * aStride), constant(aStride)});
    for (int64_t j = 0; j < columnTiles; ++j)
      call("llvm.x86.tileloadd64", {tile(6 + j), at(panel, rowOfB, j * tileBytes), constant(bStride)});
    for (int64_t i = 0; i < rowTiles; ++i)
      for (int64_t j = 0; j < columnTiles; ++j)
        call(multiply, {tile(2 * i + j), tile(4 + i), tile(6 + j)});
  }
  forSums("llvm.x86.tilestored64");
}

void TileKernel::panels(const DotPanels &run) {
  auto columns = scf::ForOp::create(builder, loc, constant(run.column), constant(run.column + run.count * run.width),
                                    constant(run.width));
  keepRolled(columns);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(columns.getBody());
  Value column = columns.getInductionVar(), panel = at(b, mul(column, plan.k * plan.stagedBytes()), 0);
  int64_t columnTiles = run.width / tileRows, whole = plan.m / (2 * tileRows) * (2 * tileRows);
  auto rows = scf::ForOp::create(builder, loc, constant(0), constant(whole), constant(2 * tileRows));
  keepRolled(rows);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(rows.getBody());
    block(rows.getInductionVar(), 2, column, columnTiles, panel, run.width);
  }
  if (whole < plan.m)
    block(constant(whole), 1, column, columnTiles, panel, run.width);
}

void buildTileDot(OpBuilder &builder, Location loc, const DotPlan &plan, Value a, Value b, Value accumulator) {
  TileKernel kernel{builder, loc, plan, a, b, accumulator};
  kernel.configure();
  for (const DotPanels &run : plan.panels)
    kernel.panels(run);
  kernel.call("llvm.x86.tilerelease", {});
}

} // namespace triton::cpu
