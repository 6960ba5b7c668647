// Plans of dots by architecture, type and shape, as they print.
#include "compiler/gpu/DotPlan.h"

#include "compiler/gpu/Gpu.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace triton;
using gpu::DotPlan;

class DotPlanTest : public testing::Test {
protected:
  DotPlanTest() {
    DialectRegistry registry;
    registry.insert<tensor::TensorDialect, arith::ArithDialect>();
    gpu::registerGpuDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The plan of the `which`th dot of a function with this signature and body.
  DotPlan plan(const std::string &function, gpu::Target target, unsigned numWarps, unsigned which = 0) {
    module = parseSourceString<ModuleOp>("tt.func @f(" + function + "tt.return }", &context);
    SmallVector<tensor::DotOp> dots;
    module->walk([&](tensor::DotOp dot) { dots.push_back(dot); });
    return gpu::planDot(dots[which], target, numWarps);
  }
  DotPlan plan(const std::string &function, unsigned capability, unsigned numWarps, unsigned which = 0) {
    return plan(function, gpu::Target{capability}, numWarps, which);
  }

  DotPlan planOf(int64_t m, int64_t n, int64_t k, const std::string &element, const std::string &sum,
                 unsigned capability, unsigned numWarps, const std::string &precision = "ieee") {
    return planOf(m, n, k, element, sum, gpu::Target{capability}, numWarps, precision);
  }
  DotPlan planOf(int64_t m, int64_t n, int64_t k, const std::string &element, const std::string &sum,
                 const char *architecture, unsigned numWarps = 4, const std::string &precision = "ieee") {
    return planOf(m, n, k, element, sum, llvm::cantFail(gpu::Target::byName(architecture)), numWarps, precision);
  }
  DotPlan planOf(int64_t m, int64_t n, int64_t k, const std::string &element, const std::string &sum,
                 gpu::Target target, unsigned numWarps, const std::string &precision) {
    auto matrix = [](int64_t rows, int64_t columns, const std::string &type) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + type + ">";
    };
    std::string a = matrix(m, k, element), b = matrix(k, n, element), c = matrix(m, n, sum);
    return plan("%a: " + a + ", %b: " + b + ", %c: " + c + ") { %d = tt.dot %a, %b, %c, inputPrecision = " + precision +
                    " : " + a + " * " + b + " -> " + c + "\n",
                target, numWarps);
  }

  static std::string text(Attribute attribute) {
    std::string result;
    llvm::raw_string_ostream(result) << attribute;
    return result;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(DotPlanTest, InstructionByArchitecture) {
  EXPECT_EQ(planOf(64, 64, 32, "f16", "f32", 80, 4).kind, DotPlan::Kind::Mma);
  EXPECT_EQ(planOf(64, 64, 32, "f16", "f32", 90, 4).kind, DotPlan::Kind::Wgmma);
  EXPECT_EQ(planOf(64, 64, 32, "f16", "f32", 100, 4).kind, DotPlan::Kind::Tcgen05);
  EXPECT_EQ(planOf(64, 64, 32, "f16", "f32", 120, 4).kind, DotPlan::Kind::Mma);
}

TEST_F(DotPlanTest, TensorMemoryTakesWhatItHasInstructionsFor) {
  using Kind = DotPlan::Kind;
  struct Case {
    int64_t m, n, k;
    const char *element, *sum;
    unsigned capability, warps;
    Kind kind;
  };
  for (const Case &each :
       {Case{64, 8, 16, "bf16", "f32", 100, 4, Kind::Tcgen05}, Case{128, 16, 16, "f16", "f16", 100, 8, Kind::Tcgen05},
        Case{128, 8, 16, "f16", "f32", 100, 4, Kind::Mma}, Case{32, 64, 16, "f16", "f32", 100, 4, Kind::Mma},
        Case{64, 64, 16, "f16", "f32", 100, 2, Kind::Mma}, Case{256, 256, 16, "f16", "f32", 100, 8, Kind::Tcgen05},
        Case{256, 512, 16, "f16", "f32", 100, 8, Kind::Mma}, Case{64, 64, 32, "i8", "i32", 100, 4, Kind::Tcgen05},
        Case{64, 64, 32, "i8", "i32", 103, 4, Kind::Mma}, Case{64, 64, 32, "f8E5M2", "f16", 103, 4, Kind::Tcgen05},
        Case{64, 64, 16, "f8E5M2", "f32", 100, 4, Kind::Fma}, Case{64, 64, 16, "f64", "f64", 100, 4, Kind::Mma}})
    EXPECT_EQ(planOf(each.m, each.n, each.k, each.element, each.sum, each.capability, each.warps).kind, each.kind)
        << each.m << "x" << each.n << "x" << each.k << " " << each.element << " sm_" << each.capability;
  EXPECT_EQ(text(planOf(128, 32, 16, "f16", "f32", 100, 4).accumulator),
            "#ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, "
            "0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>");
}

TEST_F(DotPlanTest, WarpgroupsNeedFourWarpsAndSixtyFourRows) {
  EXPECT_EQ(planOf(64, 64, 32, "bf16", "f32", 90, 2).kind, DotPlan::Kind::Mma);
  EXPECT_EQ(planOf(32, 64, 32, "bf16", "f32", 90, 4).kind, DotPlan::Kind::Mma);
  EXPECT_EQ(planOf(64, 4, 32, "bf16", "f32", 90, 4).kind, DotPlan::Kind::Mma);
}

TEST_F(DotPlanTest, TypesOfTensorCores) {
  EXPECT_EQ(planOf(64, 64, 32, "f32", "f32", 90, 4, "tf32").kind, DotPlan::Kind::Wgmma);
  EXPECT_EQ(planOf(64, 64, 32, "f32", "f32", 90, 4, "ieee").kind, DotPlan::Kind::Fma);
  EXPECT_EQ(planOf(64, 64, 32, "f64", "f64", 90, 4).kind, DotPlan::Kind::Mma);
  EXPECT_EQ(planOf(64, 64, 32, "i8", "i32", 90, 4).kind, DotPlan::Kind::Wgmma);
  EXPECT_EQ(planOf(64, 64, 32, "f8E4M3FN", "f32", 90, 4).kind, DotPlan::Kind::Wgmma);
  EXPECT_EQ(planOf(64, 64, 32, "f8E4M3FN", "f32", 89, 4).kind, DotPlan::Kind::Mma);
  EXPECT_EQ(planOf(64, 64, 32, "f8E4M3FN", "f32", 80, 4).kind, DotPlan::Kind::Fma);
}

TEST_F(DotPlanTest, LessOfKThanAnInstruction) {
  EXPECT_EQ(planOf(16, 16, 8, "f16", "f32", 80, 4).kind, DotPlan::Kind::Fma);
  EXPECT_EQ(planOf(16, 16, 16, "i8", "i32", 80, 4).kind, DotPlan::Kind::Fma);
  EXPECT_EQ(planOf(1, 1, 16, "f16", "f32", 80, 4).kind, DotPlan::Kind::Mma);
}

TEST_F(DotPlanTest, Encodings) {
  DotPlan wgmma = planOf(128, 256, 64, "f16", "f32", 90, 8);
  EXPECT_EQ(text(wgmma.accumulator),
            "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 16]}>");
  EXPECT_FALSE(wgmma.a);
  EXPECT_FALSE(wgmma.b);
  EXPECT_EQ(text(planOf(64, 128, 64, "f8E5M2", "f32", 90, 8).accumulator),
            "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 64, 32]}>");
  DotPlan mma = planOf(128, 128, 32, "i8", "i32", 80, 4);
  EXPECT_EQ(text(mma.accumulator),
            "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>");
  EXPECT_EQ(text(mma.b), "#ttg.dot_op<{opIdx = 1, parent = " + text(mma.accumulator) + ", kWidth = 4}>");
}

TEST_F(DotPlanTest, MultiplyAddsWriteFourColumns) {
  EXPECT_EQ(text(planOf(32, 32, 32, "f32", "f32", 90, 4, "ieee").accumulator),
            "#ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>");
  EXPECT_EQ(text(planOf(128, 128, 32, "f32", "f32", 90, 4, "ieee").accumulator),
            "#ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>");
}

TEST_F(DotPlanTest, ChainsKeepRowsInTheirWarps) {
  std::string chain = "%q: tensor<64x32xf16>, %k: tensor<32x64xf16>, %v: tensor<64x32xf16>, %c: tensor<64x64xf32>, %o: "
                      "tensor<64x32xf32>) {"
                      "%s = tt.dot %q, %k, %c : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>\n"
                      "%p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>\n"
                      "%r = tt.dot %p, %v, %o : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>\n";
  for (unsigned which : {0, 1})
    EXPECT_EQ(cast<gpu::MmaAttr>(plan(chain, 80, 4, which).accumulator).getWarpsPerCTA(), ArrayRef<int64_t>({4, 1}));
  DotPlan second = plan(chain, 90, 4, 1);
  EXPECT_EQ(text(second.a), "#ttg.dot_op<{opIdx = 0, parent = " + text(second.accumulator) + ", kWidth = 2}>");
  EXPECT_FALSE(second.b);
  EXPECT_FALSE(plan(chain, 90, 4, 0).a);
}

TEST_F(DotPlanTest, AmdInstructions) {
  const std::string mfma = "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = ";
  DotPlan half = planOf(128, 128, 64, "f16", "f32", "gfx942");
  EXPECT_EQ(half.kind, DotPlan::Kind::Mfma);
  EXPECT_EQ(text(half.accumulator), mfma + "[32, 32, 8], isTransposed = true}>");
  EXPECT_EQ(text(half.a), "#ttg.dot_op<{opIdx = 0, parent = " + text(half.accumulator) + ", kWidth = 4}>");
  EXPECT_EQ(text(planOf(32, 16, 64, "i8", "i32", "gfx942").accumulator),
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [16, 16, 32], isTransposed = true}>");
  EXPECT_EQ(text(planOf(64, 64, 32, "f32", "f32", "gfx942", 4, "tf32").accumulator),
            mfma + "[32, 32, 4], isTransposed = true}>");
  EXPECT_EQ(text(planOf(64, 64, 32, "f64", "f64", "gfx942").accumulator),
            mfma + "[16, 16, 4], isTransposed = true, elementBitWidth = 64}>");
  EXPECT_EQ(text(planOf(64, 64, 64, "bf16", "f32", "gfx950").accumulator),
            "#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true}>");
  DotPlan wmma = planOf(64, 64, 64, "f16", "f32", "gfx1200");
  EXPECT_EQ(wmma.kind, DotPlan::Kind::Wmma);
  EXPECT_EQ(text(wmma.accumulator), "#ttg.amd_wmma<{version = 2, ctaLayout = {warp = [[0, 1], [1, 0]]}, isTranspose = "
                                    "true, instrShape = [16, 16, 16]}>");
}

TEST_F(DotPlanTest, ThirdWmma) {
  auto shapeAndWidth = [&](const char *element, const char *sum, int64_t k) {
    DotPlan plan = planOf(64, 64, k, element, sum, "gfx1250");
    auto wmma = dyn_cast<gpu::WmmaAttr>(plan.accumulator);
    return std::pair(wmma ? int(wmma.getInstrShape()[2]) : 0, int(cast<gpu::DotOperandAttr>(plan.a).getKWidth()));
  };
  EXPECT_EQ(shapeAndWidth("f16", "f32", 64), std::pair(32, 8));
  EXPECT_EQ(shapeAndWidth("bf16", "f32", 64), std::pair(32, 8));
  EXPECT_EQ(shapeAndWidth("f32", "f32", 64), std::pair(4, 2));
  EXPECT_EQ(shapeAndWidth("i8", "i32", 64), std::pair(64, 8));
  EXPECT_EQ(shapeAndWidth("f8E4M3FN", "f32", 64), std::pair(64, 8));
  EXPECT_EQ(shapeAndWidth("f8E4M3FN", "f32", 128), std::pair(128, 8));
  EXPECT_EQ(shapeAndWidth("f64", "f64", 64), std::pair(0, 0));
}

TEST_F(DotPlanTest, LanesShareLittleOfK) {
  // Two groups of lanes along K with 32 rows, four with 16: what they have less than the instruction takes is zeros.
  DotPlan wide = planOf(64, 64, 4, "f16", "f32", "gfx942");
  EXPECT_EQ(text(wide.a), "#ttg.dot_op<{opIdx = 0, parent = " + text(wide.accumulator) + ", kWidth = 2}>");
  EXPECT_EQ(cast<gpu::DotOperandAttr>(planOf(16, 16, 16, "f16", "f32", "gfx950").a).getKWidth(), 4u);
  EXPECT_EQ(cast<gpu::DotOperandAttr>(planOf(64, 64, 8, "f16", "f32", "gfx1250").a).getKWidth(), 4u);
  // The smaller one where it needs none.
  EXPECT_EQ(cast<gpu::MfmaAttr>(planOf(64, 64, 16, "f8E4M3FN", "f32", "gfx950").accumulator).getInstrShape(),
            ArrayRef<int64_t>({32, 32, 16}));
}

TEST_F(DotPlanTest, FloatsOfEightBitsByTheScaledInstruction) {
  DotPlan plan = planOf(64, 64, 64, "f8E4M3FN", "f32", "gfx950");
  EXPECT_EQ(cast<gpu::MfmaAttr>(plan.accumulator).getInstrShape(), ArrayRef<int64_t>({32, 32, 64}));
  EXPECT_EQ(cast<gpu::DotOperandAttr>(plan.a).getKWidth(), 16u);
}

TEST_F(DotPlanTest, ScaledAmd) {
  auto planScaled = [&](int64_t m, int64_t n, int64_t k, const char *architecture, const std::string &scale = "i8",
                        int64_t group = 32) {
    auto matrix = [](int64_t rows, int64_t columns, const std::string &type) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + type + ">";
    };
    std::string a = matrix(m, k, "f8E4M3FN"), b = matrix(k / 2, n, "i8"), c = matrix(m, n, "f32"),
                sa = matrix(m, k / group, scale), sb = matrix(n, k / group, scale);
    module = parseSourceString<ModuleOp>("tt.func @f(%a: " + a + ", %b: " + b + ", %c: " + c + ", %sa: " + sa +
                                             ", %sb: " + sb +
                                             ") { %d = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = "
                                             "e2m1 {fastMath = false} : " +
                                             a + ", " + sa + " * " + b + ", " + sb + " -> " + c + "\n tt.return }",
                                         &context);
    tensor::DotScaledOp dot;
    module->walk([&](tensor::DotScaledOp op) { dot = op; });
    return gpu::planScaledDot(dot, llvm::cantFail(gpu::Target::byName(architecture)), 4);
  };
  auto wide = planScaled(128, 128, 128, "gfx950");
  ASSERT_TRUE(wide);
  EXPECT_EQ(text(wide->accumulator),
            "#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 64], isTransposed = true}>");
  EXPECT_EQ(text(wide->b), "#ttg.dot_op<{opIdx = 1, parent = " + text(wide->accumulator) + ", kWidth = 16}>");
  EXPECT_EQ(text(wide->aScale), "#ttg.linear<{register = [[0, 2], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], "
                                "[16, 0], [0, 1]], warp = [[0, 0], [32, 0]], block = []}>");
  EXPECT_EQ(cast<gpu::MfmaAttr>(planScaled(16, 64, 128, "gfx950")->accumulator).getInstrShape(),
            ArrayRef<int64_t>({16, 16, 128}));
  EXPECT_FALSE(planScaled(16, 64, 64, "gfx950"));                  // less of K than 16 rows take
  EXPECT_FALSE(planScaled(64, 64, 128, "gfx950", "f8E4M3FN", 16)); // exponents only
  EXPECT_FALSE(planScaled(64, 64, 128, "gfx942"));
  EXPECT_TRUE(planScaled(64, 64, 128, "gfx1250"));
  EXPECT_TRUE(planScaled(64, 64, 128, "gfx1250", "f8E4M3FN", 16));
  EXPECT_FALSE(planScaled(64, 64, 64, "gfx1250"));
}

TEST_F(DotPlanTest, AmdTakesMultiplyAddsWhereNoInstructionFits) {
  EXPECT_EQ(planOf(64, 64, 1, "f16", "f32", "gfx942").kind, DotPlan::Kind::Fma); // lanes would hold copies
  EXPECT_EQ(planOf(8, 64, 64, "f16", "f32", "gfx942").kind, DotPlan::Kind::Fma);
  EXPECT_EQ(planOf(64, 64, 64, "f8E4M3FN", "f32", "gfx942").kind, DotPlan::Kind::Fma); // knows FNUZ only
  EXPECT_EQ(planOf(64, 64, 64, "f8E4M3FNUZ", "f32", "gfx942").kind, DotPlan::Kind::Mfma);
  EXPECT_EQ(planOf(64, 64, 64, "f32", "f32", "gfx1100").kind, DotPlan::Kind::Fma);
  // Lanes of a wave of 64 share a multiply-add dot.
  EXPECT_EQ(text(planOf(64, 64, 1, "f16", "f32", "gfx942").accumulator),
            "#ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [8, 8], warpsPerCTA = [2, 2], order = [1, 0]}>");
}

TEST_F(DotPlanTest, WarpsTakeMatricesOfABatch) {
  DotPlan batch = plan("%a: tensor<4x32x32xf16>, %b: tensor<4x32x32xf16>, %c: tensor<4x32x32xf32>) {"
                       "%d = tt.dot %a, %b, %c : tensor<4x32x32xf16> * tensor<4x32x32xf16> -> tensor<4x32x32xf32>\n",
                       90, 8);
  EXPECT_EQ(text(batch.accumulator),
            "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 2, 1], instrShape = [1, 16, 8]}>");
}
