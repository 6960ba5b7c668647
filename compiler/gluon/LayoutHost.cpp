#include "compiler/gluon/LayoutHost.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Library.h"
#include "compiler/gluon/LayoutClasses.h"
#include "compiler/support/ForkMutex.h"

#include "llvm/ADT/StringMap.h"

#include <mutex>

using namespace triton;
using namespace triton::gluon;
using frontend::CallArguments;
using frontend::HostObject;
using frontend::Value;
using llvm::Expected;
using llvm::StringLiteral;
using llvm::StringRef;

namespace {

/// A class, an instance, or a function of a class or of the module of layouts.
struct Object {
  enum class Kind { Class, Record, Function } kind;
  const LayoutClass *type = nullptr; // null: a function of the module
  const LayoutFunction *function = nullptr;
  std::vector<Value> fields;
  std::string text;
};

} // namespace

/// The types of tensors and buffers, which are records that nobody checks: the compiler makes them.
static llvm::ArrayRef<LayoutClass> typeClasses() {
  static const auto *classes = [] {
    auto *made = new std::vector<LayoutClass>; // objects may be held beyond the end of main
    auto add = [&](StringRef name, std::initializer_list<StringRef> fields) {
      LayoutClass type;
      type.name = name.str();
      for (StringRef field : fields)
        type.fields.push_back({field.str()});
      type.parameters = type.fields;
      made->push_back(std::move(type));
    };
    add("distributed_type", {"element_ty", "shape", "layout"});
    add("shared_memory_descriptor_type", {"element_ty", "shape", "layout", "alloc_shape"});
    add("tensor_memory_descriptor_type", {"element_ty", "shape", "layout", "alloc_shape"});
    add("warpgroup_mma_accumulator_type", {"tensor_type"});
    return made;
  }();
  return *classes;
}

static const LayoutClass *findClass(StringRef name) {
  for (const LayoutClass &type : typeClasses())
    if (type.name == name)
      return &type;
  return findLayoutClass(name);
}

namespace {
class LayoutHost final : public frontend::Host {
public:
  Value classNamed(const LayoutClass &type) { return interned({Object::Kind::Class, &type, nullptr, {}, type.name}); }
  Value functionNamed(const LayoutFunction &function, const LayoutClass *owner = nullptr) {
    return interned({Object::Kind::Function, owner, &function, {}, (owner ? owner->name + "." : "") + function.name});
  }

  Expected<std::optional<Value>> lookup(const frontend::Function &, StringRef) override { return std::nullopt; }
  Expected<std::optional<Value>> attribute(const HostObject &object, StringRef name) override;
  Expected<Value> call(const HostObject &callable, const CallArguments &arguments, frontend::Emitter &) override {
    return fold(callable, arguments);
  }
  Expected<Value> fold(const HostObject &callable, const CallArguments &arguments) override;
  Expected<bool> isInstance(const Value &value, const HostObject &hostClass) override {
    const auto *object = value.getIf<HostObject>();
    if (!object || object->host != this || get(*object).kind != Object::Kind::Record)
      return false;
    const LayoutClass *wanted = get(hostClass).type, *type = get(*object).type;
    while (type && type != wanted)
      type = findLayoutClass(type->base);
    return type && get(hostClass).kind == Object::Kind::Class;
  }
  Expected<Value> binary(frontend::BinaryOperation operation, const Value &lhs, const Value &rhs) override {
    using enum frontend::BinaryOperation;
    const auto *left = lhs.getIf<HostObject>(), *right = rhs.getIf<HostObject>();
    if (operation == Eq || operation == Ne)
      return Value::boolean((left && right && *left == *right) == (operation == Eq));
    return frontend::hostError("TypeError", "layouts can only be compared for equality");
  }
  Expected<Value> unary(frontend::UnaryOperation, const HostObject &object) override { return reject(object); }
  Expected<Value> subscript(const HostObject &object, const Value &) override { return reject(object); }
  Expected<Value> length(const HostObject &object) override { return reject(object); }
  Expected<bool> truth(const HostObject &) override { return true; }
  Expected<std::vector<Value>> iterate(const HostObject &object) override { return reject(object); }
  std::string describe(const HostObject &object) override {
    const Object &known = get(object);
    return known.kind == Object::Kind::Class ? "<class '" + known.text + "'>" : known.text;
  }
  std::string className(const HostObject &object) override {
    return get(object).kind == Object::Kind::Record ? get(object).type->name : "type";
  }
  std::string key(const HostObject &object) override { return describe(object); }

private:
  static const Object &get(const HostObject &object) { return *static_cast<const Object *>(object.handle.get()); }
  llvm::Error reject(const HostObject &object) {
    return frontend::hostError("TypeError", "this cannot be done with " + describe(object));
  }
  /// Equal objects are one object.
  Value interned(Object object) {
    std::lock_guard lock(mutex);
    std::shared_ptr<const Object> &known = objects[std::to_string(static_cast<int>(object.kind)) + object.text];
    if (!known)
      known = std::make_shared<const Object>(std::move(object));
    return Value(Value::Storage(HostObject{this, known}));
  }
  Expected<Value> make(const LayoutClass &type, const CallArguments &arguments);

  ForkMutex mutex;
  llvm::StringMap<std::shared_ptr<const Object>> objects;
};
} // namespace

static LayoutHost &layoutHost() {
  static auto *host = new LayoutHost; // objects may be held beyond the end of main
  return *host;
}

Expected<std::optional<Value>> LayoutHost::attribute(const HostObject &object, StringRef name) {
  const Object &known = get(object);
  if (known.kind == Object::Kind::Class)
    if (const LayoutFunction *function = findLayoutFunction(known.type->name, name))
      return functionNamed(*function, known.type);
  if (known.kind != Object::Kind::Record)
    return std::nullopt;
  for (auto [field, value] : llvm::zip(known.type->fields, known.fields))
    if (field.name == name)
      return value;
  if (!llvm::is_contained(known.type->properties, name))
    return std::nullopt;
  Expected<Value> property = layoutProperty(*known.type, known.fields, name);
  if (!property)
    return property.takeError();
  return std::move(*property);
}

Expected<Value> LayoutHost::make(const LayoutClass &type, const CallArguments &arguments) {
  Expected<std::vector<Value>> fields = bindArguments(type.name, type.parameters, arguments);
  if (fields && findLayoutClass(type.name))
    fields = makeLayoutFields(type, *fields);
  if (!fields)
    return fields.takeError();
  std::string text = layoutText(type, *fields);
  return interned({Object::Kind::Record, &type, nullptr, std::move(*fields), std::move(text)});
}

Expected<Value> LayoutHost::fold(const HostObject &callable, const CallArguments &arguments) {
  const Object &known = get(callable);
  if (known.kind == Object::Kind::Class)
    return make(*known.type, arguments);
  if (known.kind == Object::Kind::Record)
    return frontend::hostError("TypeError", "'" + known.type->name + "' object is not callable");
  Expected<std::vector<Value>> bound = bindArguments(known.text, known.function->parameters, arguments);
  if (!bound)
    return bound.takeError();
  Expected<Value> result = callLayoutFunction(*known.function, *bound);
  return result && known.type ? make(*known.type, {result->tuple()->elements, {}}) : std::move(result);
}

#define GLUON "triton.experimental.gluon"
#define LANGUAGE GLUON ".language"
#define NVIDIA LANGUAGE ".nvidia"

/// Where names of a module come from that it does not define itself.
static constexpr std::pair<StringLiteral, StringLiteral> exporters[] = {
    {LANGUAGE, LANGUAGE "._core"},
    {LANGUAGE, LANGUAGE "._standard"},
    {NVIDIA ".hopper", NVIDIA ".ampere"},
    {NVIDIA ".hopper.mbarrier", NVIDIA ".ampere.mbarrier"},
    {NVIDIA ".blackwell", NVIDIA ".hopper"},
    {NVIDIA ".blackwell", NVIDIA ".ampere"},
    {NVIDIA ".blackwell.cluster", NVIDIA ".hopper.cluster"},
    {NVIDIA ".blackwell.tma", NVIDIA ".hopper.tma"},
};

/// What `tl` has that this language shares; without those of its own.
static constexpr StringLiteral sharedNames =
    " atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor atomic_load "
    "atomic_store atomic_poll expect_zero clamp cumsum cumprod add sub mul "
    "maximum minimum where expand_dims broadcast reshape permute join split reduce associative_scan map_elementwise "
    "gather inline_asm_elementwise cast to_tensor assume multiple_of max_contiguous max_constancy program_id "
    "num_programs static_range static_assert static_print device_assert device_print umulhi exp exp2 fma log log2 cos "
    "rsqrt sin sqrt sqrt_rn abs fdiv div_rn erf floor ceil sum max min xor_sum reduce_or ravel cdiv constexpr tensor "
    "tuple dtype pointer_type block_type ";

static bool isShared(StringRef name) {
  return sharedNames.contains((" " + name + " ").str()) || dispatch::scalarTypeByName(name);
}

std::optional<Value> triton::gluon::languageName(StringRef module, StringRef name) {
  if (module != "triton" && !module.starts_with("triton.experimental"))
    return std::nullopt;
  const std::string path = (module + "." + name).str();
  static constexpr StringLiteral modules[] = {"triton.experimental",
                                              GLUON,
                                              LANGUAGE,
                                              LANGUAGE "._layouts",
                                              LANGUAGE ".amd",
                                              LANGUAGE ".extra",
                                              NVIDIA,
                                              NVIDIA ".ampere",
                                              NVIDIA ".ampere.async_copy",
                                              NVIDIA ".ampere.mbarrier",
                                              NVIDIA ".hopper",
                                              NVIDIA ".hopper.mbarrier",
                                              NVIDIA ".hopper.tma",
                                              NVIDIA ".blackwell",
                                              NVIDIA ".blackwell.clc",
                                              NVIDIA ".blackwell.tma"};
  if (llvm::is_contained(modules, StringRef(path)))
    return Value(Value::Storage(frontend::ModuleValue{path}));
  if (module == "triton")
    return std::nullopt;
  if (const frontend::Builtin *builtin = frontend::findBuiltin(module, name))
    return Value(Value::Storage(builtin));
  if (auto function = frontend::libraryFunction(module, name))
    return Value(Value::Storage(std::move(function)));
  if (const LayoutClass *type = findClass(name))
    return layoutHost().classNamed(*type);
  if (module == LANGUAGE "._layouts")
    if (const LayoutFunction *function = findLayoutFunction("", name))
      return layoutHost().functionNamed(*function);
  for (const auto &[exporter, source] : exporters)
    if (exporter == module)
      if (std::optional<Value> found = languageName(source, name))
        return found;
  if (module == LANGUAGE ".extra")
    return frontend::languageAttribute("triton.language.extra", name);
  if (module == LANGUAGE && isShared(name))
    return frontend::languageAttribute("triton.language", name);
  return std::nullopt;
}
