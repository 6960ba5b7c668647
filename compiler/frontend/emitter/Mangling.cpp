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

static std::string mangle(Emitter &emitter, const Type &type) {
  auto joined = [&](llvm::ArrayRef<Type> types, StringRef separator) {
    return llvm::join(llvm::map_range(types, [&](const Type &each) { return mangle(emitter, each); }), separator);
  };
  if (const LayoutPolicy *layouts = emitter.layouts())
    if (std::optional<std::string> text = layouts->mangle(emitter, type))
      return *text;
  switch (type.kind()) {
  case Kind::Tuple:
    return "T" + joined(type.elements(), "_") + "T";
  case Kind::Aggregate:
    return pathOfClass(emitter, type) + "<" + joined(type.elements(), ", ") + ">";
  case Kind::Constant:
    return "constexpr_type" + StringRef(type.str()).drop_front(StringRef("constexpr").size()).str();
  default:
    return type.mangle();
  }
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
  Parts parts;
  for (auto [index, argument] : llvm::enumerate(arguments))
    collect(emitter, argument, Twine(index), true, isDefault[index], parts);
  std::string text = llvm::join(parts.types, "_") + "__";
  for (char c : llvm::join(parts.constants, "_")) {
    if (c == '.')
      text += "_d_";
    else if (c == '\'')
      text += "_sq_";
    else
      text += c == '[' || c == ']' ? '_' : c;
  }
  return text;
}

} // namespace triton::frontend
