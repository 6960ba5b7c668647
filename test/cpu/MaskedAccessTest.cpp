// Loads and stores of which only some lanes are active, for every size of element, with and without instructions for it.
#include "test/cpu/Jit.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace mlir;
using namespace triton;

namespace {
constexpr int32_t block = 256;

/// out[to[i]] = x[from[i]] where keep[i], for i below n; lanes not loaded read as zero and are stored nowhere. With `direct`,
/// from and to are i itself, so that lanes are neighbours.
std::string kernelText(StringRef type, bool direct) {
  std::string text = R"(
tt.func public @move(%x: !tt.ptr<$T>, %from: !tt.ptr<i32>, %to: !tt.ptr<i32>, %keep: !tt.ptr<i32>, %out: !tt.ptr<$T>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ns = tt.splat %n : i32 -> tensor<256xi32>
  %inside = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %zero = arith.constant dense<0> : tensor<256xi32>
  %keeps = tt.splat %keep : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %keepp = tt.addptr %keeps, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %kept = tt.load %keepp, %inside, %zero : tensor<256x!tt.ptr<i32>>
  %mask = arith.cmpi ne, %kept, %zero : tensor<256xi32>
  %froms = tt.splat %from : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %fromp = tt.addptr %froms, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %source = tt.load %fromp, %inside, %zero : tensor<256x!tt.ptr<i32>>
  %tos = tt.splat %to : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %top = tt.addptr %tos, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %target = tt.load %top, %inside, %zero : tensor<256x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<$T> -> tensor<256x!tt.ptr<$T>>
  %xp = tt.addptr %xs, $SOURCE : tensor<256x!tt.ptr<$T>>, tensor<256xi32>
  %value = tt.load %xp, %mask : tensor<256x!tt.ptr<$T>>
  %outs = tt.splat %out : !tt.ptr<$T> -> tensor<256x!tt.ptr<$T>>
  %outp = tt.addptr %outs, $PLACE : tensor<256x!tt.ptr<$T>>, tensor<256xi32>
  tt.store %outp, %value, %mask : tensor<256x!tt.ptr<$T>>
  tt.return
})";
  for (auto [from, to] : {std::pair<StringRef, StringRef>("$T", type),
                          {"$SOURCE", direct ? "%i" : "%source"},
                          {"$PLACE", direct ? "%i" : "%target"}})
    for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to.str());
  return text;
}

template <typename Element> void check(StringRef type, StringRef processor, bool direct) {
  SCOPED_TRACE(type.str() + " on " + processor.str() + (direct ? ", neighbours" : ", anywhere"));
  auto kernel =
      test::compileKernel(kernelText(type, direct), "move", llvm::cantFail(cpu::HostTarget::byName(processor)));
  if (!kernel)
    return;
  for (int32_t n : {0, 1, 13, 100, 255, 256})
    for (int pattern = 0; pattern < 4; ++pattern) {
      std::vector<int32_t> from(n), to(n), keep(n);
      for (int32_t i = 0; i < n; ++i) {
        from[i] = direct ? i : (i * 37 + 11) % block;
        to[i] = direct ? i : (i * 91 + 5) % block;
        keep[i] = pattern == 0 ? 1 : pattern == 1 ? 0 : pattern == 2 ? i % 3 == 0 : i / 20 % 2;
      }
      std::vector<Element> x(block), out(block), expected(block);
      for (int32_t i = 0; i < block; ++i)
        x[i] = Element(i * 77 + 1), out[i] = expected[i] = Element(200 - i);
      for (int32_t i = 0; i < n; ++i)
        if (keep[i])
          expected[to[i]] = x[from[i]];
      struct {
        void *x, *from, *to, *keep, *out;
        int32_t n;
      } arguments{x.data(), from.data(), to.data(), keep.data(), out.data(), n};
      ASSERT_FALSE(llvm::errorToBool(runtime::launch(*kernel, &arguments, {1, 1, 1})));
      EXPECT_EQ(out, expected) << "n " << n << " pattern " << pattern;
    }
}
} // namespace

TEST(MaskedAccess, EverySizeOnEveryProcessor) {
  for (StringRef processor : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "native"})
    for (bool direct : {true, false}) {
      check<uint8_t>("i8", processor, direct);
      check<uint16_t>("i16", processor, direct);
      check<uint16_t>("f16", processor, direct);
      check<uint16_t>("bf16", processor, direct);
      check<uint32_t>("f32", processor, direct);
      check<uint64_t>("i64", processor, direct);
    }
}
