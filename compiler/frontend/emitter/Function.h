// A jitted function as the frontend sees it: parsed definition, parameters, and the host scope that resolves its free names.
#pragma once

#include "compiler/frontend/values/Value.h"
#include "compiler/support/Source.h"
#include "compiler/syntax/Tree.h"
#include "dispatch/Parameter.h"

namespace triton::frontend {

struct Parameter : dispatch::Parameter {
  std::optional<Value> defaultValue;
  SourceRange range;
};

class Function {
public:
  std::string name;          // "add_kernel"
  std::string qualifiedName; // "module.add_kernel"
  std::shared_ptr<const Source> source;
  std::shared_ptr<const syntax::Tree> tree; // owns `definition`
  const syntax::FunctionDef *definition = nullptr;
  std::vector<Parameter> parameters;
  bool noinline = false;
  /// In the language whose kernels name layouts; hosts that know it otherwise need not say so.
  bool saysLayouts = false;
  /// Set by `must_use_result`: discarding a call's result is an error with this text.
  std::optional<std::string> mustUseResult;
  Host *host = nullptr;              // resolves its free names
  std::shared_ptr<const void> scope; // what the host needs to do so (Python: globals and closure; file: the module)
  /// Distinguishes functions for specialisation: equal iff the same function object.
  const void *identity() const { return this; }
};

} // namespace triton::frontend
