// What a name in kernel code is bound to: a compile-time value or SSA values with a language type.
#pragma once

#include "compiler/frontend/values/Type.h"

#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/DynamicAPInt.h"

#include <variant>

namespace triton::frontend {

class Function;
struct Builtin;

using Integer = llvm::DynamicAPInt; // Python's int: any size

struct NoneValue {};
struct EllipsisValue {};

/// A module of the language's own tree ("triton.language", "triton.language.math"), the same for every host.
struct ModuleValue {
  std::string path;
};

struct TensorValue {
  mlir::Value ir;
  Type type;
};

struct TupleValue {
  std::vector<Value> elements;
  std::vector<std::string> fields; // empty, or one name per element
  HostObject hostClass;            // the NamedTuple class, if any
  bool isList = false;             // a list of compile-time Python; in kernels lists are tuples
};

/// A descriptor: the handle, then the shape (i32 each) and strides (i64 each). Elements of shape/strides may be constants.
struct DescriptorValue {
  mlir::Value ir;
  Type type;
  std::vector<Value> shape, strides;
};

struct AggregateValue {
  std::string className;
  HostObject hostClass;
  std::vector<std::string> fields;
  std::vector<Value> elements;
};

/// A value that only its own methods look into: a buffer in shared memory, say.
struct HandleValue {
  mlir::Value ir;
  Type type;
};

struct SliceValue;
struct BoundMethod;

class Value {
public:
  using Storage = std::variant<NoneValue, EllipsisValue, bool, Integer, double, std::string, Type, TensorValue,
                               std::shared_ptr<const TupleValue>, std::shared_ptr<const DescriptorValue>,
                               std::shared_ptr<const AggregateValue>, std::shared_ptr<const SliceValue>,
                               std::shared_ptr<const Function>, const Builtin *, std::shared_ptr<const BoundMethod>,
                               ModuleValue, HostObject, HandleValue>;

  Value() = default; // None
  Value(Storage storage) : storage(std::move(storage)) {}
  static Value none() { return {}; }
  static Value boolean(bool value) { return Value(Storage(std::in_place_type<bool>, value)); }
  static Value integer(int64_t value) { return Value(Storage(Integer(value))); }
  static Value integer(Integer value) { return Value(Storage(std::move(value))); }
  static Value real(double value) { return Value(Storage(value)); }
  static Value string(std::string value) { return Value(Storage(std::move(value))); }
  static Value dtype(Type type) { return Value(Storage(std::move(type))); }
  static Value tensor(mlir::Value ir, Type type) { return Value(Storage(TensorValue{ir, std::move(type)})); }
  static Value tuple(std::vector<Value> elements, std::vector<std::string> fields = {}, HostObject hostClass = {});
  static Value list(std::vector<Value> elements);

  template <typename T> const T *getIf() const { return std::get_if<T>(&storage); }
  template <typename T> const T &get() const { return std::get<T>(storage); }
  template <typename T> bool is() const { return std::holds_alternative<T>(storage); }
  bool isNone() const { return is<NoneValue>(); }
  static Value handle(mlir::Value ir, Type type) { return Value(Storage(HandleValue{ir, std::move(type)})); }
  bool isTensor() const { return is<TensorValue>(); }
  const TupleValue *tuple() const;
  const DescriptorValue *descriptor() const;
  const AggregateValue *aggregate() const;
  bool isNumber() const { return is<bool>() || is<Integer>() || is<double>(); }
  /// True when nothing in it is an SSA value (tuples: no element is).
  bool isCompileTime() const;

  /// The language type: of a tensor its type, of a tuple a tuple type, of a compile-time value `Type::constant(value)`.
  Type type() const;
  /// As Python would print it, for messages: `3`, `'abc'`, `None`, `int32[constexpr[128]]` for tensors.
  std::string str() const;
  std::string repr() const;
  /// A text that is equal for equal compile-time values: for specialisation keys.
  std::string key() const;

  Storage storage;
};

/// A float as Python's repr writes it: the shortest digits that read back equal.
std::string pythonRepr(double value);
/// A string as Python's repr writes it.
std::string pythonRepr(llvm::StringRef value);

/// Structural equality of compile-time values, Python's `==` rules between bool, int and float.
bool equalConstants(const Value &a, const Value &b);

struct SliceValue {
  Value start, stop, step;
};

struct BoundMethod {
  Value self;
  Value callable; // a Builtin, a Function or a HostObject
};

/// SSA values of `value` in order, appended. Compile-time parts contribute none.
void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &out);
/// Rebuilds a value of the shape of `like` from SSA values, taking them from the front of `ir`.
Value rebuild(const Value &like, mlir::ValueRange &ir);
/// Rebuilds from a type alone (kernel arguments, call results). Constant parts come from the type.
Value rebuild(const Type &type, mlir::ValueRange &ir);
/// IR types of the flattened form.
void flattenTypes(const Type &type, mlir::MLIRContext *context, llvm::SmallVectorImpl<mlir::Type> &out);

} // namespace triton::frontend
