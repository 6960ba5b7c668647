// What the embedding interface and functions of ours give, in functions of the module: the value, or a Python exception.
#pragma once

#include "dispatch/Problem.h"

#include <triton/embed.h>

#include <nanobind/nanobind.h>

namespace triton::python {

/// Sets the exception of Python's own that has this name; a RuntimeError if there is none.
inline void setError(const char *exception, const std::string &message) {
  PyObject *known = PyDict_GetItemString(PyEval_GetBuiltins(), exception);
  PyErr_SetString(known && PyExceptionClass_Check(known) ? known : PyExc_RuntimeError, message.c_str());
}

inline void check(const std::optional<embed::Error> &error) {
  if (!error)
    return;
  setError(error->exception.c_str(), error->message);
  throw nanobind::python_error();
}

template <typename T> T take(embed::Result<T> result) {
  if (auto *error = std::get_if<embed::Error>(&result))
    check(*error);
  return std::get<T>(std::move(result));
}

template <typename T> T take(std::variant<T, dispatch::Problem> result) {
  if (auto *problem = std::get_if<dispatch::Problem>(&result)) {
    setError(problem->exception, problem->message);
    throw nanobind::python_error();
  }
  return std::get<T>(std::move(result));
}

/// What a function gives that sets a Python exception where it gives nothing: a new reference, or a value.
inline nanobind::object take(PyObject *object) {
  if (!object)
    throw nanobind::python_error();
  return nanobind::steal(object);
}
template <typename T> T take(std::optional<T> value) {
  if (!value)
    throw nanobind::python_error();
  return std::move(*value);
}

/// A function of the embedding interface as one of the module.
template <typename T, typename... Arguments> auto raising(embed::Result<T> (*function)(Arguments...)) {
  return [function](Arguments... arguments) { return take(function(std::forward<Arguments>(arguments)...)); };
}
template <typename... Arguments> auto raising(std::optional<embed::Error> (*function)(Arguments...)) {
  return [function](Arguments... arguments) { check(function(std::forward<Arguments>(arguments)...)); };
}

/// Facts that cross the border as JSON.
inline nanobind::object fromJson(const std::string &text) {
  return nanobind::module_::import_("json").attr("loads")(text);
}

} // namespace triton::python
