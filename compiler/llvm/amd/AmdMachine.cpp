#include "compiler/llvm/amd/AmdMachine.h"

#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/amd/BufferAccess.h"
#include "compiler/llvm/amd/DirectCopy.h"
#include "compiler/llvm/amd/Messages.h"
#include "compiler/llvm/amd/dots/DotMatrix.h"
#include "compiler/llvm/amd/dots/DotPacked.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/Packing.h"
#include "compiler/llvm/gpu/memory/GlobalAccess.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"
#include "compiler/llvm/gpu/memory/SharedIndexed.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/MemoryModelRelaxationAnnotations.h"

using namespace mlir;

namespace triton::amd {

/// What `body` gives where `condition` (null: always) holds, else `otherwise`.
static llvm::Value *guarded(Emitter &emitter, llvm::Value *condition, llvm::Value *otherwise,
                            llvm::function_ref<llvm::Value *()> body) {
  if (!condition)
    return body();
  llvm::BasicBlock *before = emitter.builder.GetInsertBlock();
  llvm::Value *result = nullptr;
  llvm::BasicBlock *inside = nullptr;
  emitter.emitIf(condition, [&] {
    result = body();
    inside = emitter.builder.GetInsertBlock();
  });
  llvm::PHINode *either = emitter.builder.CreatePHI(otherwise->getType(), 2);
  either->addIncoming(otherwise, before);
  either->addIncoming(result, inside);
  return either;
}

namespace {

/// `.cs` and `.cg` say that data is not used again, `.cv` and `.wt` that others write and read it.
class Accessor : public GlobalAccessor {
public:
  Accessor(Emitter &emitter, tensor::CacheModifier cache, bool isVolatile) : emitter(emitter), isVolatile(isVolatile) {
    using Cache = tensor::CacheModifier;
    this->isVolatile |= cache == Cache::CV || cache == Cache::WT;
    isPassing = cache == Cache::CG || cache == Cache::CS;
  }

  bool isPlain() const override { return !isVolatile && !isPassing; }

  Registers load(const AccessGroup &group, unsigned count, unsigned bits, llvm::ArrayRef<llvm::Value *> otherwise,
                 llvm::Value *mask) override {
    llvm::IRBuilder<> &builder = emitter.builder;
    llvm::Type *word = builder.getIntNTy(bits);
    llvm::Type *whole = count == 1 ? word : llvm::FixedVectorType::get(word, count);
    llvm::Value *address = group.address(emitter);
    llvm::Value *loaded = guarded(
        emitter, mask, mask ? (count == 1 ? otherwise[0] : pack(builder, otherwise)) : nullptr, [&]() -> llvm::Value * {
          llvm::LoadInst *load = builder.CreateAlignedLoad(whole, address, llvm::Align(count * bits / 8), isVolatile);
          mark(*load);
          return load;
        });
    return unpack(builder, loaded);
  }

  void store(const AccessGroup &group, unsigned bits, llvm::ArrayRef<llvm::Value *> words, llvm::Value *mask) override {
    llvm::IRBuilder<> &builder = emitter.builder;
    llvm::Value *address = group.address(emitter);
    llvm::Value *value = words.size() == 1 ? words[0] : pack(builder, words);
    auto emit = [&] {
      mark(*builder.CreateAlignedStore(value, address, llvm::Align(words.size() * bits / 8), isVolatile));
    };
    if (mask)
      emitter.emitIf(mask, emit);
    else
      emit();
  }

private:
  void mark(llvm::Instruction &access) {
    if (isPassing)
      access.setMetadata(llvm::LLVMContext::MD_nontemporal,
                         llvm::MDNode::get(emitter.context(), llvm::ConstantAsMetadata::get(emitter.i32(1))));
  }

  Emitter &emitter;
  bool isVolatile, isPassing = false;
};

class AmdMachine : public Machine {
public:
  explicit AmdMachine(const gpu::Target &target) : target(target) {}

  llvm::StringRef vendor() const override { return "AMD"; }

  llvm::LogicalResult check(ModuleOp module) const override {
    if (int lanes = gpu::getThreadsPerWarp(module); lanes != int(target.lanes()))
      return module.emitError() << "a wave of " << target.cpu() << " has " << target.lanes() << " lanes, got "
                                << gpu::threadsPerWarpName << " = " << lanes;
    if (int warps = gpu::getTotalNumWarps(module); warps * target.lanes() > 1024)
      return module.emitError() << "a workgroup has at most 1024 threads, got " << warps << " waves of "
                                << target.lanes();
    if (gpu::getNumCtas(module) > 1)
      return module.emitError() << target.cpu() << " has no clusters, got " << gpu::numCtasName << " = "
                                << gpu::getNumCtas(module);
    return success();
  }

  /// Other copies than direct ones went through registers: they are complete when their group is closed.
  Emitted emitOwn(Emitter &emitter, Operation *op) const override {
    if (auto update = dyn_cast<gpu::LocalAtomicScatterRMWOp>(op))
      return updateShared(emitter, update);
    if (auto dot = dyn_cast<tensor::DotScaledOp>(op))
      return emitScaledDot(emitter, dot);
    return emitDirectCopies(emitter, op, *target.amd);
  }

  void markKernel(Emitter &emitter, FunctionOpInterface, llvm::Function &function) const override {
    function.setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
    const std::string threads = std::to_string(target.lanes() * emitter.totalNumWarps());
    function.addFnAttr("amdgpu-flat-work-group-size", threads + "," + threads);
    function.addFnAttr("uniform-work-group-size", "true");
    function.addFnAttr("denormal-fp-math-f32", emitter.options.flushDenormals ? "preserve-sign" : "ieee");
    if (unsigned waves = emitter.options.wavesPerEu)
      function.addFnAttr("amdgpu-waves-per-eu", std::to_string(waves) + "," + std::to_string(waves));
  }

  llvm::CallInst *threadOfCta(Emitter &emitter) const override {
    return emitter.intrinsic(llvm::Intrinsic::amdgcn_workitem_id_x, {});
  }
  llvm::CallInst *uniform(Emitter &emitter, llvm::Value *value) const override {
    return emitter.intrinsic(llvm::Intrinsic::amdgcn_readfirstlane, {value}, {value->getType()});
  }
  llvm::Value *ctaRank(Emitter &emitter) const override { return emitter.i32(0); }

  /// The grid's sizes are the first hidden arguments.
  llvm::Value *grid(Emitter &emitter, bool isSize, tensor::ProgramIDDim axis) const override {
    using namespace llvm::Intrinsic;
    static constexpr llvm::Intrinsic::ID ids[] = {amdgcn_workgroup_id_x, amdgcn_workgroup_id_y, amdgcn_workgroup_id_z};
    const unsigned index = static_cast<unsigned>(axis);
    if (!isSize)
      return emitter.intrinsic(ids[index], {});
    llvm::Value *arguments = emitter.intrinsic(amdgcn_implicitarg_ptr, {});
    llvm::LoadInst *size = emitter.builder.CreateAlignedLoad(
        emitter.builder.getInt32Ty(),
        emitter.builder.CreateConstGEP1_32(emitter.builder.getInt8Ty(), arguments, 4 * index), llvm::Align(4));
    size->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(emitter.context(), {}));
    return size;
  }

  /// Without fences what is on its way to memory is not waited for.
  static void meet(Emitter &emitter, bool onlyShared) {
    llvm::LLVMContext &context = emitter.context();
    auto fence = [&](llvm::AtomicOrdering ordering) {
      llvm::FenceInst *made = emitter.builder.CreateFence(ordering, context.getOrInsertSyncScopeID("workgroup"));
      if (onlyShared)
        made->setMetadata(llvm::LLVMContext::MD_mmra,
                          llvm::MMRAMetadata::getTagMD(context, "amdgpu-synchronize-as", "local"));
    };
    fence(llvm::AtomicOrdering::Release);
    emitter.intrinsic(llvm::Intrinsic::amdgcn_s_barrier, {});
    fence(llvm::AtomicOrdering::Acquire);
  }
  void barrier(Emitter &emitter, unsigned, unsigned) const override { meet(emitter, /*onlyShared=*/false); }
  /// RDNA would wait for loads that run ahead, and empty a cache; others for all copies to LDS, which only waits of their own are to.
  void sharedBarrier(Emitter &emitter, unsigned, unsigned) const override {
    hasDirectCopies(emitter.source) ? meetBesideCopies(emitter) : meet(emitter, /*onlyShared=*/true);
  }
  void clusterBarrier(Emitter &emitter) const override { barrier(emitter, 0, 0); }

  /// Within rows of 16 lanes by DPP, which costs a move; else through the LDS unit, without its memory.
  llvm::Value *shuffleXor(Emitter &emitter, llvm::Value *word, unsigned mask) const override {
    if (mask >= 16) {
      llvm::Value *lane = emitter.builder.CreateXor(emitter.laneId(), emitter.i32(mask));
      return shuffleIndex(emitter, word, lane);
    }
    if (!target.amd->isCdna())
      return move(emitter, word, 0x160 + mask); // row_xmask
    // A mirror or rotation for the upper bits of the mask, then a permutation of four.
    const unsigned turned = (mask & 4 ? 7 : 0) ^ (mask & 8 ? 8 : 0), rest = (mask ^ turned) & 3;
    if (turned == 7)
      word = move(emitter, word, 0x141); // row_half_mirror
    else if (turned == 8)
      word = move(emitter, word, 0x128); // row_ror:8
    else if (turned == 15)
      word = move(emitter, word, 0x140); // row_mirror
    if (rest == 0)
      return word;
    unsigned permutation = 0;
    for (unsigned lane = 0; lane < 4; ++lane)
      permutation |= (lane ^ rest) << (2 * lane);
    return move(emitter, word, permutation); // quad_perm
  }
  llvm::Value *shuffleIndex(Emitter &emitter, llvm::Value *word, llvm::Value *lane) const override {
    return emitter.intrinsic(llvm::Intrinsic::amdgcn_ds_bpermute, {emitter.builder.CreateShl(lane, 2), word});
  }

  std::unique_ptr<GlobalAccessor> accessGlobal(Emitter &emitter, Operation *op, tensor::CacheModifier cache,
                                               tensor::EvictionPolicy, bool isVolatile) const override {
    if (auto buffer = accessBuffer(emitter, op, cache, *target.amd))
      return buffer;
    return std::make_unique<Accessor>(emitter, cache, isVolatile);
  }
  llvm::StringRef ctaScope() const override { return "workgroup"; }
  void storeSharedIf(Emitter &emitter, llvm::Value *condition, llvm::Value *value, llvm::Value *address,
                     unsigned bits) const override {
    emitter.emitIf(condition, [&] { emitter.storeShared(value, address, bits / 8); });
  }
  llvm::Value *loadFromCta(Emitter &emitter, llvm::Value *address, llvm::Value *, unsigned bytes) const override {
    return emitter.loadShared(emitter.builder.getIntNTy(8 * bytes), address, bytes); // there is no other CTA
  }

  unsigned floatAddBytes(llvm::Type *element) const override {
    return element->isFloatTy() ? 4 : element->isDoubleTy() ? 8 : 0;
  }
  Registers addFloats(Emitter &emitter, AtomicOrder order, llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> values,
                      llvm::Value *guard) const override {
    return {updateBy(emitter, order, llvm::AtomicRMWInst::FAdd, pointer, values[0], guard)};
  }
  llvm::Value *update(Emitter &emitter, AtomicOrder order, tensor::RMWOp kind, llvm::Value *pointer, llvm::Value *value,
                      llvm::Value *guard) const override {
    using Kind = tensor::RMWOp;
    using Op = llvm::AtomicRMWInst;
    auto operation = [&] {
      switch (kind) {
      case Kind::And:
        return Op::And;
      case Kind::Or:
        return Op::Or;
      case Kind::Xor:
        return Op::Xor;
      case Kind::Exchange:
        return Op::Xchg;
      case Kind::Max:
        return Op::Max;
      case Kind::Min:
        return Op::Min;
      case Kind::UMax:
        return Op::UMax;
      case Kind::UMin:
        return Op::UMin;
      case Kind::Add:
      case Kind::FAdd: // is never asked for
        break;
      }
      return Op::Add;
    };
    return updateBy(emitter, order, operation(), pointer, value, guard);
  }
  llvm::Value *compareAndSwap(Emitter &emitter, AtomicOrder order, llvm::Value *pointer, llvm::Value *expected,
                              llvm::Value *desired, llvm::Value *guard) const override {
    return guarded(emitter, guard, llvm::Constant::getNullValue(expected->getType()), [&] {
      const llvm::AtomicOrdering success = orderingOf(order);
      llvm::Value *pair = emitter.builder.CreateAtomicCmpXchg(
          pointer, expected, desired, llvm::MaybeAlign(), success,
          llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(success), scopeOf(emitter, order));
      return emitter.builder.CreateExtractValue(pair, 0);
    });
  }

  llvm::Value *divide(Emitter &emitter, llvm::Value *a, llvm::Value *b) const override {
    auto *quotient = llvm::cast<llvm::Instruction>(emitter.builder.CreateFDiv(a, b));
    quotient->setMetadata(llvm::LLVMContext::MD_fpmath, llvm::MDBuilder(emitter.context()).createFPMath(2.5f));
    return quotient;
  }
  llvm::Value *approximate(Emitter &emitter, Operation *op, llvm::Value *x) const override {
    using namespace llvm::Intrinsic;
    llvm::IRBuilder<> &builder = emitter.builder;
    llvm::Type *type = x->getType();
    return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
        .Case([&](math::Exp2Op) { return emitter.intrinsic(llvm::Intrinsic::exp2, {x}, {type}); })
        .Case([&](math::ExpOp) {
          llvm::Value *power = builder.CreateFMul(x, llvm::ConstantFP::get(type, 1.4426950408889634));
          return emitter.intrinsic(llvm::Intrinsic::exp2, {power}, {type});
        })
        .Case([&](math::SqrtOp) { return emitter.intrinsic(amdgcn_sqrt, {x}, {type}); })
        .Case([&](math::RsqrtOp) { return emitter.intrinsic(amdgcn_rsq, {x}, {type}); })
        .Default([](Operation *) { return static_cast<llvm::Value *>(nullptr); });
  }
  /// What ExpandMath leaves: LLVM's own code for it is accurate.
  llvm::Value *callMath(Emitter &emitter, llvm::StringRef name,
                        llvm::ArrayRef<llvm::Value *> arguments) const override {
    llvm::Type *type = arguments[0]->getType();
    const llvm::Intrinsic::ID id = llvm::StringSwitch<llvm::Intrinsic::ID>(name)
                                       .Case("log", llvm::Intrinsic::log)
                                       .Case("log2", llvm::Intrinsic::log2)
                                       .Case("log10", llvm::Intrinsic::log10)
                                       .Default(llvm::Intrinsic::not_intrinsic);
    if (type->isFloatTy() && id != llvm::Intrinsic::not_intrinsic)
      return emitter.intrinsic(id, {arguments[0]}, {type});
    if (name == "round")
      return emitter.intrinsic(llvm::Intrinsic::round, {arguments[0]}, {type});
    if (name == "fmod") // a loop, exact
      return emitter.builder.CreateFRem(arguments[0], arguments[1]);
    return nullptr; // of IR that says it is for another target
  }
  llvm::Value *toInteger(Emitter &emitter, llvm::Value *value, bool isWide, bool isSigned) const override {
    llvm::Type *result = isWide ? emitter.builder.getInt64Ty() : emitter.builder.getInt32Ty();
    return emitter.intrinsic(isSigned ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat, {value},
                             {result, value->getType()});
  }
  llvm::Value *truncatePair(Emitter &emitter, llvm::Value *low, llvm::Value *high, bool isHalf) const override {
    llvm::IRBuilder<> &builder = emitter.builder;
    if (isHalf) {
      llvm::Value *pair = emitter.intrinsic(llvm::Intrinsic::amdgcn_cvt_pkrtz, {low, high});
      return builder.CreateBitCast(pair, llvm::FixedVectorType::get(builder.getHalfTy(), 2));
    }
    // The upper half of the bits; what is lost of a NaN's payload must not make it an infinity.
    auto cut = [&](llvm::Value *value) {
      llvm::Value *bits = builder.CreateBitCast(value, builder.getInt32Ty());
      llvm::Value *quiet = builder.CreateOr(bits, 0x00400000);
      bits = builder.CreateSelect(builder.CreateFCmpUNO(value, value), quiet, bits);
      bits = builder.CreateTrunc(builder.CreateLShr(bits, 16), builder.getInt16Ty());
      return builder.CreateBitCast(bits, builder.getBFloatTy());
    };
    return pack(builder, {cut(low), cut(high)});
  }
  /// To the nearest, and a step back where that is further from zero.
  llvm::Value *truncateToSingle(Emitter &emitter, llvm::Value *value) const override {
    llvm::IRBuilder<> &builder = emitter.builder;
    auto magnitude = [&](llvm::Value *number) { return builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, number); };
    llvm::Value *nearest = builder.CreateFPTrunc(value, builder.getFloatTy());
    llvm::Value *isFurther =
        builder.CreateFCmpOGT(magnitude(builder.CreateFPExt(nearest, value->getType())), magnitude(value));
    llvm::Value *bits = builder.CreateBitCast(nearest, builder.getInt32Ty());
    bits = builder.CreateSub(bits, builder.CreateZExt(isFurther, builder.getInt32Ty()));
    return builder.CreateBitCast(bits, builder.getFloatTy());
  }

  llvm::StringRef assembly() const override { return "AMDGPU"; }
  llvm::StringRef constraints() const override { return "v, s"; }
  llvm::Type *registerOf(Emitter &emitter, llvm::StringRef constraint) const override {
    return constraint == "v" || constraint == "s" ? emitter.builder.getInt32Ty() : nullptr;
  }

  Emitted emitDot(Emitter &emitter, tensor::DotOp dot) const override {
    Attribute layout = cast<RankedTensorType>(dot.getD().getType()).getEncoding();
    if (!isa_and_nonnull<gpu::MfmaAttr, gpu::WmmaAttr>(layout))
      return emitPackedDot(emitter, dot);
    return emitMatrixDot(emitter, dot);
  }

  llvm::LogicalResult print(Emitter &emitter, Operation *, llvm::StringRef format,
                            llvm::ArrayRef<llvm::Value *> arguments) const override {
    writePrint(emitter, format, arguments);
    return success();
  }
  void failAssert(Emitter &emitter, llvm::StringRef message, llvm::StringRef file, unsigned line,
                  llvm::StringRef function) const override {
    writeAssertion(emitter, message, file, line, function);
  }

private:
  /// All lanes move by one DPP pattern.
  static llvm::Value *move(Emitter &emitter, llvm::Value *word, unsigned control) {
    return emitter.intrinsic(llvm::Intrinsic::amdgcn_update_dpp,
                             {llvm::PoisonValue::get(word->getType()), word, emitter.i32(control), emitter.i32(0xf),
                              emitter.i32(0xf), emitter.i1(true)},
                             {word->getType()});
  }

  static llvm::AtomicOrdering orderingOf(AtomicOrder order) {
    switch (order.semantic) {
    case tensor::MemSemantic::Acquire:
      return llvm::AtomicOrdering::Acquire;
    case tensor::MemSemantic::Release:
      return llvm::AtomicOrdering::Release;
    case tensor::MemSemantic::AcquireRelease:
      return llvm::AtomicOrdering::AcquireRelease;
    default:
      return llvm::AtomicOrdering::Monotonic;
    }
  }
  static llvm::SyncScope::ID scopeOf(Emitter &emitter, AtomicOrder order) {
    switch (order.scope) {
    case tensor::MemSyncScope::CTA:
      return emitter.context().getOrInsertSyncScopeID("workgroup");
    case tensor::MemSyncScope::GPU:
      return emitter.context().getOrInsertSyncScopeID("agent");
    default:
      return llvm::SyncScope::System;
    }
  }

  /// Updates of elements of LDS that indices choose, relaxed.
  Emitted updateShared(Emitter &emitter, gpu::LocalAtomicScatterRMWOp op) const {
    const tensor::RMWOp kind = op.getKind();
    const bool addsFloats = kind == tensor::RMWOp::FAdd;
    llvm::Type *element = emitter.type(op.getDst().getType().getElementType());
    if (memoryBits(element) < 32 && !addsFloats)
      return op.emitError() << "shared memory has no atomic '" << tensor::stringifyRMWOp(kind) << "' for elements of "
                            << op.getDst().getType().getElementType();
    const AtomicOrder order{tensor::MemSemantic::Relaxed, tensor::MemSyncScope::CTA};
    return updateIndexed(emitter, op, [&](llvm::Value *address, llvm::Value *value, llvm::Value *guard) {
      if (addsFloats)
        return updateBy(emitter, order, llvm::AtomicRMWInst::FAdd, address, value, guard);
      llvm::Value *old = update(emitter, order, kind, address, toMemory(emitter, value), guard);
      return fromMemory(emitter, old, element);
    });
  }

  llvm::Value *updateBy(Emitter &emitter, AtomicOrder order, llvm::AtomicRMWInst::BinOp operation, llvm::Value *pointer,
                        llvm::Value *value, llvm::Value *guard) const {
    return guarded(emitter, guard, llvm::Constant::getNullValue(value->getType()), [&]() -> llvm::Value * {
      llvm::AtomicRMWInst *update = emitter.builder.CreateAtomicRMW(operation, pointer, value, llvm::MaybeAlign(),
                                                                    orderingOf(order), scopeOf(emitter, order));
      // Memory of the device's own: without this, LLVM writes loops for what instructions do.
      for (llvm::StringRef name :
           {"amdgpu.no.fine.grained.memory", "amdgpu.no.remote.memory", "amdgpu.ignore.denormal.mode"})
        update->setMetadata(name, llvm::MDNode::get(emitter.context(), {}));
      return update;
    });
  }

  const gpu::Target target;
};

} // namespace

std::unique_ptr<Machine> createMachine(const gpu::Target &target) { return std::make_unique<AmdMachine>(target); }

} // namespace triton::amd
