// What becomes of tensors in loops: reductions, scans and views of many shapes, the order of memory accesses, tensors carried by control
// flow. On this machine's processor and on older ones.
#include "test/cpu/Jit.h"
#include "test/cpu/KernelText.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace mlir;
using namespace triton;
using test::KernelText;

namespace {

using Shape = std::vector<int64_t>;
using Floats = std::vector<float>;

const std::vector<Shape> shapes{{1},      {2},     {64},      {1024},  {4, 8},     {1, 16},  {16, 1},
                                {64, 64}, {32, 2}, {2, 2, 2}, {2, 32}, {4, 64, 4}, {128, 8}, {2, 2, 2, 2, 2}};

int64_t sizeOf(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

Floats numbers(int64_t size, unsigned seed = 1) { // small integers: sums are exact in any order
  Floats values(size);
  for (float &value : values)
    value = float(int((seed = seed * 1664525 + 1013904223) >> 24) - 128);
  return values;
}

/// Compiles for each processor that runs here, and calls `run` with a function that launches one program.
void onEveryProcessor(const std::string &text, llvm::function_ref<void(llvm::function_ref<void(const void *)>)> run) {
  for (StringRef processor : {"x86-64", "x86-64-v3", "native"}) {
    SCOPED_TRACE(processor.str());
    auto kernel = test::compileKernel(text, "kernel", llvm::cantFail(cpu::HostTarget::byName(processor)));
    if (!kernel)
      continue;
    run([&](const void *arguments) {
      ASSERT_FALSE(llvm::errorToBool(runtime::launch(*kernel, arguments, {1, 1, 1})));
    });
  }
}

struct TwoPointers {
  void *x, *out;
};

/// Elements before, along and after `axis`.
struct Strides {
  int64_t outer = 1, length, inner = 1;
  Strides(const Shape &shape, size_t axis) : length(shape[axis]) {
    for (size_t d = 0; d < shape.size(); ++d)
      (d < axis ? outer : inner) *= d == axis ? 1 : shape[d];
  }
};

std::string combination(StringRef kind, StringRef op) {
  return ("({\n  ^bb0(%a: f32, %b: f32):\n    %c = arith." + op + " %a, %b : f32\n    tt." + kind +
          ".return %c : f32\n  })")
      .str();
}

} // namespace

TEST(Nest, ReductionsAlongEveryAxis) {
  for (const Shape &shape : shapes)
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (StringRef op : {"addf", "maxnumf"}) {
        SCOPED_TRACE(KernelText::type(shape, "f32") + " along " + std::to_string(axis));
        Shape left = shape;
        left.erase(left.begin() + axis);
        KernelText text;
        std::string x = text.load("%x", "f32", shape);
        std::string sum = text.add("\"tt.reduce\"(" + x + ") <{axis = " + llvm::Twine(axis) + " : i32}> " +
                                   combination("reduce", op) + " : (" + KernelText::type(shape, "f32") + ") -> " +
                                   KernelText::type(left, "f32"));
        text.store("%out", "f32", left, sum);
        Strides strides(shape, axis);
        Floats in = numbers(sizeOf(shape)), expected(strides.outer * strides.inner);
        for (int64_t o = 0; o < strides.outer; ++o)
          for (int64_t i = 0; i < strides.inner; ++i) {
            float value = in[o * strides.length * strides.inner + i];
            for (int64_t a = 1; a < strides.length; ++a) {
              float next = in[(o * strides.length + a) * strides.inner + i];
              value = op == "addf" ? value + next : std::max(value, next);
            }
            expected[o * strides.inner + i] = value;
          }
        onEveryProcessor(text.function("%x: !tt.ptr<f32>, %out: !tt.ptr<f32>"), [&](auto launch) {
          Floats out(expected.size());
          TwoPointers arguments{in.data(), out.data()};
          launch(&arguments);
          EXPECT_EQ(out, expected);
        });
      }
}

TEST(Nest, ScansBothWays) {
  for (const Shape &shape : shapes)
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (bool reverse : {false, true}) {
        SCOPED_TRACE(KernelText::type(shape, "f32") + " along " + std::to_string(axis) +
                     (reverse ? " from the end" : ""));
        std::string type = KernelText::type(shape, "f32");
        KernelText text;
        std::string x = text.load("%x", "f32", shape);
        std::string sums = text.add("\"tt.scan\"(" + x + ") <{axis = " + llvm::Twine(axis) +
                                    " : i32, reverse = " + (reverse ? "true" : "false") + "}> " +
                                    combination("scan", "addf") + " : (" + type + ") -> " + type);
        text.store("%out", "f32", shape, sums);
        Strides strides(shape, axis);
        Floats in = numbers(sizeOf(shape)), expected(in.size());
        for (int64_t o = 0; o < strides.outer; ++o)
          for (int64_t i = 0; i < strides.inner; ++i) {
            float sum = 0;
            for (int64_t a = 0; a < strides.length; ++a) {
              int64_t at = (o * strides.length + (reverse ? strides.length - 1 - a : a)) * strides.inner + i;
              expected[at] = sum += in[at];
            }
          }
        onEveryProcessor(text.function("%x: !tt.ptr<f32>, %out: !tt.ptr<f32>"), [&](auto launch) {
          Floats out(expected.size());
          TwoPointers arguments{in.data(), out.data()};
          launch(&arguments);
          EXPECT_EQ(out, expected);
        });
      }
}

TEST(Nest, ReshapesRegroup) {
  const std::pair<Shape, Shape> cases[] = {{{64}, {8, 8}},     {{16, 64}, {64, 16}}, {{2, 4, 8}, {8, 8}},
                                           {{128, 8}, {1024}}, {{4, 16}, {16, 4}},   {{2, 2, 2, 2, 2, 2}, {8, 8}}};
  for (const auto &[from, to] : cases) {
    SCOPED_TRACE(KernelText::type(from, "f32") + " to " + KernelText::type(to, "f32"));
    KernelText text;
    std::string x = text.load("%x", "f32", from);
    std::string y =
        text.add("tt.reshape " + x + " : " + KernelText::type(from, "f32") + " -> " + KernelText::type(to, "f32"));
    text.store("%out", "f32", to, y);
    Floats in = numbers(sizeOf(from));
    onEveryProcessor(text.function("%x: !tt.ptr<f32>, %out: !tt.ptr<f32>"), [&](auto launch) {
      Floats out(in.size());
      TwoPointers arguments{in.data(), out.data()};
      launch(&arguments);
      EXPECT_EQ(out, in);
    });
  }
}

TEST(Nest, JoinsAndSplits) {
  for (const Shape &shape : {Shape{64}, Shape{4, 8}, Shape{1}}) {
    Shape joined = shape;
    joined.push_back(2);
    std::string one = KernelText::type(shape, "f32"), two = KernelText::type(joined, "f32");
    KernelText text;
    std::string x = text.load("%x", "f32", shape), twice = text.add("arith.addf " + x + ", " + x + " : " + one);
    std::string pairs = text.add("tt.join " + x + ", " + twice + " : " + one + " -> " + two);
    std::string halves = text.add("tt.split " + pairs + " : " + two + " -> " + one, 2);
    text.store("%out", "f32", shape, text.add("arith.subf " + halves + "#1, " + halves + "#0 : " + one));
    Floats in = numbers(sizeOf(shape));
    onEveryProcessor(text.function("%x: !tt.ptr<f32>, %out: !tt.ptr<f32>"), [&](auto launch) {
      Floats out(in.size());
      TwoPointers arguments{in.data(), out.data()};
      launch(&arguments);
      EXPECT_EQ(out, in);
    });
  }
}

// All loads of a block come before its stores, wherever the two pointers lie.
TEST(Nest, LoadsComeBeforeStoresThatOverlap) {
  KernelText text;
  std::string from = text.pointers("%x", "f32", {256}), to = text.pointers("%out", "f32", {256});
  std::string all = "tensor<256x!tt.ptr<f32>>";
  std::string old = text.add("tt.load " + from + " : " + all);
  std::string sum = text.add("arith.addf " + old + ", " + old + " : tensor<256xf32>");
  text.addPlain("tt.store " + from + ", " + sum + " : " + all);
  text.addPlain("tt.store " + to + ", " + old + " : " + all);
  onEveryProcessor(text.function("%x: !tt.ptr<f32>, %out: !tt.ptr<f32>"), [&](auto launch) {
    for (int64_t distance : {-256, -64, -3, -1, 0, 1, 5, 64, 255, 256, 300}) {
      Floats memory = numbers(1024), expected = memory;
      for (int64_t i = 0; i < 256; ++i)
        expected[400 + i] = 2 * memory[400 + i];
      for (int64_t i = 0; i < 256; ++i)
        expected[400 + distance + i] = memory[400 + i];
      TwoPointers arguments{&memory[400], &memory[400 + distance]};
      launch(&arguments);
      EXPECT_EQ(memory, expected) << distance;
    }
  });
}

// A loop that exchanges what it carries needs the old elements of both.
TEST(Nest, CarriedTensorsAreExchanged) {
  KernelText text;
  std::string x = text.load("%x", "f32", {64}), y = text.load("%out", "f32", {64});
  text.addPlain("%c0 = arith.constant 0 : i32");
  text.addPlain("%c1 = arith.constant 1 : i32");
  std::string both = text.add("scf.for %i = %c0 to %n step %c1 iter_args(%p = " + x + ", %q = " + y +
                                  ") -> (tensor<64xf32>, tensor<64xf32>) : i32 {\n"
                                  "    %s = arith.addf %p, %q : tensor<64xf32>\n"
                                  "    scf.yield %q, %s : tensor<64xf32>, tensor<64xf32>\n  }",
                              2);
  text.store("%out", "f32", {64}, both + "#1");
  onEveryProcessor(text.function("%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32"), [&](auto launch) {
    for (int32_t n : {0, 1, 2, 7}) {
      Floats p = numbers(64, 3), q = numbers(64, 4), out = q;
      struct {
        void *x, *out;
        int32_t n;
      } arguments{p.data(), out.data(), n};
      launch(&arguments);
      for (int32_t i = 0; i < n; ++i)
        for (size_t j = 0; j < 64; ++j)
          std::tie(p[j], q[j]) = std::pair(q[j], p[j] + q[j]);
      EXPECT_EQ(out, q) << n;
    }
  });
}
