#include "bin/Simulate.h"

#include "compiler/artifact/Description.h"

#include "runtime/gpu/Launch.h"
#include "runtime/gpu/Memory.h"
#include "runtime/gpu/Module.h"
#include "runtime/simulated/Simulation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>

namespace triton {

namespace simulated = runtime::simulated;
namespace gpu = runtime::gpu;

static llvm::SmallVector<llvm::StringRef> split(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef &part : parts)
    part = part.trim();
  return parts;
}

static llvm::Expected<std::array<uint32_t, 3>> parseGrid(llvm::StringRef text) {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  llvm::SmallVector<llvm::StringRef> parts = split(text);
  bool isFine = parts.size() <= 3;
  for (size_t axis = 0; isFine && axis < parts.size(); ++axis)
    isFine = !parts[axis].getAsInteger(10, grid[axis]);
  if (!isFine)
    return llvm::createStringError("--grid: expected up to three numbers to simulate, got '" + text + "'");
  return grid;
}

/// A scalar's bits.
static llvm::Expected<uint64_t> parseScalar(llvm::StringRef text, llvm::StringRef type) {
  int64_t integer = 0;
  if (!type.starts_with("fp") && !type.starts_with("bf") && !text.getAsInteger(0, integer))
    return uint64_t(integer);
  double number = 0;
  if (text.getAsDouble(number))
    return llvm::createStringError("--simulate: '" + text + "' is no number");
  uint64_t bits = 0;
  auto single = float(number);
  if (type == "fp64")
    std::memcpy(&bits, &number, 8);
  else if (type == "fp32")
    std::memcpy(&bits, &single, 4);
  else
    return llvm::createStringError("--simulate: cannot pass a number of type " + type);
  return bits;
}

static void print(const std::vector<simulated::KernelFinding> &findings) {
  for (const simulated::KernelFinding &finding : findings) {
    llvm::outs() << finding.place << ": " << finding.kind << ": " << finding.message;
    if (finding.count > 1)
      llvm::outs() << ", " << finding.count << " times";
    llvm::outs() << "\n";
  }
  llvm::outs() << findings.size() << (findings.size() == 1 ? " finding\n" : " findings\n");
}

llvm::Expected<size_t> simulate(const artifact::Artifact &artifact, llvm::StringRef values, llvm::StringRef gridText) {
  auto grid = parseGrid(gridText);
  if (!grid)
    return grid.takeError();
  llvm::SmallVector<llvm::StringRef> given = split(values);
  if (given.size() != artifact.arguments.size())
    return llvm::createStringError("--simulate: the kernel has %zu arguments, and %zu are given",
                                   artifact.arguments.size(), given.size());
  if (artifact.globalScratchBytes || !artifact.tensorMaps.empty())
    return llvm::createStringError("--simulate: kernels with descriptors are launched from Python or C++");
  setenv("TRITON_SANITIZE", "race,async,shared", /*overwrite=*/0);
  gpu::Driver::setLibrary((simulated::simulatorPrefix + artifact.device).str());
  auto driver = gpu::Driver::get();
  if (!driver)
    return driver.takeError();
  auto function = gpu::load(*driver, *artifact.stage(artifact::codeStage(artifact.backend)), artifact.name,
                            artifact.sharedBytes, /*device=*/0);
  if (!function)
    return function.takeError();
  std::vector<gpu::DeviceMemory> arrays;
  std::vector<simulated::KnownMemory> known;
  std::vector<uint64_t> passed;
  for (auto [argument, text] : llvm::zip_equal(artifact.arguments, given)) {
    llvm::StringRef type = argument.type;
    if (!type.starts_with("*")) {
      auto bits = parseScalar(text, type);
      if (!bits)
        return bits.takeError();
      passed.push_back(*bits);
      continue;
    }
    uint64_t elements = 0;
    if (text.getAsInteger(10, elements))
      return llvm::createStringError("--simulate: '" + text + "' is no number of elements");
    const unsigned bits = type.ends_with("64") ? 64 : type.ends_with("32") ? 32 : type.ends_with("16") ? 16 : 8;
    std::vector<char> content(elements * bits / 8);
    auto memory = gpu::DeviceMemory::allocate(std::max<size_t>(content.size(), 1), 0);
    if (!memory)
      return memory.takeError();
    if (llvm::Error error = memory->copyFrom(content.data(), content.size()))
      return error;
    passed.push_back(memory->address());
    known.push_back(
        {memory->address(), memory->address() + content.size(), "argument " + std::to_string(passed.size() - 1)});
    arrays.push_back(std::move(*memory));
  }
  passed.insert(passed.end(), {0, 0}); // no scratch
  std::vector<void *> pointers;
  for (uint64_t &value : passed)
    pointers.push_back(&value);
  gpu::Launch work{.function = function->function,
                   .context = function->context,
                   .grid = *grid,
                   .threads = uint32_t(artifact.numWarps * artifact.warpSize),
                   .sharedBytes = artifact.sharedBytes,
                   .clusterSize = uint32_t(artifact.numCtas),
                   .arguments = pointers.data()};
  simulated::observe({.collects = true});
  simulated::noteMemory(std::move(known));
  int status = gpu::launch(driver->api(), work);
  std::vector<simulated::KernelFinding> findings = simulated::takeFindings();
  if (status && findings.empty())
    return gpu::failure(driver->api(), status);
  print(findings);
  return findings.size();
}

} // namespace triton
