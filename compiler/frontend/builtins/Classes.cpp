// The classes of the language: what isinstance asks for, and those that kernels may call.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::frontend {

static FailureOr<Value> constexprClass(Emitter &, const BoundArguments &arguments) {
  // Programs wrap tensors too, and go on with what is inside.
  return arguments[0];
}

static FailureOr<Value> dtypeClass(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> name = readString(emitter, arguments[0], "dtype name");
  if (failed(name))
    return failure();
  std::optional<ScalarKind> kind = dispatch::scalarTypeByName(*name);
  if (!kind || nameOf(*kind) != *name)
    return emitter.error("AssertionError") << "unknown dtype name '" << *name << "'";
  return Value::dtype(Type::scalar(*kind));
}

/// A number, or since 3.9 the name of the one space that kernels point to.
static FailureOr<int64_t> readAddressSpace(Emitter &emitter, const Value &value) {
  if (const auto *name = value.getIf<std::string>(); name && *name == "global")
    return 1;
  return readInteger(emitter, value, "address_space");
}

static FailureOr<Value> pointerTypeClass(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Type> element = readType(emitter, arguments[0], "element_ty");
  FailureOr<int64_t> space = failed(element) ? FailureOr<int64_t>() : readAddressSpace(emitter, arguments[1]);
  FailureOr<bool> isConst = failed(space) ? FailureOr<bool>() : readBoolean(emitter, arguments[2], "const");
  if (failed(isConst))
    return failure();
  return Value::dtype(Type::pointer(*element, *isConst, static_cast<unsigned>(*space)));
}

static FailureOr<Value> blockTypeClass(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Type> element = readElementType(emitter, arguments[0], "element_ty");
  FailureOr<std::vector<int64_t>> shape =
      failed(element) ? FailureOr<std::vector<int64_t>>() : readIntegers(emitter, arguments[1], "shape");
  if (failed(shape))
    return failure();
  if (shape->empty())
    return emitter.error("TypeError") << "block_type needs a shape that is not empty";
  if (failed(tensor::checkShape(*shape, ruleErrors(emitter))))
    return failure();
  return Value::dtype(Type::block(*element, *shape));
}

static FailureOr<Value> tupleClass(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::vector<Value>> elements = readSequence(emitter, arguments[0], "args");
  if (failed(elements))
    return failure();
  return Value::tuple(std::move(*elements));
}

static FailureOr<Value> sliceClass(Emitter &, const BoundArguments &arguments) {
  return Value(std::make_shared<const SliceValue>(SliceValue{arguments[0], arguments[1], arguments[2]}));
}

static FailureOr<Value> constexprTypeClass(Emitter &emitter, const BoundArguments &arguments) {
  if (arguments[0].isTensor())
    return emitter.error("TypeError") << "constexpr_type needs a compile-time value, got a run-time value of type "
                                      << arguments[0].type().str();
  return Value::dtype(arguments[0].type());
}

static FailureOr<Value> tupleTypeClass(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::vector<Value>> elements = readSequence(emitter, arguments[0], "types");
  if (failed(elements))
    return failure();
  llvm::SmallVector<Type> types;
  for (const Value &element : *elements) {
    FailureOr<Type> type = readType(emitter, element, "types");
    if (failed(type))
      return failure();
    types.push_back(*type);
  }
  std::vector<std::string> fields;
  if (!arguments[1].isNone()) {
    FailureOr<std::vector<Value>> names = readSequence(emitter, arguments[1], "fields");
    if (failed(names))
      return failure();
    for (const Value &name : *names) {
      FailureOr<std::string> field = readString(emitter, name, "fields");
      if (failed(field))
        return failure();
      fields.push_back(*field);
    }
    if (fields.size() != types.size())
      return emitter.error("ValueError") << "tuple_type needs a name for each of " << types.size() << " types, got "
                                         << fields.size();
  }
  return Value::dtype(Type::tuple(types, fields));
}

static FailureOr<Value> notConstructible(Emitter &emitter, const BoundArguments &) {
  return emitter.error("TypeError") << "this class cannot be called in a kernel";
}

static const Type *asType(const Value &value) { return value.getIf<Type>(); }
static bool isTypeOf(const Value &value, Type::Kind kind) { return asType(value) && asType(value)->kind() == kind; }

static bool isLanguageInstance(const Value &value, llvm::StringRef name) {
  if (name == "tensor")
    return value.isTensor();
  if (name == "tuple")
    return value.tuple() != nullptr;
  if (name == "slice")
    return value.is<std::shared_ptr<const SliceValue>>();
  if (name == "tensor_descriptor" || name == "tensor_descriptor_base")
    return value.descriptor() != nullptr;
  if (name == "base_value")
    return value.isTensor() || value.tuple() || value.descriptor() || value.aggregate();
  if (name == "base_type")
    return asType(value) != nullptr;
  if (name == "dtype")
    return isTypeOf(value, Type::Kind::Scalar) || isTypeOf(value, Type::Kind::Pointer) ||
           isTypeOf(value, Type::Kind::Block);
  if (name == "pointer_type")
    return isTypeOf(value, Type::Kind::Pointer);
  if (name == "block_type")
    return isTypeOf(value, Type::Kind::Block);
  if (name == "tuple_type")
    return isTypeOf(value, Type::Kind::Tuple);
  if (name == "constexpr_type")
    return isTypeOf(value, Type::Kind::Constant);
  if (name == "tensor_descriptor_type" || name == "tensor_descriptor_base_type")
    return isTypeOf(value, Type::Kind::Descriptor);
  return false; // a constexpr is seen as what it wraps, so nothing is an instance of that class
}

bool isInstanceOf(const Value &value, const Builtin &builtinClass) {
  if (builtinClass.module != "builtins")
    return isLanguageInstance(value, builtinClass.name);
  if (builtinClass.name == "int")
    return value.is<Integer>() || value.is<bool>();
  if (builtinClass.name == "float")
    return value.is<double>();
  if (builtinClass.name == "bool")
    return value.is<bool>();
  if (builtinClass.name == "str")
    return value.is<std::string>();
  const TupleValue *tuple = value.tuple();
  return tuple && builtinClass.name == (tuple->isList ? "list" : "tuple");
}

#define TRITON_CLASS(Name, Signature, Documentation, Emit)                                                             \
  Builtin { "triton.language.core", Name, Signature, Documentation, Emit, false, false, Builtin::Kind::Class }

llvm::ArrayRef<Builtin> classBuiltins() {
  static const Builtin table[] = {
      TRITON_CLASS("tensor", "(handle, type)",
                   "A value known at run time: a scalar, or a block of scalars in a compile-time shape.",
                   notConstructible),
      atCompileTime(TRITON_CLASS(
          "constexpr", "(value)",
          "A value known at compile time. As an annotation it keeps a parameter or variable at compile time.",
          constexprClass)),
      atCompileTime(TRITON_CLASS("dtype", "(name)", "An element type. `dtype(\"fp32\")` is `tl.float32`.", dtypeClass)),
      atCompileTime(TRITON_CLASS("pointer_type", "(element_ty, address_space=1, const=False)",
                                 "The type of pointers to `element_ty`.", pointerTypeClass)),
      TRITON_CLASS("block_type", "(element_ty, shape)", "The type of blocks of `shape`.", blockTypeClass),
      atCompileTime(TRITON_CLASS("tuple", "(args, type=None)", "An immutable sequence of values.", tupleClass)),
      atCompileTime(
          TRITON_CLASS("slice", "(start, stop, step)", "What slicing syntax makes, at compile time.", sliceClass)),
      TRITON_CLASS("tensor_descriptor", "(handle, shape, strides, type)",
                   "A tensor in memory, read and written one block at a time; see `make_tensor_descriptor`.",
                   notConstructible),
      TRITON_CLASS("const", "()",
                   "As an annotation of a kernel's pointer parameter: memory that the kernel only reads.",
                   notConstructible),
      atCompileTime(TRITON_CLASS("tuple_type", "(types, fields=None)", "The type of tuples.", tupleTypeClass)),
      atCompileTime(TRITON_CLASS("constexpr_type", "(value)", "The type of a compile-time value.", constexprTypeClass)),
      TRITON_CLASS("slice_type", "()", "The type of slices.", notConstructible),
      TRITON_CLASS("tensor_descriptor_type", "(block_type, shape_type, strides_type)",
                   "The type of tensor descriptors.", notConstructible),
      TRITON_CLASS("tensor_descriptor_base", "(handle, type)", "What all tensor descriptors are.", notConstructible),
      TRITON_CLASS("tensor_descriptor_base_type", "(block_type)", "The type of what all tensor descriptors are.",
                   notConstructible),
      TRITON_CLASS("base_value", "()", "What every value of a kernel is.", notConstructible),
      TRITON_CLASS("base_type", "()", "What every type of a kernel's values is.", notConstructible),
  };
  return table;
}

#undef TRITON_CLASS

} // namespace triton::frontend
