// What a Python object is when it is passed to a kernel: its kind, type, and the bits to pass.
//   In:  any object.
//   Out: an Argument, or a Python exception.
// Both the key of a launch and the packed arguments come from here, so that an object is looked at once.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace triton::python {

enum class ArgumentKind : uint8_t {
  None,
  Boolean,
  Integer,
  Real,
  Pointer,
  Constexpr,
  Callable,
  Tuple,
  Descriptor,
  Unknown
};

/// An index into the canonical type names: "i32", "fp16", ….
enum class TypeCode : uint8_t {
  U1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Fp8E4NV,
  Fp8E5,
  Fp8E4B15,
  Fp8E4B8,
  Fp8E5B16,
  Fp16,
  Bf16,
  Fp32,
  Fp64,
  Void,
  None = 255
};
std::string_view nameOf(TypeCode code);
/// TypeCode::None if it is not a canonical name.
TypeCode typeCodeOf(std::string_view name);

/// Whose memory a pointer leads to, as far as the object says.
enum class Memory : uint8_t { Host, Device, Unknown };

struct Argument {
  ArgumentKind kind = ArgumentKind::Unknown;
  TypeCode type = TypeCode::None; // integers: i32, i64 or u64; pointers: of the element
  bool isReadOnly = false;        // pointers: who owns the memory says so
  Memory memory = Memory::Host;   // pointers
  union {
    uint64_t bits; // None, booleans, integers (two's complement), pointers
    double real;
  };
  Argument() : bits(0) {}
  /// An int of one digit: it fits in 32 bits.
  void setCompact(int64_t value) {
    kind = ArgumentKind::Integer;
    type = TypeCode::I32;
    bits = uint64_t(value);
  }
  void setReal(double value) {
    kind = ArgumentKind::Real;
    type = TypeCode::Fp32;
    real = value;
  }
  /// Kind, type and whether it is read-only, as one number of 24 bits.
  uint32_t traits() const {
    uint32_t word;
    std::memcpy(&word, this, sizeof(word));
    return word & 0xffffff;
  }
  bool isOne() const { return kind == ArgumentKind::Integer && bits == 1 && type == TypeCode::I32; }
  bool isDivisibleBy16() const { return bits % 16 == 0; }
};

/// Looks at `object`; false with a Python exception set. `holder` receives an object that must live as long as the pointer is used, or null.
bool classify(PyObject *object, Argument &argument, PyObject **holder);

/// The canonical type of a dtype object of any library (torch.float16, dtype('float16'), tl.float16); None with a TypeError set.
TypeCode typeCodeOfDtype(PyObject *dtype);

/// `(type, key)` of an argument by the rules of specialisation, as Python objects; null with an exception set.
PyObject *specialize(PyObject *backend, PyObject *object, bool isConst, bool specializeValue, bool align);

} // namespace triton::python
