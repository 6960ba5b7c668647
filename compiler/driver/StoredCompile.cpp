#include "compiler/driver/StoredCompile.h"
#include "compiler/artifact/Description.h"
#include "compiler/artifact/Seal.h"
#include "compiler/driver/Target.h"
#include "compiler/frontend/Reads.h"
#include "compiler/support/Hash.h"

#include "llvm/ADT/StringExtras.h"

using namespace triton;
using namespace triton::driver;

llvm::Expected<Storage> triton::driver::openStorage(const std::string &directory, const std::string &secretFile,
                                                    llvm::StringRef bundles, const std::string &record) {
  Storage storage{artifact::Store(directory), {}};
  for (llvm::StringRef bundle : llvm::split(bundles, ':'))
    if (!bundle.empty())
      storage.bundles.emplace_back(bundle.str());
  if (!record.empty())
    storage.record.emplace(record);
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

/// What code for a bundle depends on besides the kernel and the options: the architecture, and the content of the user's libraries.
static llvm::Expected<std::string> bundleKey(const Target *target, const Options &options) {
  if (!target)
    return environmentKey(options); // says that there is none
  llvm::Expected<std::string> architecture = target->architecture(options);
  if (!architecture)
    return architecture.takeError();
  llvm::Expected<std::string> libraries = target->Target::tools(options);
  if (!libraries)
    return libraries.takeError();
  return "triton-bundle-3;" + *architecture + ";" + *libraries;
}

llvm::Expected<std::string> triton::driver::kernelKey(const CompileRequest &request, KeyScope scope, bool &isPortable) {
  const Target *target = findTarget(request.options.backend);
  Options options = target ? target->complete(request.options) : request.options;
  const frontend::Function &function = *request.kernel.function;
  options.isGluon |= function.saysLayouts;
  auto environment = scope == KeyScope::Bundle ? bundleKey(target, options) : environmentKey(options);
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

namespace {
/// The kernels of one key in a directory.
struct Variants {
  std::shared_ptr<const artifact::Artifact> right; // for the program; null: none of them
  std::string hash;                                // that it is stored under, or can be
};
} // namespace

static Variants findVariant(const CompileRequest &request, llvm::StringRef files, const artifact::Store &store,
                            llvm::StringRef secret, llvm::StringRef key) {
  const std::shared_ptr<const frontend::Function> &function = request.kernel.function;
  Variants found;
  for (unsigned number = 0; number < mostVariants; ++number) {
    found.hash = variantHash(sha256Hex(key), number);
    auto stored = artifact::load(store, function->name, found.hash, secret);
    if (!stored)
      break;
    const bool isWhole = !request.inspection.emitAssembly || stored->stage("asm");
    if (isWhole && ((!files.empty() && stored->files == files) || isStillRight(function, *stored))) {
      found.right = std::move(stored);
      break;
    }
  }
  return found;
}

/// From the directory, or compiled and put there.
static std::shared_ptr<const artifact::Artifact> compileForStore(const CompileRequest &request, llvm::StringRef files,
                                                                 const Storage &storage, Diagnostics &diagnostics) {
  bool isPortable = true;
  llvm::Expected<std::string> key = kernelKey(request, KeyScope::Build, isPortable);
  if (!key) {
    llvm::consumeError(key.takeError()); // the compile says it
    return compile(request, diagnostics);
  }
  const bool isKept = !storage.store.root.empty();
  Variants found{nullptr, sha256Hex(*key)};
  if (isKept)
    found = findVariant(request, files, storage.store, storage.secret, *key);
  if (found.right)
    return found.right;
  CompileRequest whole = request;
  whole.inspection.keepSource = true; // as Python's entries have it
  auto compiled = compile(whole, diagnostics);
  if (!compiled)
    return nullptr;
  auto named = std::make_shared<artifact::Artifact>(*compiled);
  named->hash = found.hash;
  named->files = files.str();
  named->isPortable &= isPortable;
  if (isKept)
    llvm::consumeError(artifact::save(storage.store, request.kernel.function->name, *named, storage.secret));
  return named;
}

std::shared_ptr<const artifact::Artifact> triton::driver::compileOrLoad(const CompileRequest &request,
                                                                        llvm::StringRef files, const Storage &storage,
                                                                        Diagnostics &diagnostics) {
  bool isPortable = true;
  std::string key;
  if (!storage.bundles.empty() || storage.record)
    key = llvm::expectedToOptional(kernelKey(request, KeyScope::Bundle, isPortable)).value_or("");
  if (key.empty())
    return compileForStore(request, files, storage, diagnostics);
  for (const artifact::Store &bundle : storage.bundles)
    if (Variants found = findVariant(request, files, bundle, storage.secret, key); found.right)
      return found.right;
  auto made = compileForStore(request, files, storage, diagnostics);
  if (!made || !storage.record)
    return made;
  Variants place = findVariant(request, files, *storage.record, storage.secret, key);
  if (!place.right) {
    artifact::Artifact bundled = *made;
    bundled.bundleKey = place.hash;
    llvm::consumeError(artifact::save(*storage.record, request.kernel.function->name, bundled, storage.secret));
  }
  return made;
}
