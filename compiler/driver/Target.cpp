#include "compiler/driver/Target.h"
#include "compiler/artifact/BuildId.h"
#include "compiler/driver/ContextPool.h"
#include "compiler/support/ForkMutex.h"

#include "llvm/Support/Path.h"

#include <mutex>

using namespace triton;
using namespace triton::driver;

namespace {
struct Registry {
  triton::ForkMutex mutex;
  std::vector<std::unique_ptr<Target>> targets = createTargets();
};
} // namespace

static Registry &registry() {
  static Registry *instance = new Registry;
  return *instance;
}

llvm::Expected<triton::KernelFacts> Target::describe(llvm::StringRef stage, llvm::StringRef) const {
  return llvm::createStringError("the " + name() + " target cannot begin with a ." + stage + " file");
}

frontend::LanguageOptions Target::language(const Options &options) const {
  frontend::LanguageOptions language = facts(options);
  if (std::optional<frontend::LanguageVersion> version = frontend::LanguageVersion::parse(options.languageVersion))
    language.version = *version;
  language.backend = name().str();
  language.debug = options.debug || options.asksFor("consan") || options.asksFor("iisan") || options.asksFor("gsan");
  language.sanitizesFloats = options.asksFor("fpsan");
  language.sanitizeOverflow = options.sanitizeOverflow && !options.asksFor("iisan");
  language.numWarps = options.numWarps;
  language.numCtas = options.numCtas;
  language.numStages = options.numStages;
  language.allowNonConstexprGlobals = options.allowNonConstexprGlobals;
  language.supportedFp8 = options.supportedFp8.value_or(language.supportedFp8);
  language.deprecatedFp8Dot = options.deprecatedFp8Dot.value_or(language.deprecatedFp8Dot);
  language.defaultDotPrecision = options.defaultDotPrecision.value_or(language.defaultDotPrecision);
  language.allowedDotPrecisions = options.allowedDotPrecisions.value_or(language.allowedDotPrecisions);
  language.maxImpreciseAccDefault = options.maxImpreciseAccDefault.value_or(language.maxImpreciseAccDefault);
  return language;
}

Options Target::complete(Options options) const {
  const frontend::LanguageOptions language = this->language(options);
  options.debug = language.debug;
  options.sanitizeOverflow = language.sanitizeOverflow;
  options.supportedFp8 = language.supportedFp8;
  llvm::sort(*options.supportedFp8); // as users see them in metadata
  options.deprecatedFp8Dot = language.deprecatedFp8Dot;
  options.defaultDotPrecision = language.defaultDotPrecision;
  options.allowedDotPrecisions = language.allowedDotPrecisions;
  options.maxImpreciseAccDefault = int(language.maxImpreciseAccDefault);
  options.warpSize = options.warpSize.value_or(warpSize(options));
  return options;
}

llvm::Expected<std::string> Target::tools(const Options &options) const {
  std::string text;
  for (const std::string &path : options.libraries)
    text += "library " + artifact::digestFiles(path, "") + ";";
  if (!options.irOverride.empty())
    text += "override " + llvm::sys::path::extension(options.irOverride).str() + " " +
            artifact::digestFiles(options.irOverride, "") + ";";
  if (!options.llvmPlugin.empty())
    text += "plugin " + artifact::digestFiles(options.llvmPlugin, "") + ";";
  return text;
}

llvm::Expected<std::string> triton::driver::environmentKey(const Options &options) {
  const Target *target = findTarget(options.backend);
  if (!target)
    return llvm::createStringError("there is no target '" + options.backend + "'");
  llvm::Expected<std::string> architecture = target->architecture(options);
  if (!architecture)
    return architecture.takeError();
  llvm::Expected<std::string> tools = target->tools(options);
  if (!tools)
    return tools.takeError();
  return artifact::buildId() + ";" + *architecture + ";" + *tools;
}

llvm::Error Target::link(llvm::Module &, llvm::ArrayRef<std::string>) const {
  return llvm::createStringError("the " + name() + " target links no libraries");
}

void triton::driver::registerTarget(std::unique_ptr<Target> target) {
  {
    std::lock_guard lock(registry().mutex);
    registry().targets.push_back(std::move(target));
  }
  forgetContexts();
}

const Target *triton::driver::findTarget(llvm::StringRef name) {
  std::lock_guard lock(registry().mutex);
  for (const auto &target : registry().targets)
    if (target->name() == name)
      return target.get();
  return nullptr;
}

std::vector<std::string> triton::driver::targetNames() {
  std::lock_guard lock(registry().mutex);
  std::vector<std::string> names;
  for (const auto &target : registry().targets)
    names.push_back(target->name().str());
  return names;
}
