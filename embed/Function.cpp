// Functions of the program: parsed once, resolved through the host that made them.
#include "embed/Adapter.h"

#include "compiler/syntax/Parser.h"

#include "llvm/Support/Casting.h"

namespace triton::embed {

std::shared_ptr<const frontend::Function> toFrontend(const Function &function) {
  return std::static_pointer_cast<const frontend::Function>(function.shared());
}

static const syntax::FunctionDef *onlyFunction(const syntax::Tree &tree) {
  if (!tree.module || tree.module->body.size() != 1)
    return nullptr;
  return llvm::dyn_cast<syntax::FunctionDef>(tree.module->body.front());
}

/// The ranges of the parameters' names, so that messages about a parameter point at it.
static void addRanges(const syntax::FunctionDef &definition, std::vector<frontend::Parameter> &parameters) {
  llvm::SmallVector<const syntax::Arg *> declared(definition.args->posonlyargs);
  llvm::append_range(declared, definition.args->args);
  llvm::append_range(declared, definition.args->kwonlyargs);
  if (definition.args->vararg)
    declared.push_back(definition.args->vararg);
  for (const syntax::Arg *argument : declared)
    for (frontend::Parameter &parameter : parameters)
      if (parameter.name == argument->arg)
        parameter.range = argument->range;
}

std::optional<Function> Function::create(Host &host, FunctionDescription description, Diagnostics &diagnostics) {
  auto function = std::make_shared<frontend::Function>();
  function->name = std::move(description.name);
  function->qualifiedName = std::move(description.qualifiedName);
  function->source = Source::create(std::move(description.file), std::move(description.text), description.firstLine,
                                    description.columnOffset);
  triton::Diagnostics reported;
  function->tree = syntax::parse(function->source, reported);
  append(reported, diagnostics);
  if (reported.hasErrors())
    return std::nullopt;
  function->definition = onlyFunction(*function->tree);
  if (!function->definition) {
    triton::Diagnostic diagnostic;
    diagnostic.range = {function->source.get(), 0, 0};
    diagnostic.message = "the source of a jitted function must be one function definition";
    diagnostics.push_back(fromSupport(diagnostic));
    return std::nullopt;
  }
  for (Parameter &parameter : description.parameters) {
    frontend::Parameter out;
    out.name = std::move(parameter.name);
    out.annotate(parameter.annotation);
    out.isConstexpr = parameter.isConstexpr;
    out.specializesValue = parameter.specializesValue;
    out.specializesAlignment = parameter.specializesAlignment;
    if (parameter.defaultValue)
      out.defaultValue = toFrontend(*parameter.defaultValue);
    function->parameters.push_back(std::move(out));
  }
  addRanges(*function->definition, function->parameters);
  function->noinline = description.noinline;
  function->mustUseResult = std::move(description.mustUseResult);
  function->host = &host.adapter();
  function->scope = std::move(description.scope);
  return Function(std::shared_ptr<const void>(std::move(function)));
}

} // namespace triton::embed
