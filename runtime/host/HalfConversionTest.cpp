#include "runtime/host/HalfConversion.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace triton::runtime;
using llvm::APFloat;

static uint16_t bitsOf(HalfRegister value) { return uint16_t(llvm::bit_cast<uint64_t>(value)); }

static uint16_t exact(double value, const llvm::fltSemantics &format) {
  APFloat number(value);
  bool inexact;
  number.convert(format, APFloat::rmNearestTiesToEven, &inexact);
  return uint16_t(number.bitcastToAPInt().getZExtValue());
}

TEST(HalfConversion, WideningEveryHalf) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float wide = extendHalf(llvm::bit_cast<double>(0xdead000000000000 | bits)); // what lies above the half is ignored
    APFloat number(APFloat::IEEEhalf(), llvm::APInt(16, bits));
    if (number.isNaN()) {
      EXPECT_TRUE(std::isnan(wide));
      continue;
    }
    bool inexact;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &inexact);
    EXPECT_EQ(llvm::bit_cast<uint32_t>(wide), number.bitcastToAPInt().getZExtValue()) << bits;
  }
}

TEST(HalfConversion, NarrowingASampleOfFloats) {
  for (uint64_t bits = 0; bits <= 0xffffffff; bits += 997) {
    float value = llvm::bit_cast<float>(uint32_t(bits));
    if (std::isnan(value)) {
      EXPECT_GT(bitsOf(truncateToHalf(value)) & 0x7fff, 0x7c00);
      EXPECT_GT(bitsOf(truncateToBFloat(value)) & 0x7fff, 0x7f80);
      continue;
    }
    EXPECT_EQ(bitsOf(truncateToHalf(value)), exact(value, APFloat::IEEEhalf())) << value;
    EXPECT_EQ(bitsOf(truncateToBFloat(value)), exact(value, APFloat::BFloat())) << value;
  }
}

TEST(HalfConversion, DoublesRoundOnce) {
  // Halfway between two halves, and a little more or less than a float can show: rounding twice would go wrong.
  for (double base : {1.0, 3.0, 1025.0, 65472.0, 0x1p-20, 0x1p-25, 0x1p-126})
    for (double step : {0x1p-11, 0x1p-12, 0x1p-10, 0x1p-8, 0x1p-9})
      for (double nudge : {0.0, 0x1p-45, -0x1p-45})
        for (double sign : {1.0, -1.0}) {
          double value = sign * base * (1 + step + nudge);
          EXPECT_EQ(bitsOf(truncateDoubleToHalf(value)), exact(value, APFloat::IEEEhalf())) << value;
          EXPECT_EQ(bitsOf(truncateDoubleToBFloat(value)), exact(value, APFloat::BFloat())) << value;
        }
  EXPECT_EQ(bitsOf(truncateDoubleToHalf(INFINITY)), 0x7c00);
  EXPECT_EQ(bitsOf(truncateDoubleToHalf(1e300)), 0x7c00);
}
