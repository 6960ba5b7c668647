#include "compiler/gluon/LayoutHost.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Library.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/gluon/LayoutObjects.h"

#include "llvm/ADT/StringExtras.h"
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

/// A class by its fields, as `order, cga_layout=[]` writes them.
struct RecordClass {
  StringLiteral name, fields;
  bool isPairs = false; // its sequences are tuples, to be printed so
};

/// A class, an instance, or a function of a class.
struct Object {
  enum class Kind { Class, Record, DefaultForBuffer, IdentityPadding } kind;
  const RecordClass *type;
  std::vector<std::pair<std::string, Value>> fields;
  std::string text;
};

} // namespace

static constexpr RecordClass classes[] = {
    {"AutoLayout", ""},
    {"CoalescedLayout", ""},
    {"BlockedLayout", "size_per_thread threads_per_warp warps_per_cta order cga_layout=[]"},
    {"SliceLayout", "dim parent"},
    {"DistributedLinearLayout", "reg_bases lane_bases warp_bases block_bases shape"},
    {"NVMMADistributedLayout", "version warps_per_cta instr_shape cga_layout=[]"},
    {"DotOperandLayout", "operand_index parent k_width"},
    {"SwizzledSharedLayout", "vec per_phase max_phase order cga_layout=[]"},
    {"MBarrierLayout", "cga_layout=[]"},
    {"NVMMASharedLayout", "swizzle_byte_width element_bitwidth rank=2 transposed=False fp4_padded=False cga_layout=[]"},
    {"PaddedSharedLayout", "interval_padding_pairs offset_bases block_bases shape"},
    {"SharedLinearLayout", "offset_bases block_bases=[] alignment=16"},
    {"TensorMemoryLayout", "block col_stride cta_split_num=None two_ctas=False", true},
    {"TensorMemoryScalesLayout", "cta_split_num=None", true},
    {"distributed_type", "element_ty shape layout"},
    {"shared_memory_descriptor_type", "element_ty shape layout alloc_shape"},
    {"tensor_memory_descriptor_type", "element_ty shape layout alloc_shape"},
    {"warpgroup_mma_accumulator_type", "tensor_type"},
};

static Value defaultNamed(StringRef text) {
  int64_t number;
  if (!text.getAsInteger(10, number))
    return Value::integer(number);
  if (text == "False")
    return Value::boolean(false);
  return text == "None" ? Value::none() : Value::tuple({});
}

static std::string written(const Value &value, bool isPair) {
  const frontend::TupleValue *list = value.tuple();
  if (!list)
    return value.repr();
  std::string text = isPair ? "(" : "[";
  for (auto [index, element] : llvm::enumerate(list->elements))
    text += (index ? ", " : "") + written(element, isPair);
  return text + (isPair ? ")" : "]");
}

namespace {
class LayoutHost final : public frontend::Host {
public:
  Value classNamed(const RecordClass &type) { return interned({Object::Kind::Class, &type, {}, type.name.str()}); }

  Expected<std::optional<Value>> lookup(const frontend::Function &, StringRef) override { return std::nullopt; }
  Expected<std::optional<Value>> attribute(const HostObject &object, StringRef name) override;
  Expected<Value> call(const HostObject &callable, const CallArguments &arguments, frontend::Emitter &) override {
    return fold(callable, arguments);
  }
  Expected<Value> fold(const HostObject &callable, const CallArguments &arguments) override;
  Expected<bool> isInstance(const Value &value, const HostObject &hostClass) override {
    const auto *object = value.getIf<HostObject>();
    return object && object->host == this && get(*object).kind == Object::Kind::Record &&
           get(*object).type == get(hostClass).type;
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
    return get(object).kind == Object::Kind::Record ? get(object).type->name.str() : "type";
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
  Expected<std::vector<std::pair<std::string, Value>>> bind(const RecordClass &type, const CallArguments &arguments);
  Expected<Value> make(const RecordClass &type, const CallArguments &arguments);
  Expected<Value> defaultForBuffer(const CallArguments &arguments);
  Expected<Value> identityPadding(const CallArguments &arguments);

  std::mutex mutex;
  llvm::StringMap<std::shared_ptr<const Object>> objects;
};
} // namespace

static LayoutHost &layoutHost() {
  static auto *host = new LayoutHost; // objects may be held beyond the end of main
  return *host;
}

static const RecordClass *findClass(StringRef name) {
  const auto *found = llvm::find_if(classes, [&](const RecordClass &type) { return type.name == name; });
  return found == std::end(classes) ? nullptr : found;
}

static const Value *fieldOf(llvm::ArrayRef<std::pair<std::string, Value>> fields, StringRef name) {
  for (const auto &[field, value] : fields)
    if (field == name)
      return &value;
  return nullptr;
}

Expected<std::optional<Value>> LayoutHost::attribute(const HostObject &object, StringRef name) {
  const Object &known = get(object);
  if (known.kind == Object::Kind::Class) {
    if (known.text == "NVMMASharedLayout" && name == "get_default_for")
      return interned({Object::Kind::DefaultForBuffer, known.type, {}, "NVMMASharedLayout.get_default_for"});
    if (known.text == "PaddedSharedLayout" && name == "with_identity_for")
      return interned({Object::Kind::IdentityPadding, known.type, {}, "PaddedSharedLayout.with_identity_for"});
    return std::nullopt;
  }
  if (const Value *field = fieldOf(known.fields, name))
    return *field;
  if (name != "rank")
    return std::nullopt;
  for (StringRef list : {"order", "shape", "warps_per_cta"})
    if (const Value *field = fieldOf(known.fields, list); field && field->tuple())
      return Value::integer(int64_t(field->tuple()->elements.size()));
  if (const Value *bases = fieldOf(known.fields, "offset_bases"); bases && bases->tuple())
    if (const auto &all = bases->tuple()->elements; !all.empty() && all[0].tuple())
      return Value::integer(int64_t(all[0].tuple()->elements.size()));
  const Value *parent = fieldOf(known.fields, "parent");
  const auto *inner = parent ? parent->getIf<HostObject>() : nullptr;
  if (!inner || inner->host != this)
    return std::nullopt;
  Expected<std::optional<Value>> rank = attribute(*inner, "rank");
  if (!rank || !*rank || known.type->name != "SliceLayout")
    return rank;
  return Value::integer(*frontend::toInt64((*rank)->get<frontend::Integer>()) - 1);
}

Expected<std::vector<std::pair<std::string, Value>>> LayoutHost::bind(const RecordClass &type,
                                                                      const CallArguments &arguments) {
  std::vector<std::pair<std::string, Value>> fields;
  llvm::SmallVector<StringRef> declared;
  type.fields.split(declared, ' ', -1, /*KeepEmpty=*/false);
  if (arguments.positional.size() > declared.size())
    return frontend::hostError("TypeError", (type.name + "() takes " + llvm::Twine(declared.size()) +
                                             " arguments, got " + llvm::Twine(arguments.positional.size()))
                                                .str());
  for (auto [index, text] : llvm::enumerate(declared)) {
    auto [name, given] = text.split('=');
    auto keyword = llvm::find_if(arguments.keywords, [&](const auto &item) { return item.first == name; });
    if (index < arguments.positional.size())
      fields.emplace_back(name, arguments.positional[index]);
    else if (keyword != arguments.keywords.end())
      fields.emplace_back(name, keyword->second);
    else if (!given.empty())
      fields.emplace_back(name, defaultNamed(given));
    else
      return frontend::hostError("TypeError", (type.name + "() is missing '" + name + "'").str());
  }
  for (const auto &[name, value] : arguments.keywords)
    if (!fieldOf(fields, name))
      return frontend::hostError("TypeError", (type.name + "() has no argument '" + name + "'").str());
  return fields;
}

Expected<Value> LayoutHost::make(const RecordClass &type, const CallArguments &arguments) {
  auto fields = bind(type, arguments);
  if (!fields)
    return fields.takeError();
  if (type.name == "MBarrierLayout") { // one int64 each
    const Value one = Value::integer(int64_t(1)), given = fields->front().second;
    *fields = {{"vec", one},
               {"per_phase", one},
               {"max_phase", one},
               {"order", Value::tuple({Value::integer(int64_t(0))})},
               {"cga_layout", given.isNone() ? Value::tuple({}) : given}};
  }
  std::string text = type.name.str() + "(";
  for (auto [index, field] : llvm::enumerate(*fields))
    text += (index ? ", " : "") + field.first + "=" + written(field.second, type.isPairs);
  return interned({Object::Kind::Record, &type, std::move(*fields), text + ")"});
}

static std::optional<std::vector<int64_t>> numbersIn(const Value *value) {
  std::vector<int64_t> numbers;
  if (!value || !value->tuple())
    return std::nullopt;
  for (const Value &element : value->tuple()->elements) {
    const auto *integer = element.getIf<frontend::Integer>();
    std::optional<int64_t> small = integer ? frontend::toInt64(*integer) : std::nullopt;
    if (!small)
      return std::nullopt;
    numbers.push_back(*small);
  }
  return numbers;
}

Expected<Value> LayoutHost::defaultForBuffer(const CallArguments &arguments) {
  static constexpr RecordClass parameters{"get_default_for",
                                          "block_shape dtype transposed=False fp4_padded=False cga_layout=[]"};
  auto fields = bind(parameters, arguments);
  if (!fields)
    return fields.takeError();
  auto shape = numbersIn(fieldOf(*fields, "block_shape"));
  const auto *dtype = fieldOf(*fields, "dtype")->getIf<frontend::Type>();
  const bool *transposed = fieldOf(*fields, "transposed")->getIf<bool>(),
             *padded = fieldOf(*fields, "fp4_padded")->getIf<bool>();
  const Value &given = *fieldOf(*fields, "cga_layout");
  const Value cluster = given.isNone() ? Value::tuple({}) : given;
  if (!shape || shape->empty() || !dtype || !transposed || !padded || !cluster.tuple())
    return frontend::hostError("TypeError", "get_default_for takes a shape, a dtype, two flags and a cga_layout");
  const int64_t rank = shape->size(), bits = dtype->bitWidth();
  for (const Value &basis : cluster.tuple()->elements) {
    auto steps = numbersIn(&basis);
    for (size_t dim = 0; steps && dim < steps->size() && dim < shape->size(); ++dim)
      (*shape)[dim] /= (*steps)[dim] ? 2 : 1;
  }
  const int64_t inner = *transposed ? shape->front() : shape->back(), outer = llvm::product_of(*shape) / inner;
  int64_t swizzle = 0;
  if (rank >= 2 && outer >= 8)
    for (int64_t width : {32, 64, 128})
      if (inner * (*padded ? 2 : 1) * bits / 8 % width == 0)
        swizzle = width;
  return make(*findClass("NVMMASharedLayout"), {{Value::integer(swizzle), Value::integer(bits), Value::integer(rank),
                                                 Value::boolean(*transposed), Value::boolean(*padded), cluster},
                                                {}});
}

Expected<Value> LayoutHost::identityPadding(const CallArguments &arguments) {
  static constexpr RecordClass parameters{"with_identity_for", "interval_padding_pairs shape order"};
  auto fields = bind(parameters, arguments);
  if (!fields)
    return fields.takeError();
  auto shape = numbersIn(fieldOf(*fields, "shape")), order = numbersIn(fieldOf(*fields, "order"));
  if (!shape || !order || shape->size() != order->size())
    return frontend::hostError("AssertionError", "with_identity_for needs a shape and an order of one length");
  std::vector<Value> bases;
  for (int64_t along : *order)
    for (int64_t step = 1; along >= 0 && along < int64_t(shape->size()) && step < (*shape)[along]; step *= 2) {
      std::vector<Value> basis(shape->size(), Value::integer(int64_t(0)));
      basis[along] = Value::integer(step);
      bases.push_back(Value::tuple(std::move(basis)));
    }
  return make(*findClass("PaddedSharedLayout"),
              {{*fieldOf(*fields, "interval_padding_pairs"), Value::tuple(std::move(bases)), Value::tuple({}),
                *fieldOf(*fields, "shape")},
               {}});
}

Expected<Value> LayoutHost::fold(const HostObject &callable, const CallArguments &arguments) {
  const Object &known = get(callable);
  switch (known.kind) {
  case Object::Kind::Class:
    return make(*known.type, arguments);
  case Object::Kind::DefaultForBuffer:
    return defaultForBuffer(arguments);
  case Object::Kind::IdentityPadding:
    return identityPadding(arguments);
  case Object::Kind::Record:
    break;
  }
  return frontend::hostError("TypeError", "'" + known.type->name.str() + "' object is not callable");
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
    {NVIDIA ".blackwell.tma", NVIDIA ".hopper.tma"},
};

/// What `tl` has that this language shares; without those of its own.
static constexpr StringLiteral sharedNames =
    " load store atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor add sub mul "
    "maximum minimum where expand_dims broadcast reshape permute join split reduce associative_scan map_elementwise "
    "gather inline_asm_elementwise cast to_tensor assume multiple_of max_contiguous max_constancy program_id "
    "num_programs static_range static_assert static_print device_assert device_print umulhi exp exp2 fma log log2 cos "
    "rsqrt sin sqrt sqrt_rn abs fdiv div_rn erf floor ceil sum max min xor_sum reduce_or ravel cdiv constexpr tensor "
    "tuple dtype pointer_type block_type extra ";

static bool isShared(StringRef name) {
  return sharedNames.contains((" " + name + " ").str()) || frontend::scalarKindByName(name);
}

std::optional<Value> triton::gluon::languageName(StringRef module, StringRef name) {
  if (module != "triton" && !module.starts_with("triton.experimental"))
    return std::nullopt;
  const std::string path = (module + "." + name).str();
  static constexpr StringLiteral modules[] = {"triton.experimental",
                                              GLUON,
                                              LANGUAGE,
                                              NVIDIA,
                                              NVIDIA ".ampere",
                                              NVIDIA ".ampere.async_copy",
                                              NVIDIA ".ampere.mbarrier",
                                              NVIDIA ".hopper",
                                              NVIDIA ".hopper.mbarrier",
                                              NVIDIA ".hopper.tma",
                                              NVIDIA ".blackwell",
                                              NVIDIA ".blackwell.tma"};
  if (llvm::is_contained(modules, StringRef(path)))
    return Value(Value::Storage(frontend::ModuleValue{path}));
  if (module == "triton")
    return std::nullopt;
  if (const frontend::Builtin *builtin = frontend::findBuiltin(module, name))
    return Value(Value::Storage(builtin));
  if (auto function = frontend::libraryFunction(module, name))
    return Value(Value::Storage(std::move(function)));
  if (const RecordClass *type = findClass(name))
    return layoutHost().classNamed(*type);
  for (const auto &[exporter, source] : exporters)
    if (exporter == module)
      if (std::optional<Value> found = languageName(source, name))
        return found;
  if (module == LANGUAGE && isShared(name))
    return frontend::languageAttribute("triton.language", name);
  return std::nullopt;
}
