// What runs beside the threads: barriers, copies by threads that do not wait, fences between the two ways to shared memory.
#include "compiler/frontend/builtins/Pointers.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/tensor/rules/Rules.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;

LogicalResult needs(Emitter &emitter, int capability, StringRef what) {
  if (emitter.options().backend == "hip")
    return emitter.error("ValueError") << what << " is for NVIDIA GPUs, this is hip";
  if (emitter.options().capability >= capability)
    return success();
  return emitter.error("ValueError") << what << " needs sm_" << capability << " or newer, this is sm_"
                                     << emitter.options().capability;
}

LogicalResult needsAmd(Emitter &emitter, StringRef what) {
  if (emitter.options().backend == "hip")
    return success();
  return emitter.error("ValueError") << what << " is for AMD GPUs, this is " << emitter.options().backend << ":"
                                     << emitter.options().capability;
}

// mbarriers.

FailureOr<Value> readBarrier(Emitter &emitter, const Value &value) {
  FailureOr<Value> barrier = readShared(emitter, value, "mbarrier");
  if (failed(barrier))
    return failure();
  gpu::MemDescType type = bufferTypeOf(*barrier);
  // One for each CTA of a cluster.
  const bool isOne = type.getRank() == 1 && gpu::toLinear(type).inputSize("offset") == 1;
  if (!isOne || !type.getElementType().isInteger(64))
    return emitter.error("ValueError") << "barrier allocation must be a descriptor of 1xi64 type, got "
                                       << barrier->type().str();
  return barrier;
}

/// The same for NVIDIA's instructions; `what` is the function that needs it.
static FailureOr<Value> readMbarrier(Emitter &emitter, const Value &value, StringRef what) {
  return failed(needs(emitter, 80, what)) ? FailureOr<Value>() : readBarrier(emitter, value);
}

static FailureOr<Value> init(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readMbarrier(emitter, arguments[0], "mbarrier.init");
  FailureOr<int64_t> count = failed(barrier) ? FailureOr<int64_t>() : readInteger(emitter, arguments[1], "count");
  if (failed(count))
    return failure();
  if (*count < 1)
    return emitter.error("ValueError") << "a barrier needs a count of at least 1, got " << *count;
  gpu::InitBarrierOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), *count);
  return Value::none();
}

static FailureOr<Value> invalidate(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readMbarrier(emitter, arguments[0], "mbarrier.invalidate");
  if (failed(barrier))
    return failure();
  gpu::InvalBarrierOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier));
  return Value::none();
}

static FailureOr<Value> expect(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 90, "mbarrier.expect")))
    return failure();
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0]);
  const Value &given = arguments[1].isNone() ? arguments[3] : arguments[1];
  FailureOr<int64_t> bytes = failed(barrier) ? FailureOr<int64_t>() : readInteger(emitter, given, "bytes_per_cta");
  FailureOr<mlir::Value> predicate =
      failed(bytes) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[2], "pred");
  if (failed(predicate))
    return failure();
  gpu::BarrierExpectOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), *bytes, *predicate);
  return Value::none();
}

static FailureOr<Value> arriveAt(Emitter &emitter, const Value &value, int64_t count, const Value &predicateValue) {
  FailureOr<Value> barrier = readMbarrier(emitter, value, "mbarrier.arrive");
  if (failed(barrier))
    return failure();
  if (count < 1)
    return emitter.error("ValueError") << "arrive needs a count of at least 1, got " << count;
  FailureOr<mlir::Value> predicate = readPredicate(emitter, predicateValue, "pred");
  if (failed(predicate))
    return failure();
  gpu::ArriveBarrierOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), count, *predicate,
                               /*perWarpGroup=*/false);
  return Value::none();
}

static FailureOr<Value> arrive(Emitter &emitter, const BoundArguments &arguments) {
  return arriveAt(emitter, arguments[0], 1, arguments[1]);
}

static FailureOr<Value> arriveCounted(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> count = readInteger(emitter, arguments[1], "count");
  return failed(count) ? FailureOr<Value>() : arriveAt(emitter, arguments[0], *count, arguments[2]);
}

static FailureOr<Value> wait(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readMbarrier(emitter, arguments[0], "mbarrier.wait");
  FailureOr<mlir::Value> phase =
      failed(barrier) ? FailureOr<mlir::Value>() : readScalar32(emitter, arguments[1], "phase");
  FailureOr<mlir::Value> predicate =
      failed(phase) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[2], "pred");
  FailureOr<std::vector<Value>> buffers =
      failed(predicate) ? FailureOr<std::vector<Value>>() : readSequence(emitter, arguments[3], "deps");
  if (failed(buffers))
    return failure();
  SmallVector<mlir::Value> deps;
  for (const Value &buffer : *buffers) {
    FailureOr<Value> dep = readShared(emitter, buffer, "deps");
    if (failed(dep))
      return failure();
    deps.push_back(bufferOf(*dep));
  }
  gpu::WaitBarrierOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), *phase, *predicate, deps);
  return Value::none();
}

// Cluster launch control: programs that take over others which have not begun.

static constexpr llvm::StringLiteral answerClass = "triton.experimental.gluon.language.nvidia.blackwell.clc.clc_result";

static FailureOr<Value> tryCancel(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 100, "clc.try_cancel")))
    return failure();
  FailureOr<Value> result = readShared(emitter, arguments[0], "result");
  FailureOr<Value> barrier = failed(result) ? result : readBarrier(emitter, arguments[1]);
  if (failed(barrier))
    return failure();
  gpu::CLCTryCancelOp::create(emitter.builder(), emitter.location(), bufferOf(*result), bufferOf(*barrier));
  return Value::none();
}

static FailureOr<Value> loadAnswer(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> source = readShared(emitter, arguments[0], "src");
  if (failed(source))
    return failure();
  mlir::Type type = emitter.builder().getIntegerType(128);
  auto op = gpu::CLCLoadResultOp::create(emitter.builder(), emitter.location(), type, bufferOf(*source));
  return Value::handle(op, Type::handle(answerClass.str(), Type::int64(), {}, {}, type));
}

static FailureOr<Value> isCanceled(Emitter &emitter, const BoundArguments &arguments) {
  return Value::tensor(gpu::CLCIsCanceledOp::create(emitter.builder(), emitter.location(),
                                                    emitter.builder().getI1Type(), bufferOf(arguments[0])),
                       Type::int1());
}

static FailureOr<Value> canceledProgram(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> dim = readInteger(emitter, arguments[1], "dim");
  if (failed(dim))
    return failure();
  if (*dim < 0 || *dim > 2)
    return emitter.error("ValueError") << "program_id axis must be 0, 1, or 2 but got " << *dim;
  return Value::tensor(gpu::CLCGetProgramIdOp::create(emitter.builder(), emitter.location(),
                                                      emitter.builder().getI32Type(), bufferOf(arguments[0]),
                                                      static_cast<tensor::ProgramIDDim>(*dim)),
                       Type::int32());
}

// Copies by threads.

/// The policy of a copy, in place of a modifier and a priority. Copies pass by the first cache or through it, and say no more to it.
static FailureOr<DictionaryAttr> readCopyPolicy(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<DictionaryAttr> policy = readCachePolicy(emitter, arguments[6]);
  if (failed(policy) || !*policy)
    return policy;
  if (arguments.isGiven(3) || arguments.isGiven(4))
    return emitter.error("ValueError") << "cache_policy excludes cache_modifier and eviction_policy";
  if (policy->get("l1"))
    return emitter.error("ValueError") << "asynchronous copies take no L1 eviction priority";
  return policy;
}

static FailureOr<Value> copyToShared(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 80, "async_copy_global_to_shared")))
    return failure();
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "smem");
  FailureOr<Value> pointer =
      failed(buffer) ? FailureOr<Value>() : readPointer(emitter, arguments[1], "async_copy_global_to_shared");
  FailureOr<std::optional<Value>> mask =
      failed(pointer) ? FailureOr<std::optional<Value>>() : readMask(emitter, arguments[2]);
  if (failed(mask))
    return failure();
  const Type target = buffer->type();
  std::vector<Value> operands = {*pointer};
  if (*mask)
    operands.push_back(**mask);
  FailureOr<std::vector<Value>> all = broadcastTogether(emitter, operands);
  if (failed(all))
    return failure();
  const Type pointers = (*all)[0].type();
  if (pointers.shape() != target.shape())
    return emitter.error("ValueError") << "async_copy_global_to_shared: the buffer's shape ["
                                       << llvm::interleaved(target.shape()) << "] and the pointers' shape ["
                                       << llvm::interleaved(pointers.shape()) << "] must match";
  if (!(pointers.pointee() == target.element()))
    return emitter.error("ValueError") << "async_copy_global_to_shared: the buffer holds " << target.element().str()
                                       << ", the pointers point to " << pointers.pointee().str();
  FailureOr<DictionaryAttr> policy = readCopyPolicy(emitter, arguments);
  if (failed(policy))
    return failure();
  auto said = [&](StringRef field, StringRef nothing, StringRef prefix, const Value &otherwise) {
    auto text = *policy ? policy->getAs<StringAttr>(field) : StringAttr();
    return text && text.getValue() != nothing ? Value::string((prefix + text.getValue()).str()) : otherwise;
  };
  using tensor::CacheModifier, tensor::EvictionPolicy;
  FailureOr<CacheModifier> cache =
      readChoice<CacheModifier>(emitter, said("cache_modifier", "none", ".", arguments[3]), "cache_modifier",
                                {{"", CacheModifier::None}, {".ca", CacheModifier::CA}, {".cg", CacheModifier::CG}});
  FailureOr<EvictionPolicy> eviction =
      failed(cache) ? FailureOr<EvictionPolicy>()
                    : readEviction(emitter, said("eviction_policy", "evict_normal", "", arguments[4]));
  FailureOr<bool> isVolatile = failed(eviction) ? FailureOr<bool>() : readBoolean(emitter, arguments[5], "volatile");
  if (failed(isVolatile))
    return failure();
  auto copy = gpu::AsyncCopyGlobalToLocalOp::create(
      emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()), irOf((*all)[0]),
      bufferOf(*buffer), *mask ? irOf((*all)[1]) : mlir::Value(), mlir::Value(), *cache, *eviction, *isVolatile);
  if (*policy)
    copy->setAttr(gpu::cachePolicyName, *policy);
  return Value::none();
}

FailureOr<Value> commitCopies(Emitter &emitter) {
  gpu::AsyncCommitGroupOp::create(emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()),
                                  ValueRange());
  return Value::none();
}

FailureOr<Value> waitForCopies(Emitter &emitter, const Value &value) {
  FailureOr<int64_t> pending = readInteger(emitter, value, "num_outstanding");
  if (failed(pending))
    return failure();
  gpu::AsyncWaitOp::create(emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()),
                           ValueRange(), *pending);
  return Value::none();
}

static FailureOr<Value> commitGroup(Emitter &emitter, const BoundArguments &) {
  return failed(needs(emitter, 80, "async_copy.commit_group")) ? FailureOr<Value>() : commitCopies(emitter);
}

static FailureOr<Value> waitGroup(Emitter &emitter, const BoundArguments &arguments) {
  return failed(needs(emitter, 80, "async_copy.wait_group")) ? FailureOr<Value>()
                                                             : waitForCopies(emitter, arguments[0]);
}

static FailureOr<Value> copyArrive(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readMbarrier(emitter, arguments[0], "async_copy.mbarrier_arrive");
  FailureOr<bool> increments =
      failed(barrier) ? FailureOr<bool>() : readBoolean(emitter, arguments[1], "increment_count");
  if (failed(increments))
    return failure();
  gpu::AsyncCopyMbarrierArriveOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), !*increments);
  return Value::none();
}

static FailureOr<Value> fence(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needs(emitter, 90, "fence_async_shared")))
    return failure();
  FailureOr<bool> cluster = readBoolean(emitter, arguments[0], "cluster");
  if (failed(cluster))
    return failure();
  gpu::FenceAsyncSharedOp::create(emitter.builder(), emitter.location(), *cluster);
  return Value::none();
}

#define NVIDIA "triton.experimental.gluon.language.nvidia."

llvm::ArrayRef<Builtin> asyncBuiltins() {
  static const Builtin table[] = {
      {NVIDIA "ampere.mbarrier", "init", "(mbarrier, count)", "Makes a barrier of `count` arrivals per phase.", init},
      {NVIDIA "ampere.mbarrier", "invalidate", "(mbarrier)", "Ends a barrier, so that its memory can be reused.",
       invalidate},
      {NVIDIA "ampere.mbarrier", "arrive", "(mbarrier, *, pred=True)", "Arrives once at a barrier.", arrive},
      {NVIDIA "ampere.mbarrier", "wait", "(mbarrier, phase, pred=True, deps=())",
       "Waits until the phase of parity `phase` is complete; `deps` live until then.", wait},
      {NVIDIA "hopper.mbarrier", "expect", "(mbarrier, bytes_per_cta=None, pred=True, *, bytes=None)",
       "Arrives once, and lets the phase wait for so many bytes of copies that name the barrier. `bytes` is the old "
       "name.",
       expect},
      {NVIDIA "hopper.mbarrier", "arrive", "(mbarrier, *, count=1, pred=True)", "Arrives `count` times.",
       arriveCounted},
      {NVIDIA "ampere.async_copy", "async_copy_global_to_shared",
       "(smem, pointer, mask=None, cache_modifier=\"\", eviction_policy=\"\", volatile=False, cache_policy=None)",
       "Copies from global to shared memory without registers, and does not wait. Where `mask` is false zeros are "
       "written.",
       copyToShared},
      {NVIDIA "ampere.async_copy", "async_load",
       "(smem, pointer, mask=None, cache_modifier=\"\", eviction_policy=\"\", volatile=False, cache_policy=None)",
       "The same as `async_copy_global_to_shared`, which is its old name.", copyToShared},
      {NVIDIA "ampere.async_copy", "commit_group", "()", "Closes the group of copies begun since the last one.",
       commitGroup},
      {NVIDIA "ampere.async_copy", "wait_group", "(num_outstanding=0)",
       "Waits until at most that many of the newest groups are still copying.", waitGroup},
      {NVIDIA "ampere.async_copy", "mbarrier_arrive", "(mbarrier, increment_count=True)",
       "Every thread arrives once its copies begun before are complete.", copyArrive},
      {NVIDIA "blackwell.clc", "try_cancel", "(result, barrier)",
       "Asks for a program that has not begun. The answer is written to `result`, two int64; its 16 bytes count "
       "towards "
       "the barrier's phase.",
       tryCancel},
      {NVIDIA "blackwell.clc", "load_result", "(src)", "The answer to `try_cancel`.", loadAnswer},
      {NVIDIA "blackwell.clc.clc_result", "is_canceled", "(self)",
       "Whether there was a program left, which this one is to run in its place.", isCanceled},
      {NVIDIA "blackwell.clc.clc_result", "program_id", "(self, dim)", "Which program that is.", canceledProgram},
      {NVIDIA "hopper", "fence_async_shared", "(cluster=False)",
       "What was written to shared memory before is seen by asynchronous readers after.", fence},
  };
  return table;
}

} // namespace triton::gluon
