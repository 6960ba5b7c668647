#include "compiler/frontend/values/Type.h"

#include "compiler/frontend/values/Value.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

namespace triton::frontend {

struct Type::Storage {
  Kind kind = Kind::Scalar;
  ScalarKind scalar = ScalarKind::Void;
  bool isConst = false;
  unsigned addressSpace = 1;
  std::vector<int64_t> shape;
  std::vector<Type> elements; // pointer: the pointee; block: the element; descriptor: block, shape, strides
  std::vector<std::string> fields;
  std::string className;
  HostObject hostClass;
  std::shared_ptr<const Value> constant;
  mlir::Attribute layout;
  mlir::Type handle;
};

using dispatch::infoOf;
using dispatch::scalarTypeByName;
using dispatch::signatureOf;

Type Type::scalar(ScalarKind kind) {
  static const auto all = [] {
    std::array<std::shared_ptr<const Storage>, dispatch::scalarTypes.size()> storages;
    for (size_t i = 0; i < storages.size(); ++i) {
      auto storage = std::make_shared<Storage>();
      storage->scalar = static_cast<ScalarKind>(i);
      storages[i] = std::move(storage);
    }
    return storages;
  }();
  return Type(all[static_cast<size_t>(kind)]);
}

Type Type::pointer(Type element, bool isConst, unsigned addressSpace) {
  auto storage = std::make_shared<Storage>();
  storage->kind = Kind::Pointer;
  storage->elements = {std::move(element)};
  storage->isConst = isConst;
  storage->addressSpace = addressSpace;
  return Type(std::move(storage));
}

Type Type::block(Type element, llvm::ArrayRef<int64_t> shape, mlir::Attribute layout) {
  assert(!element.isBlock() && "blocks hold scalars or pointers");
  if (shape.empty())
    return element;
  auto storage = std::make_shared<Storage>();
  storage->kind = Kind::Block;
  storage->elements = {std::move(element)};
  storage->shape = shape.vec();
  storage->layout = layout;
  return Type(std::move(storage));
}

Type Type::handle(std::string className, Type element, llvm::ArrayRef<int64_t> shape, mlir::Attribute layout,
                  mlir::Type ir) {
  auto storage = std::make_shared<Storage>();
  storage->kind = Kind::Handle;
  storage->className = std::move(className);
  storage->elements = {std::move(element)};
  storage->shape = shape.vec();
  storage->layout = layout;
  storage->handle = ir;
  return Type(std::move(storage));
}

Type Type::tuple(llvm::ArrayRef<Type> elements, llvm::ArrayRef<std::string> fields, HostObject hostClass) {
  auto storage = std::make_shared<Storage>();
  storage->kind = Kind::Tuple;
  storage->elements = elements.vec();
  storage->fields = fields.vec();
  storage->hostClass = std::move(hostClass);
  return Type(std::move(storage));
}

Type Type::descriptor(Type block, llvm::ArrayRef<Type> shape, llvm::ArrayRef<Type> strides) {
  auto storage = std::make_shared<Storage>();
  storage->kind = Kind::Descriptor;
  storage->elements.push_back(std::move(block));
  storage->elements.insert(storage->elements.end(), shape.begin(), shape.end());
  storage->elements.insert(storage->elements.end(), strides.begin(), strides.end());
  return Type(std::move(storage));
}

Type Type::aggregate(std::string className, HostObject hostClass, llvm::ArrayRef<std::string> fields,
                     llvm::ArrayRef<Type> elements) {
  auto storage = std::make_shared<Storage>();
  storage->kind = Kind::Aggregate;
  storage->className = std::move(className);
  storage->hostClass = std::move(hostClass);
  storage->fields = fields.vec();
  storage->elements = elements.vec();
  return Type(std::move(storage));
}

Type Type::constant(Value value) {
  auto storage = std::make_shared<Storage>();
  storage->kind = Kind::Constant;
  storage->constant = std::make_shared<const Value>(std::move(value));
  return Type(std::move(storage));
}

/// `tensordesc<fp16[64, 64]>`, after `tensordesc<`. A layout, as the host writes it, may follow the shape: it is not read here.
static std::optional<Type> parseDescriptor(llvm::StringRef text) {
  if (!text.consume_back(">"))
    return std::nullopt;
  auto [elementText, rest] = text.split('[');
  auto [shapeText, layoutText] = rest.split(']');
  auto element = scalarTypeByName(elementText.trim());
  if (!element || *element == ScalarKind::Void || !rest.contains(']') ||
      !(layoutText.empty() || layoutText.starts_with(",")))
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> parts;
  shapeText.split(parts, ',');
  std::vector<int64_t> shape;
  for (llvm::StringRef part : parts) {
    int64_t size;
    if (part.trim().getAsInteger(10, size) || size <= 0)
      return std::nullopt;
    shape.push_back(size);
  }
  return Type::descriptor(Type::block(Type::scalar(*element), shape), std::vector<Type>(shape.size(), Type::int32()),
                          std::vector<Type>(shape.size(), Type::int64()));
}

std::optional<Type> Type::parse(llvm::StringRef text) {
  text = text.trim();
  if (text.consume_front("tensordesc<"))
    return parseDescriptor(text);
  bool isConst = text.consume_front("const ");
  text.consume_front("tl.");
  bool isPointer = text.consume_front("*");
  if (!isPointer)
    isPointer = text.consume_back("*");
  if (isPointer) {
    isConst |= text.consume_front("k");
    constexpr size_t mostLevels = 16; // of pointers to pointers
    auto pointee = text.count('*') < mostLevels ? parse(text) : std::nullopt;
    if (!pointee || !(pointee->isScalar() || pointee->isPointer()) || *pointee == voidType())
      return std::nullopt;
    return pointer(*pointee, isConst);
  }
  auto kind = scalarTypeByName(text);
  if (!kind || isConst)
    return std::nullopt;
  return scalar(*kind);
}

Type::Kind Type::kind() const { return storage->kind; }
Type Type::element() const { return isBlock() || isHandle() ? storage->elements[0] : *this; }
mlir::Attribute Type::layout() const { return storage->layout; }

Type Type::pointee() const {
  const Type pointer = element();
  assert(pointer.isPointer() && "only pointers point");
  return pointer.storage->elements[0];
}

bool Type::isConstPointer() const { return element().storage->isConst; }
unsigned Type::addressSpace() const { return element().storage->addressSpace; }
llvm::ArrayRef<int64_t> Type::shape() const { return storage->shape; }

int64_t Type::elementCount() const {
  int64_t count = 1;
  for (int64_t size : storage->shape)
    count *= size;
  return count;
}

Type Type::withElement(Type element) const { return block(std::move(element), shape(), layout()); }

llvm::ArrayRef<Type> Type::elements() const {
  llvm::ArrayRef<Type> all = storage->elements;
  return kind() == Kind::Descriptor ? all.drop_front() : all;
}

llvm::ArrayRef<std::string> Type::fields() const { return storage->fields; }
const HostObject &Type::hostClass() const { return storage->hostClass; }
llvm::StringRef Type::className() const { return storage->className; }
Type Type::descriptorBlock() const { return storage->elements[0]; }
const Value &Type::constantValue() const { return *storage->constant; }

ScalarKind Type::scalarKind() const { return isBlock() ? storage->elements[0].storage->scalar : storage->scalar; }
bool Type::isPointerLike() const { return isBlock() ? storage->elements[0].isPointer() : isPointer(); }
bool Type::isFloating() const { return scalarKind() >= ScalarKind::Float8E5; }
bool Type::isFloat8() const { return scalarKind() >= ScalarKind::Float8E5 && scalarKind() <= ScalarKind::Float8E4B15; }
bool Type::isStandardFloating() const { return scalarKind() >= ScalarKind::Float16; }
bool Type::isInteger() const { return infoOf(scalarKind()).isInteger; }
bool Type::isSigned() const { return infoOf(scalarKind()).isSigned; }
bool Type::isBool() const { return scalarKind() == ScalarKind::Int1; }
unsigned Type::bitWidth() const { return isPointerLike() ? 64 : infoOf(scalarKind()).bits; }
unsigned Type::mantissaWidth() const { return infoOf(scalarKind()).mantissa; }

static std::string join(llvm::ArrayRef<Type> types, std::string (Type::*text)() const, llvm::StringRef separator) {
  std::string result;
  for (const Type &type : types)
    result += (result.empty() ? "" : separator.str()) + (type.*text)();
  return result;
}

static std::string joinNumbers(llvm::ArrayRef<int64_t> numbers, llvm::StringRef separator) {
  return llvm::join(llvm::map_range(numbers, [](int64_t number) { return std::to_string(number); }), separator);
}

static std::string textOf(const auto &part) {
  std::string text;
  llvm::raw_string_ostream(text) << part;
  return text;
}

mlir::Type handleIr(const Type &type) { return type.storage->handle; }

std::string Type::layoutText(llvm::StringRef before) const { return layout() ? before.str() + textOf(layout()) : ""; }

std::string Type::str() const {
  switch (kind()) {
  case Kind::Scalar:
    return nameOf(storage->scalar).str();
  case Kind::Pointer:
    return (storage->isConst ? "const_pointer<" : "pointer<") + storage->elements[0].str() + ">";
  case Kind::Block:
    return "<[" + joinNumbers(shape(), ", ") + "], " + storage->elements[0].str() + layoutText(", ") + ">";
  case Kind::Tuple:
    return "(" + join(storage->elements, &Type::str, ", ") + (storage->elements.size() == 1 ? ",)" : ")");
  case Kind::Descriptor:
    return "tensor_descriptor<" + descriptorBlock().str() + ">";
  case Kind::Aggregate:
    return storage->className + "<" + join(storage->elements, &Type::str, ", ") + ">";
  case Kind::Handle:
    return llvm::StringRef(storage->className).rsplit('.').second.str() + "<[" + joinNumbers(shape(), ", ") + "], " +
           storage->elements[0].str() + layoutText(", ") + ">";
  case Kind::Constant:
    return "constexpr[" + storage->constant->repr() + "]";
  }
  llvm_unreachable("all kinds are listed");
}

/// Letters, digits and a few signs stay; the rest becomes `_`.
static std::string symbolText(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result += llvm::isAlnum(c) || c == '.' || c == '-' ? c : '_';
  return result;
}

std::string Type::mangle() const {
  switch (kind()) {
  case Kind::Scalar:
    return *this == voidType() ? "V" : std::string(signatureOf(storage->scalar));
  case Kind::Pointer:
    return (storage->isConst ? "Pk" : "P") + storage->elements[0].mangle();
  case Kind::Block:
    return storage->elements[0].mangle() + "S" + joinNumbers(shape(), "_") + "S" +
           (layout() ? "L" + symbolText(layoutText("")) + "L" : "");
  case Kind::Tuple:
    return "T" + join(storage->elements, &Type::mangle, "_") + "T";
  case Kind::Descriptor:
    return "D" + descriptorBlock().mangle() + "D";
  case Kind::Aggregate:
    return symbolText(storage->className) + "A" + join(storage->elements, &Type::mangle, "_") + "A";
  case Kind::Handle:
    return "MD" + storage->elements[0].mangle() + "S" + joinNumbers(shape(), "_") + "SL" + symbolText(layoutText("")) +
           "LMD";
  case Kind::Constant:
    return "c" + symbolText(storage->constant->str());
  }
  llvm_unreachable("all kinds are listed");
}

std::string Type::key() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << static_cast<int>(kind());
  switch (kind()) {
  case Kind::Scalar:
    os << ':' << static_cast<int>(storage->scalar);
    break;
  case Kind::Pointer:
    os << (storage->isConst ? 'k' : 'p') << storage->addressSpace << storage->elements[0].key();
    break;
  case Kind::Block:
    os << '[' << joinNumbers(shape(), ",") << ']' << storage->elements[0].key() << layout().getAsOpaquePointer();
    break;
  case Kind::Handle:
    os << storage->className << storage->elements[0].key() << storage->handle.getAsOpaquePointer();
    break;
  case Kind::Tuple:
  case Kind::Descriptor:
  case Kind::Aggregate:
    os << storage->className << '@' << storage->hostClass.handle.get() << '<';
    for (const std::string &field : storage->fields)
      os << field << '|';
    for (const Type &element : storage->elements)
      os << element.key() << ',';
    os << '>';
    break;
  case Kind::Constant:
    os << '=' << storage->constant->key();
    break;
  }
  return result;
}

std::string Type::signature() const {
  switch (kind()) {
  case Kind::Pointer:
    return (storage->isConst ? "*k" : "*") + storage->elements[0].signature();
  case Kind::Tuple:
    return "(" + join(storage->elements, &Type::signature, ", ") + (storage->elements.size() == 1 ? ",)" : ")");
  case Kind::Descriptor:
    return "tensordesc<" + descriptorBlock().element().signature() + "[" +
           joinNumbers(descriptorBlock().shape(), ", ") + "]>";
  case Kind::Constant:
    return "constexpr";
  default:
    return mangle();
  }
}

bool Type::operator==(const Type &other) const {
  if (storage == other.storage)
    return true;
  const Storage &a = *storage, &b = *other.storage;
  if (a.kind != b.kind || a.scalar != b.scalar || a.isConst != b.isConst || a.addressSpace != b.addressSpace ||
      a.shape != b.shape || a.elements != b.elements || a.fields != b.fields || a.className != b.className ||
      !(a.hostClass == b.hostClass) || a.layout != b.layout || a.handle != b.handle)
    return false;
  return a.kind != Kind::Constant || a.constant->key() == b.constant->key();
}

Type promoteIntegers(const Type &a, const Type &b) {
  assert(a.isScalar() && b.isScalar() && "promotion is of scalar types");
  if (a.isSigned() == b.isSigned())
    return a.bitWidth() >= b.bitWidth() ? a : b;
  const Type &unsignedType = a.isSigned() ? b : a, &signedType = a.isSigned() ? a : b;
  return unsignedType.bitWidth() >= signedType.bitWidth() ? unsignedType : signedType;
}

} // namespace triton::frontend
