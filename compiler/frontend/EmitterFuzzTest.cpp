// Kernels with random changes: each compiles or gives errors, none crashes or hangs. TRITON_FUZZ_SECONDS=600 runs
// longer than the few hundred of a test run.
#include "compiler/frontend/EmitKernel.h"

#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <random>

namespace triton::frontend {
namespace {

const char *const seeds[] = {
    R"(
@triton.jit
def kernel(p, q, n, m, B: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * B + tl.arange(0, B)
    mask = offsets < n
    x = tl.load(p + offsets, mask=mask, other=0.0)
    y = tl.load(q + offsets, mask=mask)
    if n > 3:
        x = x + y
    elif m:
        return
    tl.store(p + offsets, x * 2 - y, mask=mask)
)",
    R"(
@triton.jit
def combine(a, b):
    return a + b

@triton.jit
def row(x, axis: tl.constexpr = 0):
    if axis == 0:
        return tl.reduce(x, 0, combine)
    else:
        return tl.max(x, axis)

@triton.jit
def kernel(p, q, n, m, B: tl.constexpr):
    acc = tl.zeros((B, 4), dtype=tl.float32)
    total = 0
    i = 0
    while i < n:
        t = (i, total)
        for k in tl.range(0, m, 2, num_stages=2):
            total += k
            acc += tl.load(p + k)
        i, total = t[0] + 1, total
    for j in tl.static_range(2):
        acc = acc + j if n > 1 else acc
        if total == j:
            return
    r = row(acc, axis=1)
    tl.store(q + tl.arange(0, B)[:, None] + tl.arange(0, 4)[None, :], tl.trans(tl.trans(acc)))
    tl.store(p, row(r))
)",
    R"(
@triton.jit
def pick(x, flag, *, y=1):
    return x

@triton.jit
def choose(c, a, b):
    if c:
        return a
    return b

@triton.jit
def kernel(p, q, n, m, B: tl.constexpr):
    shape: tl.constexpr = [B, B]
    a = tl.full(shape, 1, tl.float16)
    b = tl.full((B, B), n, tl.float16)
    c = tl.dot(a, b, out_dtype=tl.float32)
    s = tl.sum(c, axis=0).to(tl.int32)
    d = choose(n > m, n, m) // 3 % 7
    e = [v * 2 for v in (n, m)]
    w = tl.where(s[None, :] > d, c, 0.0)
    tl.static_assert(B >= 1, f"block {B}")
    assert n > 0, "n"
    tl.store(p + tl.arange(0, B), tl.max(w, 1) and not d, None)
    u: tl.constexpr = min(B, 3) if B is not None and isinstance(B, int) else len(e)
    x = -d ^ ~n | (m << 2) & 0xff
    tl.atomic_add(q, x + u + e[1] + getattr(tl, "abs")(d))
)",
};

const char *const pieces[] = {"None",
                              "0",
                              "1",
                              "-1",
                              "3",
                              "1.5",
                              "1e400",
                              "2 ** 80",
                              "True",
                              "'text'",
                              "()",
                              "(1, 2)",
                              "n",
                              "m",
                              "p",
                              "q",
                              "B",
                              "x",
                              "acc",
                              "tl",
                              "tl.float32",
                              "tl.int1",
                              "tl.uint64",
                              "kernel",
                              "combine",
                              "tl.load",
                              "tl.store(p, n)",
                              "tl.arange(0, 8)",
                              "[:, None]",
                              "[0]",
                              "[1:]",
                              ".T",
                              ".dtype",
                              ".shape",
                              ".to(tl.int8)",
                              "+",
                              "-",
                              "*",
                              "//",
                              "%",
                              "/",
                              "<<",
                              ">>",
                              "&",
                              "|",
                              "^",
                              "==",
                              "<",
                              "is",
                              "in",
                              "and",
                              "or",
                              "not",
                              "if",
                              "else",
                              "return",
                              "return n",
                              "for i in range(n):",
                              "while n < 3:",
                              "pass",
                              "break",
                              "lambda: 0",
                              "*",
                              "**",
                              ",",
                              ":",
                              "=",
                              "+=",
                              "(",
                              ")",
                              "[",
                              "]",
                              "\n",
                              "\n    ",
                              "\n        ",
                              "@",
                              "def f(x):",
                              "import os",
                              "x: tl.constexpr = 3",
                              "undefined",
                              "tl.sum",
                              "tl.static_range(3)",
                              "tl.range(n)",
                              "range(5, 0, -1)",
                              "f'{n}'",
                              "f'{B!r}'",
                              "len(x)",
                              "float('inf')",
                              "int(B)",
                              "...",
                              "global n",
                              "with x():",
                              "tl.dot",
                              "reshape",
                              "axis=0",
                              "axis=7",
                              "mask=x",
                              "tl.constexpr",
                              "*(n, m)"};

std::vector<std::string> tokens(llvm::StringRef text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    size_t length = 1;
    if (llvm::isAlnum(text[0]) || text[0] == '_')
      length = text.find_if_not([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    else if (text[0] == ' ')
      length = text.find_if_not([](char c) { return c == ' '; });
    length = std::min(length, text.size());
    result.push_back(text.take_front(length).str());
    text = text.drop_front(length);
  }
  return result;
}

std::string mutate(std::mt19937 &random, llvm::StringRef seed) {
  auto upTo = [&](size_t count) { return random() % count; };
  std::vector<std::string> parts = tokens(seed);
  for (size_t change = 0, count = 1 + upTo(4); change < count && parts.size() > 4; ++change) {
    const size_t at = upTo(parts.size());
    switch (upTo(5)) {
    case 0:
      parts.erase(parts.begin() + at);
      break;
    case 1:
      parts.insert(parts.begin() + at, pieces[upTo(std::size(pieces))]);
      break;
    case 2:
      parts[at] = parts[upTo(parts.size())];
      break;
    case 3:
      std::swap(parts[at], parts[upTo(parts.size())]);
      break;
    default:
      parts[at] = pieces[upTo(std::size(pieces))];
    }
  }
  std::string text;
  for (const std::string &part : parts)
    text += part;
  return text;
}

TEST(EmitterFuzz, NothingCrashes) {
  const char *signatures[] = {"*fp32, *fp32, i32, i32, 16", "*fp16:16, *i64, i64, 1, 4", "*i8, *fp32, fp32, None, 16",
                              "*u1, *bf16, u32, (i32, fp32), 1"};
  std::mt19937 random(7);
  const char *seconds = std::getenv("TRITON_FUZZ_SECONDS");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds ? std::atoi(seconds) : 0);
  unsigned compiled = 0, count = 0;
  for (; count < 400 || std::chrono::steady_clock::now() < end; ++count) {
    const std::string text = mutate(random, seeds[random() % std::size(seeds)]);
    const char *signature = signatures[random() % std::size(signatures)];
    if (const char *path = std::getenv("TRITON_FUZZ_TRACE")) {
      // What is about to run, for when it does crash.
      std::error_code error;
      llvm::raw_fd_ostream(path, error) << "# " << signature << "\n" << text;
    }
    Emitted emitted = emitText(text, signature, "kernel");
    compiled += !emitted.ir.empty();
    EXPECT_TRUE(!emitted.ir.empty() || !emitted.errors.empty()) << "neither IR nor an error:\n" << text;
  }
  EXPECT_GT(compiled, 0u) << "of " << count;
}

} // namespace
} // namespace triton::frontend
