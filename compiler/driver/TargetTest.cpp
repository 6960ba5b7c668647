// A target of somebody else's, registered as any other: an abacus, whose code is how many beads each op moves.
#include "compiler/driver/Target.h"
#include "compiler/driver/Driver.h"
#include "compiler/frontend/filehost/FileHost.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Pipeline.h"

#include "mlir/Dialect/Index/IR/IndexDialect.h"

#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

#include <csignal>
#include <fstream>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

using namespace triton;
using namespace triton::driver;

namespace {

class AbacusTarget : public Target {
public:
  llvm::StringRef name() const override { return "abacus"; }

  llvm::Expected<std::string> architecture(const Options &options) const override {
    if (options.architecture == "native" || options.architecture == "suanpan")
      return "suanpan";
    return llvm::createStringError("unknown abacus '" + options.architecture + "'; known is suanpan");
  }

  frontend::LanguageOptions facts(const Options &) const override { return {}; }

  std::vector<Stage> stages(const Options &, const Inspection &) const override {
    return {
        {"ttir",
         [](Compilation &compilation) -> mlir::FailureOr<std::string> {
           if (mlir::failed(
                   compilation.runPasses([](mlir::OpPassManager &manager) { tensor::buildTensorPipeline(manager); })))
             return mlir::failure();
           return compilation.text();
         },
         resumeFromIr},
        {"beads",
         [](Compilation &compilation) -> mlir::FailureOr<std::string> {
           std::map<std::string, int> counts;
           compilation.module->walk([&](mlir::Operation *op) { ++counts[op->getName().getStringRef().str()]; });
           if (counts.count("tt.dot"))
             return compilation.fail("an abacus has no tensor cores");
           std::string text;
           for (const auto &[op, count] : counts)
             text += op + " " + std::to_string(count) + "\n";
           return text;
         }},
    };
  }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    tensor::registerTensorDialects(registry);
    registry.insert<mlir::index::IndexDialect>();
  }
};

const char *kernels = R"(
import triton
import triton.language as tl

@triton.jit
def add(x, y, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(y + offsets, tl.load(x + offsets) + 1.0)

@triton.jit
def product(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N)[:, None] + tl.arange(0, N)[None, :], tl.dot(tl.zeros((N, N), tl.float32), tl.zeros((N, N), tl.float32)))
)";

class TargetTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    // A compile before the registration: its context knows nothing of the new target.
    Diagnostics diagnostics;
    auto host = frontend::FileHost::create(Source::create("kernels.py", kernels), diagnostics);
    ASSERT_NE(nullptr, compileFor(*host, "cpu", {}, diagnostics));
    registerTarget(std::make_unique<AbacusTarget>());
  }

  static std::shared_ptr<const artifact::Artifact> compileFor(frontend::FileHost &host, std::string target,
                                                              Inspection inspection, Diagnostics &diagnostics,
                                                              std::string architecture = "native",
                                                              const char *kernel = "add") {
    CompileRequest request;
    request.kernel.function = host.kernel(kernel);
    frontend::ArgumentSpec pointer, size;
    pointer.type = *frontend::Type::parse("*fp32");
    size.kind = frontend::ArgumentSpec::Kind::Constant;
    size.constant = frontend::Value::integer(16);
    request.kernel.arguments = {pointer, size};
    if (llvm::StringRef(kernel) == "add")
      request.kernel.arguments.insert(request.kernel.arguments.begin(), pointer);
    request.options.backend = std::move(target);
    request.options.architecture = std::move(architecture);
    request.inspection = std::move(inspection);
    request.inspection.lastStage = "beads";
    return compile(request, diagnostics);
  }

  std::string errorOf(Inspection inspection, std::string target = "abacus", std::string architecture = "native",
                      const char *kernel = "add") {
    Diagnostics reported;
    EXPECT_EQ(nullptr, compileFor(*host, target, inspection, reported, architecture, kernel));
    return render(reported.all(), /*color=*/false);
  }

  Diagnostics diagnostics;
  std::unique_ptr<frontend::FileHost> host =
      frontend::FileHost::create(Source::create("kernels.py", kernels), diagnostics);
};

TEST_F(TargetTest, compiles_through_its_own_stages) {
  auto artifact = compileFor(*host, "abacus", {}, diagnostics);
  ASSERT_NE(nullptr, artifact) << render(diagnostics.all(), false);
  EXPECT_EQ("abacus", artifact->backend);
  EXPECT_EQ("suanpan", artifact->architecture);
  EXPECT_NE(std::string::npos, artifact->stage("ttir")->find("tt.load"));
  EXPECT_NE(std::string::npos, artifact->stage("beads")->find("arith.addf 1\n"));
  EXPECT_TRUE(llvm::is_contained(targetNames(), "abacus"));
}

/// Its pass crashes.
class BrokenTarget : public AbacusTarget {
public:
  llvm::StringRef name() const override { return "broken"; }
  std::vector<Stage> stages(const Options &, const Inspection &) const override {
    struct Crash : mlir::PassWrapper<Crash, mlir::OperationPass<mlir::ModuleOp>> {
      MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Crash)
      llvm::StringRef getArgument() const override { return "crash"; }
      void runOnOperation() override { *static_cast<volatile int *>(nullptr) = 0; }
    };
    auto build = [](mlir::OpPassManager &manager) { manager.addPass(std::make_unique<Crash>()); };
    return {{"ttir", [build](Compilation &compilation) -> mlir::FailureOr<std::string> {
               (void)compilation.runPasses(build);
               return mlir::failure();
             }}};
  }
};

TEST_F(TargetTest, leaves_a_reproducer_of_a_crash) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto crash = [&] {
    registerTarget(std::make_unique<BrokenTarget>());
    compileFor(*host, "broken", {}, diagnostics);
  };
  EXPECT_EXIT(crash(), ::testing::KilledBySignal(SIGSEGV), "tt.func public @add.*mlir_reproducer.*any\\(crash\\)");
  auto crashAfterHandler = [&] {
    signal(SIGSEGV, [](int) { _exit(7); });
    crash();
  };
  EXPECT_EXIT(crashAfterHandler(), ::testing::ExitedWithCode(7), "mlir_reproducer") << "others get the signal next";
}

TEST_F(TargetTest, leaves_signals_alone_when_it_does_not_compile) {
  auto handler = [](int) {};
  auto before = signal(SIGSEGV, +handler);
  ASSERT_NE(nullptr, compileFor(*host, "abacus", {}, diagnostics));
  EXPECT_EQ(+handler, signal(SIGSEGV, before));
}

TEST_F(TargetTest, says_what_is_wrong) {
  EXPECT_NE(std::string::npos, errorOf({}, "slide-rule").find("there is no target 'slide-rule'"));
  EXPECT_NE(std::string::npos, errorOf({}, "slide-rule").find("abacus"));
  EXPECT_NE(std::string::npos, errorOf({}, "abacus", "soroban").find("unknown abacus 'soroban'; known is suanpan"));
  EXPECT_NE(std::string::npos, errorOf({}, "abacus", "native", "product").find("an abacus has no tensor cores"));
}

TEST_F(TargetTest, goes_on_from_what_the_user_puts_in_place_of_a_stage) {
  auto original = compileFor(*host, "abacus", {}, diagnostics);
  ASSERT_NE(nullptr, original);
  std::string edited = *original->stage("ttir");
  edited.replace(edited.find("arith.addf"), 10, "arith.subf");
  auto artifact = compileFor(*host, "abacus", {.replacements = {{"ttir", edited}}}, diagnostics);
  ASSERT_NE(nullptr, artifact) << render(diagnostics.all(), false);
  EXPECT_EQ(edited, *artifact->stage("ttir"));
  EXPECT_NE(std::string::npos, artifact->stage("beads")->find("arith.subf 1\n"));
  EXPECT_NE(std::string::npos, errorOf({.replacements = {{"ttir", "nonsense"}}}).find("cannot be read"));
  EXPECT_NE(std::string::npos, errorOf({.replacements = {{"beads", "5"}}}).find("cannot be replaced"));
}

/// A folder with a program that says it is some ptxas, and a file that stands for libdevice.
class ToolsTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("triton-tools", folder));
    writePtxas("13.0, V13.0.88");
    write("libdevice.bc", "library");
    setenv("TRITON_PTXAS_PATH", (folder + "/ptxas").str().c_str(), 1);
    setenv("TRITON_LIBDEVICE_PATH", (folder + "/libdevice.bc").str().c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TRITON_PTXAS_PATH");
    unsetenv("TRITON_LIBDEVICE_PATH");
    llvm::sys::fs::remove_directories(folder);
  }
  std::string write(const char *name, const std::string &content) {
    const std::string path = (folder + "/" + name).str();
    std::ofstream(path) << content;
    return path;
  }
  void writePtxas(const std::string &version) {
    const std::string path = write("ptxas", "#!/bin/sh\necho release " + version + "\n");
    ASSERT_EQ(0, chmod(path.c_str(), 0700));
  }
  std::string key(const Options &options) {
    llvm::Expected<std::string> key = environmentKey(options);
    return key ? *key : "error: " + llvm::toString(key.takeError());
  }
  llvm::SmallString<128> folder;
  Options cuda{.backend = "cuda", .architecture = "sm_90a"};
};

TEST_F(ToolsTest, are_part_of_keys) {
  const std::string before = key(cuda);
  EXPECT_EQ(before, key(cuda));
  EXPECT_NE(std::string::npos, before.find("V13.0.88"));
  writePtxas("13.0, V13.0.188"); // of the same release
  const std::string after = key(cuda);
  EXPECT_NE(before, after);
  write("libdevice.bc", "another library");
  EXPECT_NE(after, key(cuda));
}

TEST_F(ToolsTest, libraries_and_plugins_count_by_their_content) {
  for (const char *target : {"cpu", "cuda"}) {
    Options options = cuda;
    options.backend = target;
    options.architecture = target == std::string("cpu") ? "native" : "sm_90a";
    const std::string none = key(options);
    options.libraries = {write("mine.bc", "1")};
    const std::string one = key(options);
    write("mine.bc", "2");
    EXPECT_NE(none, one);
    EXPECT_NE(one, key(options));
    options.libraries.clear();
    options.llvmPlugin = write("plugin.so", "1");
    const std::string plugged = key(options);
    write("plugin.so", "2");
    EXPECT_NE(none, plugged);
    EXPECT_NE(plugged, key(options));
  }
}

TEST_F(ToolsTest, files_of_options_count_by_their_content) {
  const std::string none = key(cuda);
  for (std::string Options::*file : {&Options::libdevicePath, &Options::irOverride}) {
    Options options = cuda;
    options.*file = write("named.bc", "1");
    const std::string one = key(options);
    write("named.bc", "2");
    EXPECT_NE(none, one);
    EXPECT_NE(one, key(options));
  }
  Options options = cuda;
  options.assemblerPath = write("another", "#!/bin/sh\necho release 12.9, V12.9.1\n");
  ASSERT_EQ(0, chmod(options.assemblerPath.c_str(), 0700));
  EXPECT_NE(std::string::npos, key(options).find("V12.9.1"));
  options.toolRecords = folder.str().str();
  EXPECT_NE(std::string::npos, key(options).find("V12.9.1"));
  write("another",
        "#!/bin/sh\necho release 12.9, V12.9.22\n"); // of another size: what was remembered is of another tool
  EXPECT_NE(std::string::npos, key(options).find("V12.9.22"));
}

TEST_F(ToolsTest, the_cpu_needs_none_of_them) {
  const std::string before = key({.backend = "cpu"});
  writePtxas("12.8, V12.8.1");
  EXPECT_EQ(before, key({.backend = "cpu"}));
  EXPECT_EQ("error: there is no target 'beads'", key({.backend = "beads"}));
}

} // namespace
