// The only way out of the frontend: resolves a kernel's outer names and works with compile-time objects that are not ours.
// Implementations: live Python objects (bindings/host/PythonHost), a `.py` file without Python (FileHost), the embedded library (LibraryHost).
//
// Errors: a failure is an llvm::Error whose text is the message for the user (made with `hostError`, which names the Python exception class); the
// emitter adds the place. A host converts what it knows (numbers, strings, None, tuples, dtypes, jitted functions, builtins, modules of the language) to
// Values and hands out HostObjects for the rest.
#pragma once

#include "compiler/frontend/values/Value.h"
#include "compiler/support/Source.h"

#include "llvm/Support/Error.h"

namespace triton::frontend {

class Emitter;

/// A message with the Python exception class it maps to.
class HostError : public llvm::ErrorInfo<HostError> {
public:
  static char ID;
  HostError(std::string exception, std::string message)
      : exception(std::move(exception)), message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
  std::string exception, message;
};
llvm::Error hostError(std::string exception, std::string message);
/// What a host says when a kernel reads a global that is a plain Python value (semantics.md 3).
llvm::Error globalNotConstexpr(llvm::StringRef name);

/// Arguments of a call as written: positional values, then keywords.
struct CallArguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

enum class BinaryOperation {
  Add,
  Sub,
  Mul,
  TrueDiv,
  FloorDiv,
  Mod,
  Pow,
  LShift,
  RShift,
  And,
  Or,
  Xor,
  MatMul,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge
};
enum class UnaryOperation { Neg, Pos, Invert, Not };

class Host {
public:
  virtual ~Host() = default;
  /// The value of free name `name` in `function`; nullopt if it is not defined there. Fails if it is defined but may not be read (a plain global).
  virtual llvm::Expected<std::optional<Value>> lookup(const Function &function, llvm::StringRef name) = 0;
  /// `object.name`; nullopt if there is none.
  virtual llvm::Expected<std::optional<Value>> attribute(const HostObject &object, llvm::StringRef name) = 0;
  /// Calls a compile-time function or class (constexpr_function, NamedTuple class, aggregate class, user builtin, math.log2, …).
  /// `emitter` is for callables that emit code (user builtins taking `_semantic`, aggregate methods).
  virtual llvm::Expected<Value> call(const HostObject &callable, const CallArguments &arguments, Emitter &emitter) = 0;
  /// The same for what computes on compile-time values alone, outside of any kernel.
  virtual llvm::Expected<Value> fold(const HostObject &callable, const CallArguments &arguments);
  virtual llvm::Expected<bool> isInstance(const Value &value, const HostObject &hostClass) = 0;
  /// Operators on compile-time operands of which at least one is a HostObject.
  virtual llvm::Expected<Value> binary(BinaryOperation operation, const Value &lhs, const Value &rhs) = 0;
  virtual llvm::Expected<Value> unary(UnaryOperation operation, const HostObject &operand) = 0;
  virtual llvm::Expected<Value> subscript(const HostObject &object, const Value &index) = 0;
  virtual llvm::Expected<Value> length(const HostObject &object) = 0;
  virtual llvm::Expected<bool> truth(const HostObject &object) = 0;
  /// The elements, if it can be iterated at compile time.
  virtual llvm::Expected<std::vector<Value>> iterate(const HostObject &object) = 0;
  /// A name of a module of the host: a class that values of the language are shown as.
  virtual llvm::Expected<Value> import(llvm::StringRef module, llvm::StringRef name);
  virtual std::string describe(const HostObject &object) = 0;                     // for messages: Python's repr
  virtual std::string text(const HostObject &object) { return describe(object); } // Python's str
  virtual std::string className(const HostObject &object) = 0;                    // "list", "MyEnum"
  virtual std::string key(const HostObject &object) = 0; // equal for equal values: specialisation and cache keys
  /// static_print's destination; default standard output.
  virtual void print(llvm::StringRef text);
  /// A warning for the user (Python: warnings.warn with this class).
  virtual void warn(llvm::StringRef category, const SourceRange &range, llvm::StringRef message);
};

} // namespace triton::frontend
