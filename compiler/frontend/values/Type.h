// The types of the kernel language. Unlike IR types they know signedness, constness of pointers and the structure of tuples.
// A Type is a small immutable handle; equality is structural.
#pragma once

#include "dispatch/ScalarType.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace triton::frontend {

class Value;
class Host;

/// Something that only the host understands: a module, a class, an enum member, any Python object. The host keeps it alive.
struct HostObject {
  Host *host = nullptr;
  std::shared_ptr<const void> handle; // identity = handle.get()

  explicit operator bool() const { return handle != nullptr; }
  bool operator==(const HostObject &other) const { return handle == other.handle; }
};

using ScalarKind = dispatch::ScalarType;

class Type {
public:
  enum class Kind : uint8_t { Scalar, Pointer, Block, Tuple, Descriptor, Aggregate, Constant, Handle };

  static Type scalar(ScalarKind kind);
  static Type pointer(Type element, bool isConst = false, unsigned addressSpace = 1);
  /// `layout` says which thread holds which element, in languages where the kernel says so; null where the compiler chooses.
  static Type block(Type element, llvm::ArrayRef<int64_t> shape, mlir::Attribute layout = {});
  /// What only its methods can look into: a buffer in some memory. `className` is the path of its class, `ir` its one IR type.
  static Type handle(std::string className, Type element, llvm::ArrayRef<int64_t> shape, mlir::Attribute layout,
                     mlir::Type ir);
  /// `fields` is empty or holds one name per element; `hostClass` is the NamedTuple class it came from, if any.
  static Type tuple(llvm::ArrayRef<Type> elements, llvm::ArrayRef<std::string> fields = {}, HostObject hostClass = {});
  static Type descriptor(Type block, llvm::ArrayRef<Type> shape, llvm::ArrayRef<Type> strides);
  static Type aggregate(std::string className, HostObject hostClass, llvm::ArrayRef<std::string> fields,
                        llvm::ArrayRef<Type> elements);
  /// The type of a compile-time value: two are equal iff their values are.
  static Type constant(Value value);
  static Type voidType() { return scalar(ScalarKind::Void); }
  static Type int1() { return scalar(ScalarKind::Int1); }
  static Type int32() { return scalar(ScalarKind::Int32); }
  static Type int64() { return scalar(ScalarKind::Int64); }
  static Type float32() { return scalar(ScalarKind::Float32); }

  /// A signature string: `i32`, `fp16`, `*fp32`, `*ki8`, `u1`, `tensordesc<fp16[64, 64]>`, and the names `int32`, `float16`, ….
  static std::optional<Type> parse(llvm::StringRef text);

  Kind kind() const;
  bool isScalar() const { return kind() == Kind::Scalar; }
  bool isPointer() const { return kind() == Kind::Pointer; }
  bool isBlock() const { return kind() == Kind::Block; }
  bool isHandle() const { return kind() == Kind::Handle; }
  /// The type of one element: of a block its element type, else the type itself.
  Type element() const;
  /// What a pointer (or a block of pointers) points to.
  Type pointee() const;
  bool isConstPointer() const;
  unsigned addressSpace() const;
  /// Of a block or a handle; null if it has none.
  mlir::Attribute layout() const;
  /// Empty unless a block or a handle.
  llvm::ArrayRef<int64_t> shape() const;
  int64_t elementCount() const;
  Type withElement(Type element) const;
  llvm::ArrayRef<Type> elements() const;      // tuple, aggregate; descriptor: shape types then stride types
  llvm::ArrayRef<std::string> fields() const; // tuple, aggregate
  const HostObject &hostClass() const;        // tuple, aggregate
  llvm::StringRef className() const;          // aggregate, handle
  Type descriptorBlock() const;
  const Value &constantValue() const;

  // Of the element type:
  ScalarKind scalarKind() const;
  bool isPointerLike() const; // a pointer or a block of pointers
  bool isFloating() const, isFloat8() const, isStandardFloating() const;
  bool isInteger() const; // int1 included
  bool isSigned() const;  // signed integers; int1 and uints are unsigned
  bool isBool() const;
  unsigned bitWidth() const; // pointers: 64
  unsigned mantissaWidth() const;

  /// The name users know: `int32`, `fp32`, `pointer<fp32>`, `<[128, 64], fp16>`.
  std::string str() const;
  /// For symbol names of specialised functions.
  std::string mangle() const;
  /// Equal for equal types only: for specialisation keys.
  std::string key() const;
  /// The signature text: `i32`, `*fp32`, `*kfp16`.
  std::string signature() const;
  /// The one IR type of a scalar, pointer or block; descriptors give `!tt.tensordesc`. Memory form of int1 is i8 (pointee only).
  mlir::Type toIr(mlir::MLIRContext *context) const;

  bool operator==(const Type &other) const;

  struct Storage;
  explicit Type(std::shared_ptr<const Storage> storage) : storage(std::move(storage)) {}

private:
  friend mlir::Type handleIr(const Type &type);
  std::string layoutText(llvm::StringRef before) const;
  std::shared_ptr<const Storage> storage;
};

mlir::Type handleIr(const Type &type);

inline llvm::StringRef nameOf(ScalarKind kind) { return dispatch::infoOf(kind).name; } // "int32", "fp8e4nv"

/// The type two integer types meet in (semantics 8.4): C-like, int1 being an unsigned type of width 1.
Type promoteIntegers(const Type &a, const Type &b);

} // namespace triton::frontend
