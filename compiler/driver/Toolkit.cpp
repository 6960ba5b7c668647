#include "compiler/driver/Toolkit.h"

#include "compiler/artifact/BuildId.h"
#include "compiler/artifact/Folder.h"
#include "compiler/llvm/nvidia/Ptxas.h"
#include "compiler/support/ForkMutex.h"
#include "compiler/support/Hash.h"
#include "dispatch/EnvironmentNumber.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <mutex>

using namespace triton;
using namespace triton::driver;
using llvm::StringRef;

static std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

llvm::Expected<unsigned> triton::driver::assemblerSecondsOfEnvironment() {
  return environmentNumber("TRITON_PTXAS_TIMEOUT");
}

static std::string joinPath(StringRef folder, StringRef rest) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, rest);
  return path.str().str();
}

/// Folders laid out like a CUDA toolkit, in the order they are looked at.
static std::vector<std::string> toolkits(llvm::ArrayRef<std::string> given) {
  std::vector<std::string> found = given.vec();
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string folder = variable(name); !folder.empty())
      found.push_back(folder);
  found.push_back("/usr/local/cuda");
  // Toolkits without that link, the newest first.
  std::vector<std::string> versions;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry("/usr/local", error), end; !error && entry != end;
       entry.increment(error))
    if (llvm::sys::path::filename(entry->path()).starts_with("cuda-"))
      versions.push_back(entry->path());
  llvm::sort(versions, [](StringRef a, StringRef b) { return a.compare_numeric(b) > 0; });
  llvm::append_range(found, versions);
  return found;
}

std::string triton::driver::findTool(StringRef name, llvm::ArrayRef<std::string> folders) {
  for (const std::string &folder : toolkits(folders))
    if (std::string path = joinPath(folder, ("bin/" + name).str()); llvm::sys::fs::can_execute(path))
      return path;
  auto path = llvm::sys::findProgramByName(name);
  return path ? *path : std::string();
}

static std::string looked(const char *name, const Options &options) {
  return std::string("(looked at ") + name + ", " + llvm::join(toolkits(options.toolkits), ", ");
}

/// Empty if there is none.
static llvm::Expected<std::string> findPtxas(const Options &options, const gpu::Target &device) {
  if (!options.assemblerPath.empty() || !options.linkerPath.empty())
    return options.assemblerPath;
  for (const char *name :
       {device.capability >= 100 ? "TRITON_PTXAS_BLACKWELL_PATH" : "TRITON_PTXAS_PATH", "TRITON_PTXAS_PATH"})
    if (std::string path = variable(name); !path.empty()) {
      if (!llvm::sys::fs::can_execute(path))
        return llvm::createStringError(llvm::Twine(name) + " names '" + path + "', which cannot be run");
      return path;
    }
  return findTool("ptxas", options.toolkits);
}

static llvm::Expected<const nvidia::JitLink *> findJitLink(const Options &options) {
  for (const std::string &named : {options.linkerPath, variable("TRITON_NVJITLINK_PATH")})
    if (!named.empty())
      return nvidia::JitLink::open(named);
  static constexpr llvm::StringLiteral names[] = {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"};
  std::vector<std::string> candidates;
  auto add = [&](llvm::ArrayRef<std::string> folders) {
    for (const std::string &toolkit : folders)
      for (StringRef folder : {"lib64", "lib", "targets/x86_64-linux/lib"})
        for (StringRef name : names)
          if (std::string path = joinPath(joinPath(toolkit, folder), name); llvm::sys::fs::exists(path))
            candidates.push_back(path);
  };
  add(options.toolkits);
  candidates.insert(candidates.end(), std::begin(names), std::end(names)); // for the system's linker
  add(toolkits({}));
  for (const std::string &candidate : candidates) {
    auto linker = nvidia::JitLink::open(candidate);
    if (linker)
      return linker;
    llvm::consumeError(linker.takeError());
  }
  return llvm::createStringError("libnvJitLink.so was not found " + looked("TRITON_NVJITLINK_PATH", options) +
                                 " and the system's library folders); install it with `pip install nvidia-nvjitlink`");
}

/// Empty if there is none.
static std::string findLibdevice(const Options &options, StringRef ptxas) {
  for (const std::string &named : {options.libdevicePath, variable("TRITON_LIBDEVICE_PATH")})
    if (!named.empty())
      return named;
  std::vector<std::string> all = options.toolkits;
  // The toolkit that the assembler belongs to: the real file's, where it is a link.
  llvm::SmallString<128> real;
  if (!ptxas.empty() && !llvm::sys::fs::real_path(ptxas, real))
    all.push_back(llvm::sys::path::parent_path(llvm::sys::path::parent_path(real)).str());
  llvm::append_range(all, toolkits({}));
  for (const std::string &folder : all)
    for (StringRef place : {"nvvm/libdevice/libdevice.10.bc", "lib/libdevice.10.bc"})
      if (std::string path = joinPath(folder, place); llvm::sys::fs::exists(path))
        return path;
  return {};
}

/// Fills what is known of ptxas; why it cannot be used.
static llvm::Error describePtxas(Toolkit &toolkit, const Options &options) {
  auto build = toolBuild(toolkit.ptxas, options.toolRecords);
  if (!build)
    return build.takeError();
  auto version = nvidia::assemblerVersion(toolkit.ptxas, *build);
  if (!version)
    return version.takeError();
  toolkit.build = *build;
  toolkit.ptxVersion = nvidia::ptxVersionOf(*version);
  return llvm::Error::success();
}

/// CUDA 12.9 was the last to know Volta.
constexpr unsigned lastPtxVersionOfVolta = 88;

/// Leaves PTX to the driver, in a version that those which know `device` read, where the assembler no longer knows it.
static void leaveToDriver(Toolkit &toolkit, const gpu::Target &device) {
  if (device.capability >= 75 || toolkit.ptxVersion <= lastPtxVersionOfVolta)
    return;
  toolkit.ptxas.clear();
  toolkit.jitLink = nullptr;
  toolkit.ptxVersion = lastPtxVersionOfVolta;
}

bool driver::isSimulated(StringRef vendor) { return StringRef(variable("TRITON_SIMULATE")).starts_with(vendor); }

Toolkit Toolkit::find(const Options &options, const gpu::Target &device) {
  Toolkit toolkit;
  if (options.assemblerPath == simulatorName || (options.assemblerPath.empty() && isSimulated("sm"))) {
    // The simulator reads PTX, of any version.
    toolkit.libdevice = findLibdevice(options, "");
    toolkit.build = simulatorName.str();
    toolkit.ptxVersion = 90;
    return toolkit;
  }
  std::string places;
  if (auto ptxas = findPtxas(options, device))
    toolkit.ptxas = *ptxas;
  else
    places = llvm::toString(ptxas.takeError());
  toolkit.libdevice = findLibdevice(options, toolkit.ptxas);
  if (!toolkit.ptxas.empty()) {
    if (llvm::Error error = describePtxas(toolkit, options))
      toolkit.problem = llvm::toString(std::move(error));
    leaveToDriver(toolkit, device);
    return toolkit;
  }
  auto linker = findJitLink(options);
  if (linker) {
    toolkit.jitLink = *linker;
    toolkit.ptxVersion = nvidia::ptxVersionOf((*linker)->version());
    toolkit.build = "nvJitLink " + (*linker)->version() + " " + artifact::identityOf((*linker)->address());
    leaveToDriver(toolkit, device);
    return toolkit;
  }
  if (places.empty() && options.linkerPath.empty())
    places = "ptxas was not found " + looked("TRITON_PTXAS_PATH", options) +
             " and PATH); install it with `pip install nvidia-cuda-nvcc`";
  places += (places.empty() ? "" : "; ") + llvm::toString(linker.takeError());
  toolkit.build = "driver";
  if (!nvidia::driverIsPresent())
    toolkit.problem =
        "nothing can assemble PTX: " + places + "; and there is no driver, libcuda.so.1, that would translate it";
  return toolkit;
}

llvm::Expected<std::string> Toolkit::key() const {
  if (!problem.empty())
    return llvm::createStringError(problem);
  return build + ";" + (libdevice.empty() ? "" : "libdevice " + artifact::digestFiles(libdevice, "") + ";");
}

// What tools print of their versions.

/// The text of a record, unless it is damaged or of another tool: it begins with its own digest.
static std::optional<std::string> remembered(const std::string &path) {
  std::optional<std::string> record = artifact::readPlainFile(path);
  if (!record)
    return std::nullopt;
  auto [digest, text] = StringRef(*record).split('\n');
  return digest == sha256Hex(text) ? std::optional(text.str()) : std::nullopt;
}

static void remember(const std::string &folder, const std::string &name, const std::string &text) {
  // A folder that cannot be written costs the next process a little time.
  if (llvm::sys::fs::create_directories(folder))
    return;
  if (llvm::ErrorOr<artifact::Folder> opened = artifact::Folder::at(folder))
    (void)opened->write(name, sha256Hex(text) + "\n" + text);
}

llvm::Expected<std::string> triton::driver::toolBuild(const std::string &path, const std::string &records) {
  static ForkMutex mutex;
  static llvm::StringMap<std::string> known; // under `mutex`
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return llvm::createStringError("cannot run '" + path + "': " + error.message());
  llvm::SmallString<128> real(path);
  (void)llvm::sys::fs::real_path(path, real);
  const std::string identity = (real + "\n" + llvm::Twine(status.getSize()) + "\n" +
                                llvm::Twine(status.getLastModificationTime().time_since_epoch().count()))
                                   .str();
  const std::string name = "tool-" + sha256Hex(identity).substr(0, 32) + ".txt";
  const std::string record = records.empty() ? "" : joinPath(records, name);
  if (!record.empty())
    if (std::optional<std::string> text = remembered(record))
      return *text;
  // Where there is no record, what this process has seen will do. A damaged one is written anew.
  if (record.empty() || !llvm::sys::fs::exists(record)) {
    std::lock_guard lock(mutex);
    if (auto found = known.find(name); found != known.end())
      return found->second;
  }
  auto text = nvidia::runForVersion(path);
  if (!text)
    return text;
  if (!records.empty())
    remember(records, name, *text);
  std::lock_guard lock(mutex);
  return known[name] = *text;
}
