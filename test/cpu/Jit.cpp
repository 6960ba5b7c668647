#include "test/cpu/Jit.h"

#include "compiler/cpu/Pipeline.h"
#include "compiler/llvm/host/Codegen.h"
#include "compiler/llvm/host/LowerToLlvm.h"
#include "compiler/tensor/passes/Pipeline.h"

#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace triton::test {

MLIRContext &jitContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, cf::ControlFlowDialect,
                    vector::VectorDialect, math::MathDialect, LLVM::LLVMDialect, ub::UBDialect, index::IndexDialect>();
    tensor::registerTensorDialects(registry);
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

std::shared_ptr<const runtime::KernelCode> compileKernel(llvm::StringRef text, llvm::StringRef name,
                                                         const cpu::HostTarget &target) {
  auto module = parseSourceString<ModuleOp>(text, &jitContext());
  if (!module) {
    ADD_FAILURE() << "the test's IR does not parse";
    return nullptr;
  }
  PassManager passes(&jitContext());
  tensor::buildTensorPipeline(passes);
  cpu::buildCpuPipeline(passes, {target});
  if (failed(passes.run(*module))) {
    ADD_FAILURE() << "lowering to loops failed";
    return nullptr;
  }
  auto kernel = std::make_shared<runtime::KernelCode>();
  module->walk([&](func::FuncOp function) {
    if (auto bytes = function->getAttrOfType<IntegerAttr>(cpu::arenaBytesName))
      kernel->arenaBytes = bytes.getInt();
  });
  kernel->code = compile(*module, target).code;
  if (!kernel->code)
    return nullptr;
  kernel->entry = reinterpret_cast<runtime::KernelEntry>(kernel->code->find(name));
  return kernel;
}

} // namespace triton::test
