// Facts only; the objects are made in triton/language.
#include "bindings/Submodules.h"

#include "bindings/Result.h"
#include "bindings/host/Conversion.h"

#include <triton/embed.h>
#include <triton/embed_rules.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

static const char *nameOf(embed::Kind kind) {
  switch (kind) {
  case embed::Kind::Builtin:
    return "builtin";
  case embed::Kind::Function:
    return "function";
  case embed::Kind::Type:
    return "type";
  case embed::Kind::Module:
    return "module";
  case embed::Kind::Object:
    return "object";
  default:
    return "constant";
  }
}

/// (kind, path, signature, documentation, is_method, must_use_result, value), value being the constant of a constant; None if there is no such name.
static nb::object entry(const std::string &module, const std::string &name) {
  std::optional<embed::LanguageEntry> found = embed::languageEntry(module, name);
  if (!found)
    return nb::none();
  std::string kind = nameOf(found->kind);
  nb::object value = nb::none();
  if (kind == "constant")
    value = take(toPython(found->value, Wrapping::Plain));
  return nb::make_tuple(kind, found->value.path(), found->signature, found->documentation, found->isMethod,
                        found->mustUseResult, value);
}

void addLanguage(nb::module_ &module) {
  module.def(
      "language_names", [](const std::string &path) { return embed::languageNames(path); }, nb::arg("module"),
      "The names of a module of the language.");
  module.def(
      "language_rule",
      [](const std::string &name) {
        std::optional<bool> holds = embed::languageRule(name);
        if (!holds)
          throw nb::key_error(name.c_str());
        return *holds;
      },
      nb::arg("name"), "Whether a rule by which releases of the language differ holds in this process.");
  module.def("language_entry", &entry, nb::arg("module"), nb::arg("name"),
             "(kind, path, signature, documentation, is_method, must_use_result, value) of a name, or None.");
}

} // namespace triton::python
