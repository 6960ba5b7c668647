// What only gfx1250 has: barriers in shared memory, clusters, and the tensor data mover, which copies blocks that descriptors name.
#include "compiler/frontend/builtins/Pointers.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/frontend/values/Casting.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/gpu/dialect/AmdOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;
namespace amd = gpu::amd;

// Barriers.

static FailureOr<Value> readBarrier(Emitter &emitter, const Value &value, StringRef what) {
  return failed(needsAmd(emitter, what)) ? FailureOr<Value>() : gluon::readBarrier(emitter, value);
}

static FailureOr<Value> initBarrier(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0], "mbarrier.init");
  FailureOr<int64_t> count = failed(barrier) ? FailureOr<int64_t>() : readInteger(emitter, arguments[1], "count");
  if (failed(count))
    return failure();
  amd::InitBarrierOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), uint32_t(*count));
  return Value::none();
}

static FailureOr<Value> waitBarrier(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0], "mbarrier.wait");
  FailureOr<mlir::Value> phase =
      failed(barrier) ? FailureOr<mlir::Value>() : readScalar32(emitter, arguments[1], "phase");
  if (failed(phase))
    return failure();
  amd::WaitBarrierOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), *phase);
  return Value::none();
}

static FailureOr<Value> arriveBarrier(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0], "mbarrier.arrive");
  FailureOr<int64_t> count = failed(barrier) ? FailureOr<int64_t>() : readInteger(emitter, arguments[1], "count");
  if (failed(count))
    return failure();
  return Value::tensor(amd::ArriveBarrierOp::create(emitter.builder(), emitter.location(),
                                                    emitter.builder().getI32Type(), bufferOf(*barrier),
                                                    uint32_t(*count)),
                       Type::int32());
}

static FailureOr<Value> copyArrive(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0], "async_copy.mbarrier_arrive");
  if (failed(barrier))
    return failure();
  amd::AsyncCopyMbarrierArriveOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier));
  return Value::none();
}

// Clusters of gfx1250 have one CTA here, which is never ahead of itself.

static FailureOr<Value> arriveAtCluster(Emitter &emitter, const BoundArguments &) {
  return failed(needsAmd(emitter, "cluster.arrive")) ? FailureOr<Value>() : Value::none();
}

static FailureOr<Value> waitForCluster(Emitter &emitter, const BoundArguments &) {
  if (failed(needsAmd(emitter, "cluster.wait")))
    return failure();
  mlir::gpu::BarrierOp::create(emitter.builder(), emitter.location());
  return Value::none();
}

// The tensor data mover.

static FailureOr<Value> moverLoad(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0], "src");
  FailureOr<SmallVector<mlir::Value>> place = failed(descriptor)
                                                  ? FailureOr<SmallVector<mlir::Value>>()
                                                  : readCoordinates(emitter, arguments[1], **descriptor, "offsets");
  FailureOr<Value> target = failed(place) ? FailureOr<Value>() : readShared(emitter, arguments[2], "dest");
  FailureOr<mlir::Value> predicate =
      failed(target) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[3], "pred");
  if (failed(predicate))
    return failure();
  mlir::Value barrier;
  if (!arguments[4].isNone()) {
    FailureOr<Value> given = readBarrier(emitter, arguments[4], "tdm.async_load");
    if (failed(given))
      return failure();
    barrier = bufferOf(*given);
  }
  amd::AsyncTDMCopyGlobalToLocalOp::create(emitter.builder(), emitter.location(),
                                           gpu::AsyncTokenType::get(emitter.context()), (*descriptor)->ir, *place,
                                           bufferOf(*target), *predicate, barrier);
  return Value::none();
}

static FailureOr<Value> moverStore(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0], "dest");
  FailureOr<SmallVector<mlir::Value>> place = failed(descriptor)
                                                  ? FailureOr<SmallVector<mlir::Value>>()
                                                  : readCoordinates(emitter, arguments[1], **descriptor, "offsets");
  FailureOr<Value> source = failed(place) ? FailureOr<Value>() : readShared(emitter, arguments[2], "src");
  if (failed(source))
    return failure();
  amd::AsyncTDMCopyLocalToGlobalOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir, *place,
                                           bufferOf(*source));
  return Value::none();
}

static FailureOr<Value> moverWait(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needsAmd(emitter, "tdm.async_wait")))
    return failure();
  FailureOr<int64_t> pending = readInteger(emitter, arguments[0], "num_outstanding");
  if (failed(pending))
    return failure();
  amd::AsyncTDMWaitOp::create(emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()),
                              ValueRange(), uint32_t(*pending));
  return Value::none();
}

static FailureOr<Value> makeDescriptor(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needsAmd(emitter, "tdm.make_tensor_descriptor")))
    return failure();
  FailureOr<Value> base = readPointer(emitter, arguments[0], "make_tensor_descriptor");
  FailureOr<std::vector<Value>> shape = readSequence(emitter, arguments[1], "shape"),
                                strides = readSequence(emitter, arguments[2], "strides");
  FailureOr<std::vector<int64_t>> block = readIntegers(emitter, arguments[3], "block_shape");
  FailureOr<Attribute> layout = readLayout(emitter, arguments[4]);
  if (failed(base) || failed(shape) || failed(strides) || failed(block) || failed(layout))
    return failure();
  const size_t rank = shape->size();
  if (rank < 1 || rank > 5 || strides->size() != rank || block->size() != rank)
    return emitter.error("ValueError") << "shape, strides and block_shape must have one length from 1 to 5, got "
                                       << rank << ", " << strides->size() << " and " << block->size();
  auto swizzled = dyn_cast<gpu::SwizzledSharedAttr>(*layout);
  if (!isa<gpu::PaddedSharedAttr>(*layout) && !(swizzled && swizzled.getMaxPhase() == 1))
    return emitter.error("AssertionError")
           << "Expected layout to be a PaddedSharedLayout or a SwizzledSharedLayout without swizzle, got "
           << arguments[4].str();
  if (std::optional<Integer> last = asInteger(strides->back()); !last || *last != 1)
    return emitter.error("ValueError") << "the last stride must be the constant 1, got " << strides->back().str();
  SmallVector<mlir::Value> shapeIr, stridesIr;
  for (auto [values, ir, type] :
       {std::tuple(&*shape, &shapeIr, Type::int32()), std::tuple(&*strides, &stridesIr, Type::int64())})
    for (Value &value : *values) {
      FailureOr<Value> converted =
          asInteger(value) ? constantOf(emitter, value, type) : frontend::cast(emitter, value, type);
      if (failed(converted))
        return failure();
      value = *converted;
      ir->push_back(irOf(value));
    }
  const Type element = memoryForm(base->type().pointee());
  const Type type = Type::descriptor(Type::block(element, *block, *layout), std::vector<Type>(rank, Type::int32()),
                                     std::vector<Type>(rank, Type::int64()));
  mlir::Value ir = tensor::MakeTensorDescOp::create(emitter.builder(), emitter.location(), type.toIr(emitter.context()),
                                                    irOf(*base), shapeIr, stridesIr, tensor::PaddingOption::Zero);
  return Value(Value::Storage(std::make_shared<const DescriptorValue>(DescriptorValue{ir, type, *shape, *strides})));
}

#define GFX1250 "triton.experimental.gluon.language.amd.gfx1250."

llvm::ArrayRef<Builtin> gfx1250Builtins() {
  static const Builtin table[] = {
      {GFX1250 "async_copy", "mbarrier_arrive", "(mbarrier)", "Arrives once copies begun before are complete.",
       copyArrive},
      {GFX1250 "cluster", "arrive", "()", "Tells the other CTAs of the cluster that this one has come here.",
       arriveAtCluster},
      {GFX1250 "cluster", "wait", "()", "Waits until all CTAs of the cluster have arrived.", waitForCluster},
      {GFX1250 "tdm", "make_tensor_descriptor", "(base, shape, strides, block_shape, layout)",
       "Describes a matrix in memory.", makeDescriptor},
      {GFX1250 "tdm", "async_load", "(src, offsets, dest, pred=True, mbarrier=None)", "Copies a block into a buffer.",
       moverLoad},
      {GFX1250 "tdm", "async_store", "(dest, offsets, src)", "Copies a buffer to a block.", moverStore},
      {GFX1250 "tdm", "async_wait", "(num_outstanding=0)",
       "Waits until at most that many of the newest copies are running.", moverWait},
      {GFX1250 "mbarrier", "init", "(mbarrier, count)", "Makes a barrier of `count` arrivals per phase.", initBarrier},
      {GFX1250 "mbarrier", "wait", "(mbarrier, phase)", "Waits until the phase of parity `phase` is complete.",
       waitBarrier},
      {GFX1250 "mbarrier", "arrive", "(mbarrier, *, count=1)", "Arrives, and gives the parity of the phase before.",
       arriveBarrier},
  };
  return table;
}

} // namespace triton::gluon
