// JITLink used directly: one object is one link, which needs none of ORC's libraries, sessions and laziness.
#include "runtime/host/CodeLoader.h"

#include "compiler/support/KernelSymbols.h"
#include "runtime/host/CheckedLaunch.h"
#include "runtime/host/HalfConversion.h"
#include "runtime/host/InterruptibleCode.h"
#include "runtime/host/Report.h"

#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/SymbolStringPool.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace llvm::jitlink;
using llvm::orc::ExecutorAddr;
using llvm::orc::ExecutorSymbolDef;

namespace triton::runtime {

LoadedCode::~LoadedCode() = default;

/// The functions that generated code may call. By address, since in a program that loaded us as a plug-in a search
/// by name need not see the library that we are linked with.
static void *findFunction(llvm::StringRef name) {
#define TRITON_MATH(function)                                                                                          \
  {#function, reinterpret_cast<void *>(static_cast<double (*)(double)>(::function))},                                  \
      {#function "f", reinterpret_cast<void *>(static_cast<float (*)(float)>(::function##f))}
#define TRITON_MATH2(function)                                                                                         \
  {#function, reinterpret_cast<void *>(static_cast<double (*)(double, double)>(::function))}, {                        \
    #function "f", reinterpret_cast<void *>(static_cast<float (*)(float, float)>(::function##f))                       \
  }
  static const llvm::StringMap<void *> functions = {
      TRITON_MATH(acos),
      TRITON_MATH(acosh),
      TRITON_MATH(asin),
      TRITON_MATH(asinh),
      TRITON_MATH(atan),
      TRITON_MATH(atanh),
      TRITON_MATH(cbrt),
      TRITON_MATH(ceil),
      TRITON_MATH(cos),
      TRITON_MATH(cosh),
      TRITON_MATH(erf),
      TRITON_MATH(erfc),
      TRITON_MATH(exp),
      TRITON_MATH(exp2),
      TRITON_MATH(expm1),
      TRITON_MATH(floor),
      TRITON_MATH(log),
      TRITON_MATH(log10),
      TRITON_MATH(log1p),
      TRITON_MATH(log2),
      TRITON_MATH(round),
      TRITON_MATH(rint),
      TRITON_MATH(roundeven),
      TRITON_MATH(nearbyint),
      TRITON_MATH(sin),
      TRITON_MATH(sinh),
      TRITON_MATH(sqrt),
      TRITON_MATH(tan),
      TRITON_MATH(tanh),
      TRITON_MATH(trunc),
      TRITON_MATH(tgamma),
      TRITON_MATH(lgamma),
      TRITON_MATH2(atan2),
      TRITON_MATH2(copysign),
      TRITON_MATH2(fmax),
      TRITON_MATH2(fmin),
      TRITON_MATH2(fmod),
      TRITON_MATH2(hypot),
      TRITON_MATH2(nextafter),
      TRITON_MATH2(pow),
      TRITON_MATH2(remainder),
      {"fma", reinterpret_cast<void *>(static_cast<double (*)(double, double, double)>(::fma))},
      {"fmaf", reinterpret_cast<void *>(static_cast<float (*)(float, float, float)>(::fmaf))},
      {"memcpy", reinterpret_cast<void *>(&::memcpy)},
      {"memmove", reinterpret_cast<void *>(&::memmove)},
      {"memset", reinterpret_cast<void *>(&::memset)},
      {"memcmp", reinterpret_cast<void *>(static_cast<int (*)(const void *, const void *, size_t)>(&::memcmp))},
      {"abort", reinterpret_cast<void *>(&::abort)},
      {"__extendhfsf2", reinterpret_cast<void *>(&extendHalf)},
      {"__truncsfhf2", reinterpret_cast<void *>(&truncateToHalf)},
      {"__truncdfhf2", reinterpret_cast<void *>(&truncateDoubleToHalf)},
      {"__truncsfbf2", reinterpret_cast<void *>(&truncateToBFloat)},
      {"__truncdfbf2", reinterpret_cast<void *>(&truncateDoubleToBFloat)},
      {"printf", reinterpret_cast<void *>(&::triton_kernel_print)},
      {pollSymbol, reinterpret_cast<void *>(&::triton_poll)},
      {"triton_check_access", reinterpret_cast<void *>(&::triton_check_access)},
      {"triton_assert_failed", reinterpret_cast<void *>(&::triton_assert_failed)},
      {"triton_record", reinterpret_cast<void *>(&::triton_record)}};
#undef TRITON_MATH
#undef TRITON_MATH2
  return functions.lookup(name);
}

namespace {
class LinkedObject final : public LoadedCode {
public:
  explicit LinkedObject(JITLinkMemoryManager &memory) : memory(memory) {}
  ~LinkedObject() override {
    if (allocation)
      llvm::consumeError(memory.deallocate(std::move(allocation)));
  }
  void define(llvm::StringRef name, void *address) { symbols[name] = address; }

  JITLinkMemoryManager &memory;
  JITLinkMemoryManager::FinalizedAlloc allocation;
  std::optional<llvm::Error> error;
};

class LinkContext final : public JITLinkContext {
public:
  explicit LinkContext(LinkedObject &object) : JITLinkContext(nullptr), object(object) {}

  JITLinkMemoryManager &getMemoryManager() override { return object.memory; }

  void notifyFailed(llvm::Error error) override { object.error.emplace(std::move(error)); }

  void lookup(const LookupMap &wanted, std::unique_ptr<JITLinkAsyncLookupContinuation> continuation) override {
    AsyncLookupResult result;
    std::string missing;
    for (const auto &[symbol, flags] : wanted) {
      void *address = findFunction(*symbol);
      if (!address)
        address = dlsym(RTLD_DEFAULT, (*symbol).str().c_str());
      if (!address && flags == SymbolLookupFlags::RequiredSymbol)
        missing += (missing.empty() ? "'" : ", '") + (*symbol).str() + "'";
      else
        result[symbol] = ExecutorSymbolDef(ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported);
    }
    if (missing.empty())
      continuation->run(std::move(result));
    else
      continuation->run(llvm::createStringError("nothing in this process defines " + missing));
  }

  llvm::Error notifyResolved(LinkGraph &graph) override {
    for (Symbol *symbol : graph.defined_symbols())
      if (symbol->hasName() && symbol->getScope() != Scope::Local)
        object.define(*symbol->getName(), symbol->getAddress().toPtr<void *>());
    return llvm::Error::success();
  }

  void notifyFinalized(JITLinkMemoryManager::FinalizedAlloc allocation) override {
    object.allocation = std::move(allocation);
  }

private:
  LinkedObject &object;
};
} // namespace

/// Names of symbols, shared by all links. Never destroyed: link graphs keep references to the very end.
static std::shared_ptr<llvm::orc::SymbolStringPool> symbolNames() {
  static auto *pool = new std::shared_ptr<llvm::orc::SymbolStringPool>(std::make_shared<llvm::orc::SymbolStringPool>());
  return *pool;
}

/// One for all objects, never destroyed: handles of loaded code may outlive static destructors.
static llvm::Expected<JITLinkMemoryManager &> memoryManager() {
  static auto *manager = new llvm::Expected<std::unique_ptr<InProcessMemoryManager>>(InProcessMemoryManager::Create());
  if (!*manager)
    return llvm::createStringError("cannot learn the page size of this machine");
  return *manager->get();
}

llvm::Expected<std::shared_ptr<const LoadedCode>> loadObject(llvm::StringRef bytes, llvm::StringRef name) {
  auto memory = memoryManager();
  if (!memory)
    return memory.takeError();
  auto fail = [&](llvm::Error error) {
    return llvm::createStringError("cannot load the code of '" + name + "': " + llvm::toString(std::move(error)));
  };
  // JITLink reads the file where it lies and needs it aligned; cached bytes come from anywhere.
  std::unique_ptr<llvm::MemoryBuffer> buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes, name);
  auto graph = createLinkGraphFromObject(buffer->getMemBufferRef(), symbolNames());
  if (!graph)
    return fail(graph.takeError());
  if ((*graph)->getTargetTriple().getArch() != llvm::Triple(llvm::sys::getProcessTriple()).getArch())
    return fail(llvm::createStringError("it is for " + (*graph)->getTargetTriple().getArchName()));
  auto object = std::make_shared<LinkedObject>(*memory);
  // In this process linking is done when this returns: nothing above defers its work to another thread.
  link(std::move(*graph), std::make_unique<LinkContext>(*object));
  if (object->error) {
    llvm::Error error = std::move(*object->error);
    object->error.reset();
    return fail(std::move(error));
  }
  return object;
}

} // namespace triton::runtime
