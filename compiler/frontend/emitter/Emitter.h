// AST + host + argument types + constants -> tensor IR. One Emitter lives for one kernel compile.
//   In:  a kernel function, one ArgumentSpec per parameter, options of the target that the language can see.
//   Out: a module with the public kernel `tt.func` and private functions it calls; or diagnostics.
#pragma once

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Host.h"
#include "compiler/frontend/LanguageVersion.h"
#include "compiler/frontend/emitter/Function.h"
#include "compiler/support/Diagnostic.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace triton::frontend {

/// What the kernel sees for one parameter.
struct ArgumentSpec {
  enum class Kind { Runtime, Constant, Tuple } kind = Kind::Runtime;
  Type type = Type::voidType();                            // Runtime
  std::vector<std::pair<std::string, int64_t>> attributes; // Runtime: {"tt.divisibility", 16}
  Value constant;                                          // Constant; Runtime: the layout of a descriptor that has one
  std::vector<ArgumentSpec> elements;                      // Tuple
  std::vector<std::string> fields;                         // Tuple: names, if it is a NamedTuple
  HostObject hostClass;
};

class LayoutPolicy;

/// What of the options and the target shows in the language.
struct LanguageOptions {
  LanguageVersion version;
  bool debug = false;
  bool sanitizeOverflow = true;
  bool sanitizesFloats = false; // integers stand for floats: `tensor-float-sanitizer`
  std::string backend = "cpu";  // "cpu", "cuda", "hip"
  int capability = 0;           // cuda: 90 for sm_90; hip: 0x942 for gfx942
  int numWarps = 4, numCtas = 1, numStages = 3, warpSize = 32;
  std::vector<std::string> supportedFp8 = {"fp8e5", "fp8e4nv", "fp8e4b15", "fp8e4b8", "fp8e5b16"};
  std::vector<std::string> deprecatedFp8Dot;
  std::string defaultDotPrecision = "ieee"; // "tf32" on CUDA
  std::vector<std::string> allowedDotPrecisions = {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"};
  int64_t maxImpreciseAccDefault = 0;
  int minDotM = 1, minDotN = 1, minDotBytesOfK = 1; // the least K, as bytes of a row of operands
  bool allowNonConstexprGlobals = false;

  /// The least `K` of products of operands that have this many bits.
  int leastDotK(unsigned bits) const { return std::max(minDotBytesOfK * 8 / int(bits), 1); }
};

struct KernelRequest {
  std::shared_ptr<const Function> function;
  std::vector<ArgumentSpec> arguments;
  std::string symbol; // name of the emitted function; default the function's name
  LanguageOptions options;
  const LayoutPolicy *layouts = nullptr; // null: the compiler chooses them
};

/// Null after reporting errors to `diagnostics`.
mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, const KernelRequest &request,
                                             Diagnostics &diagnostics);

/// A diagnostic under construction; converts to failure.
class [[nodiscard]] ErrorStream {
public:
  ErrorStream(Emitter &emitter, Diagnostic diagnostic) : emitter(emitter), diagnostic(std::move(diagnostic)) {}
  ErrorStream(ErrorStream &&) = default;
  ~ErrorStream();
  template <typename T> ErrorStream &&operator<<(const T &part) && {
    llvm::raw_string_ostream(diagnostic.message) << part;
    return std::move(*this);
  }
  ErrorStream &&hint(std::string text) && {
    diagnostic.hint = std::move(text);
    return std::move(*this);
  }
  ErrorStream &&note(SourceRange range, std::string text) && {
    diagnostic.notes.push_back({Severity::Note, range, std::move(text)});
    return std::move(*this);
  }
  template <typename T> operator mlir::FailureOr<T>() const { return mlir::failure(); }
  operator llvm::LogicalResult() const { return mlir::failure(); }

private:
  Emitter &emitter;
  Diagnostic diagnostic;
};

class Emitter {
public:
  virtual ~Emitter() = default;
  virtual mlir::OpBuilder &builder() = 0;
  mlir::MLIRContext *context() { return builder().getContext(); }
  virtual mlir::ModuleOp module() = 0;
  virtual const LanguageOptions &options() const = 0;
  /// Null where blocks have no layouts that the kernel says.
  virtual const LayoutPolicy *layouts() const { return nullptr; }
  /// Whether the IR shows each step of typing: numbers as scalars before they are blocks, conversions that change nothing. Kernels that say
  /// layouts are written by those who read their IR, and compare it.
  bool showsSteps() const { return layouts() != nullptr; }
  /// The warps that run what is called from now on, where they are not the kernel's own; 0: the kernel's.
  virtual void setPartitionWarps(int) {}
  virtual int partitionWarps() const { return 0; }
  /// IR location of the node being emitted, with the chain of calls.
  virtual mlir::Location location() = 0;
  /// Source range of the node being emitted.
  virtual SourceRange range() const = 0;
  /// Starts an error at the current node: `return emitter.error("TypeError") << "…";`
  ErrorStream error(llvm::StringRef exception = "") { return error(range(), exception); }
  virtual ErrorStream error(SourceRange range, llvm::StringRef exception) = 0;
  virtual void warn(llvm::StringRef category, const llvm::Twine &message) = 0;
  virtual void report(Diagnostic diagnostic) = 0;
  /// Turns a host's failure into a diagnostic at the current node.
  virtual mlir::LogicalResult fail(llvm::Error error) = 0;
  /// The `error` callback for the rule functions of compiler/tensor: IR diagnostics emitted at it become ours.
  virtual mlir::InFlightDiagnostic ruleError() = 0;

  /// Calls anything callable with values (jitted functions, builtins, methods, compile-time functions).
  virtual mlir::FailureOr<Value> call(const Value &callable, const CallArguments &arguments) = 0;
  /// Calls `function` on scalar values at the current insertion point; for the regions of reduce, scan and map_elementwise.
  virtual mlir::FailureOr<Value> callScalar(const Value &function, llvm::ArrayRef<Value> scalars) = 0;
  virtual Host &host() = 0; // of the kernel, also where the library is emitted
  /// What a host's function has made of the aggregate that it is a method of.
  virtual void changeReceiver(Value) {}
};

} // namespace triton::frontend
