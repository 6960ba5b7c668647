// The compiler for host languages: how a program that owns live objects (Python's globals, closures, classes) lets kernels see them.
//   In:  a Host that answers questions about the program's objects; functions as text with a scope; what each argument is.
//   Out: an Artifact, or Diagnostics.
// Needs no header of LLVM or MLIR, so that a binding builds in seconds against an installed library. Nothing here throws: a failure is an Error.
#pragma once

#include <triton/export.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace triton::embed {

class Host;
class Function;

/// What went wrong: `exception` names the Python class it maps to, empty for a compilation error.
struct Error {
  std::string exception;
  std::string message;
};

template <typename T> using Result = std::variant<T, Error>;

/// What a host answers when a kernel reads a global that is a plain value of the program.
TRITON_EXPORT Error globalNotConstexpr(std::string_view name);

/// Something that only the host understands; identity is the handle's address.
using Object = std::shared_ptr<const void>;

/// The types that appear as compile-time values.
struct TypeDescription {
  enum class Form { Scalar, Pointer, Block, Other } form = Form::Scalar;
  std::string name;                               // of a scalar: "int32", "fp16"; else the text users see
  bool isConst = false;                           // of a pointer
  unsigned addressSpace = 1;                      // of a pointer
  std::vector<int64_t> shape;                     // of a block
  std::shared_ptr<const TypeDescription> element; // of a pointer or a block
};

enum class Kind {
  None,
  Ellipsis,
  Boolean,
  Integer,
  Real,
  String,
  Type,
  Tensor,
  Tuple,
  Descriptor,
  Aggregate,
  Slice,
  Function,
  Builtin,
  Method,
  Module,
  Object,
  Handle,
};

/// What a name in kernel code is bound to. An immutable handle, cheap to copy; run-time values are only good during the compile that made them.
class TRITON_EXPORT Value {
public:
  Value(); // None
  static Value ellipsis();
  static Value boolean(bool value);
  static Value integer(int64_t value);
  /// A hexadecimal number of any size, `-1f`; None if it is not one.
  static Value integer(std::string_view hexadecimal);
  static Value real(double value);
  static Value string(std::string value);
  static Value type(const TypeDescription &type);
  static Value tuple(std::vector<Value> elements, std::vector<std::string> fields = {}, Host *host = nullptr,
                     Object hostClass = nullptr);
  static Value slice(Value start, Value stop, Value step);
  static Value aggregate(std::string className, Host *host, Object hostClass, std::vector<std::string> fields,
                         std::vector<Value> elements);
  static Value function(const Function &function);
  static Value module(std::string path);
  static Value object(Host &host, Object object);
  /// `callable` with its first argument.
  static Value method(Value self, Value callable);

  Kind kind() const;
  bool isCompileTime() const;
  // Each of these is for its kind only.
  bool boolean() const;
  std::optional<int64_t> integer() const; // nullopt: more than 64 bits
  std::string integerText() const;        // hexadecimal, `-1f`
  double real() const;
  std::string_view string() const;
  TypeDescription type() const; // of a type itself, of a tensor or a descriptor (its block) its type
  std::vector<Value>
  elements() const; // tuple, aggregate; slice: start, stop, step; descriptor: shape, strides; method: self, callable
  std::vector<std::string> fields() const; // tuple, aggregate
  Object object() const;                   // object; tuple, aggregate: its class, or null
  std::string path() const;                // module; builtin, function: qualified name
  Object scope(Host &host) const;          // function of this host: as given when it was created; else null

  std::string str() const;
  std::string repr() const;
  std::string key() const;

  const void *opaque() const { return storage.get(); }
  explicit Value(std::shared_ptr<const void> storage) : storage(std::move(storage)) {}

private:
  std::shared_ptr<const void> storage;
};

struct CallArguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

class EagerSession;

/// The compile in progress, for host functions that emit code themselves.
class TRITON_EXPORT Emission {
public:
  Result<Value> call(const Value &callable, const CallArguments &arguments);
  /// Operators as Python writes them: `//`, `not`.
  Result<Value> binary(std::string_view operation, const Value &lhs, const Value &rhs);
  Result<Value> unary(std::string_view operation, const Value &operand);
  Result<Value> subscript(const Value &value, const Value &index);
  /// nullopt if there is no such attribute.
  Result<std::optional<Value>> attribute(const Value &value, std::string_view name);
  /// A number becomes a typed scalar; tensors stay.
  Result<Value> toTensor(const Value &value);
  /// The session whose operations are done at once; null while a kernel is compiled.
  EagerSession *eager() const { return session; }
  /// What a method has made of the aggregate it was called on: the variable that held it now holds this.
  void changeReceiver(const Value &value);

  explicit Emission(void *emitter) : emitter(emitter) {}
  explicit Emission(EagerSession &session) : session(&session) {}

private:
  template <typename Emit> Result<Value> emit(Emit function);
  void *emitter = nullptr;
  EagerSession *session = nullptr;
};

/// Operations done at once, on arrays: for a host that runs kernels itself, line by line.
class TRITON_EXPORT EagerSession {
public:
  /// With `debug`, device_assert and overflow checks are active.
  EagerSession(Host &host, bool debug);
  ~EagerSession();
  EagerSession(const EagerSession &) = delete;

  /// A scalar of a signature type (`i32`, `fp32`, `*fp16`) with these bits.
  /// `name` is the kernel's parameter it is the argument of.
  Result<Value> scalar(std::string_view type, uint64_t bits, std::string_view name = "");
  /// Makes `name` what messages call a tensor: that of the variable it is assigned to.
  void setName(const Value &tensor, std::string_view name);
  /// The elements of a tensor in row-major order, each in as many bytes as its type has; int1 in one.
  std::string data(const Value &tensor) const;
  /// Values of the program before are no longer good.
  void beginProgram(const int32_t id[3], const int32_t grid[3]);
  /// Kernels may access everything.
  void trustMemory();
  /// But not store to these bytes, which the argument `name` leads to.
  void protectMemory(const void *address, uint64_t bytes, std::string name);

  struct State;
  const std::unique_ptr<State> state;
};

/// Watches memory accesses. While one lives, kernels launched by its thread that were compiled with `checkAccesses` run on that thread
/// alone, and fail at the first access that cannot be meant.
class TRITON_EXPORT CheckedLaunch {
public:
  /// `address`: accesses out of bounds, misaligned ones, reads of what was never written. `race`: accesses that nothing orders.
  CheckedLaunch(bool address, bool race);
  ~CheckedLaunch();
  CheckedLaunch(const CheckedLaunch &) = delete;

  struct Tensor {
    std::string name, type; // of the parameter; "float32[3, 4]"
    uint64_t address;
    unsigned elementBytes;
    std::vector<int64_t> shape, strides; // strides in elements
  };
  void add(const Tensor &tensor);
  /// The session's accesses too. `place` says where the host is: "file:line:column".
  void watch(EagerSession &session, std::function<std::string()> place);
  /// Memory that counts as never written until somebody writes it.
  static void poison(void *data, uint64_t bytes);
  /// Memory that somebody has written since, be it with what was there before.
  static void markWritten(const void *data, uint64_t bytes);

  struct State;

private:
  const std::unique_ptr<State> state;
};

/// A place in the user's program; `line` counts from 1, `column` from 0 in bytes. No file: no place.
struct Place {
  std::string file;
  unsigned line = 0, column = 0, endLine = 0, endColumn = 0;
  /// The function's own text (dedented, from `def`) and the place in it.
  std::string text;
  unsigned lineInText = 0, columnInText = 0;
};

/// Answers for the program's live objects. Called during a compile, from the thread that compiles.
class TRITON_EXPORT Host {
public:
  Host();
  virtual ~Host();
  Host(const Host &) = delete;
  /// The value of a free name of a function created with `scope`; nullopt if it is not defined there. An Error if it may not be read.
  virtual Result<std::optional<Value>> lookup(const Object &scope, std::string_view name) = 0;
  /// What Python's operations give on compile-time values, the first of which is most often an object of this host. nullopt if there is no such attribute.
  enum class Question {
    Attribute, // `name` of it
    Import,    // `name` of the module that the text names, for values of the language that are shown as its objects
    Binary,    // the operator `name` on two values
    Unary,
    Subscript, // operands: object, index
    Length,
    Truth,
    Iterate, // the elements, as a tuple
  };
  virtual Result<std::optional<Value>> ask(Question question, std::string_view name,
                                           const std::vector<Value> &operands) = 0;
  virtual Result<Value> call(const Object &callable, const CallArguments &arguments, Emission &emission) = 0;
  virtual Result<bool> isInstance(const Value &value, const Object &hostClass) = 0;
  virtual std::string describe(const Object &object) = 0;
  virtual std::string className(const Object &object) = 0;
  virtual std::string key(const Object &object) = 0;
  virtual void print(std::string_view text) = 0;
  virtual void warn(std::string_view category, const Place &place, std::string_view message) = 0;

  class Adapter; // what the compiler sees of this host
  Adapter &adapter() { return *itsAdapter; }

private:
  std::unique_ptr<Adapter> itsAdapter;
};

struct Parameter {
  std::string name;
  std::string annotation;
  bool isConstexpr = false;
  bool specializesValue = true, specializesAlignment = true; // false: listed in `do_not_specialize…`
  std::optional<Value> defaultValue;
};

/// A jitted function of the program.
struct FunctionDescription {
  std::string name, qualifiedName;
  std::string file;
  std::string text;                         // dedented, the first line is `def …`
  unsigned firstLine = 1, columnOffset = 0; // where the text begins in the file
  std::vector<Parameter> parameters;
  bool noinline = false;
  std::optional<std::string> mustUseResult;
  Object scope; // handed back to Host::lookup
};

struct TRITON_EXPORT Diagnostic {
  enum class Severity { Error, Warning, Note } severity = Severity::Error;
  std::string exception; // Python class, empty for a plain CompilationError
  std::string message, hint;
  Place place;
  std::vector<Place> callers; // innermost first
  std::string rendered;       // Clang's form, notes and call chain included
};
using Diagnostics = std::vector<Diagnostic>;

class TRITON_EXPORT Function {
public:
  /// Parses the text; nullopt after adding to `diagnostics`.
  static std::optional<Function> create(Host &host, FunctionDescription description, Diagnostics &diagnostics);
  const void *opaque() const { return storage.get(); }
  const std::shared_ptr<const void> &shared() const { return storage; }
  explicit Function(std::shared_ptr<const void> storage) : storage(std::move(storage)) {}

private:
  std::shared_ptr<const void> storage;
};

/// A name of the language: what a host language shows of it.
struct LanguageEntry {
  Kind kind = Kind::None;
  std::string signature; // "(pointer, mask=None)": builtins and library functions
  std::string documentation;
  bool isMethod = false, mustUseResult = false;
  Value value;
};
TRITON_EXPORT std::vector<std::string> languageNames(std::string_view modulePath);
TRITON_EXPORT std::optional<LanguageEntry> languageEntry(std::string_view modulePath, std::string_view name);

/// What the kernel sees for one parameter.
struct Argument {
  enum class Kind { Runtime, Constant, Tuple } kind = Kind::Runtime;
  std::string type;                                        // Runtime: signature text, `*fp32`
  std::vector<std::pair<std::string, int64_t>> attributes; // Runtime: {"tt.divisibility", 16}
  Value constant;                                          // Constant; Runtime: the layout of a descriptor
  std::vector<Argument> elements;                          // Tuple
  std::vector<std::string> fields;                         // Tuple: names, if it has any
  Object hostClass;                                        // Tuple: its class, if it has one
};

/// The value of an option; monostate: none is given.
using OptionValue = std::variant<std::monostate, bool, int64_t, std::string, std::vector<std::string>>;

/// An option of a compile, as docs/reference/options.md lists them.
struct OptionDescription {
  std::string name, kind; // "num_warps"; what a value must be: "an integer"
  bool isOfLaunch = false;
};
/// Null if there is no such option.
TRITON_EXPORT const OptionDescription *findOption(std::string_view name);

struct Options {
  std::vector<std::pair<std::string, OptionValue>> values; // by name; those that are left out have their defaults
  /// Asked now and then on the compiling thread: a yes ends the compile, between two passes.
  bool (*isInterrupted)() = nullptr;
  /// stage -> text or bytes to go on with instead of what that stage made
  std::vector<std::pair<std::string, std::string>> replacements;
};

struct PackedArgument {
  std::string name, type;
  bool isStored = true; // of a pointer or a descriptor: the kernel may store to what it leads to
};

struct Stage {
  std::string name; // "ttir", "llir", "obj"
  std::string content;
  double microseconds = 0;
};

/// What a compile yields.
struct Artifact {
  std::string name;
  std::vector<Stage> stages;
  std::string description;  // all that a launch needs to know, as the text of a JSON object: what a cache keeps too
  std::string assemblerLog; // all that the assembler printed (cuda)
};

struct CompileRequest {
  Function function;
  std::vector<Argument> arguments;
  std::string symbol; // empty: the function's name
  Options options;
};

/// What a kernel is stored under, before hashing, the same for every host; and whether other hosts understand its compile-time arguments. In bundles the build of the
/// compiler and of its tools is no part of it.
TRITON_EXPORT Result<std::pair<std::string, bool>> kernelKey(Host &host, const CompileRequest &request,
                                                             bool isForBundle = false);

/// Names that a kernel read, each with the number of the function that read it and its value, in words that every host understands.
using Reads = std::vector<std::tuple<unsigned, std::string, std::string>>;
/// Whether the program that a kernel is part of gives the same now.
TRITON_EXPORT bool confirmReads(const Function &kernel, const Reads &reads);

/// Null after adding errors to `diagnostics`; warnings may be added either way. Thread-safe.
TRITON_EXPORT std::shared_ptr<const Artifact> compile(Host &host, const CompileRequest &request,
                                                      Diagnostics &diagnostics);
/// The same from IR text; `stage` says what it holds: "ttir".
TRITON_EXPORT std::shared_ptr<const Artifact> compileIr(const std::string &stage, std::string fileName,
                                                        std::string text, const Options &options,
                                                        Diagnostics &diagnostics);
/// One stage alone, from the output of the one before it (for the first: the IR as the frontend leaves it). `arguments` are those of an earlier stage's artifact;
/// without them, what the IR shows of them counts.
TRITON_EXPORT std::shared_ptr<const Artifact> runStage(const std::string &stage, std::string input,
                                                       const std::vector<PackedArgument> &arguments,
                                                       const Options &options, Diagnostics &diagnostics);
using OptionValues = std::vector<std::pair<std::string, OptionValue>>;
/// The options of a launch that the target takes, with its own values where none are given; a ValueError that names what it cannot compile with. Every compile
/// asks the same first.
TRITON_EXPORT Result<OptionValues> completeOptions(const Options &options);

/// What Python's half of a backend asks a target, instead of knowing it.
struct TargetFacts {
  OptionValues defaults; // of the options of a launch, where no architecture is named
  int smallestDotK = 1, smallestDotKOfBytes = 1;
};
TRITON_EXPORT Result<TargetFacts> targetFacts(const std::string &backend);
/// The architecture that "native" means on this machine.
TRITON_EXPORT Result<std::string> resolveArchitecture(const Options &options);

/// NVIDIA's tools that code is made with besides the compiler, as the options name them or as they are found; a JSON object: `ptxas` (its path; empty: another
/// assembler), `build` (what the assembler prints of its version), `libdevice` (its path; empty: there is none), `problem` (why nothing can assemble PTX; empty:
/// something can), `ptx_version` (that the assembler reads: 86 for 8.6).
TRITON_EXPORT Result<std::string> findToolkit(const Options &options);
/// The path of a program of a CUDA toolkit ("cuobjdump") in folders laid out like one, an installed one, or on the PATH; empty if it is nowhere.
TRITON_EXPORT std::string findTool(std::string_view name, const std::vector<std::string> &folders);
/// All that `path --version` prints, kept in the folder `records` for the next process.
TRITON_EXPORT Result<std::string> toolVersion(const std::string &path, const std::string &records);
/// The PTX version that tools of a CUDA release read: 90 for "13.0"; 0 if it is no release.
TRITON_EXPORT unsigned ptxVersionOf(std::string_view cudaRelease);

/// The name and the argument types of the kernel in a text below the module, LLVM IR or PTX, of `options.backend`.
TRITON_EXPORT Result<std::pair<std::string, std::vector<std::string>>>
describeKernel(const std::string &stage, const std::string &text, const Options &options);

/// Code of the CPU target, loaded.
class TRITON_EXPORT HostKernel {
public:
  static Result<HostKernel> load(std::string_view object, const std::string &symbol, uint64_t arenaBytes);
  struct Launch {
    unsigned maxThreads = 0; // 0: what TRITON_CPU_MAX_THREADS says, else all processors
    /// Asked now and then on this thread: no program begins after a yes, and programs that wait for something are left from their midst.
    bool (*isInterrupted)() = nullptr;
    // As the artifact says.
    bool waitsForPrograms = false; // programs may wait for what others write
    bool polls = false;            // programs ask, in loops that may never end by themselves, whether to stop
  };
  /// Runs the whole grid. An error text, or null.
  std::optional<std::string> launch(const void *arguments, const int32_t grid[3], const Launch &how) const;

private:
  explicit HostKernel(std::shared_ptr<const void> code) : code(std::move(code)) {}
  std::shared_ptr<const void> code;
};

} // namespace triton::embed
