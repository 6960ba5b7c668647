#include "compiler/llvm/nvidia/JitLink.h"

#include "compiler/support/ForkMutex.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <dlfcn.h>

#include <map>
#include <mutex>

namespace triton::nvidia {

using Handle = void *;
static constexpr int inputPtx = 2; // of nvJitLinkInputType

/// The library's interface, as its documentation states it.
struct JitLink::Functions {
  int (*create)(Handle *, uint32_t optionCount, const char **options);
  int (*destroy)(Handle *);
  int (*addData)(Handle, int inputType, const void *data, size_t size, const char *name);
  int (*complete)(Handle);
  int (*getCubinSize)(Handle, size_t *);
  int (*getCubin)(Handle, void *);
  int (*getErrorLogSize)(Handle, size_t *);
  int (*getErrorLog)(Handle, char *);
  int (*getVersion)(unsigned *major, unsigned *minor);

  /// Empty, or the name of what the library lacks.
  std::string fill(void *library) {
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    const std::pair<bool, const char *> found[] = {
        {find(create, "nvJitLinkCreate"), "nvJitLinkCreate"},
        {find(destroy, "nvJitLinkDestroy"), "nvJitLinkDestroy"},
        {find(addData, "nvJitLinkAddData"), "nvJitLinkAddData"},
        {find(complete, "nvJitLinkComplete"), "nvJitLinkComplete"},
        {find(getCubinSize, "nvJitLinkGetLinkedCubinSize"), "nvJitLinkGetLinkedCubinSize"},
        {find(getCubin, "nvJitLinkGetLinkedCubin"), "nvJitLinkGetLinkedCubin"},
        {find(getErrorLogSize, "nvJitLinkGetErrorLogSize"), "nvJitLinkGetErrorLogSize"},
        {find(getErrorLog, "nvJitLinkGetErrorLog"), "nvJitLinkGetErrorLog"},
        {find(getVersion, "nvJitLinkVersion"), "nvJitLinkVersion"},
    };
    for (auto [isThere, name] : found)
      if (!isThere)
        return name;
    return {};
  }
};

llvm::Expected<const JitLink *> JitLink::open(llvm::StringRef path) {
  static ForkMutex mutex;
  static std::map<std::string, std::pair<JitLink, Functions>> opened; // under `mutex`; never shrinks
  std::lock_guard lock(mutex);
  if (auto found = opened.find(path.str()); found != opened.end())
    return &found->second.first;
  void *library = dlopen(path.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return llvm::createStringError(llvm::Twine(dlerror()));
  Functions functions;
  if (std::string missing = functions.fill(library); !missing.empty())
    return llvm::createStringError("'" + path + "' has no function " + missing);
  auto &entry = opened[path.str()];
  entry.second = functions;
  entry.first.functions = &entry.second;
  return &entry.first;
}

const void *JitLink::address() const { return reinterpret_cast<const void *>(functions->create); }

std::string JitLink::version() const {
  unsigned major = 0, minor = 0;
  if (functions->getVersion(&major, &minor))
    return {};
  return std::to_string(major) + "." + std::to_string(minor);
}

llvm::Expected<Assembled> JitLink::assemble(llvm::StringRef ptx, const AssemblerOptions &options) const {
  std::vector<std::string> flags{"-arch=" + options.target.cpu()};
  flags.push_back("-O" + std::to_string(optimisationLevel(ptx, options)));
  if (options.lineInfo)
    flags.push_back(options.optimise ? "-lineinfo" : "-g");
  if (!options.fuseMultiplyAdd)
    flags.push_back("-fma=0");
  for (const std::string &flag : options.extra)
    flags.push_back("-Xptxas=" + flag);
  std::vector<const char *> pointers;
  for (const std::string &flag : flags)
    pointers.push_back(flag.c_str());

  Handle handle = nullptr;
  auto fail = [&](const char *what, int status) -> llvm::Error {
    std::string message = "`nvJitLink` failed with error code " + std::to_string(status) + " in " + what + "\n", log;
    size_t size = 0;
    if (handle && functions->getErrorLogSize(handle, &size) == 0 && size > 1) {
      log.resize(size);
      functions->getErrorLog(handle, log.data());
      log.resize(std::strlen(log.c_str()));
      message += "`nvJitLink` log:\n" + log + "\n";
    }
    return assemblerError(message + "flags: " + llvm::join(flags, " "), ptx, log);
  };
  if (int status = functions->create(&handle, pointers.size(), pointers.data()))
    return fail("nvJitLinkCreate", status);
  llvm::scope_exit close([&] { functions->destroy(&handle); });
  // The text is read up to a zero byte.
  const std::string text = ptx.str();
  if (int status = functions->addData(handle, inputPtx, text.c_str(), text.size() + 1, "kernel.ptx"))
    return fail("nvJitLinkAddData", status);
  if (int status = functions->complete(handle))
    return fail("nvJitLinkComplete", status);
  size_t size = 0;
  if (int status = functions->getCubinSize(handle, &size))
    return fail("nvJitLinkGetLinkedCubinSize", status);
  Assembled result;
  result.cubin.resize(size);
  if (int status = functions->getCubin(handle, result.cubin.data()))
    return fail("nvJitLinkGetLinkedCubin", status);
  return result;
}

bool driverIsPresent() {
  static const bool isPresent = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
  return isPresent;
}

} // namespace triton::nvidia
