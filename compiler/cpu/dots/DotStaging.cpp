// Copies operands into the order in which the micro-kernel reads them.
//
// Work is done in units: the `group` consecutive k that share a lane, 32 bits wide (64 for f64). A is [m][k / group]
// units, B is [panel][k / group][width] units. A vector that runs the other way than the buffer is transposed in
// registers, a square of units at a time.
#include "compiler/cpu/dots/Dot.h"

#include "compiler/cpu/LoopHints.h"
#include "compiler/cpu/Squares.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::cpu {

// Copies per iteration of a staging loop: enough to hide the loop itself.
static constexpr int64_t copiesPerIteration = 4;

namespace {
struct Stager {
  OpBuilder &builder; // the caller's own, so that callbacks may use it too
  Location loc;
  const DotPlan &plan;
  Value buffer;
  DotOperand elements;
  bool flipSign; // bytes of A go from signed to unsigned

  Stager(OpBuilder &builder, Location loc, const DotPlan &plan, Value buffer, DotOperand elements, bool flipSign)
      : builder(builder), loc(loc), plan(plan), buffer(buffer), elements(elements), flipSign(flipSign) {}

  Value constant(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value)); }
  Value add(Value a, int64_t b) { return b ? arith::AddIOp::create(builder, loc, a, constant(b)).getResult() : a; }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value mul(Value a, int64_t b) { return b == 1 ? a : arith::MulIOp::create(builder, loc, a, constant(b)).getResult(); }

  Type unitType() {
    return plan.group == 1 ? plan.stagedType : builder.getIntegerType(unsigned(plan.group * plan.stagedBytes() * 8));
  }

  /// Calls `body` with every multiple of `step` below `size`; several calls per iteration while steps are short.
  void forEach(int64_t size, int64_t step, llvm::function_ref<void(Value)> body, int64_t calls = 1) {
    if (size <= 0)
      return;
    while (calls > 1 && (size / step) % calls != 0)
      calls /= 2;
    if (size == step * calls) {
      for (int64_t i = 0; i < calls; ++i)
        body(constant(i * step));
      return;
    }
    auto loop = scf::ForOp::create(builder, loc, constant(0), constant(size), constant(step * calls));
    keepRolled(loop);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    for (int64_t i = 0; i < calls; ++i)
      body(add(loop.getInductionVar(), i * step));
  }

  Value load(Value row, Value column, int64_t length) {
    Value vector = elements(builder, loc, row, column, length);
    assert(cast<VectorType>(vector.getType()).getElementType() == plan.operandType &&
           "a dot's callback delivers the plan's operand type");
    if (plan.stagedType != plan.operandType)
      vector = arith::ExtSIOp::create(builder, loc, VectorType::get(length, plan.stagedType), vector);
    if (flipSign) {
      auto type = cast<VectorType>(vector.getType());
      Value bit = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, builder.getI8IntegerAttr(-128)));
      vector = arith::XOrIOp::create(builder, loc, vector, bit);
    }
    return vector;
  }

  /// The same bits as units.
  Value asUnits(Value vector) {
    auto type = cast<VectorType>(vector.getType());
    if (plan.group == 1)
      return vector;
    return vector::BitCastOp::create(builder, loc, VectorType::get(type.getNumElements() / plan.group, unitType()),
                                     vector);
  }

  /// `offset` counts elements of the staged type.
  void store(Value vector, Value offset) {
    Value address =
        LLVM::GEPOp::create(builder, loc, buffer.getType(), plan.stagedType, buffer, ArrayRef<LLVM::GEPArg>{offset});
    LLVM::StoreOp::create(builder, loc, vector, address, unsigned(plan.stagedBytes()));
  }

  Value interleave(Value a, Value b) { return vector::InterleaveOp::create(builder, loc, a, b); }

  int64_t squareSize(int64_t rows, int64_t columns);
  void copyRow(int64_t size, llvm::function_ref<void(Value, int64_t)> copy);
};
} // namespace

/// The largest square of units that tiles an operand and fits into registers.
int64_t Stager::squareSize(int64_t rows, int64_t columns) {
  int64_t size = std::min<int64_t>(plan.lanes, 8);
  while (rows % size || columns % size)
    size /= 2;
  return size;
}

/// Covers `size` elements with vectors: whole ones, then ever shorter ones.
void Stager::copyRow(int64_t size, llvm::function_ref<void(Value, int64_t)> copy) {
  int64_t length = llvm::bit_floor(uint64_t(plan.target.vectorBits / 8 / plan.stagedBytes()));
  for (int64_t done = 0; done < size; length /= 2)
    if (int64_t covered = (size - done) / length * length) {
      forEach(covered, length, [&](Value at) { copy(add(at, done), length); }, 2 * copiesPerIteration);
      done += covered;
    }
}

void stageA(OpBuilder &builder, Location loc, const DotPlan &plan, Value buffer, Along along, DotOperand elements) {
  Stager stager(builder, loc, plan, buffer, elements, plan.kernel == DotKernel::ByteQuads);
  if (along == Along::Columns) {
    stager.forEach(plan.m, 1, [&](Value row) {
      stager.copyRow(plan.k, [&](Value column, int64_t length) {
        stager.store(stager.load(row, column, length), stager.add(stager.mul(row, plan.k), column));
      });
    });
  } else if (plan.group == 1) {
    int64_t size = stager.squareSize(plan.m, plan.k);
    stager.forEach(plan.m, size, [&](Value row) {
      stager.forEach(plan.k, size, [&](Value column) {
        SmallVector<Value> square;
        for (int64_t i = 0; i < size; ++i)
          square.push_back(stager.load(row, stager.add(column, i), size));
        transposeSquare(builder, loc, square);
        for (int64_t i = 0; i < size; ++i)
          stager.store(square[i], stager.add(stager.mul(stager.add(row, i), plan.k), column));
      });
    });
  } else {
    // Columns of narrow elements: interleave `group` of them into units first, then transpose the units.
    int64_t size = stager.squareSize(plan.m, plan.k / plan.group);
    stager.forEach(plan.m, size, [&](Value row) {
      stager.forEach(plan.k, size * plan.group, [&](Value column) {
        SmallVector<Value> square;
        for (int64_t i = 0; i < size; ++i) {
          SmallVector<Value> parts;
          for (int64_t j = 0; j < plan.group; ++j)
            parts.push_back(stager.load(row, stager.add(column, i * plan.group + j), size));
          if (plan.group == 4)
            parts = {stager.interleave(parts[0], parts[2]), stager.interleave(parts[1], parts[3])};
          square.push_back(stager.asUnits(stager.interleave(parts[0], parts[1])));
        }
        transposeSquare(builder, loc, square);
        for (int64_t i = 0; i < size; ++i)
          stager.store(square[i], stager.add(stager.mul(stager.add(row, i), plan.k), column));
      });
    });
  }
}

/// Vectors along rows of B: row by row, or `group` rows interleaved, each across all panels. Rows are what lies together in memory;
/// panel by panel, every row would be visited again for a few cache lines.
static void stageRows(Stager &stager, const DotPanels &panels) {
  const DotPlan &plan = stager.plan;
  int64_t width = panels.width, length = std::min(width, plan.lanes);
  int64_t copiesPerPanel = width / length * plan.group;
  stager.forEach(plan.k, plan.group, [&](Value row) {
    Value place = stager.mul(row, width);
    stager.forEach(
        panels.count * width, width,
        [&](Value firstColumn) {
          firstColumn = stager.add(firstColumn, panels.column);
          Value offset = stager.add(stager.mul(firstColumn, plan.k), place);
          for (int64_t column = 0; column < width; column += length) {
            SmallVector<Value> parts;
            for (int64_t j = 0; j < plan.group; ++j)
              parts.push_back(stager.load(stager.add(row, j), stager.add(firstColumn, column), length));
            if (plan.group == 4)
              parts = {stager.interleave(parts[0], parts[2]), stager.interleave(parts[1], parts[3])};
            Value vector = plan.group == 1 ? parts[0] : stager.interleave(parts[0], parts[1]);
            stager.store(vector, stager.add(offset, column * plan.group));
          }
        },
        std::max<int64_t>(1, 2 * copiesPerIteration / copiesPerPanel));
  });
}

/// One panel's columns, vectors along columns of B: squares of units, transposed.
static void stagePanelColumns(Stager &stager, Value firstColumn, int64_t width) {
  const DotPlan &plan = stager.plan;
  Value base = stager.mul(firstColumn, plan.k);
  int64_t size = stager.squareSize(plan.k / plan.group, width);
  stager.forEach(plan.k, size * plan.group, [&](Value row) {
    Value offset = stager.add(base, stager.mul(row, width));
    stager.forEach(width, size, [&](Value column) {
      SmallVector<Value> square;
      for (int64_t i = 0; i < size; ++i)
        square.push_back(
            stager.asUnits(stager.load(row, stager.add(stager.add(firstColumn, column), i), size * plan.group)));
      transposeSquare(stager.builder, stager.loc, square);
      Value place = stager.add(offset, stager.mul(column, plan.group));
      for (int64_t i = 0; i < size; ++i)
        stager.store(square[i], stager.add(place, i * width * plan.group));
    });
  });
}

void stageB(OpBuilder &builder, Location loc, const DotPlan &plan, Value buffer, Along along, DotOperand elements) {
  Stager stager(builder, loc, plan, buffer, elements, /*flipSign=*/false);
  for (const DotPanels &panels : plan.panels)
    if (along == Along::Columns)
      stageRows(stager, panels);
    else
      stager.forEach(panels.count * panels.width, panels.width,
                     [&](Value column) { stagePanelColumns(stager, stager.add(column, panels.column), panels.width); });
}

} // namespace triton::cpu
