// The layouts of Gluon, for host languages: what a binding needs to have them as classes of its own.
//   In:  the values of fields, in which other layouts are objects of the host.
//   Out: the classes, and fields that are checked.
#pragma once

#include <triton/embed.h>

namespace triton::embed {

/// A field of a layout, or a parameter of its constructor or of a function.
struct LayoutField {
  std::string name;
  std::string type; // "int", "bool", "list[int]", "list[list[int]]", "tuple[int, int]", "DistributedLayout", "Any"
  bool takesNone = false;
  std::optional<Value> byDefault;
};

struct LayoutClass {
  std::string name, module, base, documentation;
  std::vector<LayoutField> fields, parameters; // of a layout; of its constructor, in general the same
  std::vector<std::string> properties;         // what `layoutProperty` answers
};
TRITON_EXPORT std::vector<LayoutClass> layoutClasses();

/// A function of a class, which yields arguments for that class's constructor, or of the module of layouts.
struct LayoutFunction {
  std::string owner, name, documentation; // no owner: the module
  std::vector<LayoutField> parameters;
};
TRITON_EXPORT std::vector<LayoutFunction> layoutFunctions();

/// The fields of a new layout from one value for each parameter of its constructor.
TRITON_EXPORT Result<std::vector<Value>> makeLayout(std::string_view className, const std::vector<Value> &arguments);
TRITON_EXPORT Result<Value> layoutProperty(std::string_view className, const std::vector<Value> &fields,
                                           std::string_view property);
/// How the layout is written in the names of functions.
TRITON_EXPORT Result<std::string> layoutSymbol(std::string_view className, const std::vector<Value> &fields);
/// `arguments`: one for each parameter.
TRITON_EXPORT Result<Value> callLayoutFunction(std::string_view owner, std::string_view name,
                                               const std::vector<Value> &arguments);

} // namespace triton::embed
