#include "compiler/llvm/host/Codegen.h"
#include "compiler/llvm/host/LowerToLlvm.h"

#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace triton::host;

namespace {
// y[i] = a * x[i] + y[i] in vectors of eight, for n a multiple of eight.
constexpr const char *axpy = R"(
module {
  func.func @axpy(%x: !llvm.ptr, %y: !llvm.ptr, %a: f32, %n: index) {
    %zero = arith.constant 0 : index
    %eight = arith.constant 8 : index
    %scale = vector.broadcast %a : f32 to vector<8xf32>
    scf.for %i = %zero to %n step %eight {
      %i64 = arith.index_cast %i : index to i64
      %px = llvm.getelementptr %x[%i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %py = llvm.getelementptr %y[%i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %vx = llvm.load %px {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
      %vy = llvm.load %py {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
      %product = arith.mulf %vx, %scale : vector<8xf32>
      %sum = arith.addf %product, %vy : vector<8xf32>
      llvm.store %sum, %py {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    }
    return
  }
})";

class Codegen : public testing::Test {
protected:
  Codegen() {
    mlir::DialectRegistry registry;
    registry
        .insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::scf::SCFDialect, mlir::vector::VectorDialect,
                mlir::math::MathDialect, mlir::LLVM::LLVMDialect, mlir::ub::UBDialect>();
    registerTranslations(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  llvm::Expected<Code> lower(llvm::StringRef text, llvm::StringRef cpu, CodegenOptions options = {}) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return llvm::createStringError("the test's IR does not parse");
    mlir::PassManager passes(&context);
    buildLowerToLlvm(passes);
    if (failed(passes.run(*module)))
      return llvm::createStringError("lowering failed");
    return Code::translate(*module, llvm::cantFail(HostTarget::byName(cpu)), options);
  }

  std::string assembly(llvm::StringRef text, llvm::StringRef cpu, CodegenOptions options = {}) {
    llvm::Expected<Code> code = lower(text, cpu, options);
    if (!code)
      return llvm::toString(code.takeError());
    if (llvm::Error error = code->optimise())
      return llvm::toString(std::move(error));
    llvm::Expected<std::string> result = code->assembly();
    return result ? *result : llvm::toString(result.takeError());
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

TEST_F(Codegen, UsesTheInstructionsOfTheTarget) {
  std::string baseline = assembly(axpy, "x86-64");
  EXPECT_NE(baseline.find("mulps"), std::string::npos) << baseline;
  EXPECT_EQ(baseline.find("ymm"), std::string::npos) << baseline;
  std::string avx2 = assembly(axpy, "x86-64-v3");
  EXPECT_NE(avx2.find("vfmadd"), std::string::npos) << avx2;
  EXPECT_NE(avx2.find("ymm"), std::string::npos) << avx2;
}

TEST_F(Codegen, WideVectorsAreOneRegisterWithAvx512) {
  std::string wide = axpy;
  for (size_t at; (at = wide.find("<8x")) != std::string::npos;)
    wide.replace(at, 3, "<16x");
  std::string avx512 = assembly(wide, "x86-64-v4");
  EXPECT_NE(avx512.find("zmm"), std::string::npos) << avx512;
}

TEST_F(Codegen, FusionCanBeSwitchedOff) {
  std::string plain = assembly(axpy, "x86-64-v3", {.fuseMultiplyAdd = false});
  EXPECT_EQ(plain.find("vfmadd"), std::string::npos) << plain;
}

TEST_F(Codegen, WritesObjectsAndText) {
  llvm::Expected<Code> code = lower(axpy, "x86-64-v3");
  ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
  ASSERT_FALSE(llvm::errorToBool(code->optimise()));
  std::string llir = code->llir();
  EXPECT_NE(llir.find("define void @axpy"), std::string::npos) << llir;
  EXPECT_NE(llir.find("\"no-builtins\""), std::string::npos);
  auto object = code->object();
  ASSERT_TRUE(bool(object));
  EXPECT_EQ(llvm::StringRef(object->data(), 4), "\x7f"
                                                "ELF");
  // Emitting leaves the module alone: the text is the same afterwards, and reads back.
  EXPECT_EQ(code->llir(), llir);
  auto again = Code::parse(llir, llvm::cantFail(HostTarget::byName("x86-64-v3")));
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  auto first = code->assembly(), second = again->assembly();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_GT(code->times().translate, 0);
  EXPECT_GT(code->times().optimise, 0);
  EXPECT_GT(code->times().emit, 0);
}

TEST_F(Codegen, BadTextIsAnError) {
  auto code = Code::parse("define void @f( {", llvm::cantFail(HostTarget::byName("x86-64")));
  ASSERT_FALSE(bool(code));
  EXPECT_NE(llvm::toString(code.takeError()).find("line 1 of the LLVM IR"), std::string::npos);
}

TEST_F(Codegen, TextThatIsNotValidIsAnError) {
  const HostTarget target = llvm::cantFail(HostTarget::byName("x86-64"));
  auto code = Code::parse("define void @f() {\n  %a = add i32 %b, 1\n  %b = add i32 %a, 1\n  ret void\n}", target);
  ASSERT_FALSE(bool(code));
  EXPECT_NE(llvm::toString(code.takeError()).find("the LLVM IR is not valid"), std::string::npos);
  auto deep = Code::parse("@g = global " + std::string(100000, '{'), target);
  ASSERT_FALSE(bool(deep));
  EXPECT_NE(llvm::toString(deep.takeError()).find("nested more than"), std::string::npos);
}

TEST_F(Codegen, SurvivesWhatNoInstructionDoes) {
  constexpr const char *foreign = "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
                                  "define void @f() {\n"
                                  "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
                                  "  ret void\n"
                                  "}";
  for (int round = 0; round < 3; ++round) {
    auto code = Code::parse(foreign, llvm::cantFail(HostTarget::byName("x86-64-v3")));
    ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
    auto object = code->object();
    ASSERT_FALSE(bool(object));
    EXPECT_NE(llvm::toString(object.takeError()).find("LLVM cannot make code of this: "), std::string::npos);
  }
  EXPECT_NE(assembly(axpy, "x86-64-v3").find("vfmadd"), std::string::npos) << "and goes on";
}

// What lowered kernels do with bf16 beside converting it: every way of moving it there is.
constexpr const char *bfloatMoves = R"(
declare <8 x bfloat> @llvm.masked.gather.v8bf16.v8p0(<8 x ptr>, <8 x i1>, <8 x bfloat>)
declare <8 x bfloat> @llvm.masked.load.v8bf16.p0(ptr, <8 x i1>, <8 x bfloat>)
declare void @llvm.masked.store.v8bf16.p0(<8 x bfloat>, ptr, <8 x i1>)
define void @moves(ptr %p, ptr %q, <8 x ptr> %r, <8 x i1> %m, i1 %c, i64 %i) {
entry:
  %a = load <8 x bfloat>, ptr %p, align 2
  br i1 %c, label %gather, label %join
gather:
  %g = call <8 x bfloat> @llvm.masked.gather.v8bf16.v8p0(<8 x ptr> align 2 %r, <8 x i1> %m, <8 x bfloat> %a)
  br label %join
join:
  %j = phi <8 x bfloat> [ %a, %entry ], [ %g, %gather ]
  %k = phi <8 x bfloat> [ splat (bfloat 1.0), %entry ], [ %g, %gather ]
  %s = select <8 x i1> %m, <8 x bfloat> %j, <8 x bfloat> %k
  %x = extractelement <8 x bfloat> %s, i64 %i
  %t = insertelement <8 x bfloat> %s, bfloat %x, i64 0
  %u = shufflevector <8 x bfloat> %t, <8 x bfloat> %a, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 2, i32 10, i32 3, i32 11>
  %l = call <8 x bfloat> @llvm.masked.load.v8bf16.p0(ptr align 2 %q, <8 x i1> %m, <8 x bfloat> %u)
  call void @llvm.masked.store.v8bf16.p0(<8 x bfloat> %l, ptr align 2 %p, <8 x i1> %m)
  store bfloat %x, ptr %q
  ret void
})";

TEST_F(Codegen, BFloatsMoveWithoutCalls) {
  for (llvm::StringRef cpu : {"x86-64", "x86-64-v3", "x86-64-v4", "znver4"}) {
    auto code = Code::parse(bfloatMoves, llvm::cantFail(HostTarget::byName(cpu)));
    ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
    ASSERT_FALSE(llvm::errorToBool(code->optimise()));
    auto assembly = code->assembly();
    ASSERT_TRUE(bool(assembly));
    EXPECT_EQ(assembly->find("call"), std::string::npos) << cpu.str() << *assembly;
  }
}
