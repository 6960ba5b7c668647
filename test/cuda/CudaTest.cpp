// The CUDA runtime against the fake driver: what it asks of the driver, and what it says when the driver refuses.
#include "runtime/cuda/Library.h"
#include "runtime/cuda/TensorMap.h"
#include "runtime/gpu/Memory.h"
#include "test/cuda/CudaFixture.h"

#include "gtest/gtest.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace triton::runtime;
using namespace triton::runtime::gpu;

namespace {

template <typename T> std::string messageOf(llvm::Expected<T> expected) {
  return expected ? "no error" : llvm::toString(expected.takeError());
}

TEST(Cuda, ReadsProperties) {
  const DeviceProperties &properties = llvm::cantFail(driver().properties(1));
  EXPECT_EQ(properties.capability, 90);
  EXPECT_EQ(properties.maxSharedBytes, 232448);
  EXPECT_EQ(properties.multiprocessors, 132);
  EXPECT_EQ(messageOf(driver().properties(2)), "there is no device 2: this machine has 2");
  EXPECT_EQ(&properties, &llvm::cantFail(driver().properties(1))) << "asked once";
  EXPECT_EQ(messageOf(driver().clockRates(2)), "there is no device 2: this machine has 2");
}

TEST(Cuda, LaunchesWithEveryAttribute) {
  LoadedFunction function = loaded();
  EXPECT_EQ(function.registers, 16);
  EXPECT_EQ(function.localBytes, 8);
  takeLog();
  Arguments arguments;
  Launch work{.function = function.function,
              .context = function.context,
              .stream = reinterpret_cast<StreamHandle>(9),
              .grid = {3, 2, 1},
              .threads = 256,
              .sharedBytes = 1024,
              .clusterSize = 2,
              .isCooperative = true,
              .isProgrammatic = true,
              .arguments = arguments.pointers};
  ASSERT_EQ(launch(driver().api(), work), Success);
  EXPECT_EQ(takeLog(), "launch scale device=0 grid=6,2,1 block=256 shared=1024 stream=9 programmatic cooperative "
                       "cluster=2 args=2211000000000000,07000000,01," +
                           std::string(256, '0') + ",0000000000000000\n");
}

TEST(Cuda, LaunchesOfKernelsThatWaitOverlap) {
  LoadedFunction function = loaded();
  Arguments arguments;
  auto overlaps = [&](bool waits, bool isCooperative = false, bool isProgrammatic = false, uintptr_t stream = 3) {
    takeLog();
    Launch work{.function = function.function,
                .context = function.context,
                .stream = reinterpret_cast<StreamHandle>(stream),
                .isCooperative = isCooperative,
                .isProgrammatic = isProgrammatic,
                .waitsAtEntry = waits,
                .arguments = arguments.pointers};
    EXPECT_EQ(launch(driver().api(), work), Success);
    return takeLog().find(" programmatic") != std::string::npos;
  };
  EXPECT_TRUE(overlaps(true));
  EXPECT_FALSE(overlaps(false));
  EXPECT_FALSE(overlaps(true, /*isCooperative=*/true));
  // One that decides itself where to wait may not have waited when it ends.
  EXPECT_TRUE(overlaps(false, false, /*isProgrammatic=*/true));
  EXPECT_TRUE(overlaps(true, false, false, /*stream=*/4)) << "another stream";
  EXPECT_FALSE(overlaps(true));
  EXPECT_TRUE(overlaps(true)) << "the one before was in full order";
}

TEST(Cuda, AnEmptyGridIsNoLaunch) {
  LoadedFunction function = loaded();
  takeLog();
  EXPECT_EQ(launch(driver().api(), {.function = function.function, .context = function.context, .grid = {4, 0, 1}}),
            Success);
  EXPECT_EQ(takeLog(), "");
}

TEST(Cuda, AGridOfClustersThatDoesNotFitIsNotCutShort) {
  LoadedFunction function = loaded();
  takeLog();
  Launch work{
      .function = function.function, .context = function.context, .grid = {(1u << 30) + 1, 1, 1}, .clusterSize = 4};
  EXPECT_EQ(launch(driver().api(), work), InvalidValue);
  EXPECT_EQ(takeLog(), "");
}

TEST(Cuda, LargeSharedMemoryIsAskedForOnce) {
  LoadedFunction small = loaded(0), large = loaded(100000);
  Arguments arguments;
  Launch work{.context = small.context, .sharedBytes = 100000, .arguments = arguments.pointers};
  work.function = large.function;
  EXPECT_EQ(launch(driver().api(), work), Success);
  work.function = small.function;
  EXPECT_EQ(launch(driver().api(), work), InvalidValue);
  EXPECT_EQ(describeFailure(driver().api(), work, InvalidValue),
            "Triton Error [CUDA]: invalid argument (launching a grid of (1, 1, 1) with 128 threads and 100000 bytes of "
            "shared memory)");
}

TEST(Cuda, EachDeviceHasItsContext) {
  LoadedFunction first = loaded(0, 0), second = loaded(0, 1);
  EXPECT_NE(first.context, second.context);
  EXPECT_EQ(driver().currentDevice(), 1);
  Arguments arguments;
  takeLog();
  Launch work{.function = first.function, .context = first.context, .arguments = arguments.pointers};
  EXPECT_EQ(launch(driver().api(), work), Success);
  EXPECT_NE(takeLog().find("device=0"), std::string::npos);
  EXPECT_EQ(driver().currentDevice(), 1) << "a launch leaves the current device as it was";
  llvm::cantFail(driver().use(0));
  EXPECT_EQ(driver().currentDevice(), 0);
}

TEST(Cuda, AFreshThreadLaunches) {
  LoadedFunction function = loaded();
  int status = -1;
  std::thread([&] {
    Arguments arguments;
    status = launch(driver().api(),
                    {.function = function.function, .context = function.context, .arguments = arguments.pointers});
  }).join();
  EXPECT_EQ(status, Success);
}

TEST(Cuda, FunctionsAreKnownByTheirHandle) {
  LoadedFunction function = loaded(0, 1);
  ASSERT_TRUE(find(function.function));
  EXPECT_EQ(find(function.function)->device, 1);
  llvm::cantFail(unload(driver(), function));
  EXPECT_FALSE(find(function.function));
}

TEST(Cuda, LoadsAndAllocatesWhileAStreamIsCaptured) {
  driver();
  auto setCapturing = control<void(bool)>("fakeCudaSetCapturing");
  setCapturing(true);
  auto function = load(driver(), ptx, "scale", 0, 0);
  auto memory = DeviceMemory::allocate(64, 0);
  std::string problem = function ? messageOf(std::move(memory)) : llvm::toString(function.takeError());
  if (function)
    llvm::cantFail(unload(driver(), *function));
  setCapturing(false);
  EXPECT_EQ(problem, "no error");
}

TEST(Cuda, SaysWhatCouldNotBeLoaded) {
  EXPECT_EQ(
      messageOf(load(driver(), "garbage", "scale", 0, 0)),
      "Triton Error [CUDA]: device kernel image is invalid (loading the PTX of 'scale': ptxas fatal : not a module)");
  EXPECT_EQ(messageOf(load(driver(), ptx, "other", 0, 0)),
            "Triton Error [CUDA]: named symbol not found (looking for the kernel 'other')");
  fail("cuModuleLoadDataEx", OutOfMemory);
  EXPECT_EQ(messageOf(load(driver(), ptx, "scale", 0, 0)),
            "Triton Error [CUDA]: out of memory (loading the PTX of 'scale')");
}

TEST(Cuda, CountsClusters) { EXPECT_EQ(llvm::cantFail(maxActiveClusters(driver(), loaded().function, 128, 0, 16)), 8); }

TEST(Cuda, PrintBufferIsSetOnce) {
  loaded();
  takeLog();
  llvm::cantFail(setPrintfFifoBytes(driver(), 1 << 22));
  llvm::cantFail(setPrintfFifoBytes(driver(), 1 << 22));
  EXPECT_EQ(takeLog(), "limit printf=4194304\n");
}

TEST(Cuda, TensorMapsCountFromTheInnermost) {
  takeLog();
  uint32_t box[] = {64, 32};
  uint64_t shape[] = {1000, 512}, strides[] = {512, 1};
  cuda::TensorMapDescription description{.address = 0x10000,
                                         .swizzle = 3,
                                         .elementBytes = 2,
                                         .elementType = 6,
                                         .box = box,
                                         .shape = shape,
                                         .strides = strides,
                                         .fillWithNan = true};
  EXPECT_EQ(llvm::cantFail(encode(driver().api(), description)).words[0], 0x10000u);
  EXPECT_EQ(takeLog(), "tensormap type=6 rank=2 shape=512,1000 strides=1024 box=32,64 swizzle=3 promotion=2 fill=1\n");
  strides[0] = 7;
  EXPECT_EQ(
      messageOf(encode(driver().api(), description)),
      "Triton Error [CUDA]: invalid argument (making a tensor descriptor: address 0x10000, type 6 of 2 bytes, shape "
      "[1000, 512], strides [7, 1], box [64, 32], swizzle 3)");
}

TEST(Cuda, PointersOfTheHostAreNotOurs) {
  loaded();
  int onStack = 0;
  auto address = reinterpret_cast<uint64_t>(&onStack);
  EXPECT_FALSE(devicePointer(driver(), address));
  control<void(const void *, size_t)>("fakeCudaPin")(&onStack, sizeof(onStack));
  EXPECT_EQ(devicePointer(driver(), address), address);
}

TEST(Cuda, AForkedChildIsToldWhy) {
  driver();
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  pid_t child = fork();
  if (child == 0) {
    std::string message = messageOf(Driver::get());
    (void)!write(pipes[1], message.data(), message.size());
    _exit(Driver::getIfUsed() == nullptr ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  char text[256] = {};
  (void)!read(pipes[0], text, sizeof(text) - 1);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::string(text), "CUDA was in use before this process was forked, and cannot be used in the child; start "
                               "processes with 'spawn'");
}

TEST(Cuda, AMissingLibraryIsNamed) {
  std::string message = messageOf(cuda::openLibrary("/nowhere/libcuda.so.1"));
  EXPECT_NE(message.find("cannot open NVIDIA's driver library: /nowhere/libcuda.so.1"), std::string::npos) << message;
  message = messageOf(cuda::openLibrary("libm.so.6"));
  EXPECT_NE(message.find("is too old: it has no cuInit, "), std::string::npos) << message;
}

} // namespace
