// The dialects `ttg`, `ttng` and `amdg`: registration, and the short names of layouts in text.
#include "compiler/gpu/dialect/AmdOps.h"
#include "compiler/gpu/dialect/ContextVerifier.h"
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/gpu/dialect/encodings/LayoutCache.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "compiler/gpu/dialect/GpuDialect.cpp.inc"
#include "compiler/gpu/dialect/NvidiaDialect.cpp.inc"

namespace triton::gpu {

/// The short names under which layouts stand at the top of a file.
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &stream) const override {
    StringRef name = llvm::TypeSwitch<Attribute, StringRef>(attribute)
                         .Case<BlockedAttr>([](auto) { return "blocked"; })
                         .Case<MmaAttr, MfmaAttr, WmmaAttr>([](auto) { return "mma"; })
                         .Case<LinearAttr>([](auto) { return "linear"; })
                         .Case<SharedAttr>([](auto) { return "shared"; })
                         .Case<SharedMemoryAttr>([](auto) { return "smem"; })
                         .Case<TensorMemoryEncodingAttr>([](auto) { return "tmem"; })
                         .Case<TensorMemoryScalesAttr>([](auto) { return "tmem_scales"; })
                         .Default([](auto) { return ""; });
    if (name.empty())
      return AliasResult::NoAlias;
    stream << name;
    return AliasResult::FinalAlias;
  }
};

void GpuDialect::initialize() {
  cache = std::make_unique<LayoutCache>();
  registerAttributes();
  registerTypes();
  registerEncodings();
  addInterfaces<LayoutAliases>();
  addOperations<
#define GET_OP_LIST
#include "compiler/gpu/dialect/GpuOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/gpu/dialect/ExplicitOps.cpp.inc"
      >();
}

Operation *GpuDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  return getContext()->getLoadedDialect<tensor::TensorDialect>()->materializeConstant(builder, value, type, location);
}

LogicalResult GpuDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == numWarpsName || name == numCtasName || name == threadsPerWarpName) {
    auto number = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!number || !number.getType().isInteger(32) || number.getInt() <= 0 || !llvm::isPowerOf2_64(number.getInt()))
      return op->emitError() << name << " must be an i32 that is a power of two, got " << attribute.getValue();
  }
  // Once per module, and before the ops in it are verified.
  if (auto module = dyn_cast<ModuleOp>(op); module && name == numWarpsName)
    return verifyLayoutContext(module);
  return success();
}

void NvidiaDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "compiler/gpu/dialect/NvidiaOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/gpu/dialect/ExplicitNvidiaOps.cpp.inc"
      >();
}

void registerGpuDialects(DialectRegistry &registry) {
  registry.insert<tensor::TensorDialect, GpuDialect, NvidiaDialect, amd::AmdDialect>();
}

} // namespace triton::gpu
