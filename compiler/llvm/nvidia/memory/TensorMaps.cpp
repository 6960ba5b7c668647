// Maps of tensors that the kernel writes itself, for TMA, and the scratch memory that they lie in.
//   The two last parameters of a kernel lead to scratch memory; the first of them holds a slice for each CTA.
#include "compiler/llvm/nvidia/memory/TensorMaps.h"
#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/nvidia/Families.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;

llvm::Value *triton::nvidia::linearCta(Emitter &emitter) {
  using namespace llvm::Intrinsic;
  llvm::IRBuilder<> &builder = emitter.builder;
  auto read = [&](llvm::Intrinsic::ID id) {
    return builder.CreateZExt(emitter.intrinsic(id, {}), builder.getInt64Ty());
  };
  llvm::Value *result = builder.CreateMul(read(nvvm_read_ptx_sreg_ctaid_z), read(nvvm_read_ptx_sreg_nctaid_y));
  result = builder.CreateAdd(result, read(nvvm_read_ptx_sreg_ctaid_y));
  result = builder.CreateMul(result, read(nvvm_read_ptx_sreg_nctaid_x));
  return builder.CreateAdd(result, read(nvvm_read_ptx_sreg_ctaid_x));
}

static llvm::LogicalResult emitScratch(Emitter &emitter, gpu::GlobalScratchAllocOp op) {
  auto offset = op->getAttrOfType<IntegerAttr>(gpu::globalScratchOffsetName);
  auto bytes = op->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(gpu::globalScratchBytesName);
  assert(offset && bytes && "scratch memory has been allocated");
  if (emitter.function->getCallingConv() != llvm::CallingConv::PTX_Kernel)
    return op->emitError() << "only a kernel has scratch memory in global memory, not a function that it calls";
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *slice = builder.CreateMul(linearCta(emitter), emitter.i64(bytes.getInt()));
  llvm::Value *place = builder.CreateAdd(slice, emitter.i64(offset.getInt()));
  llvm::Value *base = emitter.function->getArg(emitter.function->arg_size() - 2);
  emitter.define(op.getResult(), builder.CreateGEP(builder.getInt8Ty(), base, place));
  return success();
}

namespace {

/// The instructions by which one thread fills in a map in shared memory, which was all zeros.
class MapWriter {
public:
  MapWriter(Emitter &emitter, llvm::Value *map) : emitter(emitter), map(map) {}

  void set(const std::string &field, llvm::Value *value, std::optional<unsigned> dim = std::nullopt) {
    bool isWide = value->getType()->isIntegerTy(64);
    std::string which = dim ? std::to_string(*dim) + ", " : "";
    emitter.inlineAsm(opcode(field) + (isWide ? "b64" : "b32") + " [$0], " + which + "$1;",
                      isWide ? "r,l,~{memory}" : "r,r,~{memory}", emitter.builder.getVoidTy(), {map, value},
                      AsmEffects::SideEffect);
  }
  void setConstant(const std::string &field, unsigned value) {
    emitter.inlineAsm(opcode(field) + "b32 [$0], " + std::to_string(value) + ";", "r,~{memory}",
                      emitter.builder.getVoidTy(), {map}, AsmEffects::SideEffect);
  }
  void setAll(const std::string &field, ValueRange values) {
    for (auto [dim, value] : llvm::enumerate(values))
      set(field, emitter.scalar(value), dim);
  }

private:
  static std::string opcode(const std::string &field) {
    return "tensormap.replace.tile." + field + ".shared::cta.b1024.";
  }
  Emitter &emitter;
  llvm::Value *map; // its address as a number
};

} // namespace

/// The first warp writes the map to shared memory and from there, at once, to global memory.
static llvm::LogicalResult emitCreate(Emitter &emitter, gpu::TensormapCreateOp op) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *shared = emitter.sharedAddress(op);
  llvm::Value *target = emitter.scalar(op.getDescPtr());
  emitter.emitIf(builder.CreateICmpULT(emitter.threadId(), emitter.i32(32)), [&] {
    llvm::Value *word = builder.CreateGEP(builder.getInt32Ty(), shared, emitter.laneId());
    emitter.storeShared(emitter.i32(0), word, 4);
    llvm::Value *everybody = emitter.i32(-1);
    emitter.intrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {everybody});
    llvm::Value *address = builder.CreatePtrToInt(shared, builder.getInt32Ty());
    emitter.emitIf(isFirstThread(emitter, Value()), [&] {
      // In a loop, stores may still be using what the map was before.
      emitter.inlineAsm("cp.async.bulk.wait_group 0;", "~{memory}", builder.getVoidTy(), {}, AsmEffects::SideEffect);
      MapWriter map(emitter, address);
      map.set("global_address", builder.CreatePtrToInt(emitter.scalar(op.getGlobalAddress()), builder.getInt64Ty()));
      map.setConstant("rank", op.getBoxDim().size() - 1);
      map.setAll("box_dim", op.getBoxDim());
      map.setAll("global_dim", op.getGlobalDim());
      map.setAll("global_stride", op.getGlobalStride());
      map.setAll("element_stride", op.getElementStride());
      map.setConstant("elemtype", op.getElemType());
      map.setConstant("interleave_layout", op.getInterleaveLayout());
      map.setConstant("swizzle_mode", op.getSwizzleMode());
      map.setConstant("fill_mode", op.getFillMode());
    });
    emitter.intrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {everybody});
    emitter.inlineAsm("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                      "[$0], [$1], 128;",
                      "l,r,~{memory}", builder.getVoidTy(),
                      {builder.CreatePtrToInt(target, builder.getInt64Ty()), address}, AsmEffects::Convergent);
  });
  emitter.barrier();
  return success();
}

Emitted triton::nvidia::emitTensorMaps(Emitter &emitter, Operation *op) {
  if (isa<gpu::TensormapCreateOp, gpu::TensormapFenceproxyAcquireOp>(op) && !emitter.target().hasTma())
    return op->emitError() << "'" << op->getName() << "' needs compute capability 9.0 or newer, not "
                           << emitter.target().str();
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](gpu::GlobalScratchAllocOp op) { return emitScratch(emitter, op); })
      .Case([&](gpu::TensormapCreateOp op) { return emitCreate(emitter, op); })
      .Case([&](gpu::TensormapFenceproxyAcquireOp op) {
        llvm::IRBuilder<> &builder = emitter.builder;
        llvm::Value *map = builder.CreateAddrSpaceCast(emitter.scalar(op.getDescPtr()), builder.getPtrTy());
        emitter.inlineAsm("fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", "l,~{memory}", builder.getVoidTy(),
                          {builder.CreatePtrToInt(map, builder.getInt64Ty())}, AsmEffects::SideEffect);
        return success();
      })
      .Case([&](gpu::ReinterpretTensorDescOp op) {
        emitter.define(op.getResult(), emitter.builder.CreateAddrSpaceCast(emitter.scalar(op.getRawDesc()),
                                                                           emitter.builder.getPtrTy()));
        return success();
      })
      .Default([](Operation *) -> Emitted { return std::nullopt; });
}
