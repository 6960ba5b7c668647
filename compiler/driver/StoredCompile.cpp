#include "compiler/driver/StoredCompile.h"
#include "compiler/artifact/Description.h"
#include "compiler/artifact/Seal.h"
#include "compiler/driver/Target.h"
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

std::shared_ptr<const artifact::Artifact> triton::driver::compileOrLoad(const CompileRequest &request,
                                                                        llvm::StringRef identity,
                                                                        const Storage &storage,
                                                                        Diagnostics &diagnostics) {
  llvm::Expected<std::string> environment = environmentKey(request.options);
  if (!environment) {
    llvm::consumeError(environment.takeError()); // the compile says it
    return compile(request, diagnostics);
  }
  const std::string hash = sha256Hex(*environment + ";" + identity.str());
  if (auto stored = artifact::load(storage.store, request.kernel.function->name, hash, storage.secret))
    return stored;
  auto compiled = compile(request, diagnostics);
  if (!compiled)
    return nullptr;
  auto named = std::make_shared<artifact::Artifact>(*compiled);
  named->hash = hash;
  llvm::consumeError(artifact::save(storage.store, *named, storage.secret));
  return named;
}
