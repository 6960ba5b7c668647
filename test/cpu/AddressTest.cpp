// Addresses that are not one run from one pointer: chosen lane by lane, or counted in so few bits that the count starts again.
#include "test/cpu/Jit.h"

#include <gtest/gtest.h>

using namespace triton;

namespace {

struct Arguments {
  const int32_t *x, *y;
  int32_t *out;
};

/// What `body`, which makes %p of %x, %y and %i, leaves in `out` when it loads from there.
std::vector<int32_t> load(llvm::StringRef body, const std::vector<int32_t> &x, const std::vector<int32_t> &y) {
  std::string text = "tt.func public @kernel(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %out: !tt.ptr<i32>) {\n"
                     "%i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>\n"
                     "%xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
                     "%ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n" +
                     body.str() +
                     "%v = tt.load %p : tensor<64x!tt.ptr<i32>>\n"
                     "%outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
                     "%outp = tt.addptr %outs, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n"
                     "tt.store %outp, %v : tensor<64x!tt.ptr<i32>>\n"
                     "tt.return\n}\n";
  std::vector<int32_t> out(64, -1);
  if (auto kernel = test::compileKernel(text, "kernel", cpu::HostTarget::detect())) {
    Arguments arguments{x.data(), y.data(), out.data()};
    EXPECT_FALSE(llvm::errorToBool(runtime::launch(*kernel, &arguments, {1, 1, 1})));
  }
  return out;
}

std::vector<int32_t> numbers(int32_t count, int32_t first) {
  std::vector<int32_t> result(count);
  for (int32_t i = 0; i < count; ++i)
    result[i] = first + i;
  return result;
}

TEST(Address, lanesChooseBetweenPointers) {
  const std::vector<int32_t> x = numbers(256, 0), y = numbers(256, 1000);
  std::vector<int32_t> out = load(R"(
    %three = arith.constant dense<3> : tensor<64xi32>
    %zero = arith.constant dense<0> : tensor<64xi32>
    %r = arith.remsi %i, %three : tensor<64xi32>
    %c = arith.cmpi eq, %r, %zero : tensor<64xi32>
    %a = tt.addptr %xs, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %j = arith.addi %i, %i : tensor<64xi32>
    %b = tt.addptr %ys, %j : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %p = arith.select %c, %a, %b : tensor<64xi1>, tensor<64x!tt.ptr<i32>>
  )",
                                  x, y);
  for (int32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], i % 3 == 0 ? i : 1000 + 2 * i) << i;
}

TEST(Address, offsetsOfFewBitsWrap) {
  const std::vector<int32_t> x = numbers(512, 0);
  for (bool isSigned : {false, true}) {
    std::vector<int32_t> out = load(std::string(R"(
      %bytes = arith.trunci %i : tensor<64xi32> to tensor<64xi8>
      %start = arith.constant dense<)") +
                                        (isSigned ? "100" : "-56") +
                                        R"(> : tensor<64xi8>
      %sum = arith.addi %bytes, %start : tensor<64xi8>
      %j = arith.)" + (isSigned ? "extsi" : "extui") +
                                        R"( %sum : tensor<64xi8> to tensor<64xi32>
      %c = arith.constant dense<128> : tensor<64xi32>
      %k = arith.addi %j, %c : tensor<64xi32>
      %p = tt.addptr %xs, %k : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    )",
                                    x, x);
    for (int32_t i = 0; i < 64; ++i)
      ASSERT_EQ(out[i], 128 + (isSigned ? int32_t(int8_t(i + 100)) : int32_t(uint8_t(i + 200)))) << i;
  }
}

} // namespace
