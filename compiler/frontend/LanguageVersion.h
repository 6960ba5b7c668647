// Which release of the language a kernel is compiled as. Names of all releases are there always; where releases give different results, the version decides.
//   In:  the stamp of this build (CMake's TRITON_STAMP), or what TRITON_LANGUAGE_VERSION or the option `language_version` says.
//   Out: whether a rule of LanguageRules.def holds.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace triton::frontend {

enum class LanguageRule {
#define TRITON_LANGUAGE_RULE(name, since, text) name,
#include "compiler/frontend/LanguageRules.def"
};

class LanguageVersion {
public:
  /// That of the stamp.
  LanguageVersion();
  /// "3.8", "3.8.0" or "3.8.0+cpp"; nullopt for what is none of 3.6 to 3.9.
  static std::optional<LanguageVersion> parse(llvm::StringRef text);

  bool has(LanguageRule rule) const;
  /// "3.8"
  std::string str() const;
  bool operator==(const LanguageVersion &) const = default;

private:
  explicit LanguageVersion(unsigned minor) : minor(minor) {}
  unsigned minor; // of 3.minor
};

/// The rule of that name in LanguageRules.def.
std::optional<LanguageRule> findLanguageRule(llvm::StringRef name);
/// The versions that there are, for messages: "3.6, 3.7, 3.8 or 3.9".
llvm::StringRef languageVersions();
/// The table of LanguageRules.def, one line for each rule.
std::string languageRulesReference();

/// The release of Triton whose place this build takes: "3.9.0".
llvm::StringRef stamp();

} // namespace triton::frontend
