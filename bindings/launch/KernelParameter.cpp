#include "bindings/launch/KernelParameter.h"

#include "bindings/Text.h"

namespace triton::python {

static bool truthOf(PyObject *object, const char *attribute, bool &out) {
  Reference value(PyObject_GetAttrString(object, attribute));
  const int truth = value ? PyObject_IsTrue(value.get()) : -1;
  out = truth == 1;
  return truth >= 0;
}

static bool read(PyObject *param, KernelParameter &out) {
  bool doNotSpecialize = false, doNotAlign = false, hasDefault = false;
  PyObject *name = PyObject_GetAttrString(param, "name");
  if (!name || !truthOf(param, "is_constexpr", out.facts.isConstexpr) ||
      !truthOf(param, "is_const", out.facts.isConst) || !truthOf(param, "do_not_specialize", doNotSpecialize) ||
      !truthOf(param, "do_not_specialize_on_alignment", doNotAlign) || !truthOf(param, "has_default", hasDefault) ||
      !truthOf(param, "is_keyword_only", out.isKeywordOnly) || !truthOf(param, "is_variadic", out.isVariadic)) {
    Py_XDECREF(name);
    return false;
  }
  PyUnicode_InternInPlace(&name);
  out.name = Reference(name);
  out.facts.annotation = stringAttribute(param, "annotation");
  out.facts.name = textOf(name);
  out.facts.type = stringAttribute(param, "annotation_type");
  out.facts.specializesValue = !doNotSpecialize;
  out.facts.specializesAlignment = !doNotAlign;
  if (hasDefault)
    out.defaultValue = Reference(PyObject_GetAttrString(param, "default"));
  return !hasDefault || out.defaultValue;
}

bool readParameters(PyObject *params, std::vector<KernelParameter> &out) {
  Reference list(params ? PySequence_Tuple(params) : nullptr);
  out.clear();
  for (Py_ssize_t index = 0; list && index < PyTuple_GET_SIZE(list.get()); ++index)
    if (!read(PyTuple_GET_ITEM(list.get(), index), out.emplace_back()))
      return false;
  return bool(list);
}

} // namespace triton::python
