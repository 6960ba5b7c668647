#include "compiler/llvm/nvidia/dots/TensorCores.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::nvidia {

llvm::StringRef multiplicandName(Type element) {
  return llvm::TypeSwitch<Type, llvm::StringRef>(element)
      .Case<Float16Type>([](auto) { return "f16"; })
      .Case<BFloat16Type>([](auto) { return "bf16"; })
      .Case<Float32Type>([](auto) { return "tf32"; })
      .Case<Float64Type>([](auto) { return "f64"; })
      .Case<Float8E4M3FNType>([](auto) { return "e4m3"; })
      .Case<Float8E5M2Type>([](auto) { return "e5m2"; })
      .Case<IntegerType>([](IntegerType type) { return type.getWidth() == 8 ? "s8" : ""; })
      .Default([](Type) { return ""; });
}

llvm::Value *callTogether(Emitter &emitter, llvm::StringRef text, llvm::StringRef constraints, llvm::Type *result,
                          llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::Value *call = emitter.inlineAsm(text, constraints, result, arguments, AsmEffects::None);
  llvm::cast<llvm::CallInst>(call)->setConvergent();
  return call;
}

Emitted emitWarpGroupDots(Emitter &emitter, Operation *op) {
  if (auto dot = dyn_cast<gpu::WarpGroupDotOp>(op))
    return emitWarpGroupDot(emitter, dot);
  if (auto wait = dyn_cast<gpu::WarpGroupDotWaitOp>(op))
    return emitWarpGroupDotWait(emitter, wait);
  return std::nullopt;
}

} // namespace triton::nvidia
