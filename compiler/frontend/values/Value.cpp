#include "compiler/frontend/values/Value.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Host.h"
#include "compiler/frontend/emitter/Function.h"
#include "compiler/frontend/values/Folding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::frontend {

Value Value::tuple(std::vector<Value> elements, std::vector<std::string> fields, HostObject hostClass) {
  return Value(Storage(
      std::make_shared<const TupleValue>(TupleValue{std::move(elements), std::move(fields), std::move(hostClass)})));
}

Value Value::list(std::vector<Value> elements) {
  return Value(Storage(std::make_shared<const TupleValue>(TupleValue{std::move(elements), {}, {}, /*isList=*/true})));
}

template <typename T> static const T *pointee(const Value &value) {
  auto *held = value.getIf<std::shared_ptr<const T>>();
  return held ? held->get() : nullptr;
}
const TupleValue *Value::tuple() const { return pointee<TupleValue>(*this); }
const DescriptorValue *Value::descriptor() const { return pointee<DescriptorValue>(*this); }
const AggregateValue *Value::aggregate() const { return pointee<AggregateValue>(*this); }

bool Value::isCompileTime() const {
  auto compileTime = [](const Value &value) { return value.isCompileTime(); };
  if (auto *elements = tuple())
    return llvm::all_of(elements->elements, compileTime);
  if (auto *object = aggregate())
    return llvm::all_of(object->elements, compileTime);
  if (auto *slice = pointee<SliceValue>(*this))
    return slice->start.isCompileTime() && slice->stop.isCompileTime() && slice->step.isCompileTime();
  if (auto *method = pointee<BoundMethod>(*this))
    return method->self.isCompileTime();
  return !isTensor() && !descriptor() && !is<HandleValue>();
}

static std::vector<Type> typesOf(llvm::ArrayRef<Value> values) {
  std::vector<Type> types;
  for (const Value &value : values)
    types.push_back(value.type());
  return types;
}

Type Value::type() const {
  if (auto *tensor = getIf<TensorValue>())
    return tensor->type;
  if (auto *handle = getIf<HandleValue>())
    return handle->type;
  if (auto *elements = tuple())
    return Type::tuple(typesOf(elements->elements), elements->fields, elements->hostClass);
  if (auto *handle = descriptor())
    return Type::descriptor(handle->type.descriptorBlock(), typesOf(handle->shape), typesOf(handle->strides));
  if (auto *object = aggregate())
    return Type::aggregate(object->className, object->hostClass, object->fields, typesOf(object->elements));
  return Type::constant(*this);
}

static std::string print(const TupleValue &tuple) {
  std::string text = tuple.isList ? "[" : "(";
  for (auto [i, element] : llvm::enumerate(tuple.elements)) {
    text += i == 0 ? "" : ", ";
    if (!tuple.fields.empty())
      text += tuple.fields[i] + "=";
    text += element.repr();
  }
  if (tuple.isList)
    return text + "]";
  return text + (tuple.elements.size() == 1 && tuple.fields.empty() ? ",)" : ")");
}

/// A dtype as its Python object shows itself: `triton.language.float32`.
static std::string reprOf(const Type &type) {
  if (type.isPointer())
    return "triton.language.pointer_type(" + reprOf(type.pointee()) + ")";
  if (type.isBlock())
    return "triton.language.block_type(" + reprOf(type.element()) + ", [" +
           llvm::join(llvm::map_range(type.shape(), [](int64_t size) { return std::to_string(size); }), ", ") + "])";
  if (!type.isScalar())
    return type.str();
  const std::string name = type.str();
  const llvm::StringRef text = name;
  return "triton.language." + (text.starts_with("fp")   ? "float" + name.substr(2)
                               : text.starts_with("bf") ? "bfloat" + name.substr(2)
                                                        : name);
}

std::string Value::repr() const {
  if (auto *text = getIf<std::string>())
    return pythonRepr(*text);
  if (auto *object = getIf<HostObject>(); object && object->host)
    return object->host->describe(*object);
  if (auto *type = getIf<Type>())
    return reprOf(*type);
  return str();
}

/// `JITFunction(module:outer.<locals>.inner)`: in the name of a function defined in another, the module ends before the outermost one.
static std::string textOf(const Function &function) {
  llvm::StringRef name = function.qualifiedName;
  size_t end = name.substr(0, name.find(".<locals>")).rfind('.');
  if (end == llvm::StringRef::npos)
    return ("JITFunction(" + name + ")").str();
  return ("JITFunction(" + name.substr(0, end) + ":" + name.substr(end + 1) + ")").str();
}

std::string Value::str() const {
  if (isNone())
    return "None";
  if (is<EllipsisValue>())
    return "Ellipsis";
  if (auto *flag = getIf<bool>())
    return *flag ? "True" : "False";
  if (auto *integer = getIf<Integer>())
    return toString(*integer);
  if (auto *real = getIf<double>())
    return pythonRepr(*real);
  if (auto *text = getIf<std::string>())
    return *text;
  if (auto *type = getIf<Type>())
    return type->str();
  if (auto *tensor = getIf<TensorValue>()) {
    auto dims =
        llvm::map_range(tensor->type.shape(), [](int64_t size) { return "constexpr[" + std::to_string(size) + "]"; });
    return tensor->type.element().str() + "[" + llvm::join(dims, ", ") + "]";
  }
  if (auto *elements = tuple())
    return print(*elements);
  if (auto *held = getIf<HandleValue>())
    return held->type.str();
  if (auto *handle = descriptor())
    return handle->type.str();
  if (aggregate())
    return type().str();
  if (auto *slice = pointee<SliceValue>(*this))
    return "slice(" + slice->start.repr() + ", " + slice->stop.repr() + ", " + slice->step.repr() + ")";
  if (auto *function = pointee<Function>(*this))
    return textOf(*function);
  if (auto *builtin = getIf<const Builtin *>())
    return "<function " + (*builtin)->name.str() + ">";
  if (auto *method = pointee<BoundMethod>(*this))
    return "<bound method of " + method->self.str() + ">";
  if (auto *module = getIf<ModuleValue>())
    return "<module '" + module->path + "'>";
  const HostObject &object = get<HostObject>();
  return object.host ? object.host->text(object) : "<object>";
}

std::string Value::key() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  auto list = [&](llvm::ArrayRef<Value> values) {
    for (const Value &value : values)
      os << value.key() << ',';
  };
  if (isNone())
    os << 'n';
  else if (is<EllipsisValue>())
    os << 'e';
  else if (auto *flag = getIf<bool>())
    os << 'b' << *flag;
  else if (auto *integer = getIf<Integer>())
    os << 'i' << toString(*integer);
  else if (auto *real = getIf<double>())
    os << 'r' << llvm::format_hex(llvm::bit_cast<uint64_t>(*real), 18);
  else if (auto *text = getIf<std::string>())
    os << 's' << text->size() << ':' << *text;
  else if (auto *dtype = getIf<Type>())
    os << 't' << dtype->key();
  else if (isTensor() || descriptor() || is<HandleValue>())
    os << 'T' << type().key();
  else if (auto *elements = tuple()) {
    os << (elements->isList ? '[' : '(') << elements->hostClass.handle.get() << ':';
    for (const std::string &field : elements->fields)
      os << field << '|';
    list(elements->elements);
    os << ')';
  } else if (auto *object = aggregate()) {
    os << '{' << object->className << '@' << object->hostClass.handle.get() << ':';
    list(object->elements);
    os << '}';
  } else if (auto *slice = pointee<SliceValue>(*this)) {
    os << ':';
    list({slice->start, slice->stop, slice->step});
  } else if (auto *function = pointee<Function>(*this))
    os << 'f' << function->identity();
  else if (auto *builtin = getIf<const Builtin *>())
    os << 'B' << static_cast<const void *>(*builtin);
  else if (auto *method = pointee<BoundMethod>(*this)) {
    os << 'M';
    list({method->self, method->callable});
  } else if (auto *module = getIf<ModuleValue>())
    os << 'm' << module->path;
  else {
    const HostObject &object = get<HostObject>();
    os << 'h' << (object.host ? object.host->key(object) : "");
  }
  return result;
}

bool equalConstants(const Value &a, const Value &b) {
  if (a.isNumber() && b.isNumber())
    return compareNumbers(a, b) == 0;
  auto *tupleA = a.tuple(), *tupleB = b.tuple();
  if (tupleA && tupleB)
    return tupleA->isList == tupleB->isList && llvm::equal(tupleA->elements, tupleB->elements, equalConstants);
  return a.key() == b.key();
}

void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &out) {
  auto all = [&](llvm::ArrayRef<Value> values) {
    for (const Value &part : values)
      flatten(part, out);
  };
  if (auto *tensor = value.getIf<TensorValue>())
    out.push_back(tensor->ir);
  else if (auto *held = value.getIf<HandleValue>())
    out.push_back(held->ir);
  else if (auto *elements = value.tuple())
    all(elements->elements);
  else if (auto *object = value.aggregate())
    all(object->elements);
  else if (auto *handle = value.descriptor()) {
    out.push_back(handle->ir);
    all(handle->shape);
    all(handle->strides);
  }
}

static mlir::Value takeFront(mlir::ValueRange &ir) {
  mlir::Value first = ir.front();
  ir = ir.drop_front();
  return first;
}

template <typename Part> static std::vector<Value> rebuildAll(llvm::ArrayRef<Part> parts, mlir::ValueRange &ir) {
  std::vector<Value> values;
  values.reserve(parts.size());
  for (const Part &part : parts)
    values.push_back(rebuild(part, ir));
  return values;
}

static Value makeDescriptor(mlir::Value ir, Type type, std::vector<Value> shape, std::vector<Value> strides) {
  return Value(Value::Storage(std::make_shared<const DescriptorValue>(
      DescriptorValue{ir, std::move(type), std::move(shape), std::move(strides)})));
}

static Value makeAggregate(std::string className, HostObject hostClass, std::vector<std::string> fields,
                           std::vector<Value> elements) {
  return Value(Value::Storage(std::make_shared<const AggregateValue>(
      AggregateValue{std::move(className), std::move(hostClass), std::move(fields), std::move(elements)})));
}

Value rebuild(const Value &like, mlir::ValueRange &ir) {
  if (auto *tensor = like.getIf<TensorValue>())
    return Value::tensor(takeFront(ir), tensor->type);
  if (auto *held = like.getIf<HandleValue>())
    return Value::handle(takeFront(ir), held->type);
  if (auto *tuple = like.tuple())
    return Value::tuple(rebuildAll(llvm::ArrayRef(tuple->elements), ir), tuple->fields, tuple->hostClass);
  if (auto *object = like.aggregate())
    return makeAggregate(object->className, object->hostClass, object->fields,
                         rebuildAll(llvm::ArrayRef(object->elements), ir));
  if (auto *handle = like.descriptor()) {
    mlir::Value first = takeFront(ir);
    auto shape = rebuildAll(llvm::ArrayRef(handle->shape), ir);
    return makeDescriptor(first, handle->type, std::move(shape), rebuildAll(llvm::ArrayRef(handle->strides), ir));
  }
  return like;
}

Value rebuild(const Type &type, mlir::ValueRange &ir) {
  switch (type.kind()) {
  case Type::Kind::Scalar:
  case Type::Kind::Pointer:
  case Type::Kind::Block:
    return Value::tensor(takeFront(ir), type);
  case Type::Kind::Handle:
    return Value::handle(takeFront(ir), type);
  case Type::Kind::Tuple:
    return Value::tuple(rebuildAll(type.elements(), ir), type.fields().vec(), type.hostClass());
  case Type::Kind::Aggregate:
    return makeAggregate(type.className().str(), type.hostClass(), type.fields().vec(),
                         rebuildAll(type.elements(), ir));
  case Type::Kind::Descriptor: {
    mlir::Value first = takeFront(ir);
    const size_t rank = type.elements().size() / 2;
    auto shape = rebuildAll(type.elements().take_front(rank), ir);
    return makeDescriptor(first, type, std::move(shape), rebuildAll(type.elements().drop_front(rank), ir));
  }
  case Type::Kind::Constant:
    return type.constantValue();
  }
  llvm_unreachable("all kinds are listed");
}

void flattenTypes(const Type &type, mlir::MLIRContext *context, llvm::SmallVectorImpl<mlir::Type> &out) {
  switch (type.kind()) {
  case Type::Kind::Scalar:
  case Type::Kind::Pointer:
  case Type::Kind::Block:
  case Type::Kind::Handle:
    out.push_back(type.toIr(context));
    return;
  case Type::Kind::Descriptor:
    out.push_back(type.toIr(context));
    [[fallthrough]];
  case Type::Kind::Tuple:
  case Type::Kind::Aggregate:
    for (const Type &element : type.elements())
      flattenTypes(element, context, out);
    return;
  case Type::Kind::Constant:
    return;
  }
}

} // namespace triton::frontend
