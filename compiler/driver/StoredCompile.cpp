#include "compiler/driver/StoredCompile.h"
#include "compiler/artifact/Description.h"
#include "compiler/artifact/Seal.h"
#include "compiler/driver/Target.h"
#include "compiler/frontend/Reads.h"
#include "compiler/support/Hash.h"

using namespace triton;
using namespace triton::driver;

llvm::Expected<Storage> triton::driver::openStorage(const std::string &directory, const std::string &secretFile) {
  Storage storage{artifact::Store(directory), {}};
  if (secretFile.empty())
    return storage;
  llvm::Expected<std::string> secret = artifact::readSecret(secretFile);
  if (!secret)
    return secret.takeError();
  storage.secret = std::move(*secret);
  return storage;
}

/// What an argument is, appended: for every host the same.
static void appendArgument(const frontend::ArgumentSpec &spec, const frontend::Host *host, std::string &text,
                           bool &isPortable) {
  auto constant = [&](const frontend::Value &value) {
    std::optional<std::string> known = frontend::fingerprint(value, host);
    isPortable &= known.has_value();
    const std::string shown = known.value_or("object");
    text += "=" + std::to_string(shown.size()) + ":" + shown;
  };
  using Kind = frontend::ArgumentSpec::Kind;
  if (spec.kind == Kind::Constant)
    constant(spec.constant);
  if (spec.kind == Kind::Tuple) {
    isPortable &= !spec.hostClass.handle;
    text += "(";
    for (const std::string &field : spec.fields)
      text += field + ",";
    for (const frontend::ArgumentSpec &element : spec.elements)
      appendArgument(element, host, text, isPortable);
    text += ")";
  }
  if (spec.kind == Kind::Runtime) {
    text += spec.type.signature();
    for (const auto &[name, value] : spec.attributes)
      text += ":" + name + std::to_string(value);
    if (!spec.constant.isNone()) // the layout of a descriptor
      constant(spec.constant);
  }
  text += ";";
}

llvm::Expected<std::string> triton::driver::kernelKey(const CompileRequest &request, bool &isPortable) {
  const Target *target = findTarget(request.options.backend);
  Options options = target ? target->complete(request.options) : request.options;
  const frontend::Function &function = *request.kernel.function;
  options.isGluon |= function.saysLayouts;
  llvm::Expected<std::string> environment = environmentKey(options);
  if (!environment)
    return environment.takeError();
  std::string text = *environment + options.key() + frontend::identityOf(function) + ";" +
                     (request.kernel.symbol.empty() ? function.name : request.kernel.symbol) + ";";
  for (const frontend::ArgumentSpec &spec : request.kernel.arguments)
    appendArgument(spec, function.host, text, isPortable);
  return text;
}

std::string triton::driver::variantHash(const std::string &hash, unsigned number) {
  return number ? sha256Hex(hash + "-" + std::to_string(number)) : hash;
}

bool triton::driver::isStillRight(const std::shared_ptr<const frontend::Function> &kernel,
                                  const artifact::Artifact &artifact) {
  frontend::Reads reads{.isPortable = artifact.isPortable};
  for (const artifact::Read &read : artifact.reads)
    reads.all.push_back({read.function, read.name, read.answer});
  return frontend::confirm(kernel, reads);
}

std::shared_ptr<const artifact::Artifact> triton::driver::compileOrLoad(const CompileRequest &request,
                                                                        llvm::StringRef files, const Storage &storage,
                                                                        Diagnostics &diagnostics) {
  bool isPortable = true;
  llvm::Expected<std::string> key = kernelKey(request, isPortable);
  if (!key) {
    llvm::consumeError(key.takeError()); // the compile says it
    return compile(request, diagnostics);
  }
  const std::shared_ptr<const frontend::Function> &function = request.kernel.function;
  std::string hash;
  for (unsigned number = 0; number < mostVariants; ++number) {
    hash = variantHash(sha256Hex(*key), number);
    auto stored = artifact::load(storage.store, function->name, hash, storage.secret);
    if (!stored)
      break;
    const bool isWhole = !request.inspection.emitAssembly || stored->stage("asm");
    if (isWhole && ((!files.empty() && stored->files == files) || isStillRight(function, *stored)))
      return stored;
  }
  auto compiled = compile(request, diagnostics);
  if (!compiled)
    return nullptr;
  auto named = std::make_shared<artifact::Artifact>(*compiled);
  named->hash = hash;
  named->files = files.str();
  named->isPortable &= isPortable;
  llvm::consumeError(artifact::save(storage.store, function->name, *named, storage.secret));
  return named;
}
