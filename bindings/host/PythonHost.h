// The host of kernels written in Python: hands the compiler's questions to `triton.compiler.host`, which answers from live objects, and turns answers into values.
// Called without the interpreter lock, which each answer takes for itself. A Python exception becomes an Error; the last one of a thread is kept, so that
// it can be the cause of the error the user sees.
#pragma once

#include "bindings/Reference.h"

#include <triton/embed.h>

namespace triton::python {

class PythonHost : public embed::Host {
public:
  static PythonHost &instance();
  /// The exception behind the last Error on this thread, if any; forgets it.
  static Reference takeException();

  embed::Result<std::optional<embed::Value>> lookup(const embed::Object &scope, std::string_view name) override;
  embed::Result<std::optional<embed::Value>> ask(Question question, std::string_view name,
                                                 const std::vector<embed::Value> &operands) override;
  embed::Result<embed::Value> call(const embed::Object &callable, const embed::CallArguments &arguments,
                                   embed::Emission &emission) override;
  embed::Result<bool> isInstance(const embed::Value &value, const embed::Object &hostClass) override;
  std::string describe(const embed::Object &object) override;
  std::string className(const embed::Object &object) override;
  std::string key(const embed::Object &object) override;
  void print(std::string_view text) override;
  void warn(std::string_view category, const embed::Place &place, std::string_view message) override;
};

/// Makes a Python object `Answers`, or None, what records the questions of this thread, while it lives.
class RecordingScope {
public:
  explicit RecordingScope(PyObject *answers);
  RecordingScope(const RecordingScope &) = delete;
  ~RecordingScope();

private:
  PyObject *previous;
};

/// What a function needs to resolve its free names: the Python function, and which JITFunction it belongs to.
embed::Object makeScope(PyObject *jitFunction, PyObject *function);
/// The JITFunction a scope was made for, a new reference; null with an exception set if it is gone.
PyObject *jitFunctionOf(const embed::Object &scope);

} // namespace triton::python
