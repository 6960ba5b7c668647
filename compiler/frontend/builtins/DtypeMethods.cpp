// The methods of dtypes: questions answered at compile time.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"

using namespace mlir;

namespace triton::frontend {

static FailureOr<Value> answer(bool value) { return Value::boolean(value); }

template <ScalarKind kind> static FailureOr<Value> isKind(Emitter &, const BoundArguments &arguments) {
  const Type type = arguments[0].get<Type>();
  return answer(type.isScalar() && type.scalarKind() == kind);
}

/// A predicate of Type, asked only of number types.
template <bool (Type::*predicate)() const> static FailureOr<Value> asks(Emitter &, const BoundArguments &arguments) {
  const Type type = arguments[0].get<Type>();
  return answer(type.isScalar() && (type.*predicate)());
}

static FailureOr<Value> isUnsigned(Emitter &, const BoundArguments &arguments) {
  const Type type = arguments[0].get<Type>();
  return answer(type.isScalar() && type.isInteger() && !type.isSigned());
}

static FailureOr<Value> isBlock(Emitter &, const BoundArguments &arguments) {
  return answer(arguments[0].get<Type>().isBlock());
}
static FailureOr<Value> isPointer(Emitter &, const BoundArguments &arguments) {
  return answer(arguments[0].get<Type>().isPointer());
}
static FailureOr<Value> isConst(Emitter &, const BoundArguments &arguments) {
  const Type type = arguments[0].get<Type>();
  return answer(type.isPointer() && type.isConstPointer());
}

static FailureOr<Value> kindOf(Emitter &emitter, const BoundArguments &arguments) {
  const Type type = arguments[0].get<Type>();
  if (!type.isScalar() || type == Type::voidType())
    return emitter.error("ValueError") << type.str() << " has no kind";
  return Value::integer(type.isBool() ? 0 : type.isInteger() ? 1 : 2);
}

template <bool isMax> static FailureOr<Value> integerLimit(Emitter &emitter, const BoundArguments &arguments) {
  const Type type = arguments[0].get<Type>();
  if (!type.isScalar() || !type.isInteger())
    return emitter.error("AssertionError") << type.str() << " is not an integer type";
  const auto [low, high] = rangeOf(type);
  return Value::integer(isMax ? high : low);
}

static FailureOr<Value> codegenName(Emitter &, const BoundArguments &arguments) {
  const std::string name = arguments[0].get<Type>().str();
  if (llvm::StringRef(name).starts_with("fp"))
    return Value::string("float" + name.substr(2));
  return Value::string(llvm::StringRef(name).starts_with("bf") ? "bfloat" + name.substr(2) : name);
}

static FailureOr<Value> mangle(Emitter &, const BoundArguments &arguments) {
  return Value::string(arguments[0].get<Type>().mangle());
}

static FailureOr<Value> blockShapes(Emitter &, const BoundArguments &arguments) {
  std::vector<Value> sizes;
  const Type type = arguments[0].get<Type>();
  for (int64_t size : type.shape())
    sizes.push_back(Value::integer(size));
  return Value::tuple(std::move(sizes));
}

static FailureOr<Value> withElement(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Type> element = readElementType(emitter, arguments[1], "element type");
  if (failed(element))
    return failure();
  return Value::dtype(arguments[0].get<Type>().withElement(*element));
}

#define TRITON_IS(Name, Kind)                                                                                          \
  atCompileTime({"triton.language.dtype", "is_" Name, "(self)", "Whether this is the dtype " Name ".",                 \
                 isKind<ScalarKind::Kind>})

llvm::ArrayRef<Builtin> dtypeMethodBuiltins() {
  static const Builtin table[] = {
      TRITON_IS("fp8e4nv", Float8E4NV),
      TRITON_IS("fp8e4b8", Float8E4B8),
      TRITON_IS("fp8e4b15", Float8E4B15),
      TRITON_IS("fp8e5", Float8E5),
      TRITON_IS("fp8e5b16", Float8E5B16),
      TRITON_IS("fp16", Float16),
      TRITON_IS("bf16", BFloat16),
      TRITON_IS("fp32", Float32),
      TRITON_IS("fp64", Float64),
      TRITON_IS("int1", Int1),
      TRITON_IS("int8", Int8),
      TRITON_IS("int16", Int16),
      TRITON_IS("int32", Int32),
      TRITON_IS("int64", Int64),
      TRITON_IS("uint8", UInt8),
      TRITON_IS("uint16", UInt16),
      TRITON_IS("uint32", UInt32),
      TRITON_IS("uint64", UInt64),
      atCompileTime(
          {"triton.language.dtype", "is_fp8", "(self)", "Whether this is an 8-bit float.", asks<&Type::isFloat8>}),
      atCompileTime({"triton.language.dtype", "is_floating", "(self)", "Whether this is a float of any width.",
                     asks<&Type::isFloating>}),
      atCompileTime({"triton.language.dtype", "is_standard_floating", "(self)",
                     "Whether this is float16, bfloat16, float32 or float64.", asks<&Type::isStandardFloating>}),
      atCompileTime({"triton.language.dtype", "is_int_signed", "(self)", "Whether this is a signed integer.",
                     asks<&Type::isSigned>}),
      atCompileTime({"triton.language.dtype", "is_int_unsigned", "(self)",
                     "Whether this is an unsigned integer, int1 included.", isUnsigned}),
      atCompileTime({"triton.language.dtype", "is_int", "(self)", "Whether this is an integer, int1 included.",
                     asks<&Type::isInteger>}),
      atCompileTime({"triton.language.dtype", "is_bool", "(self)", "Whether this is int1.", asks<&Type::isBool>}),
      atCompileTime({"triton.language.dtype", "is_block", "(self)", "Whether this is the type of a block.", isBlock}),
      atCompileTime({"triton.language.dtype", "is_ptr", "(self)", "Whether this is a pointer type.", isPointer}),
      atCompileTime({"triton.language.dtype", "is_const", "(self)",
                     "Whether this is a pointer to memory that may not be written.", isConst}),
      atCompileTime(
          {"triton.language.dtype", "kind", "(self)", "`dtype.KIND.BOOLEAN`, `INTEGRAL` or `FLOATING`.", kindOf}),
      atCompileTime({"triton.language.dtype", "get_int_max_value", "(self)", "The largest value of an integer type.",
                     integerLimit<true>}),
      atCompileTime({"triton.language.dtype", "get_int_min_value", "(self)", "The smallest value of an integer type.",
                     integerLimit<false>}),
      atCompileTime(
          {"triton.language.dtype", "codegen_name", "(self)", "The name with `float` spelled out.", codegenName}),
      atCompileTime({"triton.language.dtype", "mangle", "(self)", "The type's part of a symbol name.", mangle}),
      atCompileTime({"triton.language.dtype", "get_block_shapes", "(self)", "The shape of a block type.", blockShapes}),
      atCompileTime({"triton.language.dtype", "with_element_ty", "(self, scalar_ty)",
                     "The same shape with another element type.", withElement}),
  };
  return table;
}

#undef TRITON_IS

} // namespace triton::frontend
