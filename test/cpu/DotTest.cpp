// Every kind of product, on every processor this machine can imitate, against sums computed one by one.
#include "compiler/cpu/dots/Dot.h"

#include "test/cpu/Jit.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace mlir;
using namespace triton;
using cpu::Along;

namespace {
struct Case {
  const char *processor;
  const char *element; // f32, f64, bf16, i8, i32
  int64_t m, n, k;
  Along a = Along::Columns, b = Along::Columns;
};

Type elementType(StringRef name) {
  Builder builder(&test::jitContext());
  return llvm::StringSwitch<Type>(name)
      .Case("f32", builder.getF32Type())
      .Case("f64", builder.getF64Type())
      .Case("bf16", builder.getBF16Type())
      .Case("i8", builder.getI8Type())
      .Default(builder.getI32Type());
}

/// void dot(a, b, accumulator, aBuffer, bBuffer): operands lie row major, or column major when staged along rows.
/// Operands are widened when the plan multiplies in a wider type.
OwningOpRef<ModuleOp> buildModule(const Case &test, const cpu::DotPlan &plan) {
  MLIRContext *context = &test::jitContext();
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto function =
      func::FuncOp::create(builder, loc, "dot", builder.getFunctionType(SmallVector<Type>(5, pointer), TypeRange{}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  Type element = elementType(test.element);
  auto operand = [&](Value base, Along along, int64_t rows, int64_t columns) {
    return [=](OpBuilder &builder, Location loc, Value row, Value column, int64_t length) -> Value {
      Value major = along == Along::Columns ? row : column, minor = along == Along::Columns ? column : row;
      Value stride =
          arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(along == Along::Columns ? columns : rows));
      Value offset = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, major, stride), minor);
      Value address = LLVM::GEPOp::create(builder, loc, base.getType(), element, base, ArrayRef<LLVM::GEPArg>{offset});
      Value vector = LLVM::LoadOp::create(builder, loc, VectorType::get(length, element), address, 1);
      auto type = VectorType::get(length, plan.operandType);
      if (element == plan.operandType)
        return vector;
      return isa<FloatType>(element) ? arith::ExtFOp::create(builder, loc, type, vector).getResult()
                                     : arith::ExtSIOp::create(builder, loc, type, vector).getResult();
    };
  };
  auto arguments = function.getArguments();
  cpu::stageA(builder, loc, plan, arguments[3], test.a, operand(arguments[0], test.a, test.m, test.k));
  cpu::stageB(builder, loc, plan, arguments[4], test.b, operand(arguments[1], test.b, test.k, test.n));
  cpu::buildDot(builder, loc, plan, arguments[3], arguments[4], arguments[2]);
  func::ReturnOp::create(builder, loc);
  return module;
}

struct BFloat {
  uint16_t bits = 0;
  BFloat(int value = 0) {
    float wide = float(value);
    bits = uint16_t(llvm::bit_cast<uint32_t>(wide) >> 16); // exact for the small integers used here
  }
  operator double() const { return llvm::bit_cast<float>(uint32_t(bits) << 16); }
};

/// The eight tile registers, by the definition of the instructions: what products on tiles run on where there is no
/// AMX.
struct Tiles {
  uint8_t rows[8], data[8][16][64];
  uint16_t bytes[8];
} tiles;
} // namespace

extern "C" {
__attribute__((used, visibility("default"))) void emulate_ldtilecfg(const uint8_t *configuration) {
  EXPECT_EQ(configuration[0], 1);
  std::memset(&tiles, 0, sizeof(tiles));
  std::memcpy(tiles.bytes, configuration + 16, sizeof(tiles.bytes));
  std::memcpy(tiles.rows, configuration + 48, sizeof(tiles.rows));
}
__attribute__((used, visibility("default"))) void emulate_tilerelease() { std::memset(&tiles, 0, sizeof(tiles)); }
__attribute__((used, visibility("default"))) void emulate_tileloadd64(uint8_t tile, const uint8_t *from,
                                                                      int64_t stride) {
  for (int row = 0; row < tiles.rows[tile]; ++row)
    std::memcpy(tiles.data[tile][row], from + row * stride, tiles.bytes[tile]);
}
__attribute__((used, visibility("default"))) void emulate_tilestored64(uint8_t tile, uint8_t *to, int64_t stride) {
  for (int row = 0; row < tiles.rows[tile]; ++row)
    std::memcpy(to + row * stride, tiles.data[tile][row], tiles.bytes[tile]);
}
}

/// Four bytes of k at a time: two bf16 or four i8.
template <typename Sum, typename Element, int group> static void multiplyTiles(uint8_t sum, uint8_t a, uint8_t b) {
  for (int m = 0; m < tiles.rows[sum]; ++m)
    for (int k = 0; k < tiles.bytes[a] / 4; ++k)
      for (int n = 0; n < tiles.bytes[sum] / 4; ++n) {
        Sum value;
        Element x[group], y[group];
        std::memcpy(&value, &tiles.data[sum][m][4 * n], 4);
        std::memcpy(x, &tiles.data[a][m][4 * k], 4);
        std::memcpy(y, &tiles.data[b][k][4 * n], 4);
        for (int i = 0; i < group; ++i)
          value += Sum(x[i]) * Sum(y[i]);
        std::memcpy(&tiles.data[sum][m][4 * n], &value, 4);
      }
}
extern "C" {
__attribute__((used, visibility("default"))) void emulate_tdpbf16ps(uint8_t sum, uint8_t a, uint8_t b) {
  multiplyTiles<float, BFloat, 2>(sum, a, b);
}
__attribute__((used, visibility("default"))) void emulate_tdpbssd(uint8_t sum, uint8_t a, uint8_t b) {
  multiplyTiles<int32_t, int8_t, 4>(sum, a, b);
}
}

namespace {
/// Calls of tile instructions become calls of the functions above.
void emulateTiles(ModuleOp module) {
  module.walk([&](LLVM::CallIntrinsicOp call) {
    StringRef name = call.getIntrin();
    if (!name.consume_front("llvm.x86.") || !(name.starts_with("t") || name.starts_with("ldtile")))
      return;
    std::string symbol = "emulate_" + name.str();
    OpBuilder builder(call);
    if (!module.lookupSymbol(symbol)) {
      OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
      LLVM::LLVMFuncOp::create(top, call.getLoc(), symbol,
                               LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()),
                                                           llvm::to_vector(call.getArgs().getTypes())));
    }
    LLVM::CallOp::create(builder, call.getLoc(), TypeRange{}, symbol, call.getArgs());
    call.erase();
  });
}

/// Small integers: their products and sums are exact in every type, so results must be equal, whatever the order.
template <typename Element, typename Accumulator> void check(const Case &test) {
  SCOPED_TRACE(testing::Message() << test.processor << ' ' << test.element << ' ' << test.m << 'x' << test.n << 'x'
                                  << test.k << (test.a == Along::Rows ? " A transposed" : "")
                                  << (test.b == Along::Rows ? " B transposed" : ""));
  cpu::HostTarget target = llvm::cantFail(cpu::HostTarget::byName(test.processor));
  Type element = elementType(test.element);
  cpu::DotPlan plan = cpu::planDot(test.m, test.n, test.k, element, element, target);
  OwningOpRef<ModuleOp> module = buildModule(test, plan);
  ASSERT_TRUE(succeeded(verify(*module)));
  if (plan.usesTiles() && !test::runsHere(target)) {
    EXPECT_FALSE(test::compile(OwningOpRef<ModuleOp>(module->clone()).get(), target).code);
    emulateTiles(*module);
    target = cpu::HostTarget::detect();
  }
  test::Compiled compiled = test::compile(*module, target);
  if (!compiled.code)
    return; // code generation is all that can be checked here
  std::mt19937 random(7);
  int range = sizeof(Element) == 1 ? 255 : 15;
  auto fill = [&](size_t size) {
    std::vector<Element> values(size);
    for (Element &value : values)
      value = Element(int(random() % range) - range / 2 - (sizeof(Element) == 1));
    return values;
  };
  std::vector<Element> a = fill(test.m * test.k), b = fill(test.k * test.n);
  std::vector<Accumulator> sums(test.m * test.n), expected;
  for (Accumulator &sum : sums)
    sum = Accumulator(random() % 100);
  expected = sums;
  for (int64_t i = 0; i < test.m; ++i)
    for (int64_t j = 0; j < test.n; ++j)
      for (int64_t l = 0; l < test.k; ++l)
        expected[i * test.n + j] += Accumulator(test.a == Along::Columns ? a[i * test.k + l] : a[l * test.m + i]) *
                                    Accumulator(test.b == Along::Columns ? b[l * test.n + j] : b[j * test.k + l]);
  // Bytes behind the buffers show whether staging writes too far.
  std::vector<char> stagedA(plan.aBytes() + 64, 'x'), stagedB(plan.bBytes() + 64, 'x');
  compiled.function<void(void *, void *, void *, void *, void *)>("dot")(a.data(), b.data(), sums.data(),
                                                                         stagedA.data(), stagedB.data());
  int64_t wrong = 0;
  for (size_t i = 0; i < sums.size(); ++i)
    wrong += sums[i] != expected[i];
  EXPECT_EQ(wrong, 0);
  for (int i = 0; i < 64; ++i)
    ASSERT_TRUE(stagedA[plan.aBytes() + i] == 'x' && stagedB[plan.bBytes() + i] == 'x');
}

void checkElement(const Case &test) {
  StringRef element = test.element;
  if (element == "f32")
    check<float, float>(test);
  else if (element == "f64")
    check<double, double>(test);
  else if (element == "bf16")
    check<BFloat, float>(test);
  else if (element == "i8")
    check<int8_t, int32_t>(test);
  else
    check<int32_t, int32_t>(test);
}

const char *const processors[] = {"x86-64",    "x86-64-v2", "haswell",        "x86-64-v3",
                                  "x86-64-v4", "znver4",    "sapphirerapids", "native"};
const char *const elements[] = {"f32", "f64", "bf16", "i8", "i32"};
} // namespace

TEST(Dot, EveryTypeOnEveryProcessor) {
  for (const char *processor : processors)
    for (const char *element : elements)
      checkElement({processor, element, 32, 64, 32});
}

TEST(Dot, TransposedOperands) {
  for (const char *processor : {"x86-64", "x86-64-v3", "native"})
    for (const char *element : elements)
      for (auto [a, b] :
           {std::pair(Along::Rows, Along::Columns), {Along::Columns, Along::Rows}, {Along::Rows, Along::Rows}})
        checkElement({processor, element, 16, 32, 32, a, b});
}

TEST(Dot, AnySize) {
  for (const char *processor : {"x86-64", "x86-64-v3", "native"})
    for (const char *element : elements)
      for (auto [m, n, k] : {std::tuple(1, 1, 1),
                             {1, 16, 16},
                             {16, 1, 16},
                             {2, 4, 8},
                             {5, 7, 3},
                             {13, 40, 22},
                             {128, 16, 2},
                             {3, 100, 17},
                             {9, 24, 4}})
        for (Along along : {Along::Columns, Along::Rows})
          checkElement({processor, element, m, n, k, along, along});
}

TEST(Dot, RandomSizes) {
  const char *repeats = getenv("TRITON_TEST_REPEATS");
  std::mt19937 random(11);
  for (int repeat = 0; repeat < (repeats ? atoi(repeats) : 20); ++repeat)
    for (const char *element : elements) {
      const char *processor = processors[random() % std::size(processors)];
      auto size = [&](int most) -> int64_t { return random() % 2 ? 1 << random() % 7 : 1 + random() % most; };
      Along a = random() % 2 ? Along::Columns : Along::Rows, b = random() % 2 ? Along::Columns : Along::Rows;
      int64_t m = size(70), n = size(70), k = size(70);
      checkElement({processor, element, m, n, k, a, b});
    }
}

TEST(Dot, Tiles) {
  for (const char *element : {"bf16", "i8"})
    for (auto [m, n, k] : {std::tuple(16, 16, 64), {32, 32, 64}, {48, 80, 128}, {128, 128, 64}, {16, 96, 192}})
      for (Along along : {Along::Columns, Along::Rows})
        checkElement({"sapphirerapids", element, m, n, k, along, along});
}

TEST(Dot, PlansFollowTheProcessor) {
  Builder builder(&test::jitContext());
  Type f32 = builder.getF32Type(), bf16 = builder.getBF16Type(), i8 = builder.getI8Type();
  auto plan = [](StringRef processor, Type type, int64_t k = 32) {
    return cpu::planDot(64, 64, k, type, type, llvm::cantFail(cpu::HostTarget::byName(processor)));
  };
  EXPECT_EQ(plan("znver3", f32).rows, 4);
  EXPECT_EQ(plan("znver3", f32).panels[0].width, 16);
  EXPECT_EQ(plan("haswell", f32).rows, 6);
  EXPECT_EQ(plan("x86-64-v4", f32).rows, 8);
  EXPECT_EQ(plan("x86-64-v4", f32).panels[0].width, 32);
  EXPECT_EQ(plan("x86-64-v4", bf16).kernel, cpu::DotKernel::MultiplyAdd);
  EXPECT_EQ(plan("znver4", bf16).kernel, cpu::DotKernel::BFloatPairs);
  EXPECT_EQ(plan("znver4", bf16, 31).kernel, cpu::DotKernel::MultiplyAdd);
  EXPECT_EQ(plan("znver4", i8).kernel, cpu::DotKernel::ByteQuads);
  EXPECT_EQ(plan("x86-64", i8).kernel, cpu::DotKernel::ShortPairs);
  EXPECT_EQ(plan("sapphirerapids", bf16).kernel, cpu::DotKernel::BFloatTiles);
  EXPECT_EQ(plan("sapphirerapids", i8, 64).kernel, cpu::DotKernel::ByteTiles);
  EXPECT_EQ(plan("sapphirerapids", i8, 32).kernel, cpu::DotKernel::ByteQuads);
  // An 8-bit float is exact in bf16; against f16 both go to f32.
  Type f8 = Float8E4M3FNType::get(&test::jitContext()), f16 = builder.getF16Type();
  cpu::HostTarget zen4 = llvm::cantFail(cpu::HostTarget::byName("znver4"));
  EXPECT_EQ(cpu::planDot(16, 16, 16, f8, f8, zen4).kernel, cpu::DotKernel::BFloatPairs);
  EXPECT_EQ(cpu::planDot(16, 16, 16, f8, f16, zen4).operandType, f32);
}

TEST(Dot, KeepsAccumulatorsInRegisters) {
  // No spill: the only memory operands of the multiply loop are the staged operands.
  for (const char *processor : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
    cpu::HostTarget target = llvm::cantFail(cpu::HostTarget::byName(processor));
    Case test{processor, "f32", 64, 64, 32};
    Type element = elementType(test.element);
    cpu::DotPlan plan = cpu::planDot(test.m, test.n, test.k, element, element, target);
    OwningOpRef<ModuleOp> module = buildModule(test, plan);
    test::Compiled compiled = test::compile(*module, target, /*keepAssembly=*/true);
    EXPECT_EQ(compiled.assembly.find("byte Spill"), std::string::npos) << compiled.assembly;
    EXPECT_EQ(compiled.assembly.find("(%rsp)"), std::string::npos) << compiled.assembly;
  }
}
