// Operations of the language one at a time, each done as soon as it is asked for: what a host that runs kernels itself
// works with (interpreter mode).
//   In:  calls and operators on values, as the emitter takes them.
//   Out: values whose elements are known. Typing and errors are the frontend's, meaning is the interpreter's: neither is
//        written a second time here.
#pragma once

#include "compiler/driver/ContextPool.h"
#include "compiler/frontend/emitter/KernelEmitter.h"
#include "compiler/interpreter/Interpreter.h"

namespace triton::driver {

class EagerSession {
public:
  /// `host` resolves the free names of functions that are called, and prints.
  EagerSession(frontend::Host &host, const frontend::LanguageOptions &options);

  using Emit = llvm::function_ref<mlir::FailureOr<frontend::Value>(frontend::Emitter &)>;
  /// What `emit` gives, after what it emitted has been done. Failure after reporting to `diagnostics`.
  mlir::FailureOr<frontend::Value> run(Emit emit);

  /// A scalar or pointer with these bits; `name` is the parameter it is the argument of.
  frontend::Value scalar(const frontend::Type &type, uint64_t bits, llvm::StringRef name = "");
  /// The elements of a tensor made in this session.
  const interpreter::Array &elements(mlir::Value tensor) const { return arrays.find(tensor)->second; }

  /// Makes `name` what messages call a value.
  void setName(mlir::Value value, llvm::StringRef name);
  /// Which program comes next. Values of the last one are no longer good.
  void beginProgram(const interpreter::Program &program);

  /// Lets errors that have been dealt with go.
  Diagnostics takeDiagnostics();
  /// The Python exception that what failed last calls for, where the op itself says: "AssertionError", "NotImplementedError"; else empty.
  const std::string &failureClass() const { return exception; }

  interpreter::Memory memory;

private:
  mlir::LogicalResult interpret();

  ContextLease context;
  frontend::LanguageOptions options;
  frontend::Function function; // stands for the kernel that the host runs
  frontend::Host &host;
  std::string output;
  llvm::raw_string_ostream outputStream{output};
  interpreter::Interpreter interpreter;
  Diagnostics diagnostics;
  std::unique_ptr<frontend::KernelEmitter> emitter;
  frontend::Frame frame;
  mlir::Block *block = nullptr;
  mlir::Operation *last = nullptr; // everything up to it has been done
  std::string exception;
  uint64_t begun = 0; // programs
  llvm::DenseMap<mlir::Value, interpreter::Array> arrays;
};

} // namespace triton::driver
