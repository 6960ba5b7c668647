// Writes random small programs of stores, loads, copies both ways, dots, exchanges, calls, loops and branches on a few buffers. Each keeps the
// rules that such programs must keep: no thread touches a buffer while a copy or a dot that it began is under way in it.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <random>
#include <string>

namespace triton::gpu {

class RandomSharedProgram {
public:
  explicit RandomSharedProgram(unsigned seed) : random(seed) {}

  std::string text() {
    body = "";
    unsigned count = 1 + random() % 3;
    for (unsigned i = 0; i < count; ++i)
      body += "    %b" + std::to_string(i) + " = ttg.local_alloc : () -> " + buffer + "\n";
    buffers = count;
    statements(3 + random() % 5, 0);
    return header + body + "    tt.return\n  }\n}\n";
  }

private:
  void line(const std::string &text) { body += "    " + text + "\n"; }
  std::string name() { return "%v" + std::to_string(next++); }

  void statements(unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count; ++i)
      statement(depth);
  }

  void statement(unsigned depth) {
    std::string of = "%b" + std::to_string(random() % buffers);
    switch (random() % (depth < 2 ? 17 : 11)) {
    case 0:
    case 1:
      line("ttg.local_store %x, " + of + " : tensor<32x32xf32, #rows> -> " + buffer);
      break;
    case 2:
    case 3:
      line(name() + " = ttg.local_load " + of + " : " + buffer + " -> tensor<32x32xf32, #rows>");
      break;
    case 4:
      line(name() + " = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>");
      break;
    case 5: {
      std::string alloc = name();
      line(alloc + " = ttg.local_alloc %x : (tensor<32x32xf32, #rows>) -> !ttg.memdesc<32x32xf32, #shared, #smem>");
      if (random() % 2)
        line(name() + " = ttg.local_load " + alloc +
             " : !ttg.memdesc<32x32xf32, #shared, #smem> -> tensor<32x32xf32, #rows>");
      break;
    }
    case 6:
      line(name() + " = ttg.async_copy_global_to_local %p, " + of +
           " : tensor<32x32x!tt.ptr<f32>, #rows> -> <32x32xf32, #shared, #smem, mutable>");
      if (random() % 2)
        line(name() + " = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>");
      line(name() + " = ttg.async_wait {num = 0 : i32}");
      break;
    case 7:
      line("ttng.async_tma_copy_local_to_global %d[%c0, %c0] " + of +
           " : !tt.tensordesc<tensor<32x32xf32, #shared>>, " + buffer);
      if (random() % 2)
        line(name() + " = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>");
      line("ttng.async_tma_store_wait {pendings = 0 : i32}");
      break;
    case 8:
      load(depth);
      break;
    case 9: {
      std::string view = name();
      line(view + " = ttg.memdesc_index %ring[%c" + std::to_string(random() % 2) + "] : " + ring + " -> " + buffer);
      if (random() % 2)
        line("ttg.local_store %x, " + view + " : tensor<32x32xf32, #rows> -> " + buffer);
      else
        line(name() + " = ttg.local_load " + view + " : " + buffer + " -> tensor<32x32xf32, #rows>");
      break;
    }
    case 10:
      line("tt.call @g(%x) : (tensor<32x32xf32, #rows>) -> ()");
      break;
    case 11:
    case 12:
      line("scf.for " + name() + " = %c0 to %n step %c1 : i32 {");
      statements(1 + random() % 3, depth + 1);
      line("}");
      break;
    case 13:
    case 14:
      branch([&] { statements(1 + random() % 2, depth + 1); }, [&] { statements(1 + random() % 2, depth + 1); });
      break;
    case 15:
      line("scf.while : () -> () {");
      statements(random() % 3, depth + 1);
      line("scf.condition(%c)");
      line("} do {");
      statements(random() % 3, depth + 1);
      line("scf.yield");
      line("}");
      break;
    case 16:
      waitLater(depth);
      break;
    }
  }

  void branch(llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise) {
    line("scf.if %c {");
    then();
    if (random() % 2) {
      line("} else {");
      otherwise();
    }
    line("}");
  }

  /// By TMA, with an mbarrier; what comes need not be read.
  void load(unsigned depth) {
    std::string to = name(), barrier = name(), type = "!ttg.memdesc<1xi64, #plain, #smem, mutable>";
    line(to + " = ttg.local_alloc : () -> " + buffer);
    line(barrier + " = ttg.local_alloc : () -> " + type);
    line("ttng.init_barrier " + barrier + ", 1 : " + type);
    line("ttng.barrier_expect " + barrier + ", 4096, %true : " + type);
    line("ttng.async_tma_copy_global_to_local %d[%c0, %c0] " + to + ", " + barrier +
         ", %true : !tt.tensordesc<tensor<32x32xf32, #shared>>, " + type + " -> " + buffer);
    statements(random() % 2, depth + 1);
    line("ttng.wait_barrier " + barrier + ", %c0 : " + type);
    if (random() % 2)
      line(name() + " = ttg.local_load " + to + " : " + buffer + " -> tensor<32x32xf32, #rows>");
    line("ttng.inval_barrier " + barrier + " : " + type);
  }

  /// Begins a copy out of a buffer, or a dot.
  void begin(bool isDot) {
    std::string from = name();
    if (isDot) {
      const std::string half = "!ttg.memdesc<64x64xf16, #half, #smem>";
      line(from + " = ttg.local_alloc %h : (tensor<64x64xf16, #rows>) -> " + half);
      line(name() + " = ttng.warp_group_dot " + from + ", " + from + ", %sum {isAsync = true} : " + half + " * " +
           half + " -> tensor<64x64xf32, #mma>");
      return;
    }
    line(from + " = ttg.local_alloc %x : (tensor<32x32xf32, #rows>) -> " + buffer);
    line("ttng.async_tma_copy_local_to_global %d[%c0, %c0] " + from +
         " : !tt.tensordesc<tensor<32x32xf32, #shared>>, " + buffer);
  }
  void wait(bool isDot) {
    if (isDot)
      line(name() + " = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>");
    else
      line("ttng.async_tma_store_wait {pendings = 0 : i32}");
  }

  /// Work that goes on when its branch ends, or its iteration: until the next one waits for it, or what comes behind the loop.
  void waitLater(unsigned depth) {
    bool inLoop = random() % 2, isDot = random() % 3 == 0;
    if (inLoop) {
      line("scf.for " + name() + " = %c0 to %n step %c1 : i32 {");
      statements(random() % 2, depth + 1);
      wait(isDot);
      statements(random() % 2, depth + 1);
      begin(isDot);
      line("}");
    } else {
      branch([&] { begin(isDot); }, [&] { wait(isDot); });
    }
    statements(random() % 2, depth + 1);
    wait(isDot);
  }

  std::mt19937 random;
  std::string body;
  unsigned buffers = 0, next = 0;
  const std::string buffer = "!ttg.memdesc<32x32xf32, #shared, #smem, mutable>";
  const std::string ring = "!ttg.memdesc<2x32x32xf32, #shared, #smem, mutable>";
  const std::string header = R"(
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#half = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func private @g(%x: tensor<32x32xf32, #rows>) attributes {noinline = true} {
    %y = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    tt.return
  }
  tt.func public @f(%x: tensor<32x32xf32, #rows>, %p: tensor<32x32x!tt.ptr<f32>, #rows>, %d: !tt.tensordesc<tensor<32x32xf32, #shared>>,
             %h: tensor<64x64xf16, #rows>, %sum: tensor<64x64xf32, #mma>, %n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %ring = ttg.local_alloc : () -> !ttg.memdesc<2x32x32xf32, #shared, #smem, mutable>
)";
};

} // namespace triton::gpu
