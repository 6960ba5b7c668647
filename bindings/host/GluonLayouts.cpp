// Facts and checks only; the classes are made in triton/experimental/gluon/language/_layouts.py.
#include "bindings/host/GluonLayouts.h"

#include "bindings/Reference.h"
#include "bindings/host/Conversion.h"

#include <triton/embed_layouts.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

template <typename T> static T take(embed::Result<T> result) {
  if (auto *value = std::get_if<T>(&result))
    return std::move(*value);
  const auto &error = std::get<embed::Error>(result);
  nb::object exception = nb::module_::import_("builtins").attr(error.exception.c_str());
  PyErr_SetString(exception.ptr(), error.message.c_str());
  throw nb::python_error();
}

static std::vector<embed::Value> toValues(nb::handle arguments) {
  std::vector<embed::Value> values;
  for (nb::handle argument : arguments) {
    std::optional<embed::Value> value = toValue(argument.ptr());
    if (!value)
      throw nb::python_error();
    values.push_back(std::move(*value));
  }
  return values;
}

/// Sequences are lists, as layouts keep them; a pair is a tuple.
static nb::object toObject(const embed::Value &value, bool isPair = false) {
  if (value.kind() == embed::Kind::Tuple) {
    nb::list list;
    for (const embed::Value &element : value.elements())
      list.append(toObject(element));
    return isPair ? nb::object(nb::tuple(list)) : nb::object(list);
  }
  nb::object object = nb::steal(toPython(value, Wrapping::Plain));
  if (!object)
    throw nb::python_error();
  return object;
}

/// [(name, type, default), …]; a default is in a tuple of its own, which is empty where there is none.
static nb::list describe(const std::vector<embed::LayoutField> &fields) {
  nb::list described;
  for (const embed::LayoutField &field : fields) {
    nb::object byDefault = field.byDefault ? nb::make_tuple(toObject(*field.byDefault)) : nb::make_tuple();
    described.append(nb::make_tuple(field.name, field.type + (field.takesNone ? " | None" : ""), byDefault));
  }
  return described;
}

static nb::list classes() {
  nb::list out;
  for (const embed::LayoutClass &type : embed::layoutClasses())
    out.append(nb::make_tuple(type.name, type.module, type.base, type.documentation, describe(type.fields),
                              describe(type.parameters), type.properties));
  return out;
}

static nb::list functions() {
  nb::list out;
  for (const embed::LayoutFunction &function : embed::layoutFunctions())
    out.append(nb::make_tuple(function.owner, function.name, function.documentation, describe(function.parameters)));
  return out;
}

/// Which fields of each class are pairs: asked with every layout that is made.
static bool isPair(const std::string &className, size_t field) {
  static const auto *all = new std::vector<embed::LayoutClass>(embed::layoutClasses());
  for (const embed::LayoutClass &type : *all)
    if (type.name == className)
      return type.fields[field].type == "tuple[int, int]";
  return false;
}

static nb::list make(const std::string &className, nb::handle arguments) {
  std::vector<embed::Value> fields = take(embed::makeLayout(className, toValues(arguments)));
  nb::list out;
  for (size_t index = 0; index < fields.size(); ++index)
    out.append(toObject(fields[index], isPair(className, index)));
  return out;
}

void addGluonLayouts(nb::module_ &parent) {
  nb::module_ module = parent.def_submodule("gluon_layouts", "The layouts of Gluon: the table of classes, and checks.");
  module.def("classes", &classes,
             "[(name, module, base, documentation, fields, parameters, properties), …]; a field is (name, type, "
             "default or nothing).");
  module.def("functions", &functions, "[(owner, name, documentation, parameters), …]");
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
