// The names of the language as host languages show them: from the registry and the embedded library.
#include "embed/Adapter.h"

#include "compiler/driver/Options.h"
#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/LanguageVersion.h"
#include "compiler/frontend/Library.h"
#include "compiler/syntax/Ast.h"

#include "llvm/Support/Casting.h"

#include <triton/embed_rules.h>

namespace triton::embed {

std::vector<std::string> languageNames(std::string_view modulePath) { return frontend::languageNames(modulePath); }

std::optional<bool> languageRule(std::string_view name) {
  auto rule = frontend::findLanguageRule(llvm::StringRef(name.data(), name.size()));
  auto version = frontend::LanguageVersion::parse(driver::languageVersionOfProcess());
  if (!rule)
    return std::nullopt;
  return version.value_or(frontend::LanguageVersion()).has(*rule);
}

/// Python's text of a library function's parameters.
static std::string signatureOf(const frontend::Function &function) {
  std::string text = "(";
  for (const frontend::Parameter &parameter : function.parameters) {
    if (text.size() > 1)
      text += ", ";
    text += parameter.name;
    if (parameter.isConstexpr)
      text += ": 'tl.constexpr'";
    if (parameter.defaultValue)
      text += "=" + parameter.defaultValue->repr();
  }
  return text + ")";
}

static std::string docstringOf(const frontend::Function &function) {
  if (!function.definition || function.definition->body.empty())
    return {};
  auto *statement = llvm::dyn_cast<syntax::ExprStmt>(function.definition->body.front());
  auto *constant = statement ? llvm::dyn_cast<syntax::Constant>(statement->value) : nullptr;
  if (!constant)
    return {};
  auto *string = constant->as<syntax::StringValue>();
  return string ? string->text.str() : std::string();
}

std::optional<LanguageEntry> languageEntry(std::string_view modulePath, std::string_view name) {
  std::optional<frontend::Value> value = frontend::languageAttribute(modulePath, name);
  // Classes of layouts are for hosts that have none of their own.
  if (!value || value->is<frontend::HostObject>())
    return std::nullopt;
  LanguageEntry entry;
  entry.value = fromFrontend(*value);
  entry.kind = entry.value.kind();
  if (auto *builtin = value->getIf<const frontend::Builtin *>()) {
    entry.signature = (*builtin)->signature.str();
    entry.documentation = (*builtin)->documentation.str();
    entry.isMethod = (*builtin)->isMethod;
    entry.mustUseResult = (*builtin)->mustUseResult;
  } else if (auto *function = value->getIf<std::shared_ptr<const frontend::Function>>()) {
    entry.signature = signatureOf(**function);
    entry.documentation = docstringOf(**function);
    entry.mustUseResult = (*function)->mustUseResult.has_value();
    entry.isMethod = frontend::libraryMethod((*function)->name) == *function;
  }
  return entry;
}

} // namespace triton::embed
