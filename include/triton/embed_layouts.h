// The layouts of Gluon, for host languages: what a binding needs to have them as classes of its own.
//   In:  the values of fields, in which other layouts are objects of the host.
//   Out: the classes, and fields that are checked.
#pragma once

#include <triton/embed.h>

namespace triton::embed {

/// The classes: a tuple (name, module, base, documentation, fields, parameters, properties) for each. Parameters are those of its constructor, in general its fields;
/// properties are what `layoutProperty` answers. A field or a parameter is (name, type, default): the type "int", "bool", "list[int]", "list[list[int]]",
/// "tuple[int, int]", "DistributedLayout" or "Any", with " | None" where it may be none; the default in a tuple of its own, which is empty where there is none.
TRITON_EXPORT Value layoutClasses();

/// (owner, name, documentation, parameters) of each function: of a class, for which it yields arguments of the constructor, or without an owner of the module of layouts.
TRITON_EXPORT Value layoutFunctions();

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
