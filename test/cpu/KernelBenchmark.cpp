// Whole kernels from tensor IR to running code, against what this machine can do:
//   TritonKernelBenchmark [OpenBLAS shared library of numpy] [processor]
// Vector add, softmax, layer norm and matrix products, on one thread; milliseconds of each half of the compiler, and ratios to
// memcpy, to a plain loop and to sgemm measured in the same run. Results are checked.
#include "compiler/cpu/Pipeline.h"
#include "compiler/llvm/host/Codegen.h"
#include "compiler/llvm/host/LowerToLlvm.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Pipeline.h"
#include "runtime/host/Launch.h"
#include "test/cpu/ThreadSeconds.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/CommandLine.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace mlir;
using namespace triton;

namespace {
/// Keeps the compiler from leaving out what nobody reads.
void use(const void *memory) { asm volatile("" : : "r"(memory) : "memory"); }

MLIRContext &context() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    tensor::registerTensorDialects(registry);
    registry.insert<func::FuncDialect, vector::VectorDialect, LLVM::LLVMDialect>();
    host::registerTranslations(registry);
    auto *context = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    return context;
  }();
  return *context;
}

cpu::HostTarget target;

struct Kernel {
  std::shared_ptr<const runtime::KernelCode> code;
  double mlir = 0, llvm = 0; // milliseconds
  host::CodegenTimes times;
  size_t bytes = 0; // of the object
};

Kernel compileOnce(StringRef name, const std::string &text) {
  Kernel kernel;
  auto module = parseSourceString<ModuleOp>(text, &context());
  if (!module)
    exit(1);
  kernel.mlir = 1e3 * threadSeconds([&] {
                  PassManager passes(&context());
                  tensor::buildTensorPipeline(passes);
                  cpu::buildCpuPipeline(passes, {target});
                  host::buildLowerToLlvm(passes);
                  if (failed(passes.run(*module)))
                    exit(1);
                });
  uint64_t arena = 0;
  module->walk([&](Operation *op) {
    if (auto bytes = op->getAttrOfType<IntegerAttr>(cpu::arenaBytesName))
      arena = bytes.getInt();
  });
  std::optional<host::Code> code;
  llvm::SmallVector<char, 0> object;
  kernel.times.translate = 1e3 * threadSeconds([&] { code = llvm::cantFail(host::Code::translate(*module, target)); });
  if (const char *folder = getenv("TRITON_LLIR"))
    if (FILE *out = fopen((std::string(folder) + "/" + name.str() + ".raw.ll").c_str(), "w"))
      fputs(code->llir().c_str(), out), fclose(out);
  kernel.times.optimise = 1e3 * threadSeconds([&] { llvm::cantFail(code->optimise()); });
  kernel.times.emit = 1e3 * threadSeconds([&] { object = llvm::cantFail(code->object()); });
  kernel.llvm = kernel.times.translate + kernel.times.optimise + kernel.times.emit;
  kernel.bytes = object.size();
  if (const char *folder = getenv("TRITON_LLIR")) {
    if (FILE *out = fopen((std::string(folder) + "/" + name.str() + ".ll").c_str(), "w"))
      fputs(code->llir().c_str(), out), fclose(out);
    if (FILE *out = fopen((std::string(folder) + "/" + name.str() + ".s").c_str(), "w"))
      fputs(llvm::cantFail(code->assembly()).c_str(), out), fclose(out);
  }
  kernel.code = llvm::cantFail(runtime::KernelCode::load({object.data(), object.size()}, name, arena));
  return kernel;
}

/// Times are the best of some.
Kernel compile(StringRef name, const std::string &text) {
  Kernel best = compileOnce(name, text);
  for (int repeat = 0; repeat < 6; ++repeat) {
    Kernel next = compileOnce(name, text);
    best.mlir = std::min(best.mlir, next.mlir);
    if (next.llvm < best.llvm)
      best.llvm = next.llvm, best.times = next.times;
  }
  return best;
}

std::string replaced(std::string text, std::initializer_list<std::pair<StringRef, std::string>> values) {
  for (auto [from, to] : values)
    for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

// out[i] = x[i] + y[i] for i < n.
const char *const addText = R"(
tt.func public @add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}) {
  %block = arith.constant $B : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %block : i32
  %range = tt.make_range {start = 0 : i32, end = $B : i32} : tensor<$Bxi32>
  %starts = tt.splat %start : i32 -> tensor<$Bxi32>
  %i = arith.addi %starts, %range : tensor<$Bxi32>
  %ns = tt.splat %n : i32 -> tensor<$Bxi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<$Bxi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<$Bx!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<$Bx!tt.ptr<f32>>, tensor<$Bxi32>
  %xv = tt.load %xp, %mask : tensor<$Bx!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<$Bx!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<$Bx!tt.ptr<f32>>, tensor<$Bxi32>
  %yv = tt.load %yp, %mask : tensor<$Bx!tt.ptr<f32>>
  %sum = arith.addf %xv, %yv : tensor<$Bxf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<$Bx!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<$Bx!tt.ptr<f32>>, tensor<$Bxi32>
  tt.store %op, %sum, %mask : tensor<$Bx!tt.ptr<f32>>
  tt.return
})";

// A row per program, n columns in a block of $B.
const char *const softmaxText = R"(
tt.func public @softmax(%out: !tt.ptr<f32>, %in: !tt.ptr<f32>, %stride: i32, %n: i32) {
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %stride : i32
  %row = tt.addptr %in, %start : !tt.ptr<f32>, i32
  %range = tt.make_range {start = 0 : i32, end = $B : i32} : tensor<$Bxi32>
  %ns = tt.splat %n : i32 -> tensor<$Bxi32>
  %mask = arith.cmpi slt, %range, %ns : tensor<$Bxi32>
  %rows = tt.splat %row : !tt.ptr<f32> -> tensor<$Bx!tt.ptr<f32>>
  %p = tt.addptr %rows, %range : tensor<$Bx!tt.ptr<f32>>, tensor<$Bxi32>
  %other = arith.constant dense<0xFF800000> : tensor<$Bxf32>
  %x = tt.load %p, %mask, %other : tensor<$Bx!tt.ptr<f32>>
  %max = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<$Bxf32>) -> f32
  %maxs = tt.splat %max : f32 -> tensor<$Bxf32>
  %d = arith.subf %x, %maxs : tensor<$Bxf32>
  %e = math.exp %d : tensor<$Bxf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<$Bxf32>) -> f32
  %sums = tt.splat %sum : f32 -> tensor<$Bxf32>
  %r = arith.divf %e, %sums : tensor<$Bxf32>
  %orow = tt.addptr %out, %start : !tt.ptr<f32>, i32
  %orows = tt.splat %orow : !tt.ptr<f32> -> tensor<$Bx!tt.ptr<f32>>
  %op = tt.addptr %orows, %range : tensor<$Bx!tt.ptr<f32>>, tensor<$Bxi32>
  tt.store %op, %r, %mask : tensor<$Bx!tt.ptr<f32>>
  tt.return
})";

// f16 rows normalised in f32, with weight and bias.
const char *const layerNormText = R"(
tt.func public @layernorm(%out: !tt.ptr<f16>, %in: !tt.ptr<f16>, %w: !tt.ptr<f16>, %b: !tt.ptr<f16>, %stride: i32, %n: i32, %eps: f32) {
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %stride : i32
  %range = tt.make_range {start = 0 : i32, end = $B : i32} : tensor<$Bxi32>
  %ns = tt.splat %n : i32 -> tensor<$Bxi32>
  %mask = arith.cmpi slt, %range, %ns : tensor<$Bxi32>
  %zero16 = arith.constant dense<0.0> : tensor<$Bxf16>
  %zero = arith.constant dense<0.0> : tensor<$Bxf32>
  %row = tt.addptr %in, %start : !tt.ptr<f16>, i32
  %rows = tt.splat %row : !tt.ptr<f16> -> tensor<$Bx!tt.ptr<f16>>
  %p = tt.addptr %rows, %range : tensor<$Bx!tt.ptr<f16>>, tensor<$Bxi32>
  %x16 = tt.load %p, %mask, %zero16 : tensor<$Bx!tt.ptr<f16>>
  %x = arith.extf %x16 : tensor<$Bxf16> to tensor<$Bxf32>
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    tt.reduce.return %s : f32
  }) : (tensor<$Bxf32>) -> f32
  %nf = arith.sitofp %n : i32 to f32
  %mean = arith.divf %sum, %nf : f32
  %means = tt.splat %mean : f32 -> tensor<$Bxf32>
  %d0 = arith.subf %x, %means : tensor<$Bxf32>
  %d = arith.select %mask, %d0, %zero : tensor<$Bxi1>, tensor<$Bxf32>
  %dd = arith.mulf %d, %d : tensor<$Bxf32>
  %square = "tt.reduce"(%dd) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    tt.reduce.return %s : f32
  }) : (tensor<$Bxf32>) -> f32
  %var = arith.divf %square, %nf : f32
  %var2 = arith.addf %var, %eps : f32
  %rstd = math.rsqrt %var2 : f32
  %rstds = tt.splat %rstd : f32 -> tensor<$Bxf32>
  %wps = tt.splat %w : !tt.ptr<f16> -> tensor<$Bx!tt.ptr<f16>>
  %wp = tt.addptr %wps, %range : tensor<$Bx!tt.ptr<f16>>, tensor<$Bxi32>
  %w16 = tt.load %wp, %mask : tensor<$Bx!tt.ptr<f16>>
  %wv = arith.extf %w16 : tensor<$Bxf16> to tensor<$Bxf32>
  %bps = tt.splat %b : !tt.ptr<f16> -> tensor<$Bx!tt.ptr<f16>>
  %bp = tt.addptr %bps, %range : tensor<$Bx!tt.ptr<f16>>, tensor<$Bxi32>
  %b16 = tt.load %bp, %mask : tensor<$Bx!tt.ptr<f16>>
  %bv = arith.extf %b16 : tensor<$Bxf16> to tensor<$Bxf32>
  %hat = arith.mulf %d0, %rstds : tensor<$Bxf32>
  %hw = arith.mulf %hat, %wv : tensor<$Bxf32>
  %y = arith.addf %hw, %bv : tensor<$Bxf32>
  %y16 = arith.truncf %y : tensor<$Bxf32> to tensor<$Bxf16>
  %orow = tt.addptr %out, %start : !tt.ptr<f16>, i32
  %orows = tt.splat %orow : !tt.ptr<f16> -> tensor<$Bx!tt.ptr<f16>>
  %op = tt.addptr %orows, %range : tensor<$Bx!tt.ptr<f16>>, tensor<$Bxi32>
  tt.store %op, %y16, %mask : tensor<$Bx!tt.ptr<f16>>
  tt.return
})";

// C = A B, a tile per program, operands masked along k and results along both.
const char *const productText = R"(
tt.func public @product(%a: !tt.ptr<$T>, %b: !tt.ptr<$T>, %c: !tt.ptr<f32>, %m: i32, %n: i32, %k: i32, %sa: i32 {tt.divisibility = 16 : i32}, %sb: i32 {tt.divisibility = 16 : i32}, %sc: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %bm = arith.constant $M : i32
  %bn = arith.constant $N : i32
  %bk = arith.constant $K : i32
  %pm = tt.get_program_id y : i32
  %pn = tt.get_program_id x : i32
  %m0 = arith.muli %pm, %bm : i32
  %n0 = arith.muli %pn, %bn : i32
  %rm = tt.make_range {start = 0 : i32, end = $M : i32} : tensor<$Mxi32>
  %rn = tt.make_range {start = 0 : i32, end = $N : i32} : tensor<$Nxi32>
  %rk = tt.make_range {start = 0 : i32, end = $K : i32} : tensor<$Kxi32>
  %m0s = tt.splat %m0 : i32 -> tensor<$Mxi32>
  %n0s = tt.splat %n0 : i32 -> tensor<$Nxi32>
  %om = arith.addi %m0s, %rm : tensor<$Mxi32>
  %on = arith.addi %n0s, %rn : tensor<$Nxi32>
  %om2 = tt.expand_dims %om {axis = 1 : i32} : tensor<$Mxi32> -> tensor<$Mx1xi32>
  %on2 = tt.expand_dims %on {axis = 0 : i32} : tensor<$Nxi32> -> tensor<1x$Nxi32>
  %rk0 = tt.expand_dims %rk {axis = 0 : i32} : tensor<$Kxi32> -> tensor<1x$Kxi32>
  %rk1 = tt.expand_dims %rk {axis = 1 : i32} : tensor<$Kxi32> -> tensor<$Kx1xi32>
  %sas = tt.splat %sa : i32 -> tensor<$Mx1xi32>
  %arow = arith.muli %om2, %sas : tensor<$Mx1xi32>
  %arows = tt.broadcast %arow : tensor<$Mx1xi32> -> tensor<$Mx$Kxi32>
  %acols = tt.broadcast %rk0 : tensor<1x$Kxi32> -> tensor<$Mx$Kxi32>
  %ai = arith.addi %arows, %acols : tensor<$Mx$Kxi32>
  %as = tt.splat %a : !tt.ptr<$T> -> tensor<$Mx$Kx!tt.ptr<$T>>
  %ap = tt.addptr %as, %ai : tensor<$Mx$Kx!tt.ptr<$T>>, tensor<$Mx$Kxi32>
  %sbs = tt.splat %sb : i32 -> tensor<$Kx1xi32>
  %brow = arith.muli %rk1, %sbs : tensor<$Kx1xi32>
  %brows = tt.broadcast %brow : tensor<$Kx1xi32> -> tensor<$Kx$Nxi32>
  %bcols = tt.broadcast %on2 : tensor<1x$Nxi32> -> tensor<$Kx$Nxi32>
  %bi = arith.addi %brows, %bcols : tensor<$Kx$Nxi32>
  %bs = tt.splat %b : !tt.ptr<$T> -> tensor<$Kx$Nx!tt.ptr<$T>>
  %bp = tt.addptr %bs, %bi : tensor<$Kx$Nx!tt.ptr<$T>>, tensor<$Kx$Nxi32>
  %ms = tt.splat %m : i32 -> tensor<$Mx1xi32>
  %mm = arith.cmpi slt, %om2, %ms : tensor<$Mx1xi32>
  %mms = tt.broadcast %mm : tensor<$Mx1xi1> -> tensor<$Mx$Kxi1>
  %ns = tt.splat %n : i32 -> tensor<1x$Nxi32>
  %nm = arith.cmpi slt, %on2, %ns : tensor<1x$Nxi32>
  %nms = tt.broadcast %nm : tensor<1x$Nxi1> -> tensor<$Kx$Nxi1>
  %sums0 = arith.constant dense<0.0> : tensor<$Mx$Nxf32>
  %azero = arith.constant dense<0.0> : tensor<$Mx$Kx$T>
  %bzero = arith.constant dense<0.0> : tensor<$Kx$Nx$T>
  %bstep = arith.muli %sb, %bk : i32
  %bsteps = tt.splat %bstep : i32 -> tensor<$Kx$Nxi32>
  %asteps = arith.constant dense<$K> : tensor<$Mx$Kxi32>
  %result:3 = scf.for %i = %zero to %k step %bk iter_args(%sums = %sums0, %pa = %ap, %pb = %bp) -> (tensor<$Mx$Nxf32>, tensor<$Mx$Kx!tt.ptr<$T>>, tensor<$Kx$Nx!tt.ptr<$T>>) : i32 {
    %left = arith.subi %k, %i : i32
    %left0 = tt.splat %left : i32 -> tensor<1x$Kxi32>
    %left1 = tt.splat %left : i32 -> tensor<$Kx1xi32>
    %ak = arith.cmpi slt, %rk0, %left0 : tensor<1x$Kxi32>
    %bkm = arith.cmpi slt, %rk1, %left1 : tensor<$Kx1xi32>
    %aks = tt.broadcast %ak : tensor<1x$Kxi1> -> tensor<$Mx$Kxi1>
    %bks = tt.broadcast %bkm : tensor<$Kx1xi1> -> tensor<$Kx$Nxi1>
    %amask = arith.andi %mms, %aks : tensor<$Mx$Kxi1>
    %bmask = arith.andi %nms, %bks : tensor<$Kx$Nxi1>
    %av = tt.load %pa, %amask, %azero : tensor<$Mx$Kx!tt.ptr<$T>>
    %bv = tt.load %pb, %bmask, %bzero : tensor<$Kx$Nx!tt.ptr<$T>>
    %next = tt.dot %av, %bv, %sums : tensor<$Mx$Kx$T> * tensor<$Kx$Nx$T> -> tensor<$Mx$Nxf32>
    %pa2 = tt.addptr %pa, %asteps : tensor<$Mx$Kx!tt.ptr<$T>>, tensor<$Mx$Kxi32>
    %pb2 = tt.addptr %pb, %bsteps : tensor<$Kx$Nx!tt.ptr<$T>>, tensor<$Kx$Nxi32>
    scf.yield %next, %pa2, %pb2 : tensor<$Mx$Nxf32>, tensor<$Mx$Kx!tt.ptr<$T>>, tensor<$Kx$Nx!tt.ptr<$T>>
  }
  %scs = tt.splat %sc : i32 -> tensor<$Mx1xi32>
  %crow = arith.muli %om2, %scs : tensor<$Mx1xi32>
  %crows = tt.broadcast %crow : tensor<$Mx1xi32> -> tensor<$Mx$Nxi32>
  %ccols = tt.broadcast %on2 : tensor<1x$Nxi32> -> tensor<$Mx$Nxi32>
  %ci = arith.addi %crows, %ccols : tensor<$Mx$Nxi32>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<$Mx$Nx!tt.ptr<f32>>
  %cp = tt.addptr %cs, %ci : tensor<$Mx$Nx!tt.ptr<f32>>, tensor<$Mx$Nxi32>
  %cmm = tt.broadcast %mm : tensor<$Mx1xi1> -> tensor<$Mx$Nxi1>
  %cnm = tt.broadcast %nm : tensor<1x$Nxi1> -> tensor<$Mx$Nxi1>
  %cmask = arith.andi %cmm, %cnm : tensor<$Mx$Nxi1>
  tt.store %cp, %result#0, %cmask : tensor<$Mx$Nx!tt.ptr<f32>>
  tt.return
})";

/// The packed argument block, each argument at its natural alignment.
class Arguments {
public:
  template <typename T> Arguments &add(T value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const char *raw = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), raw, raw + sizeof(T));
    return *this;
  }
  const void *data() const { return bytes.data(); }

private:
  std::vector<char> bytes;
};

template <typename T> struct Array {
  explicit Array(size_t size)
      : size(size), data(static_cast<T *>(std::aligned_alloc(4096, (size * sizeof(T) + 4095) / 4096 * 4096))) {
    std::memset(static_cast<void *>(data), 0, size * sizeof(T));
  }
  ~Array() { std::free(data); }
  size_t size;
  T *data;
};

struct Times {
  double ours = 1e30, theirs = 1e30;
};

/// Best of interleaved repetitions.
Times compare(llvm::function_ref<void()> ours, llvm::function_ref<void()> theirs, int repeats = 25) {
  Times times;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    times.ours = std::min(times.ours, threadSeconds(ours));
    times.theirs = std::min(times.theirs, threadSeconds(theirs));
  }
  return times;
}

void launch(const Kernel &kernel, const Arguments &arguments, std::array<int32_t, 3> grid, unsigned threads = 1) {
  llvm::cantFail(runtime::launch(*kernel.code, arguments.data(), grid, {threads}));
}

void report(const char *name, const Kernel &kernel, double measured, const char *unit, double ratio,
            const char *against, bool correct) {
  printf("%-28s %8.2f %-8s %6.3f of %-10s  mlir %5.1f llvm %5.1f ms (%.1f %.1f %.1f)  %5zu bytes%s\n", name, measured,
         unit, ratio, against, kernel.mlir, kernel.llvm, kernel.times.translate, kernel.times.optimise,
         kernel.times.emit, kernel.bytes, correct ? "" : "  WRONG");
}

void plainAdd(const float *x, const float *y, float *out, int64_t n) {
  using Vector = float __attribute__((vector_size(64), aligned(4)));
  for (int64_t i = 0; i < n; i += 16)
    *reinterpret_cast<Vector *>(out + i) =
        *reinterpret_cast<const Vector *>(x + i) + *reinterpret_cast<const Vector *>(y + i);
}

void measureAdd(int64_t n, int64_t block) {
  Kernel kernel = compile("add", replaced(addText, {{"$B", std::to_string(block)}}));
  Array<float> x(n), y(n), out(n), copy(n);
  for (int64_t i = 0; i < n; ++i)
    x.data[i] = float(i % 1000), y.data[i] = 1;
  Arguments arguments;
  arguments.add(x.data).add(y.data).add(out.data).add(int32_t(n));
  auto run = [&] { launch(kernel, arguments, {int32_t((n + block - 1) / block), 1, 1}); };
  Times loop = compare(run, [&] { plainAdd(x.data, y.data, copy.data, n), use(copy.data); });
  Times memory = compare(run, [&] { std::memcpy(copy.data, x.data, n * 4), use(copy.data); });
  bool correct = true;
  for (int64_t i = 0; i < n; ++i)
    correct &= out.data[i] == float(i % 1000) + 1;
  std::string name = "add 2^" + std::to_string(int(std::log2(n))) + " block " + std::to_string(block);
  report(name.c_str(), kernel, 12e-9 * n / loop.ours, "GB/s", loop.theirs / loop.ours, "plain loop", correct);
  report("", kernel, 12e-9 * n / memory.ours, "GB/s", (12 / memory.ours) / (8 / memory.theirs), "memcpy", correct);
}

void measureSoftmax(int64_t rows, int64_t columns, int64_t block, double cyclesPerNanosecond) {
  Kernel kernel = compile("softmax", replaced(softmaxText, {{"$B", std::to_string(block)}}));
  int64_t n = rows * columns;
  Array<float> x(n), out(n), copy(n);
  for (int64_t i = 0; i < n; ++i)
    x.data[i] = float((i * 7919) % 1000) / 100;
  Arguments arguments;
  arguments.add(out.data).add(x.data).add(int32_t(columns)).add(int32_t(columns));
  Times times = compare([&] { launch(kernel, arguments, {int32_t(rows), 1, 1}); },
                        [&] { std::memcpy(copy.data, x.data, n * 4), use(copy.data); });
  bool correct = true;
  for (int64_t row : {int64_t(0), rows - 1}) {
    double sum = 0, most = -1e30;
    for (int64_t i = 0; i < columns; ++i)
      most = std::max<double>(most, x.data[row * columns + i]);
    for (int64_t i = 0; i < columns; ++i)
      sum += std::exp(x.data[row * columns + i] - most);
    for (int64_t i = 0; i < columns; ++i) {
      double exact = std::exp(x.data[row * columns + i] - most) / sum;
      correct &= std::abs(out.data[row * columns + i] - exact) <= 1e-6 * exact + 1e-12;
    }
  }
  std::string name = "softmax " + std::to_string(rows) + "x" + std::to_string(columns) + " in " + std::to_string(block);
  report(name.c_str(), kernel, 8e-9 * n / times.ours, "GB/s", times.theirs / times.ours, "memcpy", correct);
  printf("%28s %8.3f cycles/elem\n", "", times.ours / n * 1e9 * cyclesPerNanosecond);
}

void measureLayerNorm(int64_t rows, int64_t columns, double cyclesPerNanosecond) {
  Kernel kernel = compile("layernorm", replaced(layerNormText, {{"$B", std::to_string(columns)}}));
  int64_t n = rows * columns;
  Array<_Float16> x(n), out(n), copy(n), weight(columns), bias(columns);
  for (int64_t i = 0; i < n; ++i)
    x.data[i] = _Float16(float((i * 7919) % 1000) / 100 - 5);
  for (int64_t i = 0; i < columns; ++i)
    weight.data[i] = _Float16(1 + float(i % 3)), bias.data[i] = _Float16(float(i % 5));
  Arguments arguments;
  arguments.add(out.data)
      .add(x.data)
      .add(weight.data)
      .add(bias.data)
      .add(int32_t(columns))
      .add(int32_t(columns))
      .add(1e-5f);
  Times times = compare([&] { launch(kernel, arguments, {int32_t(rows), 1, 1}); },
                        [&] { std::memcpy(copy.data, x.data, n * 2), use(copy.data); });
  bool correct = true;
  for (int64_t row : {int64_t(0), rows - 1}) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < columns; ++i)
      mean += double(x.data[row * columns + i]) / columns;
    for (int64_t i = 0; i < columns; ++i)
      variance += (double(x.data[row * columns + i]) - mean) * (double(x.data[row * columns + i]) - mean) / columns;
    for (int64_t i = 0; i < columns; ++i) {
      double exact = (double(x.data[row * columns + i]) - mean) / std::sqrt(variance + 1e-5) * double(weight.data[i]) +
                     double(bias.data[i]);
      correct &= std::abs(double(out.data[row * columns + i]) - exact) <= 2e-3 * std::abs(exact) + 1e-3;
    }
  }
  std::string name = "layernorm f16 " + std::to_string(rows) + "x" + std::to_string(columns);
  report(name.c_str(), kernel, 4e-9 * n / times.ours, "GB/s", times.theirs / times.ours, "memcpy", correct);
  printf("%28s %8.3f cycles/elem\n", "", times.ours / n * 1e9 * cyclesPerNanosecond);
}

using Sgemm = void (*)(int, int, int, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t,
                       float, float *, int64_t);

void measureProduct(Sgemm sgemm, const char *element, int64_t size, int64_t bm, int64_t bn, int64_t bk) {
  Kernel kernel = compile(
      "product",
      replaced(productText,
               {{"$T", element}, {"$M", std::to_string(bm)}, {"$N", std::to_string(bn)}, {"$K", std::to_string(bk)}}));
  int64_t n = size * size;
  Array<float> a(n), b(n), c(n), d(n);
  for (int64_t i = 0; i < n; ++i)
    a.data[i] = float((i * 31) % 7) - 3, b.data[i] = float((i * 17) % 5) - 2;
  Array<uint16_t> a16(n), b16(n);
  bool isNarrow = StringRef(element) != "f32";
  for (int64_t i = 0; i < n; ++i) {
    auto narrow = [&](float value) -> uint16_t {
      if (StringRef(element) == "bf16")
        return uint16_t(llvm::bit_cast<uint32_t>(value) >> 16);
      return llvm::bit_cast<uint16_t>(_Float16(value));
    };
    a16.data[i] = narrow(a.data[i]), b16.data[i] = narrow(b.data[i]);
  }
  Arguments arguments;
  arguments.add(isNarrow ? static_cast<void *>(a16.data) : a.data)
      .add(isNarrow ? static_cast<void *>(b16.data) : b.data);
  arguments.add(c.data);
  for (int i = 0; i < 6; ++i)
    arguments.add(int32_t(size));
  auto blocks = [&](int64_t block) { return int32_t((size + block - 1) / block); };
  Times times = compare([&] { launch(kernel, arguments, {blocks(bn), blocks(bm), 1}); },
                        [&] {
                          if (sgemm)
                            sgemm(101, 111, 111, size, size, size, 1, a.data, size, b.data, size, 0, d.data, size);
                        });
  bool correct = true;
  if (sgemm)
    for (int64_t i = 0; i < n; ++i)
      correct &= c.data[i] == d.data[i];
  std::string name = std::string("product ") + element + " " + std::to_string(size) + " " + std::to_string(bm) + "x" +
                     std::to_string(bn) + "x" + std::to_string(bk);
  report(name.c_str(), kernel, 2e-9 * size * n / times.ours, "GFLOP/s", sgemm ? times.theirs / times.ours : 0, "sgemm",
         correct);
}

/// Cycles per nanosecond, from a chain of additions that take a cycle each.
double frequency() {
  double best = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    uint64_t value = repeat;
    double time = threadSeconds([&] {
      for (int i = 0; i < 1000000; ++i)
        asm volatile("add $1, %0" : "+r"(value));
    });
    best = std::max(best, 1e6 / time * 1e-9);
  }
  return best;
}
} // namespace

int main(int argc, char **argv) {
  void *library = argc > 1 && *argv[1] ? dlopen(argv[1], RTLD_NOW) : nullptr;
  auto sgemm = library ? reinterpret_cast<Sgemm>(dlsym(library, "scipy_cblas_sgemm64_")) : nullptr;
  if (library)
    if (void *setThreads = dlsym(library, "scipy_openblas_set_num_threads64_"))
      reinterpret_cast<void (*)(int)>(setThreads)(1);
  auto named = cpu::HostTarget::byName(argc > 2 ? argv[2] : "native");
  if (!named) {
    llvm::errs() << llvm::toString(named.takeError()) << '\n';
    return 1;
  }
  target = *named;
  if (const char *option = getenv("TRITON_LLVM_OPTION")) {
    const char *arguments[] = {argv[0], option};
    llvm::cl::ParseCommandLineOptions(2, arguments);
  }
  double cycles = frequency();
  printf("%.2f GHz\n", cycles);
  compile("add", replaced(addText, {{"$B", "1024"}})); // the first compile initialises LLVM
  measureAdd(1 << 24, 1024);
  measureAdd(1 << 24, 4096);
  measureAdd(1 << 12, 1024);
  measureSoftmax(2048, 4096, 4096, cycles);
  measureSoftmax(4, 4096, 4096, cycles);
  measureSoftmax(16, 1024, 1024, cycles);
  measureSoftmax(16, 1000, 1024, cycles);
  measureLayerNorm(2048, 4096, cycles);
  measureLayerNorm(4, 4096, cycles);
  for (auto [m, k] : {std::pair(128, 32), {64, 32}, {32, 32}, {128, 64}})
    measureProduct(sgemm, "f32", 1024, m, m, k);
  measureProduct(sgemm, "f32", 1000, 128, 128, 32);
  for (const char *element : {"bf16", "f16"})
    for (int m : {128, 64})
      measureProduct(sgemm, element, 1024, m, m, 32);
}
