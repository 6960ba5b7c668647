// Facts and checks only; the classes are made in triton/experimental/gluon/language/_layouts.py.
#include "bindings/Submodules.h"

#include "bindings/Result.h"
#include "bindings/host/Conversion.h"

#include <triton/embed_layouts.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

static std::vector<embed::Value> toValues(nb::handle arguments) {
  std::vector<embed::Value> values;
  for (nb::handle argument : arguments)
    values.push_back(take(toValue(argument.ptr())));
  return values;
}

/// Sequences are lists, as layouts keep them.
static nb::object toObject(const embed::Value &value) {
  if (value.kind() == embed::Kind::Tuple) {
    nb::list list;
    for (const embed::Value &element : value.elements())
      list.append(toObject(element));
    return list;
  }
  return take(toPython(value, Wrapping::Plain));
}

static nb::list make(const std::string &className, nb::handle arguments) {
  nb::list out;
  for (const embed::Value &field : take(embed::makeLayout(className, toValues(arguments))))
    out.append(toObject(field));
  return out;
}

void addGluonLayouts(nb::module_ &parent) {
  nb::module_ module = parent.def_submodule("gluon_layouts", "The layouts of Gluon: the table of classes, and checks.");
  module.def(
      "classes", [] { return toObject(embed::layoutClasses()); },
      "[(name, module, base, documentation, fields, parameters, properties), …]; a field is (name, type, "
      "default or nothing).");
  module.def(
      "functions", [] { return toObject(embed::layoutFunctions()); }, "[(owner, name, documentation, parameters), …]");
  module.def("make", &make, nb::arg("name"), nb::arg("arguments"),
             "The fields of a layout from the arguments of its constructor, one for each.");
  module.def(
      "property",
      [](const std::string &name, nb::handle fields, const std::string &property) {
        return toObject(take(embed::layoutProperty(name, toValues(fields), property)));
      },
      nb::arg("name"), nb::arg("fields"), nb::arg("property"));
  module.def(
      "symbol",
      [](const std::string &name, nb::handle fields) { return take(embed::layoutSymbol(name, toValues(fields))); },
      nb::arg("name"), nb::arg("fields"), "How the layout is written in the names of functions.");
  module.def(
      "call",
      [](const std::string &owner, const std::string &name, nb::handle arguments) {
        return toObject(take(embed::callLayoutFunction(owner, name, toValues(arguments))));
      },
      nb::arg("owner"), nb::arg("name"), nb::arg("arguments"),
      "Calls one of `functions`, with an argument for each parameter.");
  nb::module_ ir = parent.def_submodule("gluon_ir", "Functions of layouts, under the name that programs import.");
  ir.def(
      "make_cga_layout",
      [](nb::handle ctasPerCga, nb::handle ctaSplitNum, nb::handle ctaOrder) {
        return toObject(take(embed::callLayoutFunction("", "make_cga_layout",
                                                       toValues(nb::make_tuple(ctasPerCga, ctaSplitNum, ctaOrder)))));
      },
      nb::arg("ctas_per_cga"), nb::arg("cta_split_num"), nb::arg("cta_order"));
}

} // namespace triton::python
