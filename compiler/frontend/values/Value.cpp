#include "compiler/frontend/values/Value.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Host.h"
#include "compiler/frontend/emitter/Function.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

namespace triton::frontend {

Value Value::tuple(std::vector<Value> elements, std::vector<std::string> fields, HostObject hostClass) {
  return Value(Storage(
      std::make_shared<const TupleValue>(TupleValue{std::move(elements), std::move(fields), std::move(hostClass)})));
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

std::string pythonRepr(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[32];
  auto end = std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::scientific).ptr;
  llvm::StringRef text(buffer, end - buffer);
  std::string result = text.consume_front("-") ? "-" : "";
  auto [mantissa, exponentText] = text.split('e');
  int exponent = 0;
  exponentText.consume_front("+");
  exponentText.getAsInteger(10, exponent);
  std::string digits = mantissa.substr(0, 1).str() + mantissa.drop_front().ltrim('.').str();
  // The limits of Python's repr for positional notation.
  if (exponent < -4 || exponent >= 16) {
    result +=
        digits.substr(0, 1) + (digits.size() > 1 ? "." + digits.substr(1) : "") + "e" + (exponent < 0 ? "-" : "+");
    std::string magnitude = std::to_string(std::abs(exponent));
    return result + (magnitude.size() < 2 ? "0" : "") + magnitude;
  }
  if (exponent < 0)
    return result + "0." + std::string(-exponent - 1, '0') + digits;
  const size_t whole = exponent + 1;
  if (digits.size() <= whole)
    return result + digits + std::string(whole - digits.size(), '0') + ".0";
  return result + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string pythonRepr(llvm::StringRef value) {
  const char quote = value.contains('\'') && !value.contains('"') ? '"' : '\'';
  std::string result(1, quote);
  llvm::raw_string_ostream os(result);
  for (unsigned char c : value) {
    if (c == quote || c == '\\')
      os << '\\' << c;
    else if (c == '\n')
      os << "\\n";
    else if (c == '\t')
      os << "\\t";
    else if (c == '\r')
      os << "\\r";
    else if (c < 0x20 || c == 0x7f)
      os << "\\x" << llvm::format_hex_no_prefix(c, 2);
    else
      os << c;
  }
  os << quote;
  return result;
}

static std::string print(const Integer &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

static std::string print(const TupleValue &tuple) {
  std::string text = "(";
  for (auto [i, element] : llvm::enumerate(tuple.elements)) {
    text += i == 0 ? "" : ", ";
    if (!tuple.fields.empty())
      text += tuple.fields[i] + "=";
    text += element.repr();
  }
  return text + (tuple.elements.size() == 1 && tuple.fields.empty() ? ",)" : ")");
}

std::string Value::repr() const {
  if (auto *text = getIf<std::string>())
    return pythonRepr(*text);
  if (auto *type = getIf<Type>())
    return type->isScalar() && type->isFloating() ? "triton.language." + str() : str();
  return str();
}

std::string Value::str() const {
  if (isNone())
    return "None";
  if (is<EllipsisValue>())
    return "Ellipsis";
  if (auto *flag = getIf<bool>())
    return *flag ? "True" : "False";
  if (auto *integer = getIf<Integer>())
    return print(*integer);
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
    return "JITFunction(" + function->qualifiedName + ")";
  if (auto *builtin = getIf<const Builtin *>())
    return "<function " + (*builtin)->name.str() + ">";
  if (auto *method = pointee<BoundMethod>(*this))
    return "<bound method of " + method->self.str() + ">";
  if (auto *module = getIf<ModuleValue>())
    return "<module '" + module->path + "'>";
  const HostObject &object = get<HostObject>();
  return object.host ? object.host->describe(object) : "<object>";
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
    os << 'i' << print(*integer);
  else if (auto *real = getIf<double>())
    os << 'r' << llvm::format_hex(llvm::bit_cast<uint64_t>(*real), 18);
  else if (auto *text = getIf<std::string>())
    os << 's' << text->size() << ':' << *text;
  else if (auto *dtype = getIf<Type>())
    os << 't' << dtype->key();
  else if (isTensor() || descriptor() || is<HandleValue>())
    os << 'T' << type().key();
  else if (auto *elements = tuple()) {
    os << '(' << elements->hostClass.handle.get() << ':';
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

/// bool, int and float compare by value, as in Python.
static bool equalNumbers(const Value &a, const Value &b) {
  auto asReal = [](const Value &value) -> std::optional<double> {
    auto *real = value.getIf<double>();
    return real ? std::optional(*real) : std::nullopt;
  };
  auto asInteger = [](const Value &value) {
    auto *flag = value.getIf<bool>();
    return flag ? Integer(*flag) : value.get<Integer>();
  };
  const auto realA = asReal(a), realB = asReal(b);
  if (realA && realB)
    return *realA == *realB;
  if (!realA && !realB)
    return asInteger(a) == asInteger(b);
  const double real = realA ? *realA : *realB;
  const Integer integer = asInteger(realA ? b : a);
  // An integral float below 2^63 is exactly an int64; larger ones are compared through their digits.
  if (std::floor(real) != real)
    return false;
  if (std::abs(real) < 0x1p63)
    return integer == Integer(static_cast<int64_t>(real));
  int exponent;
  const double fraction = std::frexp(real, &exponent);
  Integer exact(static_cast<int64_t>(std::ldexp(fraction, 53)));
  for (int bit = 53; bit < exponent; ++bit)
    exact *= 2;
  return integer == exact;
}

bool equalConstants(const Value &a, const Value &b) {
  if (a.isNumber() && b.isNumber())
    return equalNumbers(a, b);
  auto *tupleA = a.tuple(), *tupleB = b.tuple();
  if (tupleA && tupleB)
    return llvm::equal(tupleA->elements, tupleB->elements, equalConstants);
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
