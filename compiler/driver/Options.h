// Everything that steers a compile: read from Options.def, filled by the surfaces (Python, C++, command line), hashed whole into the key.
//   In:  what users give, by name.
//   Out: a structure that is passed down, and texts for keys, messages and documentation.
// An option that nobody knows, or that the target does not take, is refused by name: on every surface by the functions here.
#pragma once

#include "compiler/artifact/Artifact.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace triton::driver {

using Flag = bool;
using Number = int;
using Text = std::string;
using Names = std::vector<std::string>;
using OptionalNumber = std::optional<Number>;
using OptionalText = std::optional<Text>;
using OptionalNames = std::optional<Names>;

/// What TRITON_LANGUAGE_VERSION says, else the version of the stamp; not yet looked at.
std::string languageVersionOfProcess();

struct Options {
#define TRITON_OPTION(type, field, name, default, role, target, text) type field = default;
#include "compiler/driver/Options.def"

  /// A text that is equal for equal options. Files are no part of it: their content is one of `environmentKey`.
  std::string key() const;
  /// The paths of those files, likewise: for keys that live as long as the process.
  std::string paths() const;
  /// Whether `mode` is one of those that commas separate in `instrumentationMode`.
  bool asksFor(llvm::StringRef mode) const;
  /// Whether kernels note their scopes for the profiler: a part of `instrumentationMode` begins with "proton".
  bool recordsScopes() const { return !recordMode().empty(); }
  /// That part: "proton:warps_per_unit=4" (compiler/gpu/Records.h); empty: there is none.
  std::string recordMode() const;
  /// What no target can compile with, under the name that users give it: "num_ctas must be 1, 2, 4, 8 or 16, got 0". Nullopt if all is well.
  std::optional<std::string> findFault() const;
};

/// What to show on the way, what to put in its place, how long to wait; not part of any key.
struct Inspection {
#define TRITON_INSPECTION(type, field, name, text) type field{};
#include "compiler/driver/Options.def"

  bool (*isInterrupted)() = nullptr; // asked now and then on the compiling thread; a yes ends the compile
  /// stage -> text or bytes to go on with instead of what that stage made. For experiments by hand: no key knows of it.
  std::vector<std::pair<std::string, std::string>> replacements;

  /// Null if the stage's own output stands.
  const std::string *replacement(std::string_view stage) const;
};

/// All that users can name.
struct Settings : Options, Inspection {};

/// One line of Options.def.
struct OptionEntry {
  enum class Role { Launch, LaunchFile, Setting, File, Inspection };
  enum class Taker { Any, Cpu, Cuda, Hip, Gpu };
  using Member = std::variant<Flag Settings::*, Number Settings::*, Text Settings::*, Names Settings::*,
                              OptionalNumber Settings::*, OptionalText Settings::*, OptionalNames Settings::*>;

  llvm::StringLiteral name;
  Role role;
  Taker target;
  Member member;
  llvm::StringLiteral text;

  /// What a value of it must be: "an integer".
  llvm::StringRef kind() const;
  bool isOfLaunch() const { return role == Role::Launch || role == Role::LaunchFile; }
  bool isTakenBy(llvm::StringRef backend) const;
  /// The targets that take it, where not all do: "cuda".
  llvm::StringRef takers() const;
  bool isDefault(const Settings &settings) const;
};
llvm::ArrayRef<OptionEntry> optionEntries();
/// Null if there is no such option.
const OptionEntry *findOption(llvm::StringRef name);

using artifact::OptionValue;
OptionValue getOption(const Settings &settings, const OptionEntry &entry);
/// An error that names the option if there is none of that name, or the value is of another kind.
llvm::Error setOption(Settings &settings, llvm::StringRef name, OptionValue value);
/// The same from text as command lines and C programs give it: 1, true or nothing at all for a flag, names separated by commas.
llvm::Error setOptionText(Settings &settings, llvm::StringRef name, llvm::StringRef text);

/// A table of all of them: docs/reference/options.md shows it.
std::string optionsReference();

} // namespace triton::driver
