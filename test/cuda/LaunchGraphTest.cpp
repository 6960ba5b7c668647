// Launches through graphs, against the fake driver: when they are, that each has its own arguments, and what becomes of graphs.
#include "runtime/gpu/LaunchGraph.h"
#include "dispatch/launch/CudaLauncher.h"
#include "runtime/gpu/Pace.h"
#include "test/cuda/CudaFixture.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

using namespace triton::runtime::gpu;

namespace {

int graphCount() { return control<int()>("fakeCudaGraphCount")(); }
void setBusy(bool isBusy) { control<void(bool)>("fakeCudaSetBusy")(isBusy); }
void setCapturing(bool isCapturing) { control<void(bool)>("fakeCudaSetCapturing")(isCapturing); }

/// So many that the next one finds the GPU looked at, and the graph worthwhile.
constexpr int enough = int(Pace::period) + LaunchGraph::threshold + 1;

/// A kernel that is launched many times. Each has a stream of its own, so that no test sees what another left.
struct Repeated {
  explicit Repeated(int device = 0) : function(loaded(0, device)) {
    static uintptr_t next = 0x100;
    stream = reinterpret_cast<StreamHandle>(++next);
  }

  /// The log of one launch.
  std::string once(uint64_t pointer = 0x1122, uint32_t grid = 1) {
    block = {pointer, 7};
    uint64_t scratch = 0;
    int32_t n = 7;
    uint8_t flag = 1;
    TensorMap map{};
    void *pointers[] = {&block.pointer, &n, &flag, &map, &scratch};
    Launch work{.function = function.function,
                .context = function.context,
                .stream = stream,
                .grid = {grid, 1, 1},
                .isCooperative = isCooperative,
                .isProgrammatic = isProgrammatic,
                .waitsAtEntry = true,
                .arguments = pointers,
                .graph = graph.get(),
                .argumentBlock = std::as_bytes(std::span(&block, 1))};
    takeLog();
    EXPECT_EQ(launch(driver().api(), work), Success);
    return takeLog();
  }
  bool isGraph(uint64_t pointer = 0x1122, uint32_t grid = 1) {
    return once(pointer, grid).find(" graph ") != std::string::npos;
  }
  /// Whether the last of `count` launches went through a graph.
  bool isGraphAfter(int count) {
    for (int index = 1; index < count; ++index)
      once();
    return isGraph();
  }

  struct Block {
    uint64_t pointer, n;
  } block{};
  LoadedFunction function;
  StreamHandle stream = nullptr;
  bool isCooperative = false, isProgrammatic = false;
  std::unique_ptr<LaunchGraph> graph = std::make_unique<LaunchGraph>();
};

struct LaunchGraphTest : testing::Test {
  void TearDown() override {
    setBusy(false);
    setCapturing(false);
  }
};

TEST_F(LaunchGraphTest, BeginsWhenTheGpuWaits) {
  Repeated kernel;
  int before = graphCount();
  EXPECT_FALSE(kernel.isGraphAfter(LaunchGraph::threshold));
  EXPECT_EQ(graphCount(), before);
  EXPECT_TRUE(kernel.isGraphAfter(int(Pace::distance) + 1));
  EXPECT_EQ(graphCount(), before + 1);
  EXPECT_EQ(kernel.graph->launches(), 1u);
  kernel.graph = nullptr;
  EXPECT_EQ(graphCount(), before);
}

TEST_F(LaunchGraphTest, EveryLaunchHasItsArgumentsAndGrid) {
  Repeated kernel;
  kernel.isGraphAfter(enough);
  EXPECT_EQ(kernel.once().find("change"), std::string::npos) << "as the one before";
  std::string changed = kernel.once(0x3344, 5), same = kernel.once(0x3344, 5), back = kernel.once();
  EXPECT_NE(changed.find("change\n"), std::string::npos);
  EXPECT_NE(changed.find("grid=5,1,1"), std::string::npos);
  EXPECT_NE(changed.find("args=4433000000000000,07000000,01,"), std::string::npos);
  EXPECT_EQ("change\n" + same, changed);
  EXPECT_NE(back.find("grid=1,1,1"), std::string::npos);
  EXPECT_NE(back.find("args=2211000000000000,"), std::string::npos);
}

TEST_F(LaunchGraphTest, NotWhileTheGpuIsBehind) {
  Repeated kernel;
  setBusy(true);
  EXPECT_FALSE(kernel.isGraphAfter(4 * enough));
  setBusy(false);
  EXPECT_TRUE(kernel.isGraphAfter(enough));
  setBusy(true);
  EXPECT_FALSE(kernel.isGraphAfter(int(Pace::period) + 1));
  setBusy(false);
  EXPECT_TRUE(kernel.isGraphAfter(int(Pace::period) + 1)) << "the graph is still there";
}

TEST_F(LaunchGraphTest, CapturesHoldKernels) {
  Repeated kernel;
  EXPECT_TRUE(kernel.isGraphAfter(enough));
  setCapturing(true);
  for (int index = 0; index < 3 * enough; ++index)
    EXPECT_FALSE(kernel.isGraph());
  setCapturing(false);
  EXPECT_TRUE(kernel.isGraphAfter(2 * int(Pace::period)));
}

TEST_F(LaunchGraphTest, OnlyUsualLaunches) {
  Repeated kernel;
  kernel.isCooperative = true;
  EXPECT_FALSE(kernel.isGraphAfter(2 * enough));
  kernel.isCooperative = false;
  kernel.isProgrammatic = true;
  EXPECT_FALSE(kernel.isGraphAfter(2 * enough));
  kernel.isProgrammatic = false;
  EXPECT_TRUE(kernel.isGraphAfter(enough));
}

TEST_F(LaunchGraphTest, StreamsByTurnsAreNoCase) {
  Repeated kernel;
  StreamHandle first = kernel.stream, second = reinterpret_cast<StreamHandle>(0x99);
  for (int index = 0; index < 4 * enough; ++index) {
    kernel.stream = index % 2 ? first : second;
    EXPECT_FALSE(kernel.isGraph());
  }
  EXPECT_TRUE(kernel.isGraphAfter(enough));
}

TEST_F(LaunchGraphTest, WhatTheDriverRefusesIsLaunchedAsEver) {
  for (const char *function : {"cuGraphInstantiate", "cuGraphAddKernelNode", "cuGraphCreate", "cuGraphLaunch",
                               "cuGraphExecKernelNodeSetParams"}) {
    SCOPED_TRACE(function);
    Repeated kernel;
    kernel.isGraphAfter(LaunchGraph::threshold); // none yet
    fail(function, OutOfMemory);
    bool sawPlain = false;
    for (int index = 0; index < enough; ++index) {
      std::string log = kernel.once(uint64_t(index));
      sawPlain |= log.find(" graph ") == std::string::npos;
      EXPECT_NE(log.find("launch scale"), std::string::npos);
    }
    EXPECT_TRUE(sawPlain);
    fail(function, Success);
    kernel.once();
    int count = 0;
    while (!kernel.isGraph() && count < 4000)
      ++count;
    EXPECT_LT(count, 4000) << "tried again later";
  }
}

TEST_F(LaunchGraphTest, ThereIsALimit) {
  int before = graphCount();
  std::vector<std::unique_ptr<Repeated>> kernels;
  for (int index = 0; index < LaunchGraph::limit + 8; ++index) {
    kernels.push_back(std::make_unique<Repeated>());
    kernels.back()->isGraphAfter(enough);
    EXPECT_LE(graphCount(), before + LaunchGraph::limit);
  }
  EXPECT_EQ(graphCount(), before + LaunchGraph::limit);
  // Those not used for a while give their places to others.
  int others = 0;
  for (int index = LaunchGraph::limit; index < LaunchGraph::limit + 8; ++index)
    others += kernels[size_t(index)]->isGraphAfter(3000);
  EXPECT_EQ(others, 8);
  EXPECT_EQ(graphCount(), before + LaunchGraph::limit);
  kernels.clear();
  EXPECT_EQ(graphCount(), before);
}

TEST_F(LaunchGraphTest, AnotherFunctionIsAnotherGraph) {
  Repeated kernel;
  int before = graphCount();
  EXPECT_TRUE(kernel.isGraphAfter(enough));
  kernel.function = loaded(0, 1);
  std::string log = kernel.once();
  EXPECT_EQ(log.find(" graph "), std::string::npos);
  EXPECT_NE(log.find("device=1"), std::string::npos);
  EXPECT_TRUE(kernel.isGraphAfter(2000));
  EXPECT_EQ(graphCount(), before + 1);
}

TEST_F(LaunchGraphTest, ThreadsDoNotShareALaunch) {
  LoadedFunction function = loaded();
  LaunchGraph graph;
  takeLog();
  auto work = [&](uint64_t mine) {
    for (int index = 0; index < 20 * enough; ++index) {
      uint64_t pointer = mine, scratch = 0;
      int32_t n = 7;
      uint8_t flag = 1;
      TensorMap map{};
      void *pointers[] = {&pointer, &n, &flag, &map, &scratch};
      Launch launched{.function = function.function,
                      .context = function.context,
                      .grid = {uint32_t(mine), 1, 1},
                      .arguments = pointers,
                      .graph = &graph,
                      .argumentBlock = std::as_bytes(std::span(&pointer, 1))};
      EXPECT_EQ(launch(driver().api(), launched), Success);
    }
  };
  std::thread one(work, 1), two(work, 2);
  one.join();
  two.join();
  std::string log = takeLog();
  size_t ones = 0, twos = 0;
  for (size_t at = log.find("launch "); at != std::string::npos; at = log.find("launch ", at + 1)) {
    std::string line = log.substr(at, log.find('\n', at) - at);
    bool isOne = line.find("grid=1,") != std::string::npos;
    (isOne ? ones : twos) += 1;
    EXPECT_NE(line.find(isOne ? "args=01000000" : "args=02000000"), std::string::npos) << line;
  }
  EXPECT_EQ(ones, size_t(20 * enough));
  EXPECT_EQ(twos, size_t(20 * enough));
}

TEST_F(LaunchGraphTest, ToolsSeeKernels) {
  EXPECT_FALSE(triton::dispatch::isEachLaunchShown());
  for (const char *name :
       {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "NV_NSIGHT_INJECTION_PORT_BASE", "CUDA_LAUNCH_BLOCKING"}) {
    setenv(name, "1", 1);
    EXPECT_TRUE(triton::dispatch::isEachLaunchShown()) << name;
    unsetenv(name);
  }
  setenv("CUDA_LAUNCH_BLOCKING", "0", 1);
  EXPECT_FALSE(triton::dispatch::isEachLaunchShown());
  unsetenv("CUDA_LAUNCH_BLOCKING");
}

} // namespace
