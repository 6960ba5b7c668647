// Public values are handles to the frontend's.
#include "embed/Adapter.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/values/Folding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::embed {

frontend::Value toFrontend(const Value &value) { return *static_cast<const frontend::Value *>(value.opaque()); }
Value fromFrontend(frontend::Value value) { return Value(std::make_shared<const frontend::Value>(std::move(value))); }
static const frontend::Value &get(const Value &value) { return *static_cast<const frontend::Value *>(value.opaque()); }

std::vector<frontend::Value> toFrontend(const std::vector<Value> &values) {
  std::vector<frontend::Value> out;
  for (const Value &value : values)
    out.push_back(toFrontend(value));
  return out;
}

std::vector<Value> fromFrontend(llvm::ArrayRef<frontend::Value> values) {
  std::vector<Value> out;
  for (const frontend::Value &value : values)
    out.push_back(fromFrontend(value));
  return out;
}

frontend::CallArguments toFrontend(const CallArguments &arguments) {
  frontend::CallArguments out;
  out.positional = toFrontend(arguments.positional);
  for (const auto &[name, value] : arguments.keywords)
    out.keywords.emplace_back(name, toFrontend(value));
  return out;
}

CallArguments fromFrontend(const frontend::CallArguments &arguments) {
  CallArguments out;
  out.positional = fromFrontend(arguments.positional);
  for (const auto &[name, value] : arguments.keywords)
    out.keywords.emplace_back(name, fromFrontend(value));
  return out;
}

frontend::Type toFrontend(const TypeDescription &type) {
  switch (type.form) {
  case TypeDescription::Form::Pointer:
    return frontend::Type::pointer(toFrontend(*type.element), type.isConst, type.addressSpace);
  case TypeDescription::Form::Block:
    return frontend::Type::block(toFrontend(*type.element), type.shape);
  case TypeDescription::Form::Scalar:
  case TypeDescription::Form::Other:
    break;
  }
  return frontend::Type::parse(type.name).value_or(frontend::Type::voidType());
}

TypeDescription fromFrontend(const frontend::Type &type) {
  TypeDescription out;
  out.name = type.str();
  switch (type.kind()) {
  case frontend::Type::Kind::Scalar:
    out.form = TypeDescription::Form::Scalar;
    break;
  case frontend::Type::Kind::Pointer:
    out.form = TypeDescription::Form::Pointer;
    out.isConst = type.isConstPointer();
    out.addressSpace = type.addressSpace();
    out.element = std::make_shared<const TypeDescription>(fromFrontend(type.pointee()));
    break;
  case frontend::Type::Kind::Block:
    out.form = TypeDescription::Form::Block;
    out.shape.assign(type.shape().begin(), type.shape().end());
    out.element = std::make_shared<const TypeDescription>(fromFrontend(type.element()));
    break;
  default:
    out.form = TypeDescription::Form::Other;
  }
  return out;
}

Value::Value() : Value(std::make_shared<const frontend::Value>()) {}
Value Value::ellipsis() { return fromFrontend(frontend::Value(frontend::EllipsisValue{})); }
Value Value::boolean(bool value) { return fromFrontend(frontend::Value::boolean(value)); }
Value Value::integer(int64_t value) { return fromFrontend(frontend::Value::integer(value)); }
Value Value::real(double value) { return fromFrontend(frontend::Value::real(value)); }
Value Value::string(std::string value) { return fromFrontend(frontend::Value::string(std::move(value))); }
Value Value::type(const TypeDescription &type) { return fromFrontend(frontend::Value::dtype(toFrontend(type))); }
Value Value::module(std::string path) { return fromFrontend(frontend::Value(frontend::ModuleValue{std::move(path)})); }

Value Value::integer(std::string_view hexadecimal) {
  llvm::StringRef digits = hexadecimal;
  bool isNegative = digits.consume_front("-");
  if (digits.empty() || !llvm::all_of(digits, llvm::isHexDigit))
    return {};
  llvm::APInt number(4 * digits.size() + 2, digits, 16);
  return fromFrontend(frontend::Value::integer(frontend::Integer(isNegative ? -number : number)));
}

static frontend::HostObject hostObject(Host *host, Object object) {
  return {host && object ? &host->adapter() : nullptr, std::move(object)};
}

Value Value::tuple(std::vector<Value> elements, std::vector<std::string> fields, Host *host, Object hostClass) {
  return fromFrontend(
      frontend::Value::tuple(toFrontend(elements), std::move(fields), hostObject(host, std::move(hostClass))));
}

Value Value::slice(Value start, Value stop, Value step) {
  return fromFrontend(frontend::Value(std::make_shared<const frontend::SliceValue>(
      frontend::SliceValue{toFrontend(start), toFrontend(stop), toFrontend(step)})));
}

Value Value::aggregate(std::string className, Host *host, Object hostClass, std::vector<std::string> fields,
                       std::vector<Value> elements) {
  frontend::AggregateValue value{std::move(className), hostObject(host, std::move(hostClass)), std::move(fields),
                                 toFrontend(elements)};
  return fromFrontend(frontend::Value(std::make_shared<const frontend::AggregateValue>(std::move(value))));
}

Value Value::function(const Function &function) { return fromFrontend(frontend::Value(toFrontend(function))); }
Value Value::object(Host &host, Object object) {
  return fromFrontend(frontend::Value(hostObject(&host, std::move(object))));
}

Value Value::method(Value self, Value callable) {
  return fromFrontend(frontend::Value(
      std::make_shared<const frontend::BoundMethod>(frontend::BoundMethod{toFrontend(self), toFrontend(callable)})));
}

Kind Value::kind() const {
  struct {
    Kind operator()(const frontend::NoneValue &) { return Kind::None; }
    Kind operator()(const frontend::EllipsisValue &) { return Kind::Ellipsis; }
    Kind operator()(bool) { return Kind::Boolean; }
    Kind operator()(const frontend::Integer &) { return Kind::Integer; }
    Kind operator()(double) { return Kind::Real; }
    Kind operator()(const std::string &) { return Kind::String; }
    Kind operator()(const frontend::Type &) { return Kind::Type; }
    Kind operator()(const frontend::TensorValue &) { return Kind::Tensor; }
    Kind operator()(const std::shared_ptr<const frontend::TupleValue> &) { return Kind::Tuple; }
    Kind operator()(const std::shared_ptr<const frontend::DescriptorValue> &) { return Kind::Descriptor; }
    Kind operator()(const std::shared_ptr<const frontend::AggregateValue> &) { return Kind::Aggregate; }
    Kind operator()(const std::shared_ptr<const frontend::SliceValue> &) { return Kind::Slice; }
    Kind operator()(const std::shared_ptr<const frontend::Function> &) { return Kind::Function; }
    Kind operator()(const frontend::Builtin *) { return Kind::Builtin; }
    Kind operator()(const std::shared_ptr<const frontend::BoundMethod> &) { return Kind::Method; }
    Kind operator()(const frontend::ModuleValue &) { return Kind::Module; }
    Kind operator()(const frontend::HostObject &) { return Kind::Object; }
    Kind operator()(const frontend::HandleValue &) { return Kind::Handle; }
  } visitor;
  return std::visit(visitor, get(*this).storage);
}

bool Value::isCompileTime() const { return get(*this).isCompileTime(); }
bool Value::boolean() const { return get(*this).get<bool>(); }
double Value::real() const { return get(*this).get<double>(); }
std::string_view Value::string() const { return get(*this).get<std::string>(); }

std::optional<int64_t> Value::integer() const { return frontend::toInt64(get(*this).get<frontend::Integer>()); }

std::string Value::integerText() const {
  const frontend::Integer &number = get(*this).get<frontend::Integer>();
  llvm::SmallString<32> digits;
  frontend::toBits(number < 0 ? -number : number, frontend::bitLength(number) + 1)
      .toString(digits, 16, /*Signed=*/false);
  return (number < 0 ? "-" : "") + std::string(digits);
}

TypeDescription Value::type() const {
  const frontend::Value &value = get(*this);
  if (auto *type = value.getIf<frontend::Type>())
    return fromFrontend(*type);
  if (const frontend::DescriptorValue *descriptor = value.descriptor())
    return fromFrontend(descriptor->type.descriptorBlock());
  return fromFrontend(value.type());
}

std::vector<Value> Value::elements() const {
  const frontend::Value &value = get(*this);
  if (const frontend::TupleValue *tuple = value.tuple())
    return fromFrontend(tuple->elements);
  if (const frontend::AggregateValue *aggregate = value.aggregate())
    return fromFrontend(aggregate->elements);
  if (auto *slice = value.getIf<std::shared_ptr<const frontend::SliceValue>>())
    return {fromFrontend((*slice)->start), fromFrontend((*slice)->stop), fromFrontend((*slice)->step)};
  if (auto *method = value.getIf<std::shared_ptr<const frontend::BoundMethod>>())
    return {fromFrontend((*method)->self), fromFrontend((*method)->callable)};
  if (const frontend::DescriptorValue *descriptor = value.descriptor()) {
    std::vector<Value> out = fromFrontend(descriptor->shape);
    for (const frontend::Value &stride : descriptor->strides)
      out.push_back(fromFrontend(stride));
    return out;
  }
  return {};
}

std::vector<std::string> Value::fields() const {
  if (const frontend::TupleValue *tuple = get(*this).tuple())
    return tuple->fields;
  if (const frontend::AggregateValue *aggregate = get(*this).aggregate())
    return aggregate->fields;
  return {};
}

Object Value::object() const {
  const frontend::Value &value = get(*this);
  if (auto *object = value.getIf<frontend::HostObject>())
    return object->handle;
  if (const frontend::TupleValue *tuple = value.tuple())
    return tuple->hostClass.handle;
  if (const frontend::AggregateValue *aggregate = value.aggregate())
    return aggregate->hostClass.handle;
  return nullptr;
}

std::string Value::path() const {
  const frontend::Value &value = get(*this);
  if (auto *module = value.getIf<frontend::ModuleValue>())
    return module->path;
  if (auto *handle = value.getIf<frontend::HandleValue>())
    return handle->type.className().str();
  if (auto *builtin = value.getIf<const frontend::Builtin *>())
    return ((*builtin)->module + "." + (*builtin)->name).str();
  if (auto *function = value.getIf<std::shared_ptr<const frontend::Function>>())
    return (*function)->qualifiedName;
  return {};
}

Object Value::scope(Host &host) const {
  auto *function = get(*this).getIf<std::shared_ptr<const frontend::Function>>();
  return function && (*function)->host == &host.adapter() ? (*function)->scope : nullptr;
}

std::string Value::str() const { return get(*this).str(); }
std::string Value::repr() const { return get(*this).repr(); }
std::string Value::key() const { return get(*this).key(); }

} // namespace triton::embed
