// Loads a text as a program of the simulator and runs its kernels for a while, each with pointers to one buffer: whatever the text says, it touches nothing else.
#include "compiler/support/IrText.h"
#include "simulator/amdgcn/Load.h"
#include "test/fuzz/Fuzz.h"

#include <cstring>
#include <utility>

namespace triton::fuzz {

using namespace triton::simulator;

namespace {
/// What is around it is the allocator's, which notices.
struct Buffer {
  std::vector<std::byte> storage = std::vector<std::byte>(1 << 16);
  uint64_t begin() const { return reinterpret_cast<uint64_t>(storage.data() + 4096); }
  static constexpr uint64_t bytes = 1 << 15;
};
} // namespace

static unsigned numberOf(const llvm::StringMap<std::string> &settings, llvm::StringRef key, unsigned otherwise) {
  unsigned number = 0;
  return llvm::StringRef(settings.lookup(key)).getAsInteger(10, number) ? otherwise : number;
}

static void runKernel(const Program &program, const Kernel &kernel, const llvm::StringMap<std::string> &settings,
                      bool isAmd) {
  Buffer buffer;
  Launch launch;
  launch.kernel = &kernel;
  launch.block = {std::min(kernel.requiredThreads ? kernel.requiredThreads : numberOf(settings, "threads", 64), 1024u),
                  1, 1};
  launch.cluster = {kernel.clusterSize ? kernel.clusterSize : std::clamp(numberOf(settings, "cluster", 1), 1u, 16u), 1,
                    1};
  launch.grid = {2 * launch.cluster[0], 1, 1};
  launch.sharedBytes = 16384;
  launch.seed = numberOf(settings, "seed", 0);
  launch.watch = {.bounds = true, .shared = settings.contains("watch"), .races = settings.contains("watch")};
  launch.counts = settings.contains("watch");
  launch.parameters.resize(kernel.parameterBytes);
  for (const KernelParameter &parameter : kernel.parameters) {
    const uint64_t value = parameter.bytes == 8 ? buffer.begin() : 64;
    std::memcpy(launch.parameters.data() + parameter.offset, &value, std::min<uint32_t>(parameter.bytes, 8));
  }
  if (isAmd)
    amdgcn::appendHiddenArguments(launch, kernel.parameterBytes);
  launch.memory = {{buffer.begin(), buffer.begin() + Buffer::bytes, "buffer"}};
  bool isFirst = true; // one turn: texts that go on for ever are found soon enough
  launch.isInterrupted = [&] { return !std::exchange(isFirst, false); };
  Findings findings;
  Grid(program, launch, findings).run();
  require(llvm::all_of(llvm::ArrayRef(buffer.storage).take_front(4096),
                       [](std::byte byte) { return byte == std::byte(0); }),
          "nothing is written before the buffer");
  require(llvm::all_of(llvm::ArrayRef(buffer.storage).drop_front(4096 + Buffer::bytes),
                       [](std::byte byte) { return byte == std::byte(0); }),
          "nothing is written behind the buffer");
}

static bool runProgram(const Loaded &loaded, const llvm::StringMap<std::string> &settings, bool isAmd) {
  require(!loaded.program == !loaded.problem.empty(), "there is a program or a problem");
  if (!loaded.program)
    return false;
  constexpr size_t most = 2;
  for (size_t index = 0; index < std::min(loaded.program->kernels.size(), most); ++index)
    runKernel(*loaded.program, loaded.program->kernels[index], settings, isAmd);
  return true;
}

bool runPtx(const std::string &text) { return runProgram(simulator::load(text), settingsOf(text), /*isAmd=*/false); }

bool runAmdgcn(const std::string &text) {
  Diagnostics diagnostics;
  if (!isReadable(*Source::create("fuzz.ll", text), IrSyntax::Llvm, diagnostics)) // as the driver asks before it loads
    return false;
  const auto settings = settingsOf(text);
  const std::string architecture = settings.lookup("arch");
  const bool isWide = llvm::StringRef(architecture).starts_with("gfx9");
  const amdgcn::Architecture wanted{architecture, isWide ? 64u : 32u, architecture == "gfx942"};
  return runProgram(amdgcn::load(text, wanted), settings, /*isAmd=*/true);
}

} // namespace triton::fuzz
