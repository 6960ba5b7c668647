// What `value.name` means for the values of the language.
#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/LayoutPolicy.h"
#include "compiler/frontend/Library.h"
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/frontend/emitter/Function.h"
#include "compiler/frontend/values/Literals.h"
#include "compiler/tensor/Tensor.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::frontend {

using Attribute = FailureOr<std::optional<Value>>;

static Value shapeTuple(ArrayRef<int64_t> shape) {
  std::vector<Value> sizes;
  for (int64_t size : shape)
    sizes.push_back(Value::integer(size));
  return Value::tuple(std::move(sizes));
}

static Value bind(const Value &self, Value callable) {
  return Value(std::make_shared<const BoundMethod>(BoundMethod{self, std::move(callable)}));
}

static std::optional<Value> builtinMethod(const Value &self, llvm::StringRef className, llvm::StringRef name) {
  if (const Builtin *method = findBuiltin(className, name))
    return bind(self, Value(Value::Storage(method)));
  return std::nullopt;
}

static Attribute transposed(Emitter &emitter, const Value &tensor) {
  const Type type = tensor.type();
  if (type.shape().size() != 2)
    return emitter.error("ValueError") << "only 2D tensors can be transposed with .T, got shape ["
                                       << llvm::interleaved(type.shape()) << "]";
  FailureOr<Value> result =
      emitter.call(Value(Value::Storage(findMethod("trans"))), {.positional = {tensor}, .keywords = {}});
  if (failed(result))
    return failure();
  return std::optional<Value>(*result);
}

static Attribute tensorAttribute(Emitter &emitter, const Value &tensor, llvm::StringRef name) {
  const Type type = tensor.type();
  if (name == "type")
    return std::optional(Value::dtype(type));
  if (name == "dtype")
    return std::optional(Value::dtype(type.element()));
  if (name == "shape")
    return std::optional(shapeTuple(type.shape()));
  if (name == "numel")
    return std::optional(Value::integer(type.elementCount()));
  if (name == "T")
    return transposed(emitter, tensor);
  if (const Builtin *method = findMethod(name))
    return std::optional(bind(tensor, Value(Value::Storage(method))));
  if (std::shared_ptr<const Function> method = libraryMethod(name))
    return std::optional(bind(tensor, Value(Value::Storage(std::move(method)))));
  return std::optional<Value>();
}

static int64_t exponentBias(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::Float8E4NV:
    return 7;
  case ScalarKind::Float8E4B8:
    return 8;
  case ScalarKind::Float8E5B16:
    return 16;
  case ScalarKind::BFloat16:
  case ScalarKind::Float32:
    return 127;
  case ScalarKind::Float64:
    return 1023;
  default:
    return 15; // e5, e4b15, f16
  }
}

static std::optional<Value> numberTypeAttribute(Type type, llvm::StringRef name) {
  const bool isInteger = type.isInteger(), isFloating = type.isFloating();
  if (name == "primitive_bitwidth" || (name == "int_bitwidth" && isInteger))
    return Value::integer(type.bitWidth());
  if (name == "itemsize")
    return Value::integer(type.bitWidth() / 8);
  if (name == "cache_key_part")
    return Value::string(type.str());
  if (name == "int_signedness" && isInteger)
    return Value::integer(type.isSigned() ? 0 : 1);
  if (name == "fp_mantissa_width" && isFloating)
    return Value::integer(type.mantissaWidth());
  if (name == "exponent_bias" && isFloating)
    return Value::integer(exponentBias(type.scalarKind()));
  return std::nullopt;
}

static std::optional<Value> pointerTypeAttribute(Type type, llvm::StringRef name) {
  if (name == "element_ty")
    return Value::dtype(type.pointee());
  if (name == "address_space")
    return Value::integer(type.addressSpace());
  if (name == "const")
    return Value::boolean(type.isConstPointer());
  if (name == "primitive_bitwidth")
    return Value::integer(64);
  return std::nullopt;
}

static std::optional<Value> blockTypeAttribute(Type type, llvm::StringRef name) {
  if (name == "element_ty")
    return Value::dtype(type.element());
  if (name == "shape")
    return shapeTuple(type.shape());
  if (name == "numel")
    return Value::integer(type.elementCount());
  if (name == "nbytes")
    return Value::integer(type.elementCount() * (type.bitWidth() / 8));
  return std::nullopt;
}

static std::optional<Value> typeAttribute(const Value &value, llvm::StringRef name) {
  const Type type = value.get<Type>();
  if (name == "name")
    return Value::string(type.str());
  if (name == "scalar")
    return Value::dtype(type.element());
  std::optional<Value> result;
  if (type.isScalar())
    result = numberTypeAttribute(type, name);
  else if (type.isPointer())
    result = pointerTypeAttribute(type, name);
  else if (type.isBlock() || type.isHandle())
    result = blockTypeAttribute(type, name);
  return result ? result : builtinMethod(value, "triton.language.dtype", name);
}

static std::optional<Value> descriptorAttribute(const Value &value, const DescriptorValue &descriptor,
                                                llvm::StringRef name) {
  const Type block = descriptor.type.descriptorBlock();
  if (name == "type")
    return Value::dtype(descriptor.type);
  if (name == "dtype")
    return Value::dtype(block.element());
  if (name == "block_type")
    return Value::dtype(block);
  if (name == "block_shape")
    return shapeTuple(block.shape());
  if (name == "shape")
    return Value::tuple(descriptor.shape);
  if (name == "strides")
    return Value::tuple(descriptor.strides);
  return builtinMethod(value, "triton.language.tensor_descriptor", name);
}

static std::optional<Value> fieldOf(ArrayRef<std::string> fields, ArrayRef<Value> elements, llvm::StringRef name) {
  for (auto [field, element] : llvm::zip(fields, elements))
    if (field == name)
      return element;
  return std::nullopt;
}

// An attribute of a value's own class: functions there are its methods.
static Attribute classAttribute(Emitter &emitter, const Value &self, const HostObject &hostClass,
                                llvm::StringRef name) {
  if (!hostClass.host)
    return std::optional<Value>();
  llvm::Expected<std::optional<Value>> found = hostClass.host->attribute(hostClass, name);
  if (!found)
    return emitter.fail(found.takeError());
  const bool isMethod = *found && ((*found)->is<std::shared_ptr<const Function>>() || (*found)->is<HostObject>());
  return isMethod ? std::optional(bind(self, **found)) : *found;
}

static Attribute tupleAttribute(Emitter &emitter, const Value &value, const TupleValue &tuple, llvm::StringRef name) {
  if (std::optional<Value> field = fieldOf(tuple.fields, tuple.elements, name))
    return field;
  if (name == "type")
    return std::optional(Value::dtype(value.type()));
  if (name == "values")
    return std::optional(Value::tuple(tuple.elements));
  return classAttribute(emitter, value, tuple.hostClass, name);
}

static Attribute aggregateAttribute(Emitter &emitter, const Value &value, const AggregateValue &aggregate,
                                    llvm::StringRef name) {
  if (std::optional<Value> field = fieldOf(aggregate.fields, aggregate.elements, name))
    return field;
  if (name == "type")
    return std::optional(Value::dtype(value.type()));
  return classAttribute(emitter, value, aggregate.hostClass, name);
}

static std::optional<Value> sliceAttribute(const SliceValue &slice, llvm::StringRef name) {
  if (name == "start")
    return slice.start;
  if (name == "stop")
    return slice.stop;
  return name == "step" ? std::optional(slice.step) : std::nullopt;
}

// Every compile-time value may be asked for what a constexpr object would have.
static std::optional<Value> constantAttribute(const Value &value, llvm::StringRef name) {
  if (name == "value")
    return value;
  if (name == "type")
    return Value::dtype(Type::constant(value));
  if (value.is<std::string>())
    return builtinMethod(value, "builtins.str", name);
  if (value.is<Integer>() || value.is<bool>())
    return builtinMethod(value, "builtins.int", name);
  return std::nullopt;
}

/// `layout` of a type, or of a handle, as the kernel knows it.
static Attribute layoutAttribute(Emitter &emitter, const Type &type) {
  FailureOr<Value> object = emitter.layouts()->layoutObject(emitter, type.layout(), type.shape());
  if (failed(object))
    return failure();
  return std::optional(*object);
}

/// The bytes of a buffer or block of this type that each CTA of a cluster holds: those of a part, where the layout cuts it into parts.
static Attribute bytesPerCta(Emitter &emitter, const Type &type) {
  Attribute layout = layoutAttribute(emitter, type);
  Attribute cluster = failed(layout) ? layout : valueAttribute(emitter, **layout, "cga_layout");
  if (failed(cluster) || !*cluster)
    return cluster;
  int64_t bytes = type.elementCount() * type.element().bitWidth() / 8;
  if (const TupleValue *bases = (*cluster)->tuple())
    for (const Value &basis : bases->elements)
      if (const TupleValue *steps = basis.tuple(); steps && llvm::any_of(steps->elements, [](const Value &step) {
                                                     std::optional<Integer> number = asInteger(step);
                                                     return number && *number != 0;
                                                   }))
        bytes /= 2;
  return std::optional(Value::integer(bytes));
}

/// `type` of a block or handle: where it has a layout, an object of the host that knows it too.
static Attribute typeOf(Emitter &emitter, const Type &type) {
  if (!type.layout() || !emitter.layouts())
    return std::optional(Value::dtype(type));
  FailureOr<std::optional<Value>> object = emitter.layouts()->typeObject(emitter, type);
  if (failed(object))
    return failure();
  return *object ? *object : std::optional(Value::dtype(type));
}

static Attribute handleAttribute(Emitter &emitter, const Value &value, llvm::StringRef name) {
  const Type type = value.type();
  if (name == "type")
    return typeOf(emitter, type);
  if (name == "dtype")
    return std::optional(Value::dtype(type.element()));
  if (name == "shape")
    return std::optional(shapeTuple(type.shape()));
  if (name == "rank")
    return std::optional(Value::integer(type.shape().size()));
  if (name == "numel")
    return std::optional(Value::integer(type.elementCount()));
  if (name == "layout" && type.layout())
    return layoutAttribute(emitter, type);
  if (name == "nbytes_per_cta" && type.layout())
    return bytesPerCta(emitter, type);
  return builtinMethod(value, type.className(), name);
}

FailureOr<std::optional<Value>> valueAttribute(Emitter &emitter, const Value &value, llvm::StringRef name) {
  if (value.isTensor())
    return name == "type" ? typeOf(emitter, value.type()) : tensorAttribute(emitter, value, name);
  if (value.is<HandleValue>())
    return handleAttribute(emitter, value, name);
  if (const auto *type = value.getIf<Type>(); type && name == "layout" && type->layout() && emitter.layouts())
    return layoutAttribute(emitter, *type);
  if (const DescriptorValue *descriptor = value.descriptor()) {
    if (const Type block = descriptor->type.descriptorBlock(); block.layout() && emitter.layouts()) {
      if (name == "layout")
        return layoutAttribute(emitter, block);
      if (name == "nbytes_per_cta")
        return bytesPerCta(emitter, block);
    }
    return descriptorAttribute(value, *descriptor, name);
  }
  if (const TupleValue *tuple = value.tuple())
    return tupleAttribute(emitter, value, *tuple, name);
  if (const AggregateValue *aggregate = value.aggregate())
    return aggregateAttribute(emitter, value, *aggregate, name);
  if (const auto *module = value.getIf<ModuleValue>())
    return languageAttribute(module->path, name);
  if (const auto *object = value.getIf<HostObject>()) {
    llvm::Expected<std::optional<Value>> found = object->host->attribute(*object, name);
    if (!found)
      return emitter.fail(found.takeError());
    return *found ? *found : constantAttribute(value, name);
  }
  std::optional<Value> result;
  if (value.is<Type>())
    result = typeAttribute(value, name);
  else if (const auto *builtin = value.getIf<const Builtin *>())
    result = languageAttribute(((*builtin)->module + "." + (*builtin)->name).str(), name);
  else if (const auto *slice = value.getIf<std::shared_ptr<const SliceValue>>())
    result = sliceAttribute(**slice, name);
  return result ? result : constantAttribute(value, name);
}

} // namespace triton::frontend
