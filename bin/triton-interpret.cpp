// Runs a kernel of an IR file in the interpreter, and prints the memory it leaves:
//   triton-interpret kernel.ttir --grid 2 8:iota 8:0 5
// One argument per parameter: a number for a scalar; for a pointer `COUNT:FILL`, a buffer of that many elements that hold one number
// everywhere, a list of numbers `1,2,3`, or `iota`; for a descriptor the same with a shape behind it, `64:iota@8x8`.
// With --all, runs every function that takes nothing and prints what it gives.
#include "bin/IrFile.h"
#include "compiler/interpreter/Interpreter.h"
#include "compiler/tensor/passes/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace triton;
using interpreter::Array;

namespace {

namespace flag {
llvm::cl::opt<std::string> file(llvm::cl::Positional, llvm::cl::Required, llvm::cl::desc("<IR file>"));
llvm::cl::list<std::string> arguments(llvm::cl::Positional, llvm::cl::ZeroOrMore, llvm::cl::desc("<arguments>"));
llvm::cl::opt<std::string> kernel("kernel", llvm::cl::desc("Which kernel to run; the only public function otherwise"));
llvm::cl::list<int> grid("grid", llvm::cl::CommaSeparated,
                         llvm::cl::desc("How many programs, in up to three dimensions"));
llvm::cl::opt<bool> pipeline("tensor-pipeline", llvm::cl::desc("Run the target-independent passes first"));
llvm::cl::opt<bool> all("all", llvm::cl::desc("Run every function without parameters and print its results"));
} // namespace flag

/// A buffer that a pointer argument points to.
struct Buffer {
  Type element;
  std::vector<char> bytes;
  unsigned parameter;

  size_t elementBytes() const { return std::max(interpreter::bitWidth(element) / 8, 1u); }
  size_t count() const { return bytes.size() / elementBytes(); }
};

LogicalResult fail(const Twine &message) {
  llvm::errs() << "triton-interpret: " << message << "\n";
  return failure();
}

/// The bits of `text` as a `type`.
FailureOr<uint64_t> parseNumber(StringRef text, Type type) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    double value = 0;
    if (text.getAsDouble(value))
      return fail("'" + text + "' is no number");
    return interpreter::encode(floating, value);
  }
  int64_t value = 0;
  if (text.getAsInteger(0, value))
    return fail("'" + text + "' is no integer");
  return interpreter::truncate(type, value);
}

/// What a buffer of `count` elements holds, by its description.
FailureOr<std::vector<uint64_t>> parseFill(StringRef text, Type element, size_t count) {
  std::vector<uint64_t> values;
  if (text == "iota") {
    for (size_t index = 0; index < count; ++index)
      values.push_back(isa<FloatType>(element) ? interpreter::encode(cast<FloatType>(element), double(index))
                                               : interpreter::truncate(element, index));
    return values;
  }
  SmallVector<StringRef> items;
  text.split(items, ',');
  for (size_t index = 0; index < count; ++index) {
    auto value = parseNumber(items[index % items.size()].trim(), element);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return values;
}

FailureOr<Buffer> parseBuffer(StringRef text, Type element, unsigned parameter) {
  auto [number, fill] = text.split(':');
  size_t count = 0;
  if (number.getAsInteger(10, count))
    return fail("expected COUNT:FILL for parameter " + Twine(parameter) + ", got '" + text + "'");
  auto values = parseFill(fill.empty() ? "0" : fill, element, count);
  if (failed(values))
    return failure();
  Buffer buffer{element, {}, parameter};
  for (uint64_t value : *values) {
    auto *first = reinterpret_cast<const char *>(&value);
    buffer.bytes.insert(buffer.bytes.end(), first, first + buffer.elementBytes());
  }
  return buffer;
}

/// A descriptor argument: base, shape, row-major strides, neither NaN padding nor rounding to TF32.
FailureOr<Array> describe(tensor::TensorDescType type, StringRef shapeText, uint64_t base) {
  SmallVector<StringRef> items;
  shapeText.split(items, 'x');
  SmallVector<uint64_t> shape, strides(items.size(), 1);
  for (StringRef item : items)
    if (item.getAsInteger(10, shape.emplace_back()))
      return fail("expected a shape such as 8x8 behind @, got '" + shapeText + "'");
  if (static_cast<int64_t>(shape.size()) != type.getBlockType().getRank())
    return fail("a descriptor of rank " + Twine(type.getBlockType().getRank()) + " needs a shape of that rank, got '" +
                shapeText + "'");
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  std::vector<uint64_t> parts{base};
  llvm::append_range(parts, shape);
  llvm::append_range(parts, strides);
  parts.resize(parts.size() + 2);
  return Array(type, {}, std::move(parts));
}

void print(const Array &array) {
  for (size_t index = 0; index < array.size(); ++index) {
    if (isa<FloatType>(array.element()))
      llvm::outs() << llvm::format(" %.9g", array.floatAt(index));
    else if (array.element().isInteger(1))
      llvm::outs() << " " << array.unsignedAt(index);
    else
      llvm::outs() << " " << array.signedAt(index);
  }
  llvm::outs() << "\n";
}

void print(const Buffer &buffer) {
  std::vector<uint64_t> values(buffer.count());
  for (size_t index = 0; index < values.size(); ++index)
    std::memcpy(&values[index], &buffer.bytes[index * buffer.elementBytes()], buffer.elementBytes());
  llvm::outs() << "argument " << buffer.parameter << ":";
  print(Array(buffer.element, {}, std::move(values)));
}

/// Runs every function without parameters. One that fails does not keep the next from running.
LogicalResult runAll(ModuleOp module) {
  interpreter::Memory memory;
  LogicalResult result = success();
  for (auto function : module.getOps<tensor::FuncOp>()) {
    if (function.getNumArguments() != 0)
      continue;
    llvm::outs() << "@" << function.getName() << "\n";
    interpreter::Interpreter interpreter(memory, llvm::outs());
    auto results = interpreter.call(function, {});
    if (failed(results))
      result = failure();
    else
      for (const Array &value : *results)
        print(value);
  }
  return result;
}

tensor::FuncOp findKernel(ModuleOp module) {
  tensor::FuncOp found;
  for (auto function : module.getOps<tensor::FuncOp>())
    if (flag::kernel.empty() ? function.isPublic() && !function.isExternal() : function.getName() == flag::kernel)
      found = found ? found : function;
  return found;
}

LogicalResult run(ModuleOp module) {
  tensor::FuncOp kernel = findKernel(module);
  if (!kernel)
    return fail(flag::kernel.empty() ? "no kernel in this file" : "no kernel '" + flag::kernel + "' in this file");
  if (kernel.getNumArguments() != flag::arguments.size())
    return fail(kernel.getName() + " takes " + Twine(kernel.getNumArguments()) + " arguments, got " +
                Twine(flag::arguments.size()));

  std::vector<Buffer> buffers;
  buffers.reserve(flag::arguments.size());
  SmallVector<Array> arguments;
  interpreter::Memory memory;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    StringRef text = flag::arguments[index];
    auto descriptor = dyn_cast<tensor::TensorDescType>(type);
    auto pointer = dyn_cast<tensor::PointerType>(type);
    if (!descriptor && !pointer) {
      auto bits = parseNumber(text, type);
      if (failed(bits))
        return failure();
      arguments.push_back(Array::splat(type, *bits));
      continue;
    }
    auto [fill, shape] = text.split('@');
    Type element = descriptor ? descriptor.getSignlessBlockType().getElementType() : pointer.getPointeeType();
    auto buffer = parseBuffer(fill, element, index);
    if (failed(buffer))
      return failure();
    buffers.push_back(std::move(*buffer));
    std::vector<char> &bytes = buffers.back().bytes;
    memory.add(bytes.data(), bytes.size(), "argument " + std::to_string(index));
    uint64_t base = reinterpret_cast<uint64_t>(bytes.data());
    FailureOr<Array> value =
        descriptor ? describe(descriptor, shape, base) : FailureOr<Array>(Array::splat(type, base));
    if (failed(value))
      return failure();
    arguments.push_back(*value);
  }

  std::array<int32_t, 3> grid{1, 1, 1};
  std::copy_n(flag::grid.begin(), std::min<size_t>(flag::grid.size(), 3), grid.begin());
  interpreter::Interpreter interpreter(memory, llvm::outs());
  LogicalResult result = interpreter.launch(kernel, arguments, grid);
  for (const Buffer &buffer : buffers)
    print(buffer);
  return result;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::errs().tie(&llvm::outs()); // errors come after what the kernel printed before them
  llvm::cl::ParseCommandLineOptions(argc, argv, "runs a kernel of an IR file in the interpreter\n");
  DialectRegistry registry;
  tensor::registerTensorDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::unique_ptr<llvm::MemoryBuffer> text = readIrFile(flag::file);
  if (!text)
    return 1;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  if (flag::pipeline) {
    PassManager manager(&context);
    tensor::buildTensorPipeline(manager);
    if (failed(manager.run(*module)))
      return 1;
  }
  return failed(flag::all ? runAll(*module) : run(*module));
}
