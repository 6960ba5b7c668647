// triton.cpp for C++ programs: compile and launch kernels written in the Triton language, with no Python in the process.
//
//   auto module = triton::Module::load("kernels.py");
//   triton::Kernel add = module.kernel("add_kernel");
//   add({triton::cdiv(n, 1024)}, x, y, out, n, 1024);          // float *x, *y, *out; int n
//
// Arguments stand in the order of the kernel's parameters, constexprs included; `triton::named("BLOCK", 1024)` gives one by name. A kernel
// is compiled once for each specialisation (types, constants, alignment), then found in memory. All of it is thread-safe.
//
// Each operation that can fail comes twice: `load`, `kernel`, `compile`, `launch` throw triton::Error; `tryLoad`, … return Expected. An object that is empty
// (default-constructed, or moved from) answers with an Error as well.
//
// This header stands on the C interface alone, in C++17: no object of the standard library crosses the library's border, so that programs may have any compiler,
// standard library and allocator.
#pragma once

#include <triton/c.h>

#include <array>
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
  /// The value; throws the error if there is none.
  T take() {
    if (Error *error = std::get_if<Error>(&content))
      throw *error;
    return std::move(std::get<0>(content));
  }

private:
  std::variant<T, Error> content;
};

enum class DataType : uint8_t {
  Int1 = TRITON_INT1,
  Int8 = TRITON_INT8,
  Int16 = TRITON_INT16,
  Int32 = TRITON_INT32,
  Int64 = TRITON_INT64,
  UInt8 = TRITON_UINT8,
  UInt16 = TRITON_UINT16,
  UInt32 = TRITON_UINT32,
  UInt64 = TRITON_UINT64,
  Float8E5 = TRITON_FLOAT8E5,
  Float8E5B16 = TRITON_FLOAT8E5B16,
  Float8E4NV = TRITON_FLOAT8E4NV,
  Float8E4B8 = TRITON_FLOAT8E4B8,
  Float8E4B15 = TRITON_FLOAT8E4B15,
  Float16 = TRITON_FLOAT16,
  BFloat16 = TRITON_BFLOAT16,
  Float32 = TRITON_FLOAT32,
  Float64 = TRITON_FLOAT64,
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

  /// A tensor and the blocks in which kernels access it: what `TensorDescriptor` is to Python. GPUs that have TMA access it by
  /// that, where it can.
  struct Descriptor {
    Pointer base;                        // at a multiple of 16 bytes
    std::vector<int64_t> shape, strides; // in elements; the last stride is 1, the others are multiples of 16 bytes
    std::vector<int64_t> block;          // powers of two
    bool padsWithNan = false;            // what loads give outside of the tensor: else zeros
    bool roundsToTf32 = false;           // loads of float32 do
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
  Argument(const char *text) {
    if (!text)
      throw Error("ValueError", "a text that is null is no argument; None is nullptr");
    content = std::string(text);
  }
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
  if (!base)
    throw Error("TypeError", "a descriptor is made of a pointer to the tensor's elements");
  return Argument::Descriptor{*base, std::move(shape), std::move(strides), std::move(block)};
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
  std::string target = "cpu"; // or "cuda", or "hip"
  /// Processor to compile for: "native", or a name such as "x86-64-v3" or "znver4"; a GPU's "sm_90a" or "gfx942".
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
  /// Bundles of kernels that were compiled ahead, by Python or by a program like this one: directories between colons that are looked into first.
  std::string bundles;
  /// The bundle that every kernel is added to; empty: none.
  std::string recordDirectory;
  // Of CUDA. A launch returns when it is queued on the stream, a CUstream of that device; null is its default stream.
  int device = 0;
  void *stream = nullptr;
  int maxRegisters = 0; // of a thread; 0: as many as the assembler likes
  bool launchCooperative = false;
  bool launchProgrammatic = false; // the kernel itself says (`gdc_wait`) where it waits for the one before it
  bool overlapLaunches =
      true; // from sm_90 on kernels wait at their entry, so that a launch overlaps the end of the one before
  bool launchGraphs = true; // launches go through graphs, which are quicker to launch, while the GPU waits for the host
  /// Further options of the compiler, by the names of docs/reference/options.md: {{"sanitize_overflow", "0"}}. One that it or the target does not know is refused.
  std::vector<std::pair<std::string, std::string>> named;
};

/// How the classes below stand on the C interface.
namespace detail {

/// A counted reference to an object of the library, which frees it.
template <typename T, T *(*retain)(const T *), void (*release)(T *)> class Handle {
public:
  Handle() = default;
  /// Takes over the caller's reference.
  explicit Handle(T *object) : object(object) {}
  Handle(const Handle &other) : object(retain(other.object)) {}
  Handle(Handle &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Handle &operator=(Handle other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Handle() { release(object); }
  T *get() const { return object; }
  explicit operator bool() const { return object; }

private:
  T *object = nullptr;
};

/// What an empty object answers with.
inline Error emptyError(const char *what) {
  return Error("ValueError", std::string("this ") + what + " is empty: default-constructed, or moved from");
}
/// The object, for questions that have no other way to fail.
template <typename Handle> auto *require(const Handle &handle, const char *what) {
  if (!handle)
    throw emptyError(what);
  return handle.get();
}

/// Receives the error of one call.
class ErrorSlot {
public:
  ErrorSlot() = default;
  ErrorSlot(const ErrorSlot &) = delete;
  ~ErrorSlot() { triton_error_free(error); }
  operator triton_error **() { return &error; }
  Error take() const { return Error(triton_error_kind(error), triton_error_message(error)); }
  /// For calls that answer with 0 if all went well.
  std::optional<Error> check(int status) const { return status ? std::optional<Error>(take()) : std::nullopt; }

private:
  triton_error *error = nullptr;
};

/// A copy of what the library made.
inline std::string takeBytes(triton_bytes *bytes) {
  std::unique_ptr<triton_bytes, void (*)(triton_bytes *)> owned(bytes, triton_bytes_free);
  return std::string(triton_bytes_data(bytes), triton_bytes_size(bytes));
}

inline triton_text toText(std::string_view text) { return {text.empty() ? "" : text.data(), text.size()}; }

/// Arguments in the form that the library reads; good while they are.
class ArgumentList {
public:
  explicit ArgumentList(const std::vector<Argument> &arguments) : count(arguments.size()) {
    size_t textCount = 0, descriptorCount = 0;
    for (const Argument &argument : arguments) {
      textCount += std::holds_alternative<std::string>(argument.content);
      descriptorCount += std::holds_alternative<Argument::Descriptor>(argument.content);
    }
    texts.reserve(textCount); // pointers into both are kept
    descriptors.reserve(descriptorCount);
    if (count > few.size())
      many.resize(count);
    triton_argument *next = many.empty() ? few.data() : many.data();
    for (const Argument &argument : arguments) {
      *next = convert(argument);
      next->name = argument.name.empty() ? nullptr : argument.name.c_str();
      ++next;
    }
  }
  ArgumentList(const ArgumentList &) = delete;
  const triton_argument *data() const { return many.empty() ? few.data() : many.data(); }
  size_t size() const { return count; }

private:
  triton_argument convert(const Argument &argument) {
    // The most frequent first: a launch takes a fraction of a microsecond.
    const auto &content = argument.content;
    if (auto *value = std::get_if<Argument::Pointer>(&content)) {
      triton_argument pointer = triton_pointer(value->address, TRITON_INT8);
      pointer.type = typeOf(*value);
      return pointer;
    }
    if (auto *value = std::get_if<int64_t>(&content))
      return triton_integer(*value);
    if (auto *value = std::get_if<double>(&content))
      return triton_real(*value);
    if (auto *value = std::get_if<bool>(&content))
      return triton_boolean(*value);
    if (auto *value = std::get_if<uint64_t>(&content))
      return triton_unsigned(*value);
    if (auto *value = std::get_if<DataType>(&content))
      return triton_type(static_cast<triton_data_type>(*value));
    if (auto *value = std::get_if<std::string>(&content))
      return convert(*value);
    if (auto *value = std::get_if<Argument::Descriptor>(&content))
      return convert(*value);
    return triton_none();
  }
  static int32_t typeOf(const Argument::Pointer &pointer) {
    return static_cast<int32_t>(pointer.element) | (pointer.isConst ? TRITON_CONST : 0) |
           (pointer.isReadOnly ? TRITON_READ_ONLY : 0);
  }
  triton_argument convert(const std::string &text) {
    texts.push_back(toText(text));
    triton_argument argument = triton_none();
    argument.kind = TRITON_ARGUMENT_TEXT;
    argument.value.text = &texts.back();
    return argument;
  }
  triton_argument convert(const Argument::Descriptor &descriptor) {
    const int32_t rounding = descriptor.roundsToTf32 ? TRITON_ROUNDS_TO_TF32 : 0;
    descriptors.push_back({descriptor.base.address, typeOf(descriptor.base) | rounding, descriptor.padsWithNan,
                           descriptor.shape.data(), descriptor.strides.data(), descriptor.block.data(),
                           descriptor.shape.size(), descriptor.strides.size(), descriptor.block.size()});
    triton_argument argument = triton_none();
    argument.kind = TRITON_ARGUMENT_DESCRIPTOR;
    argument.value.descriptor = &descriptors.back();
    return argument;
  }

  size_t count;
  std::array<triton_argument, 24> few; // most launches allocate nothing
  std::vector<triton_argument> many;
  std::vector<triton_text> texts;
  std::vector<triton_descriptor> descriptors;
};

struct ConvertedOptions : triton_options {
  std::vector<triton_named_option> list; // that `named` points to
};

/// Good while `options` are.
inline ConvertedOptions convert(const Options &options) {
  ConvertedOptions out{TRITON_OPTIONS_INIT, {}};
  out.target = options.target.c_str();
  out.architecture = options.architecture.c_str();
  out.num_warps = options.numWarps;
  out.num_stages = options.numStages;
  out.num_ctas = options.numCtas;
  out.debug = options.debug;
  out.enable_fp_fusion = options.enableFpFusion;
  out.keep_assembly = options.keepAssembly;
  out.threads = options.threads;
  out.cache_directory = options.cacheDirectory.c_str();
  out.cache_secret_file = options.cacheSecretFile.c_str();
  out.bundles = options.bundles.c_str();
  out.record_directory = options.recordDirectory.c_str();
  out.device = options.device;
  out.max_registers = options.maxRegisters;
  out.stream = options.stream;
  out.launch_cooperative = options.launchCooperative;
  out.launch_programmatic = options.launchProgrammatic;
  out.overlap_launches = options.overlapLaunches;
  out.launch_graphs = options.launchGraphs;
  out.check_accesses = options.checkAccesses;
  for (const auto &[name, value] : options.named)
    out.list.push_back({name.c_str(), value.c_str()});
  out.named = out.list.data();
  out.named_count = out.list.size();
  return out;
}

} // namespace detail

/// One specialisation of a kernel, ready to run.
class CompiledKernel {
public:
  std::string_view name() const { return triton_compiled_name(require()); }
  /// The names of what can be read: "ttir", "llir", "obj", ….
  std::vector<std::string> stages() const {
    std::vector<std::string> names;
    for (size_t index = 0; const char *name = triton_compiled_stage_name(require(), index); ++index)
      names.emplace_back(name);
    return names;
  }
  /// A stage's text or bytes; empty if there is no such stage.
  std::string_view stage(std::string_view name) const {
    size_t size = 0;
    const char *content = triton_compiled_stage(require(), std::string(name).c_str(), &size);
    return content ? std::string_view(content, size) : std::string_view();
  }
  /// Milliseconds that each stage took.
  std::vector<std::pair<std::string, double>> timings() const {
    std::vector<std::pair<std::string, double>> result;
    double milliseconds = 0;
    for (size_t index = 0; const char *name = triton_compiled_timing(require(), index, &milliseconds); ++index)
      result.emplace_back(name, milliseconds);
    return result;
  }
  /// Run-time arguments in order: name and type (`*fp32`, `i32`).
  std::vector<std::pair<std::string, std::string>> arguments() const {
    std::vector<std::pair<std::string, std::string>> result;
    for (size_t index = 0; const char *name = triton_compiled_argument_name(require(), index); ++index)
      result.emplace_back(name, triton_compiled_argument_type(require(), index));
    return result;
  }

  detail::Handle<triton_compiled, triton_compiled_retain, triton_compiled_free> state;

private:
  triton_compiled *require() const { return detail::require(state, "CompiledKernel"); }
};

struct ParameterInfo {
  std::string name, annotation;
  bool isConstexpr, hasDefault;
};

class Kernel {
public:
  std::string_view name() const { return triton_kernel_name(require()); }
  std::vector<ParameterInfo> parameters() const {
    std::vector<ParameterInfo> result;
    for (size_t index = 0; const char *name = triton_kernel_parameter_name(require(), index); ++index)
      result.push_back({name, triton_kernel_parameter_annotation(state.get(), index),
                        triton_kernel_parameter_is_constexpr(state.get(), index) != 0,
                        triton_kernel_parameter_has_default(state.get(), index) != 0});
    return result;
  }

  /// Compiles for arguments like these without running anything.
  Expected<CompiledKernel> tryCompile(const std::vector<Argument> &arguments, const Options &options = {}) const {
    return answer([&](triton_error **error) {
      const detail::ArgumentList list(arguments);
      const detail::ConvertedOptions converted = detail::convert(options);
      return triton_kernel_compile(state.get(), list.data(), list.size(), &converted, error);
    });
  }
  CompiledKernel compile(const std::vector<Argument> &arguments, const Options &options = {}) const {
    return tryCompile(arguments, options).take();
  }
  /// Compiles for a signature, as tritonc does: one entry per parameter, `*fp32:16`, `i32`, or a constant (`1024`, `"relu"`, `None`).
  Expected<CompiledKernel> tryCompileSignature(std::string_view signature, const Options &options = {}) const {
    return answer([&](triton_error **error) {
      const detail::ConvertedOptions converted = detail::convert(options);
      return triton_kernel_compile_signature(state.get(), std::string(signature).c_str(), &converted, error);
    });
  }
  CompiledKernel compileSignature(std::string_view signature, const Options &options = {}) const {
    return tryCompileSignature(signature, options).take();
  }

  /// Runs all programs of the grid; returns when they are done (CUDA: queued).
  Expected<CompiledKernel> tryLaunch(Grid grid, const std::vector<Argument> &arguments,
                                     const Options &options = {}) const {
    return answer([&](triton_error **error) {
      const detail::ArgumentList list(arguments);
      const detail::ConvertedOptions converted = detail::convert(options);
      return triton_kernel_run(state.get(), grid.x, grid.y, grid.z, list.data(), list.size(), &converted, error);
    });
  }
  CompiledKernel launch(Grid grid, const std::vector<Argument> &arguments, const Options &options = {}) const {
    return tryLaunch(grid, arguments, options).take();
  }
  template <typename... Arguments> CompiledKernel operator()(Grid grid, Arguments &&...arguments) const {
    return launch(grid, {Argument(std::forward<Arguments>(arguments))...});
  }

  detail::Handle<triton_kernel, triton_kernel_retain, triton_kernel_free> state;

private:
  triton_kernel *require() const { return detail::require(state, "Kernel"); }
  template <typename Call> Expected<CompiledKernel> answer(Call call) const {
    if (!state)
      return detail::emptyError("Kernel");
    detail::ErrorSlot error;
    CompiledKernel compiled;
    compiled.state = decltype(compiled.state)(call(error));
    if (!compiled.state)
      return error.take();
    return compiled;
  }
};

/// A Python file with jitted functions. Only the kernels are compiled; the rest of the file is not run.
class Module {
public:
  static Expected<Module> tryLoad(const std::string &path) {
    return answer([&](triton_error **error) { return triton_module_load(path.c_str(), error); });
  }
  static Module load(const std::string &path) { return tryLoad(path).take(); }
  /// From text; `name` stands for the file in messages.
  static Expected<Module> tryParse(std::string text, std::string name = "<string>") {
    return answer(
        [&](triton_error **error) { return triton_module_parse_text(detail::toText(text), name.c_str(), error); });
  }
  static Module parse(std::string text, std::string name = "<string>") {
    return tryParse(std::move(text), std::move(name)).take();
  }

  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (size_t index = 0; const char *name = triton_module_kernel_name(require(), index); ++index)
      names.emplace_back(name);
    return names;
  }
  Expected<Kernel> tryKernel(std::string_view name) const {
    if (!state)
      return detail::emptyError("Module");
    detail::ErrorSlot error;
    Kernel kernel;
    kernel.state = decltype(kernel.state)(triton_module_kernel(state.get(), std::string(name).c_str(), error));
    if (!kernel.state)
      return error.take();
    return kernel;
  }
  Kernel kernel(std::string_view name) const { return tryKernel(name).take(); }

  detail::Handle<triton_module, triton_module_retain, triton_module_free> state;

private:
  triton_module *require() const { return detail::require(state, "Module"); }
  template <typename Call> static Expected<Module> answer(Call call) {
    detail::ErrorSlot error;
    Module module;
    module.state = decltype(module.state)(call(error));
    if (!module.state)
      return error.take();
    return module;
  }
};

/// "3.6.0"
inline std::string_view version() { return triton_version(); }

} // namespace triton
