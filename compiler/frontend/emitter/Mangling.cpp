#include "compiler/frontend/emitter/Mangling.h"

#include "compiler/frontend/LayoutPolicy.h"
#include "compiler/frontend/Operations.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace triton::frontend {

using Kind = Type::Kind;

/// `module.Outer.Class`.
static std::string pathOfClass(Emitter &emitter, const Type &type) {
  std::string path;
  for (StringRef part : {"__module__", "__qualname__"}) {
    if (!type.hostClass().host)
      return type.className().str();
    FailureOr<std::optional<Value>> text = valueAttribute(emitter, Value(type.hostClass()), part);
    if (failed(text) || !*text || !(*text)->is<std::string>())
      return type.className().str();
    path += (path.empty() ? "" : ".") + (*text)->get<std::string>();
  }
  return path;
}

static bool hasShortNames(Emitter &emitter) { return emitter.options().version.has(LanguageRule::ShortSymbols); }

/// What symbols are spelled without.
static std::string replaceMarks(StringRef text, bool dots) {
  std::string result;
  for (char c : text) {
    if (c == '.' && dots)
      result += "_d_";
    else if (c == '\'')
      result += "_sq_";
    else
      result += c == '[' || c == ']' ? '_' : c;
  }
  return result;
}

static std::string mangle(Emitter &emitter, const Type &type) {
  // In a vector: join looks at each element twice, which for types in types would double with every level.
  auto joined = [&](llvm::ArrayRef<Type> types, StringRef separator) {
    return llvm::join(llvm::map_to_vector(types, [&](const Type &each) { return mangle(emitter, each); }), separator);
  };
  if (const LayoutPolicy *layouts = emitter.layouts())
    if (std::optional<std::string> text = layouts->mangle(emitter, type))
      return *text;
  switch (type.kind()) {
  case Kind::Tuple:
    return "T" + joined(type.elements(), "_") + "T";
  case Kind::Aggregate:
    return pathOfClass(emitter, type) + "<" + joined(type.elements(), ", ") + ">";
  case Kind::Constant: {
    const std::string text = type.str(); // constexpr[42]
    if (hasShortNames(emitter))
      return "c" + replaceMarks(StringRef(text).drop_front(StringRef("constexpr[").size()).drop_back(), /*dots=*/false);
    return "constexpr_type" + StringRef(text).drop_front(StringRef("constexpr").size()).str();
  }
  default:
    return type.mangle();
  }
}

/// `i32_fp32S128S_c8`: arguments in their order.
static std::string mangleShortly(Emitter &emitter, const Value &value) {
  if (const TupleValue *tuple = value.tuple()) {
    auto parts = llvm::map_to_vector(tuple->elements, [&](const Value &each) { return mangleShortly(emitter, each); });
    return "T" + llvm::join(parts, "_") + "T";
  }
  const Type type = value.type();
  if (type.kind() != Kind::Constant)
    return mangle(emitter, type);
  if (value.is<Type>())
    return "c" + value.get<Type>().mangle();
  if (const LayoutPolicy *layouts = emitter.layouts())
    if (std::optional<std::string> layout = layouts->mangleLayout(value))
      return "c" + *layout;
  return "c" + replaceMarks(value.repr(), /*dots=*/false);
}

namespace {
struct Parts {
  std::vector<std::string> types, constants;
};
} // namespace

/// Tuples are taken apart: `path` is where the value stands in them.
static void collect(Emitter &emitter, const Value &value, const Twine &path, bool isTop, bool isDefault, Parts &parts) {
  if (const TupleValue *tuple = value.tuple(); tuple && !tuple->elements.empty()) {
    for (auto [index, element] : llvm::enumerate(tuple->elements))
      collect(emitter, element, path + ", " + Twine(index), false, false, parts);
    return;
  }
  const Type type = value.type();
  if (type.kind() != Kind::Constant)
    return parts.types.push_back(mangle(emitter, type));
  // Functions and dtypes in tuples stand there as themselves, other values as `constexpr`.
  const bool isBare =
      !isTop && (value.is<std::shared_ptr<const Function>>() || (value.is<Type>() && value.get<Type>().isScalar()));
  const bool isText = value.is<Type>() || value.is<std::string>();
  const std::string text = isDefault && value.isNone() ? "None"
                           : isBare                    ? value.repr()
                           : isText                    ? "constexpr[" + value.str() + "]"
                                                       : type.str();
  parts.constants.push_back(("(" + path + (isTop ? ",)c" : ")c") + text).str());
}

std::string mangleArguments(Emitter &emitter, llvm::ArrayRef<Value> arguments, llvm::ArrayRef<bool> isDefault) {
  if (hasShortNames(emitter)) {
    auto parts = llvm::map_range(arguments, [&](const Value &each) { return mangleShortly(emitter, each); });
    return llvm::join(parts, "_");
  }
  Parts parts;
  for (auto [index, argument] : llvm::enumerate(arguments))
    collect(emitter, argument, Twine(index), true, isDefault[index], parts);
  return llvm::join(parts.types, "_") + "__" + replaceMarks(llvm::join(parts.constants, "_"), /*dots=*/true);
}

} // namespace triton::frontend
