#include "compiler/driver/Options.h"

#include "compiler/frontend/LanguageVersion.h"
#include "compiler/support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace triton::driver;
using llvm::StringRef;

std::string triton::driver::languageVersionOfProcess() {
  const char *given = std::getenv("TRITON_LANGUAGE_VERSION");
  return given && *given ? given : frontend::LanguageVersion().str();
}

static const OptionEntry entries[] = {
#define TRITON_OPTION(type, field, name, default, role, target, text)                                                  \
  {name, OptionEntry::Role::role, OptionEntry::Taker::target, static_cast<type Settings::*>(&Options::field), text},
#define TRITON_INSPECTION(type, field, name, text)                                                                     \
  {name, OptionEntry::Role::Inspection, OptionEntry::Taker::Any, static_cast<type Settings::*>(&Inspection::field),    \
   text},
#include "compiler/driver/Options.def"
};

llvm::ArrayRef<OptionEntry> triton::driver::optionEntries() { return entries; }

const OptionEntry *triton::driver::findOption(StringRef name) {
  const OptionEntry *found = llvm::find_if(entries, [&](const OptionEntry &entry) { return entry.name == name; });
  return found == std::end(entries) ? nullptr : found;
}

// Values of any type.

template <typename T> struct IsOptional : std::false_type {};
template <typename T> struct IsOptional<std::optional<T>> : std::true_type {};

static OptionValue toValue(bool value) { return value; }
static OptionValue toValue(int value) { return int64_t(value); }
static OptionValue toValue(const std::string &value) { return value; }
static OptionValue toValue(const Names &value) { return value; }
template <typename T> static OptionValue toValue(const std::optional<T> &value) {
  return value ? toValue(*value) : OptionValue();
}

OptionValue triton::driver::getOption(const Settings &settings, const OptionEntry &entry) {
  return std::visit([&](auto member) { return toValue(settings.*member); }, entry.member);
}

static bool take(const OptionValue &value, bool &field) {
  auto *number = std::get_if<int64_t>(&value); // Python's booleans are integers
  auto *flag = std::get_if<bool>(&value);
  field = flag ? *flag : number && *number;
  return flag || number;
}
static bool take(const OptionValue &value, int &field) {
  auto *flag = std::get_if<bool>(&value);
  auto *number = std::get_if<int64_t>(&value);
  field = flag ? *flag : number ? int(*number) : 0;
  return flag || (number && llvm::isInt<32>(*number));
}
template <typename T> static bool take(const OptionValue &value, T &field) {
  if constexpr (IsOptional<T>::value) {
    field.reset();
    return std::holds_alternative<std::monostate>(value) || take(value, field.emplace());
  } else {
    auto *given = std::get_if<T>(&value);
    if (given)
      field = *given;
    return given;
  }
}

StringRef OptionEntry::kind() const {
  constexpr StringRef kinds[] = {"True or False", "an integer", "text",           "a list of texts",
                                 "an integer",    "text",       "a list of texts"};
  return kinds[member.index()];
}

bool OptionEntry::isTakenBy(StringRef backend) const {
  return target == Taker::Any || backend == takers() ||
         (target == Taker::Gpu && (backend == "cuda" || backend == "hip"));
}

StringRef OptionEntry::takers() const {
  constexpr StringRef names[] = {"", "cpu", "cuda", "hip", "cuda or hip"};
  return names[unsigned(target)];
}

bool OptionEntry::isDefault(const Settings &settings) const {
  static const Settings defaults;
  return getOption(settings, *this) == getOption(defaults, *this);
}

static llvm::Error refuse(const OptionEntry &entry, const llvm::Twine &value) {
  return llvm::createStringError(entry.name + " must be " + entry.kind() + ", got " + value);
}

static llvm::Error unknown(StringRef name) {
  const auto names = llvm::map_range(entries, [](const OptionEntry &entry) -> StringRef { return entry.name; });
  return llvm::createStringError("there is no option '" + name + "'" + triton::didYouMean(name, names));
}

static std::string show(const OptionValue &value) {
  if (auto *flag = std::get_if<bool>(&value))
    return *flag ? "1" : "0";
  if (auto *number = std::get_if<int64_t>(&value))
    return std::to_string(*number);
  if (auto *text = std::get_if<std::string>(&value))
    return "'" + *text + "'";
  if (auto *names = std::get_if<Names>(&value)) {
    // Sizes keep the end of one name apart from the beginning of the next.
    std::string all = "[";
    for (const std::string &name : *names)
      all += std::to_string(name.size()) + ":" + name + ",";
    return all + "]";
  }
  return "none";
}

llvm::Error triton::driver::setOption(Settings &settings, StringRef name, OptionValue value) {
  const OptionEntry *entry = findOption(name);
  if (!entry)
    return unknown(name);
  if (std::visit([&](auto member) { return take(value, settings.*member); }, entry->member))
    return llvm::Error::success();
  return refuse(*entry, show(value));
}

llvm::Error triton::driver::setOptionText(Settings &settings, StringRef name, StringRef text) {
  const OptionEntry *entry = findOption(name);
  if (!entry)
    return unknown(name);
  OptionValue value = text.str();
  int64_t number = 0;
  const StringRef kind = entry->kind();
  if (kind == "True or False") {
    const bool isTrue = text.empty() || text == "1" || text.equals_insensitive("true");
    if (!isTrue && text != "0" && !text.equals_insensitive("false"))
      return refuse(*entry, "'" + text + "'");
    value = isTrue;
  } else if (kind == "an integer") {
    if (text.getAsInteger(10, number))
      return refuse(*entry, "'" + text + "'");
    value = number;
  } else if (kind == "a list of texts") {
    Names names;
    for (StringRef each : llvm::split(text, ','))
      if (!each.trim().empty())
        names.push_back(each.trim().str());
    value = std::move(names);
  }
  return setOption(settings, name, std::move(value));
}

/// The options of entries are read through settings, which they are a part of.
static Settings settingsOf(const Options &options) {
  Settings settings;
  static_cast<Options &>(settings) = options;
  return settings;
}

static std::string textOf(const Options &options, OptionEntry::Role one, OptionEntry::Role other) {
  const Settings settings = settingsOf(options);
  std::string text;
  for (const OptionEntry &entry : entries)
    if (entry.role == one || entry.role == other)
      text += entry.name.str() + "=" + show(getOption(settings, entry)) + ";";
  return text;
}

std::string Options::key() const { return textOf(*this, OptionEntry::Role::Launch, OptionEntry::Role::Setting); }
std::string Options::paths() const { return textOf(*this, OptionEntry::Role::LaunchFile, OptionEntry::Role::File); }

// What no target can compile with.

// Far above what any device has; what lies between is said by the device (`OutOfResources`).
static constexpr int mostWarps = 1024, mostStages = 1024;

static bool isPowerOfTwoUpTo(int number, int most) {
  return number > 0 && number <= most && llvm::isPowerOf2_32(uint32_t(number));
}

static llvm::SmallVector<llvm::StringRef> splitModes(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> modes;
  text.split(modes, ',');
  for (llvm::StringRef &mode : modes)
    mode = mode.trim();
  return modes;
}

bool Options::asksFor(llvm::StringRef mode) const { return llvm::is_contained(splitModes(instrumentationMode), mode); }

std::string Options::recordMode() const {
  for (llvm::StringRef mode : splitModes(instrumentationMode))
    if (mode == "proton" || mode.starts_with("proton:"))
      return mode.str();
  return "";
}

std::optional<std::string> Options::findFault() const {
  const Settings settings = settingsOf(*this);
  for (const OptionEntry &entry : entries)
    if (!entry.isTakenBy(backend) && !entry.isDefault(settings))
      return llvm::formatv("{0} is an option of target {1}, not of {2}", entry.name, entry.takers(), backend).str();
  if (!frontend::LanguageVersion::parse(languageVersion))
    return llvm::formatv("language_version must be {0}, got '{1}'", frontend::languageVersions(), languageVersion)
        .str();
  if (!isPowerOfTwoUpTo(numWarps, mostWarps))
    return llvm::formatv("num_warps must be a power of 2 from 1 to {0}, got {1}", mostWarps, numWarps).str();
  if (!isPowerOfTwoUpTo(numCtas, 16))
    return llvm::formatv("num_ctas must be 1, 2, 4, 8 or 16, got {0}", numCtas).str();
  if (numStages < 0 || numStages > mostStages)
    return llvm::formatv("num_stages must be from 0 to {0}, got {1}", mostStages, numStages).str();
  if (warpSize && (backend == "cuda" ? *warpSize != 32 : *warpSize <= 0))
    return llvm::formatv("warp_size must be {0}, got {1}", backend == "cuda" ? "32" : "positive", *warpSize).str();
  if (wavesPerEu < 0 || wavesPerEu > 16)
    return llvm::formatv("waves_per_eu must be from 0 to 16, got {0}", wavesPerEu).str();
  if (!llvm::is_contained({0, 4, 16, 32}, matrixInstructionSize))
    return llvm::formatv("matrix_instr_nonkdim must be 0, 4, 16 or 32, got {0}", matrixInstructionSize).str();
  if (constexpr int mostPrograms = 8192; gsanClockBufferSize < 1 || gsanClockBufferSize > mostPrograms)
    return llvm::formatv("gsan_clock_buffer_size must be from 1 to {0}, got {1}", mostPrograms, gsanClockBufferSize)
        .str();
  if (kPack != 1 && kPack != 2)
    return llvm::formatv("kpack must be 1 or 2, got {0}", kPack).str();
  if (maxRegisters && *maxRegisters < 0)
    return llvm::formatv("maxnreg must not be negative, got {0}", *maxRegisters).str();
  if (minSharedBytes && *minSharedBytes < 0)
    return llvm::formatv("min_shared_mem must not be negative, got {0}", *minSharedBytes).str();
  if (ptxVersion && (*ptxVersion < 10 || *ptxVersion > 999))
    return llvm::formatv("ptx_version must be a version of PTX such as 86, got {0}", *ptxVersion).str();
  for (const std::string &library : libraries) {
    llvm::sys::fs::file_status status;
    if (std::error_code error = llvm::sys::fs::status(library, status))
      return llvm::formatv("extern_libs: cannot read '{0}': {1}", library, error.message()).str();
    if (!llvm::sys::fs::is_regular_file(status))
      return llvm::formatv("extern_libs: '{0}' is no file", library).str();
  }
  return std::nullopt;
}

const std::string *Inspection::replacement(std::string_view stage) const {
  for (const auto &[name, content] : replacements)
    if (name == stage)
      return &content;
  return nullptr;
}

// Documentation.

static std::string showDefault(const OptionValue &value) {
  if (auto *text = std::get_if<std::string>(&value))
    return *text;
  if (auto *flag = std::get_if<bool>(&value))
    return *flag ? "True" : "False";
  auto *number = std::get_if<int64_t>(&value);
  return number ? std::to_string(*number) : "";
}

static void appendTable(std::string &out, StringRef title, llvm::function_ref<bool(const OptionEntry &)> isWanted) {
  static const Settings defaults;
  out += (out.empty() ? "" : "\n") + title.str() + "\n";
  for (const OptionEntry &entry : entries)
    if (isWanted(entry))
      out += llvm::formatv("  {0,-34}{1,-16}{2,-8}{3}{4}\n", entry.name, entry.kind(),
                           showDefault(getOption(defaults, entry)),
                           entry.target == OptionEntry::Taker::Any ? "" : (entry.takers() + ": ").str(), entry.text)
                 .str();
}

std::string triton::driver::optionsReference() {
  using Role = OptionEntry::Role;
  std::string out;
  appendTable(out, "options of a launch", [](const OptionEntry &entry) { return entry.isOfLaunch(); });
  appendTable(out, "settings",
              [](const OptionEntry &entry) { return entry.role == Role::Setting || entry.role == Role::File; });
  appendTable(out, "inspection", [](const OptionEntry &entry) { return entry.role == Role::Inspection; });
  return out;
}
