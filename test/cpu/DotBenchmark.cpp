// How fast tile products are, against OpenBLAS in the same process:
//   TritonDotBenchmark [OpenBLAS shared library of numpy] [processor] [size]
// Prints GFLOP/s of whole matrix products made of the micro-kernel and its staging, for several tiles and types, and
// the ratio to sgemm on one thread. Best of interleaved repetitions.
#include "compiler/cpu/dots/Dot.h"

#include "test/cpu/Jit.h"
#include "test/cpu/ThreadSeconds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace mlir;
using namespace triton;

namespace {
using Product = void(const void *a, const void *b, void *c, void *scratch);
using Sgemm = void (*)(int, int, int, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t,
                       float, float *, int64_t);

struct Tile {
  const char *element;
  int64_t m, n, k;
};

Type elementType(StringRef name) {
  Builder builder(&test::jitContext());
  return llvm::StringSwitch<Type>(name)
      .Case("f32", builder.getF32Type())
      .Case("f64", builder.getF64Type())
      .Case("f16", builder.getF16Type())
      .Case("bf16", builder.getBF16Type())
      .Default(builder.getI8Type());
}

/// C = A B for square matrices, tile by tile, as a kernel would.
OwningOpRef<ModuleOp> buildProduct(const Tile &tile, int64_t size, const cpu::DotPlan &plan) {
  MLIRContext *context = &test::jitContext();
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  Type pointer = LLVM::LLVMPointerType::get(context), i8 = builder.getI8Type(), element = elementType(tile.element);
  auto function = func::FuncOp::create(builder, loc, "product",
                                       builder.getFunctionType(SmallVector<Type>(4, pointer), TypeRange{}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  Value a = entry->getArgument(0), b = entry->getArgument(1), c = entry->getArgument(2),
        scratch = entry->getArgument(3);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  auto at = [](OpBuilder &builder, Location loc, Value base, Type type, Value offset) -> Value {
    return LLVM::GEPOp::create(builder, loc, base.getType(), type, base, ArrayRef<LLVM::GEPArg>{offset});
  };
  auto align = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
  Value bBuffer = at(builder, loc, scratch, i8, constant(align(plan.aBytes())));
  Value sums = at(builder, loc, scratch, i8, constant(align(plan.aBytes()) + align(plan.bBytes())));
  auto loop = [&](int64_t end, int64_t step) {
    auto loop = scf::ForOp::create(builder, loc, constant(0), constant(end), constant(step));
    builder.setInsertionPointToStart(loop.getBody());
    return loop;
  };
  auto rows = loop(size, tile.m), columns = loop(size, tile.n);
  int64_t lanes = plan.lanes;
  auto vector = VectorType::get(lanes, plan.accumulatorType);
  auto zero = loop(tile.m * tile.n, lanes);
  Value zeros = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vector));
  LLVM::StoreOp::create(builder, loc, zeros, at(builder, loc, sums, plan.accumulatorType, zero.getInductionVar()), 64);
  builder.setInsertionPointAfter(zero);
  auto depth = loop(size, tile.k);
  auto operand = [&](Value base, Value firstRow, Value firstColumn) {
    return [=](OpBuilder &builder, Location loc, Value row, Value column, int64_t length) -> Value {
      row = arith::AddIOp::create(builder, loc, firstRow, row);
      column = arith::AddIOp::create(builder, loc, firstColumn, column);
      Value stride = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(size));
      Value offset = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, row, stride), column);
      Value value = LLVM::LoadOp::create(builder, loc, VectorType::get(length, element),
                                         at(builder, loc, base, element, offset), 1);
      auto type = VectorType::get(length, plan.operandType);
      if (element == plan.operandType)
        return value;
      if (element.isBF16()) {
        Value bits = arith::BitcastOp::create(builder, loc, VectorType::get(length, builder.getI16Type()), value);
        auto wide = VectorType::get(length, builder.getI32Type());
        Value shift =
            arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(wide, builder.getI32IntegerAttr(16)));
        bits = arith::ShLIOp::create(builder, loc, arith::ExtUIOp::create(builder, loc, wide, bits), shift);
        return arith::BitcastOp::create(builder, loc, type, bits);
      }
      return arith::ExtFOp::create(builder, loc, type, value);
    };
  };
  cpu::stageA(builder, loc, plan, scratch, cpu::Along::Columns,
              operand(a, rows.getInductionVar(), depth.getInductionVar()));
  cpu::stageB(builder, loc, plan, bBuffer, cpu::Along::Columns,
              operand(b, depth.getInductionVar(), columns.getInductionVar()));
  cpu::buildDot(builder, loc, plan, scratch, bBuffer, sums);
  builder.setInsertionPointAfter(depth);
  auto row = loop(tile.m, 1), column = loop(tile.n, lanes);
  Value from =
      arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, row.getInductionVar(), constant(tile.n)),
                            column.getInductionVar());
  Value toRow = arith::AddIOp::create(builder, loc, rows.getInductionVar(), row.getInductionVar());
  Value toColumn = arith::AddIOp::create(builder, loc, columns.getInductionVar(), column.getInductionVar());
  Value to = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, toRow, constant(size)), toColumn);
  Value result = LLVM::LoadOp::create(builder, loc, vector, at(builder, loc, sums, plan.accumulatorType, from), 4);
  LLVM::StoreOp::create(builder, loc, result, at(builder, loc, c, plan.accumulatorType, to), 4);
  builder.setInsertionPointAfter(rows);
  func::ReturnOp::create(builder, loc);
  return module;
}

} // namespace

int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  auto sgemm = library ? reinterpret_cast<Sgemm>(dlsym(library, "scipy_cblas_sgemm64_")) : nullptr;
  if (library)
    if (void *setThreads = dlsym(library, "scipy_openblas_set_num_threads64_"))
      reinterpret_cast<void (*)(int)>(setThreads)(1);
  auto named = cpu::HostTarget::byName(argc > 2 ? argv[2] : "native");
  if (!named) {
    llvm::errs() << llvm::toString(named.takeError()) << '\n';
    return 1;
  }
  int64_t size = argc > 3 ? atoll(argv[3]) : 1024;
  double work = 2.0 * size * size * size * 1e-9;
  std::vector<double> storage[3];
  for (auto &matrix : storage)
    matrix.resize(size * size);
  auto *a = reinterpret_cast<float *>(storage[0].data()), *b = reinterpret_cast<float *>(storage[1].data()),
       *c = reinterpret_cast<float *>(storage[2].data());
  for (int64_t i = 0; i < size * size; ++i)
    a[i] = float(i % 7) - 3, b[i] = float(i % 5) - 2;
  void *scratch = std::aligned_alloc(64, 4 << 20);

  printf("%-5s %-14s %9s %9s %7s %9s\n", "type", "tile", "GFLOP/s", "sgemm", "ratio", "LLVM ms");
  for (Tile tile : {Tile{"f32", 128, 128, 32},
                    {"f32", 128, 128, 64},
                    {"f32", 64, 64, 32},
                    {"f32", 64, 64, 64},
                    {"f32", 32, 32, 32},
                    {"f32", 32, 32, 64},
                    {"f32", 32, 32, 128},
                    {"bf16", 128, 128, 32},
                    {"bf16", 128, 128, 64},
                    {"bf16", 64, 64, 32},
                    {"bf16", 64, 64, 64},
                    {"f16", 128, 128, 32},
                    {"f16", 64, 64, 32},
                    {"f64", 64, 64, 32},
                    {"i8", 128, 128, 64},
                    {"i8", 64, 64, 64}}) {
    Type element = elementType(tile.element);
    cpu::DotPlan plan = cpu::planDot(tile.m, tile.n, tile.k, element, element, *named);
    OwningOpRef<ModuleOp> module = buildProduct(tile, size, plan);
    test::Compiled compiled = test::compile(*module, *named, getenv("TRITON_ASSEMBLY") != nullptr);
    if (const char *file = getenv("TRITON_ASSEMBLY"))
      if (FILE *out = fopen((std::string(file) + "." + tile.element + std::to_string(tile.m) + ".s").c_str(), "w"))
        fputs(compiled.assembly.c_str(), out), fclose(out);
    if (!compiled.code)
      continue;
    auto *product = compiled.function<Product>("product");
    double ours = 1e30, theirs = 1e30;
    for (int repeat = 0; repeat < 25; ++repeat) {
      ours = std::min(ours, threadSeconds([&] { product(a, b, c, scratch); }));
      if (sgemm)
        theirs = std::min(
            theirs, threadSeconds([&] { sgemm(101, 111, 111, size, size, size, 1, a, size, b, size, 0, c, size); }));
    }
    printf("%-5s %3ldx%3ldx%3ld    %9.1f %9.1f %7.3f %9.1f\n", tile.element, tile.m, tile.n, tile.k, work / ours,
           sgemm ? work / theirs : 0, sgemm ? theirs / ours : 0, compiled.milliseconds);
  }
}
