#include "compiler/frontend/LanguageVersion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace triton::frontend;
using llvm::StringRef;

static constexpr unsigned oldest = 6, newest = 9;

namespace {
struct Rule {
  llvm::StringLiteral name;
  unsigned since;
  llvm::StringLiteral text;
};
} // namespace

static constexpr Rule rules[] = {
#define TRITON_LANGUAGE_RULE(name, since, text) {#name, since, text},
#include "compiler/frontend/LanguageRules.def"
};

StringRef triton::frontend::stamp() { return TRITON_STAMP; }
StringRef triton::frontend::languageVersions() { return "3.6, 3.7, 3.8 or 3.9"; }

LanguageVersion::LanguageVersion() {
  static const std::optional<LanguageVersion> stamped = parse(stamp());
  assert(stamped && "CMakeLists.txt refuses other stamps");
  *this = *stamped;
}

std::optional<LanguageVersion> LanguageVersion::parse(StringRef text) {
  unsigned minor = 0;
  StringRef release = text.split('+').first;
  if (!release.consume_front("3.") || release.consumeInteger(10, minor) || minor < oldest || minor > newest)
    return std::nullopt;
  unsigned patch = 0;
  if (!release.empty() && (!release.consume_front(".") || release.getAsInteger(10, patch)))
    return std::nullopt;
  return LanguageVersion(minor);
}

bool LanguageVersion::has(LanguageRule rule) const { return minor >= rules[static_cast<size_t>(rule)].since; }
std::string LanguageVersion::str() const { return "3." + std::to_string(minor); }

std::optional<LanguageRule> triton::frontend::findLanguageRule(StringRef name) {
  const Rule *found = llvm::find_if(rules, [&](const Rule &rule) { return rule.name == name; });
  if (found == std::end(rules))
    return std::nullopt;
  return static_cast<LanguageRule>(found - std::begin(rules));
}

std::string triton::frontend::languageRulesReference() {
  std::string text;
  for (const Rule &rule : rules)
    text += llvm::formatv("{0,-22} 3.{1}  {2}\n", rule.name, rule.since, rule.text);
  return text;
}
