// Evaluates the compile-time Python that surrounds kernels in a file: constant expressions, and the bodies of constexpr functions
// (assignments, if, for, while, return, assert on compile-time values). What operators, functions and methods mean is asked where the emitter of kernels asks
// too: values/Folding.h, values/Formatting.h, and the registry of builtins.
#pragma once

#include "compiler/frontend/filehost/FileModule.h"

#include "llvm/ADT/StringMap.h"

namespace triton::frontend {

/// What the evaluator asks of the host: names, attributes and calls that lead out of the expression.
class FileScope {
public:
  virtual ~FileScope() = default;
  virtual llvm::Expected<std::optional<Value>> global(const FileModule &file, llvm::StringRef name) = 0;
  virtual llvm::Expected<std::optional<Value>> attributeOf(const Value &value, llvm::StringRef name) = 0;
  virtual llvm::Expected<Value> callValue(const Value &callable, const CallArguments &arguments) = 0;
};

class FileEvaluator {
public:
  FileEvaluator(FileScope &scope, const FileModule &file) : scope(scope), file(file) {}

  llvm::Expected<Value> evaluate(const syntax::Expr *expression);
  /// Runs a function's body with its parameters bound; None if it falls off the end.
  llvm::Expected<Value> run(const syntax::FunctionDef *function, const CallArguments &arguments);

private:
  enum class Flow { Next, Return, Break, Continue };
  llvm::Expected<Flow> execute(llvm::ArrayRef<syntax::Stmt *> body);
  llvm::Expected<Flow> execute(const syntax::Stmt *statement);
  llvm::Error assign(const syntax::Expr *target, Value value);
  llvm::Error bindParameters(const syntax::FunctionDef *function, const CallArguments &arguments);
  llvm::Expected<Value> name(llvm::StringRef id);
  llvm::Expected<Value> call(const syntax::Call *expression);
  llvm::Expected<Value> compare(const syntax::Compare *expression);
  llvm::Expected<Value> shortCircuit(const syntax::BoolOp *expression);
  llvm::Expected<std::vector<Value>> comprehension(const syntax::Expr *element,
                                                   llvm::ArrayRef<syntax::Comprehension *> generators);
  /// The elements of what an expression gives.
  llvm::Expected<std::vector<Value>> iterate(const syntax::Expr *expression);
  llvm::Expected<std::vector<Value>> elements(llvm::ArrayRef<syntax::Expr *> expressions);
  llvm::Expected<Value> subscript(const syntax::Subscript *expression);
  llvm::Expected<Value> attribute(const syntax::Attribute *expression);
  llvm::Expected<Value> joinedString(const syntax::JoinedStr *expression);
  llvm::Error openLoop(llvm::ArrayRef<syntax::Comprehension *> generators, const syntax::Expr *element,
                       std::vector<Value> &values);
  llvm::Expected<bool> test(const syntax::Expr *expression);
  llvm::Error unsupported(const syntax::Node *node);
  llvm::Error countStep();

  FileScope &scope;
  const FileModule &file;
  llvm::StringMap<Value> locals;
  Value result;
  unsigned steps = 0, depth = 0;
};

/// A function of Python's `math` module.
llvm::Expected<Value> callMath(llvm::StringRef name, llvm::ArrayRef<Value> arguments);
bool isMathFunction(llvm::StringRef name);

} // namespace triton::frontend
