// Every bit pattern of every narrow float, against LLVM's own arithmetic where LLVM knows the format.
#include "compiler/interpreter/FloatFormat.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace triton::interpreter;

namespace {

class FloatFormat : public testing::Test {
protected:
  MLIRContext context{MLIRContext::Threading::DISABLED};
  Builder builder{&context};

  std::vector<FloatType> knownTypes() {
    return {Float16Type::get(&context),      BFloat16Type::get(&context),       Float8E5M2Type::get(&context),
            Float8E4M3FNType::get(&context), Float8E4M3FNUZType::get(&context), Float8E5M2FNUZType::get(&context)};
  }

  static double reference(FloatType type, uint64_t bits) {
    llvm::APFloat value(type.getFloatSemantics(), llvm::APInt(type.getWidth(), bits));
    bool losesInfo = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }

  static uint64_t reference(FloatType type, double number, llvm::APFloat::roundingMode mode) {
    llvm::APFloat value(number);
    bool losesInfo = false;
    value.convert(type.getFloatSemantics(), mode, &losesInfo);
    return value.bitcastToAPInt().getZExtValue();
  }
};

TEST_F(FloatFormat, decodesEveryPattern) {
  for (FloatType type : knownTypes())
    for (uint64_t bits = 0; bits < uint64_t(1) << type.getWidth(); ++bits) {
      double expected = reference(type, bits), actual = decode(type, bits);
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(actual)) << bits;
      else
        ASSERT_EQ(llvm::bit_cast<uint64_t>(expected), llvm::bit_cast<uint64_t>(actual)) << bits;
    }
}

TEST_F(FloatFormat, encodesWhatItDecodes) {
  for (FloatType type : knownTypes())
    for (uint64_t bits = 0; bits < uint64_t(1) << type.getWidth(); ++bits)
      if (double value = decode(type, bits); !std::isnan(value))
        ASSERT_EQ(encode(type, value), bits);
}

TEST_F(FloatFormat, roundsAsLlvmDoes) {
  std::mt19937_64 random(7);
  for (FloatType type : knownTypes()) {
    for (int round = 0; round < 20000; ++round) {
      // Numbers around the format's own range, many of them halfway between two of its values.
      double value = std::ldexp(double(int64_t(random() % 8192) - 4096), int(random() % 40) - 30);
      uint64_t expected = reference(type, value, llvm::APFloat::rmNearestTiesToEven);
      if (!std::isfinite(reference(type, expected)))
        continue; // what is too large is tested on its own: formats differ
      ASSERT_EQ(encode(type, value), expected) << value;
      ASSERT_EQ(encode(type, value, Rounding::TowardZero), reference(type, value, llvm::APFloat::rmTowardZero))
          << value;
    }
  }
}

TEST_F(FloatFormat, saturatesWhenAsked) {
  FloatType e5m2 = Float8E5M2Type::get(&context), e4m3 = Float8E4M3FNType::get(&context),
            b8 = Float8E4M3FNUZType::get(&context);
  EXPECT_EQ(decode(e5m2, encode(e5m2, 1e9, Rounding::NearestEven, true)), 57344);
  EXPECT_EQ(decode(e5m2, encode(e5m2, -HUGE_VAL, Rounding::NearestEven, true)), -57344);
  EXPECT_TRUE(std::isinf(decode(e5m2, encode(e5m2, 1e9))));
  EXPECT_EQ(decode(e4m3, encode(e4m3, 1e9, Rounding::NearestEven, true)), 448);
  EXPECT_TRUE(std::isnan(decode(e4m3, encode(e4m3, 1e9))));
  EXPECT_EQ(decode(b8, encode(b8, 1e9, Rounding::NearestEven, true)), 240);
  EXPECT_TRUE(std::isnan(decode(b8, encode(b8, std::nan(""), Rounding::NearestEven, true))));
}

TEST_F(FloatFormat, hasNoSpecialsInE4B15) {
  FloatType type = Float8E4M3B11FNUZType::get(&context);
  EXPECT_EQ(encode(type, 1.75), 0x7eu);
  EXPECT_EQ(encode(type, 100.0), 0x7eu);
  EXPECT_EQ(encode(type, -HUGE_VAL), 0xfeu);
  EXPECT_EQ(decode(type, 0x7e), 1.75);
  EXPECT_EQ(decode(type, 0x78), 1.0);
  EXPECT_EQ(decode(type, 0x01), std::ldexp(1.0, -17));
  for (uint64_t bits = 0; bits < 256; ++bits)
    if ((bits & 0x7f) != 0x7f)
      EXPECT_EQ(encode(type, decode(type, bits)), bits);
}

TEST_F(FloatFormat, roundsIntegersOnce) {
  FloatType f32 = Float32Type::get(&context), bf16 = BFloat16Type::get(&context);
  std::mt19937_64 random(11);
  for (int round = 0; round < 20000; ++round) {
    int64_t value = int64_t(random()) >> (random() % 60);
    EXPECT_EQ(encodeInteger(f32, value), llvm::bit_cast<uint32_t>(float(value))) << value;
    llvm::APFloat reference(llvm::APFloat::BFloat());
    reference.convertFromAPInt(llvm::APInt(64, value, true), true, llvm::APFloat::rmNearestTiesToEven);
    EXPECT_EQ(encodeInteger(bf16, value), reference.bitcastToAPInt().getZExtValue()) << value;
  }
}

} // namespace
