// Turns object bytes into code that can be called in this process.
//   In:  an ELF object for this machine, from the compiler or from the cache.
//   Out: loaded code, alive as long as its handle; addresses by symbol name.
// The object's undefined symbols are resolved to the C library of this process (mathematics, memcpy and the like).
// Objects do not see each other, so two kernels may have the same name. A bad object is an error, never a crash of the
// process.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace triton::runtime {

class LoadedCode {
public:
  virtual ~LoadedCode();
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;

  /// Null if the object defines no such symbol.
  void *find(llvm::StringRef symbol) const { return symbols.lookup(symbol); }

protected:
  LoadedCode() = default;
  llvm::StringMap<void *> symbols;
};

/// Links `object` into fresh executable memory; `name` is for error messages. Thread-safe.
llvm::Expected<std::shared_ptr<const LoadedCode>> loadObject(llvm::StringRef object, llvm::StringRef name);

} // namespace triton::runtime
