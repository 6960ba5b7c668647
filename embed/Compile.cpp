// One compile for a host language: request in, artifact out.
#include "embed/Adapter.h"

#include "compiler/artifact/Description.h"
#include "compiler/driver/Driver.h"
#include "compiler/driver/StoredCompile.h"
#include "compiler/driver/Target.h"
#include "embed/Result.h"

namespace triton::embed {

static frontend::ArgumentSpec toFrontend(Host &host, const Argument &argument, std::string &badType) {
  frontend::ArgumentSpec spec;
  switch (argument.kind) {
  case Argument::Kind::Constant:
    spec.kind = frontend::ArgumentSpec::Kind::Constant;
    spec.constant = toFrontend(argument.constant);
    break;
  case Argument::Kind::Tuple:
    spec.kind = frontend::ArgumentSpec::Kind::Tuple;
    for (const Argument &element : argument.elements)
      spec.elements.push_back(toFrontend(host, element, badType));
    spec.fields = argument.fields;
    if (argument.hostClass)
      spec.hostClass = {&host.adapter(), argument.hostClass};
    break;
  case Argument::Kind::Runtime:
    spec.attributes = argument.attributes;
    spec.constant = toFrontend(argument.constant);
    if (std::optional<frontend::Type> type = frontend::Type::parse(argument.type))
      spec.type = *type;
    else
      badType = argument.type;
  }
  return spec;
}

const OptionDescription *findOption(std::string_view name) {
  static const std::vector<OptionDescription> all = [] {
    std::vector<OptionDescription> descriptions;
    for (const driver::OptionEntry &entry : driver::optionEntries())
      descriptions.push_back({entry.name.str(), entry.kind().str(), entry.isOfLaunch()});
    return descriptions;
  }();
  const driver::OptionEntry *entry = driver::findOption(name);
  return entry ? &all[entry - driver::optionEntries().begin()] : nullptr;
}

llvm::Expected<driver::Settings> toDriver(const Options &options) {
  driver::Settings settings;
  for (const auto &[name, value] : options.values)
    if (auto *backend = std::get_if<std::string>(&value); backend && name == "target")
      if (const driver::Target *target = driver::findTarget(*backend))
        static_cast<driver::Options &>(settings) = target->defaults();
  for (const auto &[name, value] : options.values)
    if (llvm::Error error = driver::setOption(settings, name, value))
      return error;
  settings.isInterrupted = options.isInterrupted;
  settings.replacements = options.replacements;
  return settings;
}

/// The same for requests, which report what is wrong.
static bool read(const Options &options, driver::Options &out, driver::Inspection &inspection,
                 Diagnostics &diagnostics) {
  llvm::Expected<driver::Settings> settings = toDriver(options);
  if (settings) {
    out = *settings;
    inspection = *settings;
    return true;
  }
  triton::Diagnostics reported;
  reported.report({.message = llvm::toString(settings.takeError()), .exception = "ValueError"});
  append(reported, diagnostics);
  return false;
}

/// What `compile` makes, and what it reports.
template <typename Compile>
static std::shared_ptr<const Artifact> fromDriver(Diagnostics &diagnostics, Compile compile) {
  triton::Diagnostics reported;
  std::shared_ptr<const artifact::Artifact> artifact = compile(reported);
  append(reported, diagnostics);
  if (!artifact)
    return nullptr;
  auto out = std::make_shared<Artifact>();
  out->name = artifact->name;
  for (const artifact::StageOutput &stage : artifact->stages)
    out->stages.push_back({stage.name, stage.content, stage.microseconds});
  out->assemblerLog = artifact->assemblerLog;
  out->description = artifact::describe(*artifact);
  return out;
}

std::optional<driver::CompileRequest> toDriver(Host &host, const CompileRequest &request, Diagnostics &diagnostics) {
  driver::CompileRequest out;
  out.kernel.function = toFrontend(request.function);
  std::string badType;
  for (const Argument &argument : request.arguments)
    out.kernel.arguments.push_back(toFrontend(host, argument, badType));
  if (!badType.empty()) {
    Diagnostic diagnostic;
    diagnostic.exception = "ValueError";
    diagnostic.message = "unknown type '" + badType + "' in the signature";
    diagnostic.rendered = "error: " + diagnostic.message + "\n";
    diagnostics.push_back(std::move(diagnostic));
    return std::nullopt;
  }
  out.kernel.symbol = request.symbol.empty() ? out.kernel.function->name : request.symbol;
  if (!read(request.options, out.options, out.inspection, diagnostics))
    return std::nullopt;
  return out;
}

Result<std::pair<std::string, bool>> kernelKey(Host &host, const CompileRequest &request, bool isForBundle) {
  Diagnostics diagnostics;
  std::optional<driver::CompileRequest> out = toDriver(host, request, diagnostics);
  if (!out)
    return Error{diagnostics.front().exception, diagnostics.front().message};
  bool isPortable = true;
  llvm::Expected<std::string> text =
      driver::kernelKey(*out, isForBundle ? driver::KeyScope::Bundle : driver::KeyScope::Build, isPortable);
  if (!text)
    return toError(text.takeError());
  return std::pair(std::move(*text), isPortable);
}

bool confirmReads(const Function &kernel, const Reads &reads) {
  artifact::Artifact stored;
  stored.isPortable = true;
  for (const auto &[function, name, answer] : reads)
    stored.reads.push_back({function, name, answer});
  return driver::isStillRight(toFrontend(kernel), stored);
}

std::shared_ptr<const Artifact> compile(Host &host, const CompileRequest &request, Diagnostics &diagnostics) {
  std::optional<driver::CompileRequest> out = toDriver(host, request, diagnostics);
  if (!out)
    return nullptr;
  return fromDriver(diagnostics, [&](auto &reported) { return driver::compile(*out, reported); });
}

std::shared_ptr<const Artifact> compileIr(const std::string &stage, std::string fileName, std::string text,
                                          const Options &options, Diagnostics &diagnostics) {
  driver::IrCompileRequest request;
  request.stage = stage;
  request.source = Source::create(std::move(fileName), std::move(text));
  if (!read(options, request.options, request.inspection, diagnostics))
    return nullptr;
  return fromDriver(diagnostics, [&](auto &reported) { return driver::compileIr(request, reported); });
}

Result<std::pair<std::string, std::vector<std::string>>>
describeKernel(const std::string &stage, const std::string &text, const Options &options) {
  llvm::Expected<driver::Settings> settings = toDriver(options);
  if (!settings)
    return toError(settings.takeError(), "ValueError");
  llvm::Expected<KernelFacts> facts = driver::describeKernel(stage, text, *settings);
  if (!facts)
    return toError(facts.takeError(), "ValueError");
  return std::pair(facts->name, facts->types);
}

std::shared_ptr<const Artifact> runStage(const std::string &stage, std::string input,
                                         const std::vector<PackedArgument> &arguments, const Options &options,
                                         Diagnostics &diagnostics) {
  driver::StageRequest request;
  request.stage = stage;
  request.input = Source::create("<input of " + stage + ">", std::move(input));
  for (const PackedArgument &argument : arguments)
    request.arguments.push_back({.name = argument.name, .type = argument.type, .isStored = argument.isStored});
  if (!read(options, request.options, request.inspection, diagnostics))
    return nullptr;
  return fromDriver(diagnostics, [&](auto &reported) { return driver::runStage(request, reported); });
}

/// The target of options, and the options; an error if there is none.
static Result<std::pair<const driver::Target *, driver::Settings>> resolve(const Options &options) {
  llvm::Expected<driver::Settings> settings = toDriver(options);
  if (!settings)
    return toError(settings.takeError(), "ValueError");
  const driver::Target *target = driver::findTarget(settings->backend);
  if (!target)
    return Error{"ValueError", "there is no target '" + settings->backend + "'"};
  return std::pair(target, std::move(*settings));
}

static OptionValues launchOptions(const driver::Settings &settings) {
  OptionValues values;
  for (const driver::OptionEntry &entry : driver::optionEntries())
    if (entry.isOfLaunch() && entry.isTakenBy(settings.backend))
      values.emplace_back(entry.name, driver::getOption(settings, entry));
  return values;
}

Result<OptionValues> completeOptions(const Options &options) {
  auto found = resolve(options);
  if (auto *error = std::get_if<Error>(&found))
    return *error;
  auto &[target, settings] = std::get<0>(found);
  std::optional<std::string> fault = settings.findFault();
  if (!fault)
    fault = target->findFault(settings);
  if (fault)
    return Error{"ValueError", *fault};
  const std::string architecture = settings.architecture; // stays as users wrote it
  static_cast<driver::Options &>(settings) = target->complete(settings);
  settings.architecture = architecture;
  return launchOptions(settings);
}

Result<TargetFacts> targetFacts(const std::string &backend) {
  auto found = resolve({.values = {{"target", backend}}});
  if (auto *error = std::get_if<Error>(&found))
    return *error;
  auto &[target, settings] = std::get<0>(found);
  const frontend::LanguageOptions facts = target->facts(settings);
  settings.supportedFp8 = facts.supportedFp8;
  settings.deprecatedFp8Dot = facts.deprecatedFp8Dot;
  settings.defaultDotPrecision = facts.defaultDotPrecision;
  settings.allowedDotPrecisions = facts.allowedDotPrecisions;
  settings.warpSize = target->warpSize(settings);
  return TargetFacts{launchOptions(settings), facts.leastDotK(16), facts.leastDotK(8)};
}

Result<std::string> resolveArchitecture(const Options &options) {
  auto found = resolve(options);
  if (auto *error = std::get_if<Error>(&found))
    return *error;
  auto &[target, settings] = std::get<0>(found);
  return toResult(target->architecture(settings), "ValueError");
}

} // namespace triton::embed
