#include "compiler/llvm/nvidia/NvidiaMachine.h"

#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/gpu/Packing.h"
#include "compiler/llvm/nvidia/Codegen.h"
#include "compiler/llvm/nvidia/ConcurrencySanitizer.h"
#include "compiler/llvm/nvidia/Families.h"
#include "compiler/llvm/nvidia/GlobalSanitizer.h"
#include "compiler/llvm/nvidia/InstructionSanitizer.h"
#include "compiler/llvm/nvidia/Records.h"
#include "compiler/llvm/nvidia/WarpSpecialize.h"
#include "compiler/llvm/nvidia/dots/TensorCores.h"
#include "compiler/llvm/nvidia/memory/AtomicText.h"
#include "compiler/llvm/nvidia/memory/GlobalAccessor.h"
#include "compiler/llvm/nvidia/memory/Matrices.h"
#include "compiler/llvm/nvidia/memory/TensorMemory.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace triton::nvidia {

static void markFunction(llvm::Function &function, unsigned threads, unsigned ctas, unsigned maxRegisters) {
  function.setCallingConv(llvm::CallingConv::PTX_Kernel);
  function.addFnAttr("nvvm.reqntid", std::to_string(threads));
  if (ctas > 1)
    function.addFnAttr("nvvm.cluster_dim", std::to_string(ctas) + ",1,1");
  if (maxRegisters)
    function.addFnAttr("nvvm.maxnreg", std::to_string(maxRegisters));
}

/// A kernel gets tensor descriptors as their 128 bytes, which TMA reads where the launch put them.
static void passDescriptorsByValue(Emitter &emitter, FunctionOpInterface op, llvm::Function &function) {
  unsigned next = 0;
  for (Type type : op.getArgumentTypes()) {
    if (isa<tensor::TensorDescType>(type)) {
      auto *bytes = llvm::ArrayType::get(emitter.builder.getInt8Ty(), 128);
      function.addParamAttr(next, llvm::Attribute::getWithByValType(emitter.context(), bytes));
      function.addParamAttr(next, llvm::Attribute::getWithAlignment(emitter.context(), llvm::Align(64)));
      function.addParamAttr(next, llvm::Attribute::get(emitter.context(), "nvvm.grid_constant"));
    }
    next += emitter.registerTypes(type).size();
  }
}

/// Its memory operand keeps every access behind it.
static void waitForGridsBefore(Emitter &emitter) {
  auto *type = llvm::FunctionType::get(emitter.builder.getVoidTy(), false);
  auto *wait = llvm::InlineAsm::get(type, waitAtEntryText, "~{memory}", /*hasSideEffects=*/true);
  emitter.builder.CreateCall(type, wait)->setConvergent();
}

/// What passes leave behind, and what launches can do: a module may also come from a file.
static llvm::LogicalResult checkModule(ModuleOp module, gpu::Target target) {
  if (int threads = gpu::getThreadsPerWarp(module); threads != 32)
    return module.emitError() << "a warp of an NVIDIA GPU has 32 threads, got " << gpu::threadsPerWarpName << " = "
                              << threads;
  // More than 32 no GPU has, which is for whoever loads the code to say: it knows the GPU.
  if (int warps = gpu::getTotalNumWarps(module); warps > 128)
    return module.emitError() << "code is made for at most 128 warps, got " << gpu::numWarpsName << " = " << warps;
  if (int ctas = gpu::getNumCtas(module); ctas > 16)
    return module.emitError() << "a cluster has at most 16 CTAs, got " << gpu::numCtasName << " = " << ctas;
  else if (ctas > 1 && !target.hasClusters())
    return module.emitError() << gpu::numCtasName << " = " << ctas << " needs sm_90 or newer, got " << target.cpu();
  return success();
}

/// With clusters a program is a cluster: its CTAs lie along x.
static llvm::Value *readGrid(Emitter &emitter, bool isSize, tensor::ProgramIDDim axis) {
  using namespace llvm::Intrinsic;
  static constexpr llvm::Intrinsic::ID table[2][2][3] = {
      {{nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y, nvvm_read_ptx_sreg_ctaid_z},
       {nvvm_read_ptx_sreg_nctaid_x, nvvm_read_ptx_sreg_nctaid_y, nvvm_read_ptx_sreg_nctaid_z}},
      {{nvvm_read_ptx_sreg_clusterid_x, nvvm_read_ptx_sreg_clusterid_y, nvvm_read_ptx_sreg_clusterid_z},
       {nvvm_read_ptx_sreg_nclusterid_x, nvvm_read_ptx_sreg_nclusterid_y, nvvm_read_ptx_sreg_nclusterid_z}}};
  llvm::CallInst *place = emitter.intrinsic(table[emitter.numCtas() > 1][isSize][static_cast<unsigned>(axis)], {});
  // What the driver launches at most; a size is one more than an index can be, and never 0.
  uint32_t limit = axis == tensor::ProgramIDDim::X ? 0x7fffffff : 65535;
  place->addRangeRetAttr(
      llvm::ConstantRange(llvm::APInt(32, isSize ? 1 : 0), llvm::APInt(32, isSize ? limit + 1 : limit)));
  return place;
}

/// A constant string as a generic pointer.
static llvm::Value *stringOf(Emitter &emitter, llvm::StringRef text) {
  llvm::Constant *data = llvm::ConstantDataArray::getString(emitter.context(), text);
  llvm::GlobalVariable *global = nullptr;
  for (llvm::GlobalVariable &known : emitter.module.globals())
    if (known.isConstant() && known.hasInitializer() && known.getInitializer() == data)
      global = &known;
  if (!global) {
    global = new llvm::GlobalVariable(emitter.module, data->getType(), /*isConstant=*/true,
                                      llvm::GlobalValue::InternalLinkage, data, "text", nullptr,
                                      llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
    global->setAlignment(llvm::Align(1));
  }
  return emitter.builder.CreateAddrSpaceCast(global, emitter.builder.getPtrTy());
}

/// printf, with arguments as C passes them.
static void callPrintf(Emitter &emitter, llvm::StringRef format, llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  auto *layout = llvm::StructType::get(emitter.context(), types);
  llvm::AllocaInst *buffer;
  {
    llvm::IRBuilder<>::InsertPointGuard guard(builder);
    llvm::BasicBlock &entry = emitter.function->getEntryBlock();
    builder.SetInsertPoint(&entry, entry.begin());
    buffer = builder.CreateAlloca(layout);
  }
  for (auto [index, argument] : llvm::enumerate(arguments))
    builder.CreateStore(argument, builder.CreateStructGEP(layout, buffer, index));
  llvm::Type *pointer = builder.getPtrTy();
  auto callee = emitter.module.getOrInsertFunction(
      "vprintf", llvm::FunctionType::get(builder.getInt32Ty(), {pointer, pointer}, /*isVarArg=*/false));
  builder.CreateCall(callee, {stringOf(emitter, format), buffer});
}

/// Elements side by side in the shared memory of another CTA, as an integer of all their bits.
static llvm::Value *loadRemote(Emitter &emitter, llvm::Value *address, llvm::Value *cta, unsigned bytes) {
  llvm::IRBuilder<> &builder = emitter.builder;
  unsigned words = bytes / 4;
  std::string text = "{ .reg .b32 a; mapa.shared::cluster.u32 a, $" + std::to_string(std::max(1u, words)) + ", $" +
                     std::to_string(std::max(1u, words) + 1) + "; ld.shared::cluster";
  std::string constraints;
  llvm::Type *result;
  if (words == 0) {
    text += bytes == 2 ? ".b16 $0, [a]; }" : ".u8 $0, [a]; }";
    constraints = "=h";
    result = builder.getInt16Ty();
  } else {
    std::string names = "$0";
    constraints = "=r";
    for (unsigned i = 1; i < words; ++i) {
      names += ", $" + std::to_string(i);
      constraints += ",=r";
    }
    text += words == 1 ? ".b32 $0, [a]; }" : ".v" + std::to_string(words) + ".b32 {" + names + "}, [a]; }";
    llvm::SmallVector<llvm::Type *> types(words, builder.getInt32Ty());
    result = words == 1 ? types[0] : llvm::StructType::get(emitter.context(), types);
  }
  llvm::Value *loaded =
      emitter.inlineAsm(text, constraints + ",r,r,~{memory}", result,
                        {builder.CreatePtrToInt(address, builder.getInt32Ty()), cta}, AsmEffects::SideEffect);
  if (words == 0)
    return builder.CreateTrunc(loaded, builder.getIntNTy(8 * bytes));
  if (words == 1)
    return loaded;
  llvm::Value *all = llvm::PoisonValue::get(llvm::FixedVectorType::get(builder.getInt32Ty(), words));
  for (unsigned i = 0; i < words; ++i)
    all = builder.CreateInsertElement(all, builder.CreateExtractValue(loaded, i), i);
  return builder.CreateBitCast(all, builder.getIntNTy(8 * bytes));
}

/// One instruction with a predicate, in place of a branch around it.
static void storeIf(Emitter &emitter, llvm::Value *condition, llvm::Value *value, llvm::Value *address, unsigned bits) {
  llvm::IRBuilder<> &builder = emitter.builder;
  const llvm::StringRef constraint = bits <= 16 ? "h" : bits == 32 ? "r" : "l";
  emitter.inlineAsm(("@$0 st.shared.b" + llvm::Twine(bits) + " [$1], $2;").str(),
                    ("b,r," + constraint + ",~{memory}").str(), builder.getVoidTy(),
                    {condition, builder.CreatePtrToInt(address, builder.getInt32Ty()),
                     bits == 8 ? builder.CreateZExt(value, builder.getInt16Ty()) : value},
                    AsmEffects::SideEffect);
}

/// The instruction that combines an i32 over a warp.
static llvm::Intrinsic::ID warpReduction(Operation *combiner) {
  return llvm::TypeSwitch<Operation *, llvm::Intrinsic::ID>(combiner)
      .Case([](arith::AddIOp) { return llvm::Intrinsic::nvvm_redux_sync_add; })
      .Case([](arith::MaxSIOp) { return llvm::Intrinsic::nvvm_redux_sync_max; })
      .Case([](arith::MaxUIOp) { return llvm::Intrinsic::nvvm_redux_sync_umax; })
      .Case([](arith::MinSIOp) { return llvm::Intrinsic::nvvm_redux_sync_min; })
      .Case([](arith::MinUIOp) { return llvm::Intrinsic::nvvm_redux_sync_umin; })
      .Case([](arith::AndIOp) { return llvm::Intrinsic::nvvm_redux_sync_and; })
      .Case([](arith::OrIOp) { return llvm::Intrinsic::nvvm_redux_sync_or; })
      .Case([](arith::XOrIOp) { return llvm::Intrinsic::nvvm_redux_sync_xor; })
      .Default([](Operation *) { return llvm::Intrinsic::not_intrinsic; });
}

void fenceTensorMemory(Emitter &emitter, llvm::StringRef side) {
  if (emitter.usesTensorMemory)
    emitter.inlineAsm(("tcgen05.fence::" + side + "_thread_sync;").str(), "~{memory}", emitter.builder.getVoidTy(), {},
                      AsmEffects::SideEffect);
}

static Emitted emitFences(Emitter &emitter, Operation *op) {
  auto fence = [&](llvm::Intrinsic::ID id) -> Emitted {
    if (emitter.target().hasTma())
      emitter.intrinsic(id, {});
    return success();
  };
  if (auto shared = dyn_cast<gpu::FenceAsyncSharedOp>(op))
    return fence(shared.getBCluster() ? llvm::Intrinsic::nvvm_fence_proxy_async_shared_cluster
                                      : llvm::Intrinsic::nvvm_fence_proxy_async_shared_cta);
  if (isa<gpu::FenceAsyncGlobalOp>(op))
    return fence(llvm::Intrinsic::nvvm_fence_proxy_async_global);
  return std::nullopt;
}

/// f32 toward zero, by what every GPU has.
static llvm::Value *truncateSingle(Emitter &emitter, llvm::Value *value, bool isHalf) {
  llvm::IRBuilder<> &builder = emitter.builder;
  if (isHalf)
    return emitter.inlineAsm("cvt.rz.f16.f32 $0, $1;", "=h,f", builder.getHalfTy(), {value});
  llvm::Value *bits = builder.CreateLShr(builder.CreateBitCast(value, builder.getInt32Ty()), 16);
  llvm::Value *upper = builder.CreateTrunc(bits, builder.getInt16Ty());
  // What makes a NaN one may lie in the lower half.
  upper = builder.CreateSelect(builder.CreateFCmpUNO(value, value), builder.getInt16(0x7fff), upper);
  return builder.CreateBitCast(upper, builder.getBFloatTy());
}

/// f32 functions the hardware approximates.
static llvm::Value *approximateSingle(Emitter &emitter, Operation *op, llvm::Value *x) {
  using namespace llvm::Intrinsic;
  bool flushes = emitter.options.flushDenormals;
  auto power = [&](llvm::Value *exponent, bool flushes) -> llvm::Value * {
    return emitter.intrinsic(flushes ? nvvm_ex2_approx_ftz : nvvm_ex2_approx, {exponent}, {exponent->getType()});
  };
  return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
      .Case([&](math::Exp2Op) { return power(x, flushes); })
      // Not flushed, as kernels written for Triton find it: exp2 is there for those who want the faster one.
      .Case([&](math::ExpOp) {
        return power(emitter.builder.CreateFMul(x, llvm::ConstantFP::get(x->getType(), 1.4426950408889634)), false);
      })
      .Case([&](math::SqrtOp) -> llvm::Value * {
        return emitter.intrinsic(flushes ? nvvm_sqrt_approx_ftz_f : nvvm_sqrt_approx_f, {x});
      })
      .Case([&](math::RsqrtOp) -> llvm::Value * {
        return emitter.intrinsic(flushes ? nvvm_rsqrt_approx_ftz_f : nvvm_rsqrt_approx_f, {x});
      })
      .Default([](Operation *) { return static_cast<llvm::Value *>(nullptr); });
}

namespace {

class NvidiaMachine : public Machine {
public:
  explicit NvidiaMachine(const gpu::Target &target) : target(target) {}

  llvm::StringRef vendor() const override { return "NVIDIA"; }
  llvm::LogicalResult check(ModuleOp module) const override { return checkModule(module, target); }

  Emitted emitOwn(Emitter &emitter, Operation *op) const override {
    static constexpr Emitted (*families[])(Emitter &, Operation *) = {
        emitTensorMemory, emitTcgen05,       emitWarpGroupDots,  emitAsync,          emitMbarrier,
        emitTma,          emitTmaRows,       emitTensorMaps,     emitWarpSpecialize, emitRecords,
        emitFences,       emitSharedUpdates, emitThreadAssembly, emitLaunchControl,
    };
    checkInstruction(emitter, op);
    sanitizeBefore(emitter, op);
    if (Emitted emitted = emitChecked(emitter, op)) {
      sanitizeBehind(emitter, op);
      return emitted;
    }
    for (auto family : families)
      if (Emitted emitted = family(emitter, op)) {
        sanitizeBehind(emitter, op);
        return emitted;
      }
    return std::nullopt;
  }

  void markKernel(Emitter &emitter, FunctionOpInterface op, llvm::Function &function) const override {
    passDescriptorsByValue(emitter, op, function);
    auto atEntry = emitter.source->getAttrOfType<IntegerAttr>(gpu::entryRegistersName);
    markFunction(function, 32 * emitter.totalNumWarps(), emitter.numCtas(),
                 atEntry ? atEntry.getInt() : emitter.options.maxRegisters);
  }
  void beginKernel(Emitter &emitter, FunctionOpInterface op) const override {
    if (emitter.options.waitAtEntry)
      waitForGridsBefore(emitter);
    beginRecords(emitter);
    beginSanitizer(emitter);
    beginGlobalSanitizer(emitter);
    if (emitter.totalNumWarps() > unsigned(gpu::getNumWarps(emitter.source)))
      emitter.workers = std::make_shared<WorkerWarps>(emitter, op);
  }
  void enterKernel(Emitter &emitter) const override {
    if (emitter.usesTensorMemory)
      emitter.tensorMemory = emitter.atEntry([&] { return acquireTensorMemory(emitter); });
  }
  void leaveFunction(Emitter &emitter) const override {
    if (emitter.tensorMemory)
      releaseTensorMemory(emitter);
    if (emitter.workers)
      emitter.workers->dismiss();
  }
  unsigned ownBarrier() const override { return WorkerWarps::ownBarrier; }

  llvm::CallInst *threadOfCta(Emitter &emitter) const override {
    return emitter.intrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  }
  /// For ptxas by a shuffle: what depends on it then lives in uniform registers.
  llvm::CallInst *uniform(Emitter &emitter, llvm::Value *value) const override {
    return emitter.intrinsic(llvm::Intrinsic::nvvm_shfl_sync_idx_i32,
                             {emitter.i32(-1), value, emitter.i32(0), emitter.i32(31)});
  }
  llvm::Value *ctaRank(Emitter &emitter) const override {
    return emitter.intrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank, {});
  }
  llvm::Value *grid(Emitter &emitter, bool isSize, tensor::ProgramIDDim axis) const override {
    return readGrid(emitter, isSize, axis);
  }

  void barrier(Emitter &emitter, unsigned number, unsigned warps) const override {
    fenceTensorMemory(emitter, "before");
    if (number == 0)
      emitter.intrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {emitter.i32(0)});
    else if (warps == 1)
      emitter.intrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {emitter.i32(-1)});
    else
      emitter.intrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_count,
                        {emitter.i32(number), emitter.i32(32 * warps)});
    fenceTensorMemory(emitter, "after");
  }
  void clusterBarrier(Emitter &emitter) const override {
    emitter.intrinsic(llvm::Intrinsic::nvvm_barrier_cluster_arrive_aligned, {});
    emitter.intrinsic(llvm::Intrinsic::nvvm_barrier_cluster_wait_aligned, {});
  }

  llvm::Value *shuffleXor(Emitter &emitter, llvm::Value *word, unsigned mask) const override {
    return emitter.intrinsic(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32,
                             {emitter.i32(-1), word, emitter.i32(mask), emitter.i32(31)});
  }
  llvm::Value *shuffleIndex(Emitter &emitter, llvm::Value *word, llvm::Value *lane) const override {
    return emitter.intrinsic(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {emitter.i32(-1), word, lane, emitter.i32(31)});
  }
  llvm::Value *reduceWarp(Emitter &emitter, Operation *combiner, llvm::Value *value) const override {
    const llvm::Intrinsic::ID instruction = warpReduction(combiner);
    if (instruction == llvm::Intrinsic::not_intrinsic || !target.isAmpereOrNewer())
      return nullptr;
    return emitter.intrinsic(instruction, {value, emitter.i32(-1)});
  }

  std::unique_ptr<GlobalAccessor> accessGlobal(Emitter &emitter, Operation *op, tensor::CacheModifier cache,
                                               tensor::EvictionPolicy evict, bool isVolatile) const override {
    return makeGlobalAccessor(emitter, op, cache, evict, isVolatile);
  }
  llvm::StringRef ctaScope() const override { return "block"; }
  void storeSharedIf(Emitter &emitter, llvm::Value *condition, llvm::Value *value, llvm::Value *address,
                     unsigned bits) const override {
    storeIf(emitter, condition, value, address, bits);
  }
  bool storeMatrices(Emitter &emitter, const SharedPlace &place, const layout::SharedVectors &plan,
                     llvm::ArrayRef<llvm::Value *> values) const override {
    return nvidia::storeMatrices(emitter, place, plan, values);
  }
  std::optional<Registers> loadMatrices(Emitter &emitter, const SharedPlace &place, const layout::SharedVectors &plan,
                                        llvm::Type *element) const override {
    return nvidia::loadMatrices(emitter, place, plan, element);
  }
  llvm::Value *loadFromCta(Emitter &emitter, llvm::Value *address, llvm::Value *cta, unsigned bytes) const override {
    return loadRemote(emitter, address, cta, bytes);
  }

  unsigned floatAddBytes(llvm::Type *element) const override {
    const bool hasVectors = target.capability >= 90;
    if (element->isFloatTy() || element->isHalfTy())
      return hasVectors ? 16 : 4;
    if (element->isBFloatTy())
      return hasVectors ? 16 : 0;
    return element->isDoubleTy() ? 8 : 0;
  }
  Registers addFloats(Emitter &emitter, AtomicOrder order, llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> values,
                      llvm::Value *guard) const override {
    return nvidia::addFloats(emitter, order, pointer, values, guard);
  }
  llvm::Value *update(Emitter &emitter, AtomicOrder order, tensor::RMWOp kind, llvm::Value *pointer, llvm::Value *value,
                      llvm::Value *guard) const override {
    return updateAtomically(emitter, order, kind, pointer, value, guard);
  }
  llvm::Value *compareAndSwap(Emitter &emitter, AtomicOrder order, llvm::Value *pointer, llvm::Value *expected,
                              llvm::Value *desired, llvm::Value *guard) const override {
    return nvidia::compareAndSwap(emitter, order, pointer, expected, desired, guard);
  }
  llvm::Value *compareAndSwapAround(Emitter &emitter, AtomicOrder order, llvm::Value *pointer, llvm::Value *expected,
                                    llvm::Value *desired) const override {
    return nvidia::compareAndSwapAround(emitter, order, pointer, expected, desired);
  }

  llvm::Value *divide(Emitter &emitter, llvm::Value *a, llvm::Value *b) const override {
    return emitter.intrinsic(llvm::Intrinsic::nvvm_div_full, {a, b});
  }
  llvm::Value *approximate(Emitter &emitter, Operation *op, llvm::Value *x) const override {
    return approximateSingle(emitter, op, x);
  }
  /// Of libdevice.
  llvm::Value *callMath(Emitter &emitter, llvm::StringRef name,
                        llvm::ArrayRef<llvm::Value *> arguments) const override {
    llvm::Type *type = arguments[0]->getType();
    return emitter.callExternal(("__nv_" + name + (type->isFloatTy() ? "f" : "")).str(), type, arguments);
  }
  llvm::Value *toInteger(Emitter &emitter, llvm::Value *value, bool isWide, bool isSigned) const override {
    using namespace llvm::Intrinsic;
    static constexpr llvm::Intrinsic::ID table[2][2][2] = {
        {{nvvm_f2ui_rz, nvvm_f2i_rz}, {nvvm_f2ull_rz, nvvm_f2ll_rz}},
        {{nvvm_d2ui_rz, nvvm_d2i_rz}, {nvvm_d2ull_rz, nvvm_d2ll_rz}}};
    return emitter.intrinsic(table[value->getType()->isDoubleTy()][isWide][isSigned], {value});
  }
  llvm::Value *truncatePair(Emitter &emitter, llvm::Value *low, llvm::Value *high, bool isHalf) const override {
    if (!target.isAmpereOrNewer())
      return pack(emitter.builder, {truncateSingle(emitter, low, isHalf), truncateSingle(emitter, high, isHalf)});
    return emitter.intrinsic(isHalf ? llvm::Intrinsic::nvvm_ff2f16x2_rz : llvm::Intrinsic::nvvm_ff2bf16x2_rz,
                             {high, low});
  }
  llvm::Value *truncateToSingle(Emitter &emitter, llvm::Value *value) const override {
    return emitter.intrinsic(llvm::Intrinsic::nvvm_d2f_rz, {value});
  }
  bool convertsToBytes(Type type) const override {
    return target.hasFp8Conversions() && isa<Float8E5M2Type, Float8E4M3FNType>(type);
  }
  bool convertsFromBytes(Type type) const override { return target.hasFp8Conversions() && isa<Float8E4M3FNType>(type); }
  llvm::Value *toBytes(Emitter &emitter, Type type, llvm::Value *low, llvm::Value *high) const override {
    const bool isE5 = isa<Float8E5M2Type>(type);
    if (low->getType()->isHalfTy())
      return emitter.intrinsic(isE5 ? llvm::Intrinsic::nvvm_f16x2_to_e5m2x2_rn
                                    : llvm::Intrinsic::nvvm_f16x2_to_e4m3x2_rn,
                               {pack(emitter.builder, {low, high})});
    return emitter.intrinsic(isE5 ? llvm::Intrinsic::nvvm_ff_to_e5m2x2_rn : llvm::Intrinsic::nvvm_ff_to_e4m3x2_rn,
                             {high, low});
  }
  llvm::Value *fromBytes(Emitter &emitter, Type, llvm::Value *pair) const override {
    return emitter.intrinsic(llvm::Intrinsic::nvvm_e4m3x2_to_f16x2_rn, {pair});
  }

  llvm::StringRef assembly() const override { return "PTX"; }
  llvm::StringRef constraints() const override { return "b, h, r, l, f, d"; }
  llvm::Type *registerOf(Emitter &emitter, llvm::StringRef constraint) const override {
    llvm::IRBuilder<> &builder = emitter.builder;
    if (constraint.size() != 1)
      return nullptr;
    switch (constraint[0]) {
    case 'b':
      return builder.getInt1Ty();
    case 'h':
    case 'c':
      return builder.getInt16Ty();
    case 'r':
      return builder.getInt32Ty();
    case 'l':
      return builder.getInt64Ty();
    case 'f':
      return builder.getFloatTy();
    case 'd':
      return builder.getDoubleTy();
    default:
      return nullptr;
    }
  }

  Emitted emitDot(Emitter &emitter, tensor::DotOp dot) const override {
    auto mma = dyn_cast_or_null<gpu::MmaAttr>(cast<RankedTensorType>(dot.getD().getType()).getEncoding());
    if (!mma)
      return std::nullopt;
    if (mma.isWgmma())
      return dot.emitError() << "a dot by wgmma takes its operands from shared memory";
    return emitMmaDot(emitter, dot);
  }

  llvm::LogicalResult print(Emitter &emitter, Operation *, llvm::StringRef format,
                            llvm::ArrayRef<llvm::Value *> arguments) const override {
    callPrintf(emitter, format, arguments);
    return success();
  }
  void failAssert(Emitter &emitter, llvm::StringRef message, llvm::StringRef file, unsigned line,
                  llvm::StringRef function) const override {
    llvm::IRBuilder<> &builder = emitter.builder;
    llvm::Type *pointer = builder.getPtrTy();
    auto callee = emitter.module.getOrInsertFunction(
        "__assertfail", llvm::FunctionType::get(builder.getVoidTy(),
                                                {pointer, pointer, builder.getInt32Ty(), pointer, builder.getInt64Ty()},
                                                /*isVarArg=*/false));
    builder.CreateCall(callee, {stringOf(emitter, message), stringOf(emitter, file), emitter.i32(line),
                                stringOf(emitter, function), emitter.i64(1)});
  }

private:
  const gpu::Target target;
};

} // namespace

std::unique_ptr<Machine> createMachine(const gpu::Target &target) { return std::make_unique<NvidiaMachine>(target); }

} // namespace triton::nvidia
