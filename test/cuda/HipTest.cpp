// The GPU runtime with AMD's library, against the fake under HIP's names: what it asks of the library, and what it says when that refuses.
#include "compiler/llvm/amd/Assembler.h"
#include "compiler/llvm/amd/CodeObject.h"
#include "compiler/support/KernelMessages.h"
#include "dispatch/launch/CudaLauncher.h"
#include "runtime/gpu/LaunchGraph.h"
#include "runtime/gpu/Memory.h"
#include "runtime/gpu/Messages.h"
#include "runtime/hip/Library.h"

#include "gtest/gtest.h"

#include <bit>
#include <dlfcn.h>
#include <set>
#include <thread>

using namespace triton::runtime;
using namespace triton::runtime::gpu;

namespace {

const char *const assembly = R"(
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
.globl scale
.protected scale
.p2align 8
.type scale,@function
scale:
  s_endpgm
.size scale, .-scale
.rodata
.p2align 6
.amdhsa_kernel scale
  .amdhsa_next_free_vgpr 24
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 24
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - {.address_space: global, .offset: 0, .size: 8, .value_kind: global_buffer}
      - {.offset: 8, .size: 4, .value_kind: by_value}
      - {.offset: 16, .size: 4, .value_kind: hidden_block_count_x}
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 272
    .max_flat_workgroup_size: 256
    .name: scale
    .private_segment_fixed_size: 12
    .sgpr_count: 16
    .symbol: scale.kd
    .vgpr_count: 24
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.version: [1, 2]
...
.end_amdgpu_metadata
)";

template <typename F> F *control(const char *name) {
  static void *library = dlopen(FAKE_HIP "/libamdhip64.so", RTLD_NOW);
  return reinterpret_cast<F *>(dlsym(library, name));
}
std::string takeLog() { return control<const char *()>("fakeCudaTakeLog")(); }
void fail(const char *function, int status) { control<void(const char *, int)>("fakeCudaFail")(function, status); }
void setDevices(const char *architecture, int version = 70051831) {
  control<void(int, const char *, int)>("fakeHipSetDevices")(2, architecture, version);
}

template <typename T> std::string messageOf(llvm::Expected<T> expected) {
  return expected ? "no error" : llvm::toString(expected.takeError());
}

const std::string &codeObject() {
  static const std::string code = llvm::cantFail(triton::amd::linkCodeObject(
      llvm::cantFail(triton::amd::assemble(assembly, llvm::cantFail(triton::gpu::Target::byName("gfx942"))))));
  return code;
}

Driver &driver() {
  static Driver &result = []() -> Driver & {
    setDevices("gfx942");
    Driver::setLibrary((hip::libraryPrefix + FAKE_HIP).str());
    return llvm::cantFail(Driver::get());
  }();
  return result;
}
LoadedFunction loaded(int device = 0) { return llvm::cantFail(load(driver(), codeObject(), "scale", 0, device)); }

struct Arguments {
  uint64_t pointer = 0x1122;
  int32_t n = 7;
  void *pointers[2] = {&pointer, &n};
};

TEST(Hip, ReadsProperties) {
  const DeviceProperties &properties = llvm::cantFail(driver().properties(1));
  EXPECT_EQ(properties.architecture, "gfx942");
  EXPECT_EQ(properties.warpSize, 64);
  EXPECT_EQ(properties.maxSharedBytes, 65536);
  EXPECT_EQ(properties.multiprocessors, 304);
  EXPECT_EQ(properties.memoryBusWidth, 8192);
  EXPECT_EQ(properties.l2CacheBytes, 4 << 20);
  ClockRates rates = llvm::cantFail(driver().clockRates(0));
  EXPECT_EQ(rates.multiprocessors, 2100000);
  EXPECT_EQ(rates.memory, 1300000);
  EXPECT_EQ(messageOf(driver().properties(2)), "there is no device 2: this machine has 2");
}

TEST(Hip, KnowsWhatACodeObjectUses) {
  LoadedFunction function = loaded();
  EXPECT_EQ(function.registers, 24);
  EXPECT_EQ(function.localBytes, 12);
  EXPECT_EQ(function.maxThreads, 256);
}

TEST(Hip, LaunchesWithoutAttributesThroughThePlainCall) {
  LoadedFunction function = loaded();
  Arguments arguments;
  Launch work{.function = function.function,
              .context = function.context,
              .stream = reinterpret_cast<StreamHandle>(9),
              .grid = {3, 2, 1},
              .threads = 256,
              .sharedBytes = 65536, // without asking
              .waitsAtEntry = true, // nothing overlaps here
              .arguments = arguments.pointers};
  takeLog();
  ASSERT_EQ(launch(driver().api(), work), Success);
  EXPECT_EQ(takeLog(),
            "launch scale device=0 grid=3,2,1 block=256 shared=65536 stream=9 args=2211000000000000,07000000\n");
  fail("hipModuleLaunchKernel", LaunchOutOfResources);
  EXPECT_EQ(launch(driver().api(), work), LaunchOutOfResources);
  EXPECT_EQ(
      describeFailure(driver().api(), work, LaunchOutOfResources),
      "Triton Error [HIP]: too many resources requested for launch (launching a grid of (3, 2, 1) with 256 threads "
      "and 65536 bytes of shared memory)");
  work.isCooperative = true;
  ASSERT_EQ(launch(driver().api(), work), Success);
  EXPECT_NE(takeLog().find(" cooperative args="), std::string::npos);
  work.isCooperative = false;
  work.clusterSize = 2;
  ASSERT_EQ(launch(driver().api(), work), Success);
  EXPECT_NE(takeLog().find("grid=6,2,1 block=256 shared=65536 stream=9 cluster=2"), std::string::npos);
}

TEST(Hip, AGridOfTooManyThreadsIsRefused) {
  LoadedFunction function = loaded();
  Arguments arguments;
  takeLog();
  Launch work{.function = function.function,
              .context = function.context,
              .grid = {1u << 24, 1, 1},
              .threads = 256,
              .arguments = arguments.pointers};
  EXPECT_EQ(launch(driver().api(), work), InvalidValue);
  work.grid[0] -= 1;
  EXPECT_EQ(launch(driver().api(), work), Success);
}

TEST(Hip, EachDeviceHasItsFunctions) {
  LoadedFunction first = loaded(0), second = loaded(1);
  EXPECT_NE(first.context, second.context);
  EXPECT_EQ(driver().currentDevice(), 1);
  Arguments arguments;
  takeLog();
  EXPECT_EQ(
      launch(driver().api(), {.function = first.function, .context = first.context, .arguments = arguments.pointers}),
      Success);
  EXPECT_NE(takeLog().find("device=0"), std::string::npos);
  EXPECT_EQ(driver().currentDevice(), 1) << "a launch leaves the current device as it was";
  llvm::cantFail(driver().use(0));
  EXPECT_EQ(driver().currentDevice(), 0);
  int device = -1;
  std::thread([&] { device = driver().currentDevice(); }).join();
  EXPECT_EQ(device, 0) << "a fresh thread has the first device";
}

TEST(Hip, LaunchesThroughGraphs) {
  LoadedFunction function = loaded();
  LaunchGraph graph;
  Arguments arguments;
  llvm::cantFail(driver().use(0));
  Launch work{.function = function.function,
              .context = function.context,
              .isContextCurrent = true,
              .stream = reinterpret_cast<StreamHandle>(11),
              .arguments = arguments.pointers,
              .graph = &graph,
              .argumentBlock = {reinterpret_cast<const std::byte *>(&arguments), 12}};
  for (int index = 0; index < 200; ++index)
    ASSERT_EQ(launch(driver().api(), work), Success);
  EXPECT_GT(graph.launches(), 50u);
  takeLog();
  arguments.n = 9;
  ASSERT_EQ(launch(driver().api(), work), Success);
  EXPECT_EQ(takeLog(), "change\nlaunch scale device=0 grid=1,1,1 block=128 shared=0 stream=11 graph "
                       "args=2211000000000000,09000000\n");
}

TEST(Hip, CopiesAndWaits) {
  auto memory = llvm::cantFail(DeviceMemory::allocate(12, 0));
  const char text[12] = "hello, hip!";
  llvm::cantFail(memory.copyFrom(text, 12));
  char back[12] = {};
  llvm::cantFail(memory.copyTo(back, 12));
  EXPECT_STREQ(back, text);
  EXPECT_EQ(devicePointer(driver(), memory.address()), memory.address());
  EXPECT_FALSE(devicePointer(driver(), reinterpret_cast<uint64_t>(back)));
  takeLog();
  llvm::cantFail(synchronize(reinterpret_cast<StreamHandle>(5), 0));
  EXPECT_EQ(takeLog(), "synchronize stream=5\n");
}

/// What a thread of a kernel writes.
void say(uint64_t buffer, triton::messages::Kind kind, llvm::StringRef text, std::vector<uint64_t> values) {
  namespace messages = triton::messages;
  auto &header = *reinterpret_cast<messages::Header *>(buffer);
  messages::Record record{.kind = kind, .textBytes = uint32_t(text.size()), .valueCount = uint32_t(values.size())};
  const uint32_t textBytes = messages::roundedUp(record.textBytes);
  record.bytes = uint32_t(sizeof(record) + textBytes + 8 * values.size());
  auto *at = reinterpret_cast<std::byte *>(&header + 1) + header.asked;
  header.asked += record.bytes;
  header.failures += kind == messages::Kind::Assertion;
  if (header.asked > header.capacity)
    return;
  std::memcpy(at, &record, sizeof(record));
  std::memcpy(at + sizeof(record), text.data(), text.size());
  std::memcpy(at + sizeof(record) + textBytes, values.data(), 8 * values.size());
}

MessageBuffer &takeBuffer(StreamHandle stream = nullptr) {
  int status = Success;
  MessageBuffer *buffer = MessageBuffer::take(driver().api(), stream, status);
  EXPECT_EQ(status, Success);
  return *buffer;
}

TEST(Hip, KernelsPrintWhenTheirStreamIsThere) {
  using triton::messages::Kind;
  llvm::cantFail(driver().use(0));
  MessageBuffer &buffer = takeBuffer();
  say(buffer.address(), Kind::Print, "%3u 100%% %f|%lli|0x%04x|%i\n",
      {7, std::bit_cast<uint64_t>(0.5), uint64_t(-5), 0xab, uint32_t(-3)});
  say(buffer.address(), Kind::Print, "plain\n", {});
  testing::internal::CaptureStdout();
  EXPECT_EQ(buffer.readBehind(driver().api(), reinterpret_cast<StreamHandle>(5)), Success);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << "the kernel still runs";
  testing::internal::CaptureStdout();
  llvm::cantFail(synchronize(reinterpret_cast<StreamHandle>(5), 0));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "  7 100% 0.500000|-5|0x00ab|-3\nplain\n");
  EXPECT_EQ(&takeBuffer(), &buffer) << "buffers are used again";
  testing::internal::CaptureStdout();
  buffer.readNow();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << "and were emptied";
}

TEST(Hip, MessagesAreReadOnTheDeviceOfTheLaunch) {
  LoadedFunction function = loaded(1);
  llvm::cantFail(driver().use(0));
  triton::dispatch::CudaLauncher launcher(
      {.offsets = {0, 8}, .argumentBytes = 16, .threads = 64, .writesMessages = true});
  triton::dispatch::CudaCall call{.function = reinterpret_cast<uint64_t>(function.function),
                                  .context = reinterpret_cast<uint64_t>(function.context)};
  alignas(8) std::byte arguments[16] = {};
  takeLog();
  EXPECT_EQ(launcher.launch(driver().api(), call, arguments), Success);
  const std::string log = takeLog();
  EXPECT_NE(log.find("launch scale device=1 "), std::string::npos) << log;
  EXPECT_NE(log.find("host function device=1 stream=0\n"), std::string::npos) << log;
  EXPECT_EQ(driver().currentDevice(), 0);
  llvm::cantFail(synchronize(nullptr, 1));
}

TEST(Hip, ManyLaunchesShareBuffers) {
  auto stream = reinterpret_cast<StreamHandle>(5);
  std::set<MessageBuffer *> used;
  auto launchMany = [&](int count) {
    takeLog();
    for (int index = 0; index < count; ++index) {
      MessageBuffer &buffer = takeBuffer(stream);
      used.insert(&buffer);
      EXPECT_EQ(buffer.readBehind(driver().api(), stream), Success);
    }
    return llvm::StringRef(takeLog()).count("synchronize stream=5\n");
  };
  EXPECT_EQ(launchMany(64), 0u) << "nobody waits";
  EXPECT_EQ(launchMany(1000), 16u);
  EXPECT_EQ(used.size(), 64u);
  control<void(bool)>("fakeCudaSetCapturing")(true);
  EXPECT_EQ(launchMany(100), 0u) << "a stream that is captured cannot be waited for";
  control<void(bool)>("fakeCudaSetCapturing")(false);
  llvm::cantFail(synchronize(stream, 0));
}

TEST(Hip, FailedAssertionsAreErrorsOfWhatComesNext) {
  using triton::messages::Kind;
  LoadedFunction function = loaded();
  auto failOne = [&](uint64_t thread) {
    MessageBuffer &buffer = takeBuffer();
    say(buffer.address(), Kind::Assertion, "kernel.py:3: scale: thread: [%u,0,0] Assertion `n < 5` failed.\n",
        {thread});
    EXPECT_EQ(buffer.readBehind(driver().api(), nullptr), Success);
  };
  testing::internal::CaptureStderr();
  failOne(4);
  EXPECT_EQ(llvm::toString(synchronize(nullptr, 0)), "Triton Error [HIP]: device-side assert triggered (kernel.py:3: "
                                                     "scale: thread: [4,0,0] Assertion `n < 5` failed.)");
  failOne(6);
  EXPECT_EQ(driver().api().synchronizeStream(nullptr), Success);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "kernel.py:3: scale: thread: [4,0,0] Assertion `n < 5` failed.\n"
                                                    "kernel.py:3: scale: thread: [6,0,0] Assertion `n < 5` failed.\n");
  Arguments arguments;
  Launch work{.function = function.function, .context = function.context, .arguments = arguments.pointers};
  EXPECT_EQ(launch(driver().api(), work), AssertionFailed);
  EXPECT_EQ(
      describeFailure(driver().api(), work, AssertionFailed),
      "Triton Error [HIP]: device-side assert triggered (of a kernel before this one: kernel.py:3: scale: thread: "
      "[6,0,0] Assertion `n < 5` failed.)");
  EXPECT_EQ(launch(driver().api(), work), Success) << "it has been told";
}

TEST(Hip, WhatHasNoRoomIsSaidToBeLost) {
  using triton::messages::Kind;
  MessageBuffer &buffer = takeBuffer();
  const std::string line(1000, 'x');
  for (int count = 0; count < 1100; ++count)
    say(buffer.address(), Kind::Print, line, {});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  buffer.readNow();
  EXPECT_EQ(testing::internal::GetCapturedStdout().size(), 1000u * ((1 << 20) / 1016));
  EXPECT_NE(
      testing::internal::GetCapturedStderr().find("bytes of what kernels print had no room in 1048552 and are lost"),
      std::string::npos);
}

TEST(Hip, AssertionsFailThoughTheirMessageHasNoRoom) {
  using triton::messages::Kind;
  MessageBuffer &buffer = takeBuffer();
  const std::string line(1000, 'x');
  for (int count = 0; count < 1100; ++count)
    say(buffer.address(), Kind::Print, line, {});
  say(buffer.address(), Kind::Assertion, line, {});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(buffer.readBehind(driver().api(), nullptr), Success);
  EXPECT_EQ(llvm::toString(synchronize(nullptr, 0)),
            "Triton Error [HIP]: device-side assert triggered (an assertion whose message had no room)");
  EXPECT_EQ(takeBuffer().readBehind(driver().api(), nullptr), Success);
  llvm::cantFail(synchronize(nullptr, 0)); // it has been told
  testing::internal::GetCapturedStdout();
  testing::internal::GetCapturedStderr();
}

TEST(Hip, SaysWhatCouldNotBeLoaded) {
  EXPECT_EQ(messageOf(load(driver(), codeObject(), "other", 0, 0)),
            "Triton Error [HIP]: named symbol not found (looking for the kernel 'other')");
  fail("hipModuleLoadDataEx", OutOfMemory);
  EXPECT_EQ(messageOf(load(driver(), codeObject(), "scale", 0, 0)),
            "Triton Error [HIP]: out of memory (loading the code object of 'scale')");
  setDevices("gfx950");
  EXPECT_EQ(messageOf(load(driver(), codeObject(), "scale", 0, 0)),
            "Triton Error [HIP]: no kernel image is available for execution on the device (loading the code object of "
            "'scale')");
  setDevices("gfx942");
}

TEST(Hip, AMissingOrOldLibraryIsNamed) {
  std::string message = messageOf(hip::openLibrary("/nowhere/libamdhip64.so"));
  EXPECT_NE(message.find("cannot open AMD's HIP library: /nowhere/libamdhip64.so"), std::string::npos) << message;
  message = messageOf(hip::openLibrary("libm.so.6"));
  EXPECT_NE(message.find("is too old: it has no hipInit, "), std::string::npos) << message;
  driver();
  setDevices("gfx942", 50221152);
  message = messageOf(hip::openLibrary(FAKE_HIP));
  EXPECT_NE(message.find("has version 5.2; ROCm 6 or newer is needed"), std::string::npos) << message;
  setDevices("gfx942");
}

TEST(Hip, FindsTheLibraryThatIsOpenAlready) {
  driver();
  EXPECT_EQ(messageOf(hip::openLibrary("")), "no error");
}

} // namespace
