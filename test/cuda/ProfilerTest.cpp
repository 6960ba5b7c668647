// Sessions whose times come from CUPTI, against the fake one and the fake driver.
#include "runtime/profiler/Profiler.h"
#include "runtime/gpu/LaunchGraph.h"
#include "runtime/profiler/CuptiApi.h"
#include "test/cuda/CudaFixture.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <thread>

using namespace triton::runtime;
using namespace triton::runtime::profiler;
using triton::runtime::gpu::driver;

namespace {

constexpr uint32_t cudaLaunchKernel = 211, cuLaunchKernelEx = 652, cudaGraphLaunch = 311;
const std::string library = FAKE_CUDA "/libcupti.so.13";

template <typename F> F *cuptiControl(const char *name) {
  static void *opened = dlopen(library.c_str(), RTLD_NOW);
  return reinterpret_cast<F *>(dlsym(opened, name));
}

struct Call {
  uint32_t domain = cuptiDriver, function = cuLaunchKernelEx;
  uint32_t device = 0;
  int kernelCount = 1;
  uint64_t graphNode = 0;
};

uint32_t launchKernel(const char *name, uint64_t nanoseconds, Call call = {}) {
  static uint32_t number = 0;
  void *context = llvm::cantFail(driver().primaryContext(0));
  using Launch = void(uint32_t, uint32_t, uint32_t, void *, const char *, uint32_t, uint64_t, int, uint64_t);
  cuptiControl<Launch>("fakeCuptiLaunch")(call.domain, call.function, ++number, context, name, call.device, nanoseconds,
                                          call.kernelCount, call.graphNode);
  return number;
}

int begin(SessionOptions options = {}) {
  driver();
  options.name = "test";
  options.source = Source::Cupti;
  return llvm::cantFail(start(options, library));
}

/// What is written, a line per node: path, count, nanoseconds.
void describe(const llvm::json::Value &value, const std::string &path, std::string &out) {
  const llvm::json::Object &node = *value.getAsObject();
  std::string name = path + "/" + node.getObject("frame")->getString("name")->str();
  const llvm::json::Object &metrics = *node.getObject("metrics");
  if (auto count = metrics.getInteger("count"); count && *count)
    out += name + " " + metrics.getString("device_type")->str() + metrics.getString("device_id")->str() + " " +
           std::to_string(*count) + " " + std::to_string(*metrics.getInteger("time (ns)")) + "\n";
  for (const llvm::json::Value &child : *node.getArray("children"))
    describe(child, name, out);
}

std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

std::string finishAndRead(int session, Format format = Format::Hatchet) {
  std::string path = std::filesystem::temp_directory_path() / ("triton_profiler_" + std::to_string(getpid()));
  llvm::cantFail(finish(session, path, format));
  std::string text = readFile(path);
  std::filesystem::remove(path);
  return text;
}

std::string finishAndDescribe(int session) {
  std::string out;
  describe(llvm::cantFail(llvm::json::parse(finishAndRead(session))).getAsArray()->front(), "", out);
  return out;
}

TEST(CuptiProfiler, KernelsBelongToTheScopeThatLaunchedThem) {
  int session = begin();
  llvm::cantFail(enterScope("a", {}, ScopeKind::Scope));
  launchKernel("gemm", 10);
  launchKernel("gemm", 20, {.domain = cuptiRuntime, .function = cudaLaunchKernel});
  llvm::cantFail(leaveScope("a", {}));
  launchKernel("copy", 5);
  EXPECT_EQ(finishAndDescribe(session), "/ROOT/a/gemm CUDA0 2 30\n/ROOT/copy CUDA0 1 5\n");
}

TEST(CuptiProfiler, KernelsOfAnOperationGoByItsName) {
  int session = begin({.hasOperations = true}),
      other = llvm::cantFail(start({.name = "other", .source = Source::Cupti}));
  llvm::cantFail(enterScope("matmul [M=4]", Metric{"flops16", 8.0}, ScopeKind::Operation));
  launchKernel("matmul", 10);
  leaveOperation();
  EXPECT_EQ(finishAndDescribe(session), "/ROOT/matmul [M=4] CUDA0 1 10\n");
  EXPECT_EQ(finishAndDescribe(other), "/ROOT/matmul CUDA0 1 10\n") << "a session that does not want operations";
}

TEST(CuptiProfiler, AllKernelsOfAGraphBelongToItsLaunch) {
  int session = begin();
  llvm::cantFail(enterScope("graph", {}, ScopeKind::Scope));
  launchKernel("step", 10, {.domain = cuptiRuntime, .function = cudaGraphLaunch, .kernelCount = 3});
  llvm::cantFail(leaveScope("graph", {}));
  EXPECT_EQ(finishAndDescribe(session), "/ROOT/graph/step CUDA0 3 30\n");
}

TEST(CuptiProfiler, KernelsOfAGraphAlsoBelongToWhereTheyWereRecorded) {
  auto *node = cuptiControl<void(uint32_t, uint64_t, uint64_t)>("fakeCuptiGraphNode");
  int session = begin();
  llvm::cantFail(enterScope("first", {}, ScopeKind::Scope));
  node(graphNodeCreated, 1, 0);
  llvm::cantFail(leaveScope("first", {}));
  llvm::cantFail(setActive(session, false));
  node(graphNodeCreated, 2, 0);
  llvm::cantFail(setActive(session, true));
  node(graphNodeCloned, 11, 1);
  node(graphNodeCloned, 12, 2);
  Call graph{.domain = cuptiRuntime, .function = cudaGraphLaunch, .kernelCount = 3, .graphNode = 11};
  llvm::cantFail(enterScope("replay", {}, ScopeKind::Scope));
  launchKernel("step", 10, graph); // of 13 nothing is known
  llvm::cantFail(leaveScope("replay", {}));
  EXPECT_EQ(finishAndDescribe(session),
            "/ROOT/replay/<captured_at>/first/step CUDA0 1 10\n/ROOT/replay/step CUDA0 1 10\n")
      << "what was recorded while the session was inactive is left out";
}

TEST(CuptiProfiler, PhasesAreReadAndForgottenWhileASessionGoesOn) {
  int session = begin();
  launchKernel("k", 1);
  EXPECT_EQ(llvm::cantFail(advancePhase(session)), 1);
  EXPECT_FALSE(llvm::cantFail(isPhaseComplete(session, 0))) << "the kernel's time is not known yet";
  launchKernel("k", 2);
  llvm::cantFail(flush(session));
  EXPECT_TRUE(llvm::cantFail(isPhaseComplete(session, 0)));
  EXPECT_FALSE(llvm::cantFail(isPhaseComplete(session, 1)));
  EXPECT_NE(llvm::cantFail(phaseData(session, 0, Format::Hatchet)).find("\"time (ns)\": 1"), std::string::npos);
  llvm::cantFail(clearPhase(session, 0, /*upTo=*/false));
  EXPECT_NE(llvm::toString(phaseData(session, 0, Format::Hatchet).takeError()).find("has no data"), std::string::npos);
  EXPECT_EQ(finishAndDescribe(session), "/ROOT/k CUDA0 1 2\n");
}

TEST(CuptiProfiler, DevicesAreKeptApartAndDescribed) {
  int session = begin();
  launchKernel("k", 10);
  launchKernel("k", 7, {.device = 1});
  std::string text = finishAndRead(session), out;
  llvm::json::Value parsed = llvm::cantFail(llvm::json::parse(text));
  describe(parsed.getAsArray()->front(), "", out);
  EXPECT_EQ(out, "/ROOT/k CUDA0 1 10\n/ROOT/k CUDA1 1 7\n");
  const llvm::json::Object *info = parsed.getAsArray()->back().getAsObject()->getObject("CUDA")->getObject("1");
  EXPECT_EQ(info->getString("arch"), "90");
  EXPECT_EQ(info->getString("name"), "Fake GPU");
}

TEST(CuptiProfiler, WhatIsLaunchedWhileInactiveIsNotCounted) {
  int session = begin();
  llvm::cantFail(setActive(session, false));
  launchKernel("warmup", 10);
  llvm::cantFail(setActive(session, true));
  launchKernel("measured", 3);
  EXPECT_EQ(finishAndDescribe(session), "/ROOT/measured CUDA0 1 3\n");
}

TEST(CuptiProfiler, ThreadsHaveTheirOwnScopes) {
  int session = begin();
  llvm::cantFail(enterScope("main", {}, ScopeKind::Scope));
  std::thread([] { launchKernel("k", 1); }).join();
  llvm::cantFail(leaveScope("main", {}));
  EXPECT_EQ(finishAndDescribe(session), "/ROOT/k CUDA0 1 1\n");
}

TEST(CuptiProfiler, RangesAreScopesThatNeedNotNest) {
  auto *range = cuptiControl<void(uint32_t, const void *)>("fakeCuptiRange");
  NvtxAttributes attributes{};
  attributes.messageKind = 1;
  attributes.message = "attributes";
  int session = begin();
  range(nvtxPop, nullptr); // of a range from before the session
  range(nvtxPush, "outer");
  llvm::cantFail(enterScope("scope", {}, ScopeKind::Scope));
  range(nvtxPushAttributes, &attributes);
  launchKernel("k", 1);
  llvm::cantFail(leaveScope("scope", Metric{"seen", int64_t(1)}));
  launchKernel("k", 2);
  range(nvtxPop, nullptr);
  range(nvtxPop, nullptr);
  launchKernel("k", 4);
  EXPECT_EQ(finishAndDescribe(session), "/ROOT/outer/scope/attributes/k CUDA0 1 1\n"
                                        "/ROOT/outer/attributes/k CUDA0 1 2\n/ROOT/k CUDA0 1 4\n");
}

TEST(CuptiProfiler, LaunchesNeitherOverlapNorGoThroughGraphs) {
  gpu::LoadedFunction function = gpu::loaded();
  gpu::LaunchGraph graph;
  gpu::Arguments arguments;
  gpu::Launch work{.function = function.function,
                   .context = function.context,
                   .stream = reinterpret_cast<gpu::StreamHandle>(0x77),
                   .waitsAtEntry = true,
                   .arguments = arguments.pointers,
                   .graph = &graph,
                   .argumentBlock = std::as_bytes(std::span(&arguments, 1))};
  auto launches = [&](int count) {
    gpu::takeLog();
    for (int index = 0; index < count; ++index)
      EXPECT_EQ(gpu::launch(driver().api(), work), gpu::Success);
    return gpu::takeLog();
  };
  int session = begin();
  std::string log = launches(300);
  EXPECT_EQ(log.find(" programmatic"), std::string::npos);
  EXPECT_EQ(log.find(" graph "), std::string::npos);
  llvm::cantFail(setActive(session, false));
  EXPECT_NE(launches(1).find(" programmatic"), std::string::npos);
  EXPECT_NE(launches(300).find(" graph "), std::string::npos);
  finishAndRead(session);
}

TEST(CuptiProfiler, TracesShowEveryKernel) {
  int session = begin({.isTrace = true});
  launchKernel("k", 1500);
  llvm::json::Value parsed = llvm::cantFail(llvm::json::parse(finishAndRead(session, Format::ChromeTrace)));
  const llvm::json::Object &event = *parsed.getAsObject()->getArray("traceEvents")->front().getAsObject();
  EXPECT_EQ(event.getString("name"), "k");
  EXPECT_EQ(event.getString("pid"), "CUDA 0");
  EXPECT_EQ(event.getString("tid"), "stream 7");
  EXPECT_EQ(event.getNumber("dur"), 1.5);
}

TEST(CuptiProfiler, AnotherToolThatHasCuptiIsNamed) {
  driver();
  cuptiControl<void(bool)>("fakeCuptiTake")(true);
  auto session = start({.name = "test", .source = Source::Cupti}, library);
  ASSERT_FALSE(bool(session));
  EXPECT_NE(llvm::toString(session.takeError()).find("another profiler has NVIDIA's CUPTI"), std::string::npos);
  cuptiControl<void(bool)>("fakeCuptiTake")(false);
  finishAndRead(begin());
}

TEST(CuptiProfiler, AFileThatCannotBeWrittenIsAnError) {
  EXPECT_NE(llvm::toString(finish(begin(), "/nowhere/at/all", Format::Hatchet)).find("cannot write '/nowhere/at/all'"),
            std::string::npos);
  EXPECT_TRUE(sessions().empty());
}

} // namespace
