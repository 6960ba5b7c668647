// Integers are range-checked for their width, and any but 0 is true; floats are rounded to fp32 and fp16, and truncated to bf16, as GPU drivers' launchers do.
#include "bindings/interpreter/Scalars.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace triton::python {

/// Round to nearest even, through the exact value: a double has more bits than half needs twice over.
static uint16_t toHalf(double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint16_t sign = uint16_t(bits >> 48 & 0x8000);
  if (std::isnan(value))
    return sign | 0x7e00;
  double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) // halfway between the largest half and the next power of two
    return sign | 0x7c00;
  int exponent = magnitude == 0 ? -24 : std::max(std::ilogb(magnitude), -14) - 10; // of the last bit kept
  double steps = std::nearbyint(std::ldexp(magnitude, -std::max(exponent, -24)));
  if (magnitude < 0x1p-14)
    return sign | uint16_t(steps);
  return sign | uint16_t((exponent + 24) * 1024 + uint16_t(steps)); // a carry moves into the exponent by itself
}

template <typename T> static void write(T value, std::byte *destination) {
  std::memcpy(destination, &value, sizeof(value));
}

static bool packReal(TypeCode type, double value, std::byte *destination) {
  switch (type) {
  case TypeCode::Fp16:
    write(toHalf(value), destination);
    return true;
  case TypeCode::Bf16:
    write(uint16_t(std::bit_cast<uint32_t>(float(value)) >> 16), destination);
    return true;
  case TypeCode::Fp32:
    write(float(value), destination);
    return true;
  case TypeCode::Fp64:
    write(value, destination);
    return true;
  default:
    PyErr_Format(PyExc_TypeError, "a scalar argument cannot be of type %s", nameOf(type).data());
    return false;
  }
}

struct IntegerRange {
  int64_t low;
  uint64_t high;
  unsigned bytes;
};

static IntegerRange rangeOf(TypeCode type) {
  switch (type) {
  case TypeCode::U1: // passed as a byte
  case TypeCode::U8:
    return {0, UINT8_MAX, 1};
  case TypeCode::I8:
    return {INT8_MIN, INT8_MAX, 1};
  case TypeCode::I16:
    return {INT16_MIN, INT16_MAX, 2};
  case TypeCode::I32:
    return {INT32_MIN, INT32_MAX, 4};
  case TypeCode::I64:
    return {INT64_MIN, INT64_MAX, 8};
  case TypeCode::U16:
    return {0, UINT16_MAX, 2};
  case TypeCode::U32:
    return {0, UINT32_MAX, 4};
  case TypeCode::U64:
    return {0, UINT64_MAX, 8};
  default:
    return {0, 0, 0};
  }
}

static bool fits(const Argument &argument, const IntegerRange &range) {
  bool isNegative = argument.type != TypeCode::U64 && int64_t(argument.bits) < 0;
  return isNegative ? int64_t(argument.bits) >= range.low : argument.bits <= range.high;
}

bool packScalar(TypeCode type, PyObject *object, const Argument &argument, std::byte *destination) {
  bool isInteger = argument.kind == ArgumentKind::Integer || argument.kind == ArgumentKind::Boolean;
  IntegerRange range = rangeOf(type);
  if (range.bytes == 0) {
    if (!isInteger && argument.kind != ArgumentKind::Real) {
      PyErr_Format(PyExc_TypeError, "expected a number for an argument of type %s, got %s", nameOf(type).data(),
                   Py_TYPE(object)->tp_name);
      return false;
    }
    double value = argument.kind == ArgumentKind::Real ? argument.real : PyFloat_AsDouble(object);
    return (value != -1 || !PyErr_Occurred()) && packReal(type, value, destination);
  }
  if (!isInteger) {
    PyErr_Format(PyExc_TypeError, "expected an integer for an argument of type %s, got %s", nameOf(type).data(),
                 Py_TYPE(object)->tp_name);
    return false;
  }
  if (!fits(argument, range)) {
    PyErr_Format(PyExc_OverflowError, "the integer %R does not fit in an argument of type %s", object,
                 nameOf(type).data());
    return false;
  }
  const uint64_t bits = type == TypeCode::U1 ? argument.bits != 0 : argument.bits;
  std::memcpy(destination, &bits, range.bytes); // little endian
  return true;
}

} // namespace triton::python
