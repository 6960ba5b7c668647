// The classes of layouts that kernels and host programs name, `BlockedLayout` and its like: their fields, defaults and checks, and how each is written in symbols.
// This is the one definition. Hosts without Python have the classes from here (LayoutHost); Python makes its classes from the same table, and asks here whether
// fields make a layout (embed/GluonLayouts.cpp). What map a layout stands for is no matter of this file: see LayoutObjects.
#pragma once

#include "compiler/frontend/Host.h"

namespace triton::gluon {

enum class FieldKind {
  Integer,
  Boolean,
  Integers, // a list
  Bases,    // a list of lists
  Pair,     // a list, which is written and kept as a tuple
  Layout,   // of registers
  Any,      // of functions alone
};

/// A field of a layout, or a parameter of its constructor or of a function.
struct LayoutField {
  std::string name;
  FieldKind kind = FieldKind::Any;
  std::optional<frontend::Value> byDefault;
  bool takesNone = false;
};

struct LayoutClass {
  std::string name;
  std::string module; // `triton.experimental.gluon.language._layouts`
  std::string base;   // `DistributedLayout`, `SharedLayout`, `_Layout`, or a class of this table
  std::string documentation;
  std::string symbolFormat;                    // of `layoutSymbol`
  std::vector<LayoutField> fields, parameters; // of a layout; of its constructor, in general the same
  std::vector<std::string> properties;         // what a layout has beside its fields
};
llvm::ArrayRef<LayoutClass> layoutClasses();
/// Null if there is none.
const LayoutClass *findLayoutClass(llvm::StringRef name);

/// A function of a class, which yields arguments of that class's constructor, or of the module of layouts, which yields a list of numbers or of bases.
struct LayoutFunction {
  std::string owner; // a class; empty: the module
  std::string name, documentation;
  std::vector<LayoutField> parameters;
};
llvm::ArrayRef<LayoutFunction> layoutFunctions();
const LayoutFunction *findLayoutFunction(llvm::StringRef owner, llvm::StringRef name);
/// `arguments`: one for each parameter.
llvm::Expected<frontend::Value> callLayoutFunction(const LayoutFunction &function,
                                                   llvm::ArrayRef<frontend::Value> arguments);

/// The arguments of a call in the order of `parameters`, with defaults; `callee` names the call in errors.
llvm::Expected<std::vector<frontend::Value>>
bindArguments(llvm::StringRef callee, llvm::ArrayRef<LayoutField> parameters, const frontend::CallArguments &arguments);
/// The fields of a new layout from the arguments of its constructor, one for each: checked, and with what None stands for.
llvm::Expected<std::vector<frontend::Value>> makeLayoutFields(const LayoutClass &type,
                                                              llvm::ArrayRef<frontend::Value> arguments);
/// A property: `rank`, `cga_layout`, `shape`. An error of class ValueError where this layout has none.
llvm::Expected<frontend::Value> layoutProperty(const LayoutClass &type, llvm::ArrayRef<frontend::Value> fields,
                                               llvm::StringRef name);
/// `BlockedLayout(size_per_thread=[1, 4], …)`.
std::string layoutText(const LayoutClass &type, llvm::ArrayRef<frontend::Value> fields);
/// How the layout is written in the names of functions: `B1_32_4_0_B`.
llvm::Expected<std::string> layoutSymbol(const LayoutClass &type, llvm::ArrayRef<frontend::Value> fields);
/// Likewise, of a layout wherever it lives.
llvm::Expected<std::string> layoutSymbol(const frontend::Value &layout);

} // namespace triton::gluon
