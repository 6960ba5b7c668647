#include "compiler/frontend/Instead.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/filehost/PythonFunctions.h"
#include "compiler/frontend/values/Value.h"
#include "compiler/support/Suggestion.h"

#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace triton::frontend {

static std::string ask(const llvm::Twine &name) { return ("did you mean '" + name + "'?").str(); }

static bool has(StringRef modulePath, StringRef name) { return llvm::is_contained(languageNames(modulePath), name); }

/// `float32` for `fp32`: how signatures and messages spell the types.
static std::string dtypeSpelled(StringRef text) {
  for (const std::string &name : languageNames("triton.language"))
    if (std::optional<Value> value = languageAttribute("triton.language", name))
      if (auto *type = value->getIf<Type>(); type && type->str() == text)
        return name;
  return "";
}

std::string insteadOfName(StringRef name) {
  if (has("triton.language", name))
    return ask("tl." + name);
  if (has("triton.language.extra.libdevice", name))
    return ask("tl.extra.libdevice." + name);
  if (findPythonFunction(name))
    return ("kernels do not have Python's '" + name +
            "'; a @triton.constexpr_function may call it with what is known while compiling")
        .str();
  return "";
}

std::string insteadOfLanguageName(StringRef modulePath, StringRef name) {
  if (std::string closest = closestName(name, languageNames(modulePath)); !closest.empty())
    return ask(closest);
  if (modulePath != "triton.language" && has("triton.language", name))
    return ask("tl." + name);
  if (has("triton.language.extra.libdevice", name))
    return ask("tl.extra.libdevice." + name);
  if (std::string dtype = dtypeSpelled(name); !dtype.empty())
    return ask(dtype);
  return llvm::StringSwitch<StringRef>(name)
      .Case("ones", "tl.full(shape, 1, dtype) makes a block of ones")
      .Case("empty", "blocks have values: tl.zeros or tl.full makes one")
      .Case("mean", "divide tl.sum(x, axis) by the number of elements")
      .Cases({"matmul", "mm", "bmm"}, "tl.dot multiplies matrices")
      .Cases({"concat", "concatenate", "stack"}, "tl.cat and tl.join put two blocks together")
      .Case("transpose", "tl.trans swaps the last two dimensions, tl.permute any")
      .Case("clip", "tl.clamp limits values to a range")
      .Case("relu", "write tl.maximum(x, 0)")
      .Cases({"float", "int", "bool"}, "x.to(tl.float32) converts to a type of the language")
      .Case("libdevice", "it is tl.extra.libdevice")
      .Default("")
      .str();
}

std::string insteadOfAttribute(StringRef className, StringRef name) {
  if (className == "tuple")
    return name == "append" || name == "extend" ? "lists are tuples in kernels: a + (b,) is a longer one" : "";
  if (className != "tensor")
    return "";
  StringRef text =
      llvm::StringSwitch<StringRef>(name)
          .Cases({"astype", "type_as", "float", "half", "double", "int", "long", "bool"},
                 "x.to(tl.float32) converts to a type")
          .Cases({"size", "ndim", "dim"}, "x.shape has the sizes of a block, len(x.shape) is its number of dimensions")
          .Cases({"stride", "strides", "data_ptr", "device", "contiguous", "is_contiguous"},
                 "kernels see an array as the pointer to its first element: pass sizes and strides as arguments")
          .Default("");
  if (text.empty() && has("triton.language", name))
    return ("it is a function: tl." + name + "(x)").str();
  return text.str();
}

} // namespace triton::frontend
