// Instruction descriptors against the bits that the PTX manual lists.
#include "compiler/llvm/nvidia/dots/InstructionDescriptor.h"

#include "mlir/IR/Builders.h"
#include "gtest/gtest.h"

using namespace triton;
using namespace triton::nvidia;
using tensor::ScaleDotElemType;

static uint32_t field(uint32_t word, unsigned first, unsigned last) {
  return word >> first & ((uint64_t(1) << (last - first + 1)) - 1);
}

TEST(InstructionDescriptor, TheManualsExample) {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  auto descriptor = describeDot(builder.getBF16Type(), builder.getBF16Type(), builder.getF32Type());
  ASSERT_TRUE(descriptor);
  descriptor->m = 128;
  descriptor->n = 256;
  EXPECT_EQ(descriptor->encode(), 0x08400490u);
}

TEST(InstructionDescriptor, EveryTypeHasItsKind) {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  mlir::Type f16 = builder.getF16Type(), bf16 = builder.getBF16Type(), f32 = builder.getF32Type(),
             i8 = builder.getI8Type(), i32 = builder.getI32Type(), e4m3 = mlir::Float8E4M3FNType::get(&context),
             e5m2 = mlir::Float8E5M2Type::get(&context);
  struct Case {
    mlir::Type a, b, d;
    const char *kind;
    unsigned aFormat, bFormat, dFormat, k;
  };
  for (const Case &each : {Case{f16, f16, f32, "f16", 0, 0, 1, 16}, Case{f16, f16, f16, "f16", 0, 0, 0, 16},
                           Case{bf16, bf16, f32, "f16", 1, 1, 1, 16}, Case{f32, f32, f32, "tf32", 2, 2, 1, 8},
                           Case{e4m3, e5m2, f32, "f8f6f4", 0, 1, 1, 32}, Case{e5m2, e5m2, f16, "f8f6f4", 1, 1, 0, 32},
                           Case{i8, i8, i32, "i8", 1, 1, 2, 32}}) {
    auto descriptor = describeDot(each.a, each.b, each.d);
    ASSERT_TRUE(descriptor) << each.kind;
    descriptor->m = 64;
    descriptor->n = 24;
    descriptor->bTransposed = true;
    uint32_t word = descriptor->encode();
    EXPECT_EQ(name(descriptor->kind), each.kind);
    EXPECT_EQ(descriptor->k(), each.k);
    EXPECT_EQ(field(word, 0, 3), 0u);
    EXPECT_EQ(field(word, 4, 5), each.dFormat);
    EXPECT_EQ(field(word, 7, 9), each.aFormat);
    EXPECT_EQ(field(word, 10, 12), each.bFormat);
    EXPECT_EQ(field(word, 13, 16), 0b1000u);
    EXPECT_EQ(field(word, 17, 22), 3u);
    EXPECT_EQ(field(word, 24, 28), 4u);
    EXPECT_EQ(field(word, 29, 31), 0u);
  }
  EXPECT_FALSE(describeDot(bf16, bf16, builder.getF16Type()));
  EXPECT_FALSE(describeDot(f16, bf16, f32));
  EXPECT_FALSE(describeDot(f16, f16, builder.getF64Type()));
}

TEST(InstructionDescriptor, ScaledKinds) {
  auto check = [](ScaleDotElemType a, ScaleDotElemType b, int64_t block, bool exponents, llvm::StringRef kind,
                  unsigned aFormat, unsigned bFormat) {
    auto descriptor = describeScaledDot(a, b, block, exponents);
    ASSERT_TRUE(descriptor) << kind.str();
    descriptor->n = 64;
    descriptor->aScale = 2;
    descriptor->bScale = 1;
    uint32_t word = descriptor->encode();
    EXPECT_EQ(name(descriptor->kind), kind);
    EXPECT_EQ(field(word, 4, 5), 1u);
    EXPECT_EQ(field(word, 7, 9), aFormat);
    EXPECT_EQ(field(word, 10, 12), bFormat);
    EXPECT_EQ(field(word, 17, 22), 8u);
    EXPECT_EQ(field(word, 23, 23), exponents ? 1u : 0u);
    EXPECT_EQ(field(word, 24, 28), 8u);
    EXPECT_EQ(field(word, 29, 30), 2u);
    EXPECT_EQ(field(word, 31, 31), 0u);
  };
  check(ScaleDotElemType::E4M3, ScaleDotElemType::E5M2, 32, true, "mxf8f6f4", 0, 1);
  check(ScaleDotElemType::E2M1, ScaleDotElemType::E4M3, 32, true, "mxf8f6f4", 5, 0);
  check(ScaleDotElemType::E2M1, ScaleDotElemType::E2M1, 32, true, "mxf4", 1, 1);
  check(ScaleDotElemType::E2M1, ScaleDotElemType::E2M1, 16, false, "mxf4nvf4", 1, 1);
  EXPECT_FALSE(describeScaledDot(ScaleDotElemType::E4M3, ScaleDotElemType::E4M3, 16, false));
  EXPECT_FALSE(describeScaledDot(ScaleDotElemType::BF16, ScaleDotElemType::E4M3, 32, true));
}
