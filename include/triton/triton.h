// triton.cpp for C++ programs: compile and launch kernels written in the Triton language, with no Python in the process.
//
//   auto module = triton::Module::load("kernels.py");
//   triton::Kernel add = module.kernel("add_kernel");
//   add({triton::cdiv(n, 1024)}, x, y, out, n, 1024);          // float *x, *y, *out; int n
//
// Arguments stand in the order of the kernel's parameters, constexprs included; `triton::named("BLOCK", 1024)` gives one by name. A kernel
// is compiled once for each specialisation (types, constants, alignment), then found in memory. All of it is thread-safe.
//
// Each operation that can fail comes twice: `load`, `kernel`, `compile`, `launch` throw triton::Error; `tryLoad`, … return Expected.
#pragma once

#include <triton/export.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace triton {

/// What went wrong, with the rendered diagnostics: file, line, column, the source line with a caret.
class Error : public std::exception {
public:
  Error(std::string kind, std::string message) : itsKind(std::move(kind)), message(std::move(message)) {}
  const char *what() const noexcept override { return message.c_str(); }
  /// The name users of Python know: "CompilationError", "NameError", "TypeError", "FileNotFoundError", ….
  const std::string &kind() const noexcept { return itsKind; }

private:
  std::string itsKind, message;
};

/// A value, or the Error that kept it from being made.
template <typename T> class Expected {
public:
  Expected(T value) : content(std::move(value)) {}
  Expected(Error error) : content(std::move(error)) {}
  explicit operator bool() const { return content.index() == 0; }
  T &operator*() { return std::get<0>(content); }
  T *operator->() { return &std::get<0>(content); }
  const Error &error() const { return std::get<1>(content); }
  /// The value; throws the error if there is none. Inline, so that no exception crosses the library's border.
  T take() {
    if (Error *error = std::get_if<Error>(&content))
      throw *error;
    return std::move(std::get<0>(content));
  }

private:
  std::variant<T, Error> content;
};

enum class DataType : uint8_t {
  Int1,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float8E5,
  Float8E5B16,
  Float8E4NV,
  Float8E4B8,
  Float8E4B15,
  Float16,
  BFloat16,
  Float32,
  Float64,
};

/// `tl.float32` for DataType::Float32; `T` may be any arithmetic type.
template <typename T> constexpr DataType dataTypeOf() {
  if constexpr (std::is_same_v<T, bool>)
    return DataType::Int1;
  else if constexpr (std::is_same_v<T, float>)
    return DataType::Float32;
  else if constexpr (std::is_same_v<T, double>)
    return DataType::Float64;
  else {
    static_assert(std::is_integral_v<T>, "name the element type: triton::pointer(data, triton::DataType::Float16)");
    constexpr int size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<DataType>(static_cast<int>(std::is_signed_v<T> ? DataType::Int8 : DataType::UInt8) + size);
  }
}

/// One argument of a launch. Made implicitly from pointers, numbers, strings and nullptr (Python's None).
class Argument {
public:
  struct Pointer {
    void *address;
    DataType element;
    bool isConst;
    bool isReadOnly = false; // a kernel that stores to it is not launched
  };

  /// A tensor and the blocks in which kernels access it: what `TensorDescriptor` is to Python. GPUs that have a copy engine (TMA) access it by
  /// that, where it can.
  struct Descriptor {
    Pointer base;                        // at a multiple of 16 bytes
    std::vector<int64_t> shape, strides; // in elements; the last stride is 1, the others are multiples of 16 bytes
    std::vector<int64_t> block;          // powers of two
    bool padsWithNan = false;            // what loads give outside of the tensor: else zeros
  };

  Argument(std::nullptr_t) {}
  Argument(bool value) : content(value) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Argument(T value) {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8)
      content = static_cast<uint64_t>(value);
    else
      content = static_cast<int64_t>(value);
  }
  Argument(float value) : content(static_cast<double>(value)) {}
  Argument(double value) : content(value) {}
  Argument(const char *text) : content(std::string(text)) {}
  Argument(std::string text) : content(std::move(text)) {}
  Argument(DataType type) : content(type) {} // for constexpr parameters that take a dtype
  Argument(Pointer pointer) : content(pointer) {}
  Argument(Descriptor descriptor) : content(std::move(descriptor)) {}
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Argument(T *data)
      : content(Pointer{const_cast<std::remove_const_t<T> *>(data), dataTypeOf<std::remove_const_t<T>>(), false,
                        std::is_const_v<T>}) {}

  std::string name; // empty: by position
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, DataType, Pointer, Descriptor> content;
};

/// A pointer to elements that C++ has no type for, such as DataType::BFloat16.
inline Argument pointer(void *data, DataType element) { return Argument::Pointer{data, element, false}; }
inline Argument pointer(const void *data, DataType element) {
  return Argument::Pointer{const_cast<void *>(data), element, false, true};
}
/// `tensor` is a pointer; rows lie behind each other, unless `strides` says otherwise.
inline Argument descriptor(const Argument &tensor, std::vector<int64_t> shape, std::vector<int64_t> block,
                           std::vector<int64_t> strides = {}) {
  if (strides.empty()) {
    strides.assign(shape.size(), 1);
    for (size_t dim = shape.size(); dim-- > 1;)
      strides[dim - 1] = strides[dim] * shape[dim];
  }
  const auto *base = std::get_if<Argument::Pointer>(&tensor.content);
  return Argument::Descriptor{base ? *base : Argument::Pointer{nullptr, DataType::Int8, false}, std::move(shape),
                              std::move(strides), std::move(block)};
}
inline Argument named(std::string name, Argument argument) {
  argument.name = std::move(name);
  return argument;
}

struct Grid {
  Grid(int64_t x, int64_t y = 1, int64_t z = 1) : x(x), y(y), z(z) {}
  int64_t x, y, z;
};

constexpr int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct Options {
  std::string target = "cpu"; // or "cuda"
  /// Processor to compile for: "native", or a name such as "x86-64-v3", "znver4" or, for CUDA, "sm_90a".
  std::string architecture = "native";
  int numWarps = 4, numStages = 3, numCtas = 1;
  bool debug = false; // device_assert and overflow checks
  bool enableFpFusion = true;
  bool keepAssembly = false;  // makes stage "asm" available
  bool checkAccesses = false; // cpu: memory accesses are watched by the CheckedLaunch of <triton/sanitize.h> that lives
  unsigned threads = 0;       // of a launch on the CPU; 0: TRITON_CPU_MAX_THREADS, or all
  /// Where compiled kernels are kept for the next process; empty: nowhere. Python's cache may be the same directory.
  std::string cacheDirectory;
  /// A file with a secret that entries there are signed with: what was not is compiled again. Empty: everything that is sound is taken, whoever put it there.
  std::string cacheSecretFile;
  // Of CUDA. A launch returns when it is queued on the stream, a CUstream of that device; null is its default stream.
  int device = 0;
  void *stream = nullptr;
  int maxRegisters = 0; // of a thread; 0: as many as the assembler likes
  bool launchCooperative = false;
  bool launchProgrammatic = false; // the kernel itself says (`gdc_wait`) where it waits for the one before it
  bool overlapLaunches =
      true; // from sm_90 on kernels wait at their entry, so that a launch overlaps the end of the one before
  bool launchGraphs = true; // launches go through graphs, which are quicker to launch, while the GPU waits for the host
};

/// One specialisation of a kernel, ready to run.
class TRITON_EXPORT CompiledKernel {
public:
  std::string_view name() const;
  /// The names of what can be read: "ttir", "llir", "obj", ….
  std::vector<std::string> stages() const;
  /// A stage's text or bytes; empty if there is no such stage.
  std::string_view stage(std::string_view name) const;
  /// Milliseconds that each stage took.
  std::vector<std::pair<std::string, double>> timings() const;
  /// Run-time arguments in order: name and type (`*fp32`, `i32`).
  std::vector<std::pair<std::string, std::string>> arguments() const;

  struct State;
  std::shared_ptr<const State> state;
};

struct ParameterInfo {
  std::string name, annotation;
  bool isConstexpr, hasDefault;
};

class TRITON_EXPORT Kernel {
public:
  std::string_view name() const;
  std::vector<ParameterInfo> parameters() const;

  /// Compiles for arguments like these without running anything.
  Expected<CompiledKernel> tryCompile(const std::vector<Argument> &arguments, const Options &options = {}) const;
  CompiledKernel compile(const std::vector<Argument> &arguments, const Options &options = {}) const {
    return tryCompile(arguments, options).take();
  }
  /// Compiles for a signature, as tritonc does: one entry per parameter, `*fp32:16`, `i32`, or a constant (`1024`, `"relu"`, `None`).
  Expected<CompiledKernel> tryCompileSignature(std::string_view signature, const Options &options = {}) const;
  CompiledKernel compileSignature(std::string_view signature, const Options &options = {}) const {
    return tryCompileSignature(signature, options).take();
  }

  /// Runs all programs of the grid; returns when they are done (CUDA: queued).
  Expected<CompiledKernel> tryLaunch(Grid grid, const std::vector<Argument> &arguments,
                                     const Options &options = {}) const;
  CompiledKernel launch(Grid grid, const std::vector<Argument> &arguments, const Options &options = {}) const {
    return tryLaunch(grid, arguments, options).take();
  }
  template <typename... Arguments> CompiledKernel operator()(Grid grid, Arguments &&...arguments) const {
    return launch(grid, {Argument(std::forward<Arguments>(arguments))...});
  }

  struct State;
  std::shared_ptr<State> state;
};

/// A Python file with jitted functions. Only the kernels are compiled; the rest of the file is not run.
class TRITON_EXPORT Module {
public:
  static Expected<Module> tryLoad(const std::string &path);
  static Module load(const std::string &path) { return tryLoad(path).take(); }
  /// From text; `name` stands for the file in messages.
  static Expected<Module> tryParse(std::string text, std::string name = "<string>");
  static Module parse(std::string text, std::string name = "<string>") {
    return tryParse(std::move(text), std::move(name)).take();
  }

  std::vector<std::string> kernels() const;
  Expected<Kernel> tryKernel(std::string_view name) const;
  Kernel kernel(std::string_view name) const { return tryKernel(name).take(); }

  struct State;
  std::shared_ptr<State> state;
};

/// "3.6.0"
TRITON_EXPORT std::string_view version();

} // namespace triton
