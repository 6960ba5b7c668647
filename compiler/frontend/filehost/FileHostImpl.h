// The host behind `FileHost`, whose parts stand in several files: names and definitions of the file, and the objects it makes of them.
#pragma once

#include "compiler/frontend/filehost/FileEvaluator.h"
#include "compiler/frontend/filehost/FileHost.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <mutex>

namespace triton::frontend {

class FileHostImpl : public FileHost, FileScope {
public:
  explicit FileHostImpl(std::unique_ptr<FileModule> file) : main(file.get()) { files.push_back(std::move(file)); }

  std::vector<std::shared_ptr<const Function>> kernels() override;
  std::shared_ptr<const Function> kernel(llvm::StringRef name) override;
  std::string sourceKey() override;

  llvm::Expected<std::optional<Value>> lookup(const Function &function, llvm::StringRef name) override;
  llvm::Expected<std::optional<Value>> attribute(const HostObject &object, llvm::StringRef name) override;
  llvm::Expected<Value> call(const HostObject &callable, const CallArguments &arguments, Emitter &emitter) override;
  llvm::Expected<Value> fold(const HostObject &callable, const CallArguments &arguments) override;
  llvm::Expected<bool> isInstance(const Value &value, const HostObject &hostClass) override;
  llvm::Expected<Value> binary(BinaryOperation operation, const Value &lhs, const Value &rhs) override;
  llvm::Expected<Value> unary(UnaryOperation operation, const HostObject &operand) override;
  llvm::Expected<Value> subscript(const HostObject &object, const Value &index) override;
  llvm::Expected<Value> length(const HostObject &object) override;
  llvm::Expected<bool> truth(const HostObject &) override { return true; }
  llvm::Expected<std::vector<Value>> iterate(const HostObject &object) override;
  llvm::Expected<Value> import(llvm::StringRef module, llvm::StringRef name) override {
    return resolvePath(*main, (module + "." + name).str());
  }
  std::string describe(const HostObject &object) override;
  std::string text(const HostObject &object) override;
  std::string className(const HostObject &object) override;
  std::string key(const HostObject &object) override { return describe(object); }

private:
  llvm::Expected<std::optional<Value>> global(const FileModule &file, llvm::StringRef name) override;
  llvm::Expected<std::optional<Value>> attributeOf(const Value &value, llvm::StringRef name) override;
  llvm::Expected<Value> callValue(const Value &callable, const CallArguments &arguments) override;
  llvm::Expected<Value> callObject(const FileObject &object, const HostObject &handle, const CallArguments &arguments);

  llvm::Expected<Value> evaluateBinding(const FileModule &file, llvm::StringRef name, const Binding &binding);
  llvm::Expected<Value> makeFunction(const FileModule &file, const syntax::FunctionDef *definition,
                                     llvm::StringRef prefix = "");
  llvm::Error readParameters(const FileModule &file, Function &function);
  llvm::Error readDecorators(const FileModule &file, Function &function);
  llvm::Error readList(const FileModule &file, const syntax::Keyword &keyword, Function &function,
                       bool dispatch::Parameter::*flag);
  llvm::Expected<Value> makeClass(const FileModule &file, const syntax::ClassDef *definition);
  llvm::Expected<Value> resolvePath(const FileModule &file, llvm::StringRef path);
  const FileModule *load(const FileModule &from, llvm::StringRef moduleName, unsigned level);
  /// Whether kernels may read it (semantics.md 3): not a plain Python value.
  bool isReadable(const FileModule &file, const Binding &binding, const Value &value);

  /// Kernels have no lists: what Python would give them as one is a tuple.
  static Value asInKernels(const Value &value);

  HostObject handle(std::shared_ptr<const FileObject> object) { return {this, std::move(object)}; }
  Value wrap(std::shared_ptr<const FileObject> object) { return Value(Value::Storage(handle(std::move(object)))); }
  static const FileObject &get(const HostObject &object) {
    return *static_cast<const FileObject *>(object.handle.get());
  }

  std::recursive_mutex mutex; // a host may serve several compiles at once
  const FileModule *main;
  std::vector<std::unique_ptr<FileModule>> files;
  llvm::StringMap<const FileModule *> filesByPath; // null: could not be read
  std::map<std::pair<const FileModule *, std::string>, Value> values;
  std::vector<std::pair<const FileModule *, std::string>> pending; // being evaluated: finds cycles
  unsigned callDepth = 0;
};

} // namespace triton::frontend
