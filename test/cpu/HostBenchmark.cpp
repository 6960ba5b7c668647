// What the pieces below the lowering cost on this machine:
//   TritonHostBenchmark [processor]
// Nanoseconds per element of each elementary function in cache, milliseconds LLVM takes for it, milliseconds to load an
// object, microseconds per launch: of one program, of programs too small to share, and over the pool.
#include "compiler/cpu/passes/ExpandMath.h"
#include "compiler/llvm/host/Codegen.h"
#include "runtime/host/Launch.h"
#include "runtime/host/ThreadPool.h"

#include "test/cpu/Jit.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <chrono>
#include <unistd.h>

using namespace mlir;
using namespace triton;

namespace {
double seconds(llvm::function_ref<void()> run) {
  auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double best(int repeats, llvm::function_ref<void()> run) {
  double least = 1e30;
  for (int repeat = 0; repeat < repeats; ++repeat)
    least = std::min(least, seconds(run));
  return least;
}

std::string functionText(StringRef op, int64_t count, int width) {
  std::string type = "vector<" + std::to_string(width) + "xf32>";
  bool isPower = op == "powf";
  return "func.func @f(%x: !llvm.ptr, %out: !llvm.ptr) {\n  %zero = arith.constant 0 : i64\n  %end = arith.constant " +
         std::to_string(count) + " : i64\n  %step = arith.constant " + std::to_string(width) +
         " : i64\n  scf.for %i = %zero to %end step %step : i64 {\n"
         "    %px = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\n"
         "    %po = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\n"
         "    %v = llvm.load %px {alignment = 4 : i64} : !llvm.ptr -> " +
         type + "\n    %r = math." + op.str() + (isPower ? " %v, %v : " : " %v : ") + type +
         "\n    llvm.store %r, %po {alignment = 4 : i64} : " + type + ", !llvm.ptr\n  }\n  return\n}\n";
}

void measureFunctions(const cpu::HostTarget &target) {
  constexpr int64_t count = 4096;
  std::vector<float> x(count), out(count);
  for (int64_t i = 0; i < count; ++i)
    x[i] = 0.01f + float(i) / count * 8;
  printf("%-8s %10s %10s\n", "function", "ns/elem", "LLVM ms");
  for (StringRef op : {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "tanh", "erf", "sin", "cos", "rsqrt",
                       "sqrt", "powf", "atan"}) {
    auto module = parseSourceString<ModuleOp>(functionText(op, count, int(2 * target.lanes(32))), &test::jitContext());
    PassManager passes(&test::jitContext());
    passes.addPass(cpu::createExpandMath(target));
    if (failed(passes.run(*module)))
      continue;
    test::Compiled compiled = test::compile(*module, target);
    if (!compiled.code)
      continue;
    auto *function = compiled.function<void(const float *, float *)>("f");
    double time = best(2000, [&] { function(x.data(), out.data()); });
    printf("%-8s %10.3f %10.2f\n", op.str().c_str(), time / count * 1e9, compiled.milliseconds);
  }
}

void measureLaunches() {
  // Each program adds one to a number: a launch is all overhead.
  auto code = host::Code::parse(R"(
define void @touch(ptr %args, ptr %grid, i64 %begin, i64 %end, ptr %arena) {
entry:
  %out = load ptr, ptr %args
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %slot = getelementptr i64, ptr %out, i64 %i
  %old = load i64, ptr %slot
  %new = add i64 %old, 1
  store volatile i64 %new, ptr %slot
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %exit
exit:
  ret void
})",
                                cpu::HostTarget::detect());
  auto object = llvm::cantFail(llvm::cantFail(std::move(code)).object());
  llvm::StringRef bytes(object.data(), object.size());
  double load = best(50, [&] { llvm::cantFail(runtime::KernelCode::load(bytes, "touch", 0)); });
  printf("load an object of %zu bytes: %.3f ms\n", bytes.size(), load * 1e3);
  auto kernel = llvm::cantFail(runtime::KernelCode::load(bytes, "touch", 0));
  std::vector<int64_t> out(1 << 22);
  int64_t *pointer = out.data();
  auto launchOf = [&](int32_t programs, unsigned threads) {
    return [&, programs, threads] { llvm::cantFail(runtime::launch(*kernel, &pointer, {programs, 1, 1}, {threads})); };
  };
  for (int32_t programs : {1, 64, 1024, 1 << 14, 1 << 22})
    printf("launch %7d programs: %9.2f us on 1 thread, %9.2f us on %u\n", programs,
           best(200, launchOf(programs, 1)) * 1e6, best(200, launchOf(programs, 0)) * 1e6,
           runtime::ThreadPool::process().threads());
  runtime::ThreadPool &pool = runtime::ThreadPool::process();
  auto nothing = [](void *, uint64_t) {};
  printf("join on spinning workers: %.2f us\n", best(1000, [&] { pool.run(2, 2, nothing, nullptr); }) * 1e6);
  double woken = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    usleep(3000);
    woken += seconds([&] { pool.run(2, 2, nothing, nullptr); }) / 20;
  }
  printf("join with sleeping workers: %.2f us\n", woken * 1e6);
}
} // namespace

int main(int argc, char **argv) {
  auto named = cpu::HostTarget::byName(argc > 1 ? argv[1] : "native");
  if (!named) {
    llvm::errs() << llvm::toString(named.takeError()) << '\n';
    return 1;
  }
  measureFunctions(*named);
  measureLaunches();
}
