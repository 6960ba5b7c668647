// The host of kernels written in Python: answers the compiler's questions from live objects.
// Called without the interpreter lock, which each answer takes for itself. A Python exception becomes an Error; the last one of a thread is kept, so that
// it can be the cause of the error the user sees.
#pragma once

#include "bindings/Reference.h"

#include <triton/embed.h>

#include <Python.h>

namespace triton::python {

class PythonHost : public embed::Host {
public:
  static PythonHost &instance();
  /// The exception behind the last Error on this thread, if any; forgets it.
  static Reference takeException();

  embed::Result<std::optional<embed::Value>> lookup(const embed::Object &scope, std::string_view name) override;
  embed::Result<std::optional<embed::Value>> attribute(const embed::Object &object, std::string_view name) override;
  embed::Result<embed::Value> call(const embed::Object &callable, const embed::CallArguments &arguments,
                                   embed::Emission &emission) override;
  embed::Result<bool> isInstance(const embed::Value &value, const embed::Object &hostClass) override;
  embed::Result<embed::Value> binary(embed::BinaryOperation operation, const embed::Value &lhs,
                                     const embed::Value &rhs) override;
  embed::Result<embed::Value> unary(embed::UnaryOperation operation, const embed::Object &operand) override;
  embed::Result<embed::Value> subscript(const embed::Object &object, const embed::Value &index) override;
  embed::Result<embed::Value> length(const embed::Object &object) override;
  embed::Result<bool> truth(const embed::Object &object) override;
  embed::Result<std::vector<embed::Value>> iterate(const embed::Object &object) override;
  embed::Result<embed::Value> import(std::string_view module, std::string_view name) override;
  std::string describe(const embed::Object &object) override;
  std::string className(const embed::Object &object) override;
  std::string key(const embed::Object &object) override;
  void print(std::string_view text) override;
  void warn(std::string_view category, const embed::Place &place, std::string_view message) override;
};

/// What a function needs to resolve its free names: the Python function, and which JITFunction it belongs to.
embed::Object makeScope(PyObject *jitFunction, PyObject *function);
/// The JITFunction a scope was made for, a new reference; null with an exception set if it is gone.
PyObject *jitFunctionOf(const embed::Object &scope);

} // namespace triton::python
