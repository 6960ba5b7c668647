#include "test/cpu/Jit.h"

#include "compiler/llvm/host/Codegen.h"
#include "compiler/llvm/host/LowerToLlvm.h"

#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace triton::test {

MLIRContext &jitContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, cf::ControlFlowDialect,
                    vector::VectorDialect, math::MathDialect, LLVM::LLVMDialect, ub::UBDialect, index::IndexDialect>();
    host::registerTranslations(registry);
    auto *context = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    return context;
  }();
  return *context;
}

bool runsHere(const cpu::HostTarget &target) {
  cpu::HostTarget here = cpu::HostTarget::detect();
  auto covers = [](bool has, bool needs) { return has || !needs; };
  return covers(here.sse41, target.sse41) && covers(here.avx, target.avx) && covers(here.avx2, target.avx2) &&
         covers(here.fma, target.fma) && covers(here.f16c, target.f16c) && covers(here.avx512f, target.avx512f) &&
         covers(here.avx512bf16, target.avx512bf16) && covers(here.avx512fp16, target.avx512fp16) &&
         covers(here.avx512vnni, target.avx512vnni) && covers(here.avxvnni, target.avxvnni) &&
         covers(here.amxBf16, target.amxBf16) && covers(here.amxInt8, target.amxInt8);
}

Compiled compile(ModuleOp module, const cpu::HostTarget &target, bool keepAssembly) {
  Compiled result;
  PassManager passes(module.getContext());
  host::buildLowerToLlvm(passes);
  if (failed(passes.run(module))) {
    ADD_FAILURE() << "lowering to the LLVM dialect failed";
    return result;
  }
  auto code = host::Code::translate(module, target);
  if (!code) {
    ADD_FAILURE() << llvm::toString(code.takeError());
    return result;
  }
  if (llvm::Error error = code->optimise()) {
    ADD_FAILURE() << llvm::toString(std::move(error));
    return result;
  }
  auto object = code->object();
  if (!object) {
    ADD_FAILURE() << llvm::toString(object.takeError());
    return result;
  }
  if (getenv("TRITON_TIMES"))
    fprintf(stderr, "translate %.2f optimise %.2f emit %.2f\n", code->times().translate, code->times().optimise, code->times().emit);
  result.milliseconds = code->times().translate + code->times().optimise + code->times().emit;
  if (keepAssembly)
    if (auto assembly = code->assembly())
      result.assembly = *assembly;
  if (!runsHere(target))
    return result;
  auto loaded = runtime::loadObject(llvm::StringRef(object->data(), object->size()), "test");
  if (!loaded)
    ADD_FAILURE() << llvm::toString(loaded.takeError());
  else
    result.code = std::move(*loaded);
  return result;
}

} // namespace triton::test
