#include "bindings/host/HostQuestion.h"

#include "bindings/Package.h"

namespace triton::python {

PyObject *scopeOfName(PyObject *function, PyObject *name) {
  if (!PyFunction_Check(function)) {
    Reference globals(PyObject_GetAttrString(function, "__globals__"));
    bool isThere = globals && PyDict_Check(globals.get()) && PyDict_GetItemWithError(globals.get(), name);
    return isThere ? globals.get() : nullptr; // the function keeps it
  }
  Reference code(PyObject_GetAttrString(function, "__code__"));
  Reference freeNames(code ? PyObject_GetAttrString(code.get(), "co_freevars") : nullptr);
  PyObject *cells = PyFunction_GetClosure(function);
  for (Py_ssize_t index = 0; freeNames && cells && index < PyTuple_GET_SIZE(cells); ++index)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(freeNames.get(), index), name) == 0)
      if (PyCell_GET(PyTuple_GET_ITEM(cells, index)))
        return PyTuple_GET_ITEM(cells, index);
  PyObject *globals = PyFunction_GetGlobals(function);
  return PyDict_GetItemWithError(globals, name) ? globals : nullptr;
}

static PyObject *lookUp(PyObject *jitFunction, PyObject *name) {
  Reference function(PyObject_GetAttrString(jitFunction, "fn"));
  PyObject *scope = function ? scopeOfName(function.get(), name) : nullptr;
  if (!scope)
    return nullptr;
  return Py_XNewRef(PyCell_Check(scope) ? PyCell_GET(scope) : PyDict_GetItemWithError(scope, name));
}

/// Whether the pending exception says that there is no attribute `name`, and not what went wrong in the code that computes it.
static bool isAbsence(PyObject *name) {
  if (!PyErr_ExceptionMatches(PyExc_AttributeError))
    return false;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Reference missing(PyObject_GetAttrString(value, "name")); // None where the exception was made by hand
  PyErr_Clear();
  const bool isOther = missing && PyUnicode_Check(missing.get()) && PyUnicode_Compare(missing.get(), name) != 0;
  PyErr_Restore(type, value, traceback);
  return !isOther;
}

static PyObject *getAttribute(PyObject *object, PyObject *name) {
  PyObject *found = PyObject_GetAttr(object, name);
  if (!found && isAbsence(name))
    PyErr_Clear();
  return found;
}

static PyObject *import(PyObject *module, PyObject *name) {
  Reference found(PyImport_Import(module));
  return found ? PyObject_GetAttr(found.get(), name) : nullptr;
}

static PyObject *describeCode(PyObject *callable) {
  Reference fingerprints(PyImport_ImportModule("triton.runtime.fingerprints"));
  Reference describe(fingerprints ? PyObject_GetAttrString(fingerprints.get(), "code_key") : nullptr);
  return describe ? PyObject_CallOneArg(describe.get(), callable) : nullptr;
}

static PyObject *applyBinary(embed::BinaryOperation operation, PyObject *lhs, PyObject *rhs) {
  using enum embed::BinaryOperation;
  switch (operation) {
  case Add:
    return PyNumber_Add(lhs, rhs);
  case Sub:
    return PyNumber_Subtract(lhs, rhs);
  case Mul:
    return PyNumber_Multiply(lhs, rhs);
  case TrueDiv:
    return PyNumber_TrueDivide(lhs, rhs);
  case FloorDiv:
    return PyNumber_FloorDivide(lhs, rhs);
  case Mod:
    return PyNumber_Remainder(lhs, rhs);
  case Pow:
    return PyNumber_Power(lhs, rhs, Py_None);
  case LShift:
    return PyNumber_Lshift(lhs, rhs);
  case RShift:
    return PyNumber_Rshift(lhs, rhs);
  case And:
    return PyNumber_And(lhs, rhs);
  case Or:
    return PyNumber_Or(lhs, rhs);
  case Xor:
    return PyNumber_Xor(lhs, rhs);
  case MatMul:
    return PyNumber_MatrixMultiply(lhs, rhs);
  case Eq:
    return PyObject_RichCompare(lhs, rhs, Py_EQ);
  case Ne:
    return PyObject_RichCompare(lhs, rhs, Py_NE);
  case Lt:
    return PyObject_RichCompare(lhs, rhs, Py_LT);
  case Le:
    return PyObject_RichCompare(lhs, rhs, Py_LE);
  case Gt:
    return PyObject_RichCompare(lhs, rhs, Py_GT);
  case Ge:
    return PyObject_RichCompare(lhs, rhs, Py_GE);
  }
  return nullptr;
}

static PyObject *applyUnary(embed::UnaryOperation operation, PyObject *operand) {
  switch (operation) {
  case embed::UnaryOperation::Neg:
    return PyNumber_Negative(operand);
  case embed::UnaryOperation::Pos:
    return PyNumber_Positive(operand);
  case embed::UnaryOperation::Invert:
    return PyNumber_Invert(operand);
  case embed::UnaryOperation::Not:
    break;
  }
  int truth = PyObject_Not(operand);
  return truth < 0 ? nullptr : PyBool_FromLong(truth);
}

static PyObject *toBoolean(int truth) { return truth < 0 ? nullptr : PyBool_FromLong(truth); }

PyObject *answer(const HostQuestion &question) {
  using enum HostQuestion::Kind;
  PyObject *const *operands = question.operands.data();
  switch (question.kind) {
  case Argument:
    return Py_NewRef(operands[0]);
  case Lookup:
    return lookUp(operands[0], question.name);
  case Attribute:
    return getAttribute(operands[0], question.name);
  case Import:
    return import(operands[0], question.name);
  case Call:
    return PyObject_Call(operands[0], operands[1], operands[2]);
  case Code:
    return describeCode(operands[0]);
  case IsInstance:
    return toBoolean(PyObject_IsInstance(operands[0], operands[1]));
  case Binary:
    return applyBinary(embed::BinaryOperation(PyLong_AsLong(question.name)), operands[0], operands[1]);
  case Unary:
    return applyUnary(embed::UnaryOperation(PyLong_AsLong(question.name)), operands[0]);
  case Subscript:
    return PyObject_GetItem(operands[0], operands[1]);
  case Length: {
    Py_ssize_t size = PyObject_Size(operands[0]);
    return size < 0 ? nullptr : PyLong_FromSsize_t(size);
  }
  case Truth:
    return toBoolean(PyObject_IsTrue(operands[0]));
  case Iterate:
    return PySequence_Tuple(operands[0]);
  case Describe:
    return PyObject_Repr(operands[0]);
  }
  return nullptr;
}

} // namespace triton::python
