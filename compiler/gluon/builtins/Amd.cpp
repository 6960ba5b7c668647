// What AMD's hardware adds: accesses by a base and offsets, products of matrix cores, copies into shared memory, barriers, the tensor data mover.
#include "compiler/frontend/builtins/Pointers.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/frontend/values/Casting.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/gpu/dialect/AmdOps.h"
#include "compiler/tensor/rules/Rules.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Type;
using frontend::Value;
namespace amd = gpu::amd;

static LogicalResult needsAmd(Emitter &emitter, StringRef what) {
  if (emitter.options().backend == "hip")
    return success();
  return emitter.error("ValueError") << what << " is for AMD GPUs, this is " << emitter.options().backend << ":"
                                     << emitter.options().capability;
}

// Accesses by a base and offsets.

static FailureOr<tensor::CacheModifier> readCache(Emitter &emitter, const Value &value) {
  FailureOr<std::string> name =
      value.isNone() ? FailureOr<std::string>(std::string()) : readString(emitter, value, "cache_modifier");
  if (failed(name))
    return failure();
  if (name->empty())
    return tensor::CacheModifier::None;
  std::optional<tensor::CacheModifier> modifier = tensor::symbolizeCacheModifier(StringRef(*name).ltrim('.'));
  if (!modifier)
    return emitter.error("ValueError") << "cache modifier \"" << *name << "\" not supported";
  return *modifier;
}

namespace {
/// A base, offsets from it, and what depends on their shape.
struct BufferAccess {
  Value base, offsets;
  Type element;

  /// The type of the elements accessed.
  Type type() const { return offsets.type().withElement(element); }
};
} // namespace

static FailureOr<BufferAccess> readAccess(Emitter &emitter, const Value &pointer, const Value &offsetValue,
                                          StringRef what) {
  if (failed(needsAmd(emitter, what)))
    return failure();
  FailureOr<Value> base = readPointer(emitter, pointer, what);
  FailureOr<Value> offsets = failed(base) ? base : readBlock(emitter, offsetValue, "offsets");
  if (failed(offsets))
    return failure();
  if (base->type().isBlock())
    return emitter.error("ValueError") << what << " takes one pointer and offsets, got " << base->type().str();
  if (!(offsets->type().element() == Type::int32()) && !(offsets->type().element() == Type::scalar(ScalarKind::UInt32)))
    return emitter.error("ValueError") << "offsets must be int32 or uint32, got " << offsets->type().str();
  return BufferAccess{*base, *offsets, base->type().pointee()};
}

/// A mask in the shape of the offsets; null for None.
static FailureOr<mlir::Value> readMaskOf(Emitter &emitter, const Value &value, const Type &like) {
  if (value.isNone())
    return mlir::Value();
  FailureOr<Value> mask = toTensor(emitter, value);
  if (succeeded(mask) && !mask->type().element().isBool())
    mask = toBoolean(emitter, *mask);
  if (succeeded(mask))
    mask = broadcastTo(emitter, *mask, like.shape(), like.layout());
  return failed(mask) ? FailureOr<mlir::Value>() : FailureOr<mlir::Value>(irOf(*mask));
}

/// Elements in place of those that are masked off; null for None.
static FailureOr<mlir::Value> readOther(Emitter &emitter, const Value &value, const Type &like) {
  if (value.isNone())
    return mlir::Value();
  FailureOr<Value> other = toTensor(emitter, value);
  if (succeeded(other))
    other = frontend::cast(emitter, *other, like.element());
  if (succeeded(other))
    other = broadcastTo(emitter, *other, like.shape(), like.layout());
  return failed(other) ? FailureOr<mlir::Value>() : FailureOr<mlir::Value>(irOf(*other));
}

static FailureOr<Value> bufferLoad(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<BufferAccess> access = readAccess(emitter, arguments[0], arguments[1], "buffer_load");
  FailureOr<mlir::Value> mask =
      failed(access) ? FailureOr<mlir::Value>() : readMaskOf(emitter, arguments[2], access->type());
  FailureOr<mlir::Value> other = failed(mask) ? mask : readOther(emitter, arguments[3], access->type());
  FailureOr<tensor::CacheModifier> cache =
      failed(other) ? FailureOr<tensor::CacheModifier>() : readCache(emitter, arguments[4]);
  if (failed(cache))
    return failure();
  const Type type = access->type();
  return Value::tensor(amd::BufferLoadOp::create(emitter.builder(), emitter.location(), type.toIr(emitter.context()),
                                                 irOf(access->base), irOf(access->offsets), *mask, *other, *cache),
                       type);
}

static FailureOr<Value> bufferStore(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<BufferAccess> access = readAccess(emitter, arguments[1], arguments[2], "buffer_store");
  FailureOr<Value> value = failed(access) ? FailureOr<Value>() : readBlock(emitter, arguments[0], "stored_value");
  FailureOr<mlir::Value> mask =
      failed(value) ? FailureOr<mlir::Value>() : readMaskOf(emitter, arguments[3], access->type());
  FailureOr<tensor::CacheModifier> cache =
      failed(mask) ? FailureOr<tensor::CacheModifier>() : readCache(emitter, arguments[4]);
  if (failed(cache))
    return failure();
  if (!(value->type() == access->type()))
    return emitter.error("ValueError") << "stores " << access->type().str() << ", got " << value->type().str();
  amd::BufferStoreOp::create(emitter.builder(), emitter.location(), irOf(*value), irOf(access->base),
                             irOf(access->offsets), *mask, *cache);
  return Value::none();
}

template <tensor::RMWOp operation>
static FailureOr<Value> bufferUpdate(Emitter &emitter, const BoundArguments &arguments) {
  using tensor::RMWOp;
  FailureOr<BufferAccess> access = readAccess(emitter, arguments[0], arguments[1], "buffer_atomic");
  if (failed(access))
    return failure();
  const Type type = access->type();
  FailureOr<Value> value = arguments[2].isNumber() ? constantOf(emitter, arguments[2], type)
                                                   : frontend::cast(emitter, arguments[2], access->element);
  if (succeeded(value))
    value = broadcastTo(emitter, *value, type.shape(), type.layout());
  FailureOr<mlir::Value> mask = failed(value) ? FailureOr<mlir::Value>() : readMaskOf(emitter, arguments[3], type);
  if (failed(mask))
    return failure();
  auto named = [&](const Value &given, StringRef usual, StringRef what) {
    return given.isNone() ? FailureOr<std::string>(usual.str()) : readString(emitter, given, what);
  };
  FailureOr<std::string> order = named(arguments[4], "acq_rel", "sem"), span = named(arguments[5], "gpu", "scope");
  if (failed(order) || failed(span))
    return failure();
  std::optional<tensor::MemSemantic> semantic = tensor::symbolizeMemSemantic(*order);
  std::optional<tensor::MemSyncScope> scope = tensor::symbolizeMemSyncScope(*span);
  if (!semantic || !scope)
    return emitter.error("ValueError") << "memory semantic \"" << *order << "\" in scope \"" << *span
                                       << "\" not supported";
  RMWOp kind = operation;
  if (kind == RMWOp::Add && access->element.isFloating())
    kind = RMWOp::FAdd;
  if (access->element.isInteger() && !access->element.isSigned() && (kind == RMWOp::Max || kind == RMWOp::Min))
    kind = kind == RMWOp::Max ? RMWOp::UMax : RMWOp::UMin;
  return Value::tensor(amd::BufferAtomicRMWOp::create(emitter.builder(), emitter.location(),
                                                      type.toIr(emitter.context()), kind, *semantic, *scope,
                                                      irOf(*value), irOf(access->base), irOf(access->offsets), *mask),
                       type);
}

// Copies into shared memory.

static FailureOr<Value> copyToShared(Emitter &emitter, const BoundArguments &arguments) {
  if (failed(needsAmd(emitter, "copies into shared memory")))
    return failure();
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "dest");
  FailureOr<Value> pointers = failed(buffer) ? buffer : readPointer(emitter, arguments[1], "async_copy");
  if (failed(pointers))
    return failure();
  const Type target = buffer->type(), source = pointers->type();
  if (source.shape() != target.shape() || !(source.pointee() == target.element()))
    return emitter.error("ValueError") << "a copy moves as many elements of one type: the buffer is " << target.str()
                                       << ", the pointers are " << source.str();
  const Type moved = Type::block(source.pointee(), source.shape(), source.layout());
  FailureOr<mlir::Value> mask = readMaskOf(emitter, arguments[2], moved);
  FailureOr<mlir::Value> other = failed(mask) ? mask : readOther(emitter, arguments[3], moved);
  FailureOr<tensor::CacheModifier> cache =
      failed(other) ? FailureOr<tensor::CacheModifier>() : readCache(emitter, arguments[4]);
  if (failed(cache))
    return failure();
  gpu::AsyncCopyGlobalToLocalOp::create(emitter.builder(), emitter.location(),
                                        gpu::AsyncTokenType::get(emitter.context()), irOf(*pointers), bufferOf(*buffer),
                                        *mask, *other, *cache, tensor::EvictionPolicy::Normal,
                                        /*isVolatile=*/false);
  return Value::none();
}

static FailureOr<Value> bufferToShared(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "dest");
  FailureOr<BufferAccess> access = failed(buffer)
                                       ? FailureOr<BufferAccess>()
                                       : readAccess(emitter, arguments[1], arguments[2], "buffer_load_to_shared");
  FailureOr<mlir::Value> mask =
      failed(access) ? FailureOr<mlir::Value>() : readMaskOf(emitter, arguments[3], access->type());
  FailureOr<mlir::Value> other = failed(mask) ? mask : readOther(emitter, arguments[4], access->type());
  FailureOr<tensor::CacheModifier> cache =
      failed(other) ? FailureOr<tensor::CacheModifier>() : readCache(emitter, arguments[5]);
  if (failed(cache))
    return failure();
  amd::BufferLoadToLocalOp::create(emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()),
                                   bufferOf(*buffer), irOf(access->base), irOf(access->offsets), *mask, *other, *cache);
  return Value::none();
}

static FailureOr<Value> commitGroup(Emitter &emitter, const BoundArguments &) {
  gpu::AsyncCommitGroupOp::create(emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()),
                                  ValueRange());
  return Value::none();
}

static FailureOr<Value> waitGroup(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> pending = readInteger(emitter, arguments[0], "num_outstanding");
  if (failed(pending))
    return failure();
  gpu::AsyncWaitOp::create(emitter.builder(), emitter.location(), gpu::AsyncTokenType::get(emitter.context()),
                           ValueRange(), *pending);
  return Value::none();
}

static FailureOr<Value> loadRelaxed(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> buffer = readShared(emitter, arguments[0], "smem");
  if (failed(buffer))
    return failure();
  const Type type = buffer->type();
  FailureOr<Attribute> layout = readTensorLayout(emitter, arguments[1], type.shape());
  if (failed(layout))
    return failure();
  const Type result = Type::block(type.element(), type.shape(), *layout);
  auto op = gpu::LocalLoadOp::create(emitter.builder(), emitter.location(), result.toIr(emitter.context()),
                                     bufferOf(*buffer));
  op->setAttr("ttg.amdg.syncedViaAsyncWait", emitter.builder().getBoolAttr(true));
  return Value::tensor(op, result);
}

// Barriers.

static FailureOr<Value> initBarrier(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0]);
  FailureOr<int64_t> count = failed(barrier) ? FailureOr<int64_t>() : readInteger(emitter, arguments[1], "count");
  if (failed(count))
    return failure();
  amd::InitBarrierOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), uint32_t(*count));
  return Value::none();
}

static FailureOr<Value> waitBarrier(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0]);
  FailureOr<mlir::Value> phase =
      failed(barrier) ? FailureOr<mlir::Value>() : readScalar32(emitter, arguments[1], "phase");
  if (failed(phase))
    return failure();
  amd::WaitBarrierOp::create(emitter.builder(), emitter.location(), bufferOf(*barrier), *phase);
  return Value::none();
}

static FailureOr<Value> arriveBarrier(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0]);
  FailureOr<int64_t> count = failed(barrier) ? FailureOr<int64_t>() : readInteger(emitter, arguments[1], "count");
  if (failed(count))
    return failure();
  return Value::tensor(amd::ArriveBarrierOp::create(emitter.builder(), emitter.location(),
                                                    emitter.builder().getI32Type(), bufferOf(*barrier),
                                                    uint32_t(*count)),
                       Type::int32());
}

static FailureOr<Value> copyArrive(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> barrier = readBarrier(emitter, arguments[0]);
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

static FailureOr<const DescriptorValue *> readDescriptor(Emitter &emitter, const Value &value) {
  if (const DescriptorValue *descriptor = value.descriptor())
    return descriptor;
  return emitter.error("TypeError") << "a tensor descriptor is needed, got " << value.str();
}

static FailureOr<SmallVector<mlir::Value>> readPlace(Emitter &emitter, const Value &value) {
  FailureOr<std::vector<Value>> given = readSequence(emitter, value, "offsets");
  if (failed(given))
    return failure();
  SmallVector<mlir::Value> place;
  for (const Value &offset : *given) {
    FailureOr<mlir::Value> scalar = readScalar32(emitter, offset, "offsets");
    if (failed(scalar))
      return failure();
    place.push_back(*scalar);
  }
  return place;
}

static FailureOr<Value> moverLoad(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0]);
  FailureOr<SmallVector<mlir::Value>> place =
      failed(descriptor) ? FailureOr<SmallVector<mlir::Value>>() : readPlace(emitter, arguments[1]);
  FailureOr<Value> target = failed(place) ? FailureOr<Value>() : readShared(emitter, arguments[2], "dest");
  FailureOr<mlir::Value> predicate =
      failed(target) ? FailureOr<mlir::Value>() : readPredicate(emitter, arguments[3], "pred");
  if (failed(predicate))
    return failure();
  mlir::Value barrier;
  if (!arguments[4].isNone()) {
    FailureOr<Value> given = readBarrier(emitter, arguments[4]);
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
  FailureOr<const DescriptorValue *> descriptor = readDescriptor(emitter, arguments[0]);
  FailureOr<SmallVector<mlir::Value>> place =
      failed(descriptor) ? FailureOr<SmallVector<mlir::Value>>() : readPlace(emitter, arguments[1]);
  FailureOr<Value> source = failed(place) ? FailureOr<Value>() : readShared(emitter, arguments[2], "src");
  if (failed(source))
    return failure();
  amd::AsyncTDMCopyLocalToGlobalOp::create(emitter.builder(), emitter.location(), (*descriptor)->ir, *place,
                                           bufferOf(*source));
  return Value::none();
}

static FailureOr<Value> moverWait(Emitter &emitter, const BoundArguments &arguments) {
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

// Products.

/// An operand in registers, laid out for an accumulator of the same kind.
static FailureOr<Value> readOperand(Emitter &emitter, const Value &value, unsigned index) {
  const char *name = index == 0 ? "a" : "b";
  FailureOr<Value> block = readBlock(emitter, value, name);
  if (failed(block))
    return failure();
  auto operand = dyn_cast_or_null<gpu::DotOperandAttr>(block->type().layout());
  if (!operand || operand.getOpIdx() != index || !isa<gpu::MfmaAttr, gpu::WmmaAttr>(operand.getParent()))
    return emitter.error("AssertionError") << name << " must be in DotOperandLayout(" << index
                                           << ", layout of matrix cores, ...), got " << block->type().str();
  return block;
}

template <typename LayoutT> static FailureOr<Value> readSum(Emitter &emitter, const Value &value, StringRef what) {
  FailureOr<Value> sum = failed(needsAmd(emitter, what)) ? FailureOr<Value>() : readBlock(emitter, value, "acc");
  if (succeeded(sum) && !isa_and_nonnull<LayoutT>(sum->type().layout()))
    return emitter.error("AssertionError") << "acc of " << what << " has another layout: " << sum->type().str();
  return sum;
}

template <typename LayoutT> static FailureOr<Value> multiply(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> sum =
      readSum<LayoutT>(emitter, arguments[2], std::is_same_v<LayoutT, gpu::MfmaAttr> ? "mfma" : "wmma");
  FailureOr<Value> a = failed(sum) ? sum : readOperand(emitter, arguments[0], 0);
  FailureOr<Value> b = failed(a) ? a : readOperand(emitter, arguments[1], 1);
  if (failed(b))
    return failure();
  const Type type = sum->type();
  FailureOr<RankedTensorType> product =
      tensor::inferDot(irTypeOf(*a), irTypeOf(*b), type.element().toIr(emitter.context()), ruleErrors(emitter));
  if (failed(product))
    return failure();
  if (product->getShape() != type.shape())
    return emitter.error("ValueError") << "acc has shape " << type.str() << ", but a and b make another";
  zeroOf(emitter, type.element()); // where there is no accumulator, sums begin with it
  return Value::tensor(tensor::DotOp::create(emitter.builder(), emitter.location(), irOf(*sum).getType(), irOf(*a),
                                             irOf(*b), irOf(*sum), tensor::InputPrecision::IEEE, 0u),
                       type);
}

/// Where the scales of an operand lie: one for every 32 elements along K. Lanes go down the rows of a tile, then along K; registers take what is left of
/// K, then more tiles of the warp; warps that differ along the other operand hold copies.
static FailureOr<gpu::LinearAttr> scaleLayout(Emitter &emitter, gpu::DotOperandAttr operand, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> registers, lanes, warps;
  int64_t reached[2] = {1, 1};
  // A step along `dim`; nothing moves where the shape ends.
  auto step = [&](SmallVectorImpl<int64_t> &bases, unsigned dim, bool isRegister = false) {
    const bool moves = reached[dim] < shape[dim];
    if (moves || !isRegister) {
      bases.push_back(dim == 0 && moves ? reached[0] : 0);
      bases.push_back(dim == 1 && moves ? reached[1] : 0);
    }
    reached[dim] *= 2;
  };
  const unsigned own = operand.getOpIdx();
  int64_t tiles = 1;
  SmallVector<int64_t> perCta;
  if (auto mfma = dyn_cast<gpu::MfmaAttr>(operand.getParent())) {
    const int64_t rows = mfma.getInstrShape()[own];
    for (int64_t lane = 1; lane < 64; lane *= 2)
      step(lanes, lane < rows ? 0 : 1);
    perCta.assign(mfma.getWarpsPerCTA().begin(), mfma.getWarpsPerCTA().end());
    tiles = mfma.getTilesPerWarp().empty() ? 1 : mfma.getTilesPerWarp()[own];
  } else if (auto wmma = dyn_cast<gpu::WmmaAttr>(operand.getParent())) {
    perCta.assign(2, 1);
    for (auto [bases, sizes] :
         {std::pair(wmma.getRegisters(), (int64_t *)nullptr), std::pair(wmma.getWarps(), perCta.data())})
      for (size_t index = 0; index + 1 < bases.size(); index += 2) {
        if (sizes)
          for (unsigned dim : {0, 1})
            sizes[dim] *= bases[index + dim] ? 2 : 1;
        else
          tiles *= bases[index + own] ? 2 : 1;
      }
    for (int bit = 0; bit < 4; ++bit)
      step(lanes, 0);
    if (tiles > 1) {
      step(lanes, 0);
      tiles /= 2;
    } else {
      lanes.append({0, 0});
    }
  } else {
    return emitter.error("ValueError") << "only operands of matrix cores have scales";
  }
  while (reached[1] < shape[1])
    step(registers, 1, /*isRegister=*/true);
  for (; tiles > 1; tiles /= 2)
    step(registers, 0, /*isRegister=*/true);
  for (unsigned dim : {1, 0})
    for (int64_t count = perCta[dim]; count > 1; count /= 2) {
      if (dim == own)
        step(warps, 0);
      else
        warps.append({0, 0});
    }
  while (reached[0] < shape[0])
    step(registers, 0, /*isRegister=*/true);
  return gpu::LinearAttr::get(emitter.context(), int64_t(2), ArrayRef<int64_t>(registers), ArrayRef<int64_t>(lanes),
                              ArrayRef<int64_t>(warps), ArrayRef<int64_t>());
}

static FailureOr<Value> getScaleLayout(Emitter &emitter, const BoundArguments &arguments) {
  layoutPolicy().loadDialects(*emitter.context()); // the host asks too, outside of any kernel
  FailureOr<Attribute> layout = readLayout(emitter, arguments[0], "dot_operand_layout");
  FailureOr<std::vector<int64_t>> shape =
      failed(layout) ? FailureOr<std::vector<int64_t>>() : readShapeOf(emitter, arguments[1]);
  if (failed(shape))
    return failure();
  auto operand = dyn_cast<gpu::DotOperandAttr>(*layout);
  if (!operand || shape->size() != 2)
    return emitter.error("ValueError") << "scales are those of a DotOperandLayout, in a matrix, got "
                                       << arguments[0].str() << " and [" << llvm::interleaved(*shape) << "]";
  FailureOr<gpu::LinearAttr> scales = scaleLayout(emitter, operand, *shape);
  return failed(scales) ? FailureOr<Value>() : makeLayoutObject(emitter, *scales, *shape);
}

/// The scales of an operand: a tensor, or one number for all of them, 1 for None.
static FailureOr<Value> readScale(Emitter &emitter, const Value &value, const Value &operand, unsigned index,
                                  tensor::ScaleDotElemType format) {
  const Type type = operand.type();
  if (value.isTensor() && value.type().isBlock())
    return value;
  const int64_t packed = format == tensor::ScaleDotElemType::E2M1 ? 2 : 1;
  const int64_t rows = type.shape()[index], depth = type.shape()[1 - index] * packed;
  const SmallVector<int64_t> shape = {rows, depth / 32};
  FailureOr<gpu::LinearAttr> layout = scaleLayout(emitter, cast<gpu::DotOperandAttr>(type.layout()), shape);
  if (failed(layout))
    return failure();
  const Type scales = Type::block(Type::scalar(ScalarKind::UInt8), shape, *layout);
  if (value.isNone())
    return constantOf(emitter, Value::integer(int64_t(127)), scales);
  if (value.isNumber())
    return constantOf(emitter, value, scales);
  FailureOr<Value> scalar = toTensor(emitter, value);
  if (succeeded(scalar))
    scalar = frontend::cast(emitter, *scalar, scales.element());
  return failed(scalar) ? scalar : broadcastTo(emitter, *scalar, shape, *layout);
}

static FailureOr<tensor::ScaleDotElemType> readFormat(Emitter &emitter, const Value &value, StringRef what) {
  FailureOr<std::string> name = readString(emitter, value, what);
  if (failed(name))
    return failure();
  std::optional<tensor::ScaleDotElemType> format = tensor::symbolizeScaleDotElemType(*name);
  if (!format || (*name != "e2m1" && *name != "e4m3" && *name != "e5m2"))
    return emitter.error("AssertionError") << what << " must be e2m1, e4m3 or e5m2, got " << *name;
  return *format;
}

template <typename LayoutT> static FailureOr<Value> multiplyScaled(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> sum =
      readSum<LayoutT>(emitter, arguments[6], std::is_same_v<LayoutT, gpu::MfmaAttr> ? "mfma_scaled" : "wmma_scaled");
  FailureOr<Value> a = failed(sum) ? sum : readOperand(emitter, arguments[0], 0);
  FailureOr<Value> b = failed(a) ? a : readOperand(emitter, arguments[3], 1);
  if (failed(b))
    return failure();
  FailureOr<tensor::ScaleDotElemType> formatA = readFormat(emitter, arguments[2], "a_format"),
                                      formatB = readFormat(emitter, arguments[5], "b_format");
  if (failed(formatA) || failed(formatB))
    return failure();
  FailureOr<Value> scaleA = readScale(emitter, arguments[1], *a, 0, *formatA);
  FailureOr<Value> scaleB = failed(scaleA) ? scaleA : readScale(emitter, arguments[4], *b, 1, *formatB);
  if (failed(scaleB))
    return failure();
  const Type type = sum->type();
  zeroOf(emitter, type.element()); // as above
  auto op = tensor::DotScaledOp::create(emitter.builder(), emitter.location(), irOf(*sum).getType(), irOf(*a), irOf(*b),
                                        irOf(*sum), irOf(*scaleA), irOf(*scaleB), *formatA, *formatB,
                                        /*fastMath=*/false, /*lhs_k_pack=*/true, /*rhs_k_pack=*/true);
  return Value::tensor(op, type);
}

#define AMD "triton.experimental.gluon.language.amd."
#define UPDATE "(ptr, offsets, value, mask=None, sem=None, scope=None)"

llvm::ArrayRef<Builtin> amdBuiltins() {
  using tensor::RMWOp;
  static const Builtin table[] = {
      {AMD "cdna3", "buffer_load", "(ptr, offsets, mask=None, other=None, cache=None)",
       "Reads elements at offsets from a base.", bufferLoad},
      {AMD "cdna3", "buffer_store", "(stored_value, ptr, offsets, mask=None, cache=None)",
       "Writes elements at offsets from a base.", bufferStore},
      {AMD "cdna3", "buffer_atomic_add", UPDATE, "Adds atomically, and gives what was there.",
       bufferUpdate<RMWOp::Add>},
      {AMD "cdna3", "buffer_atomic_and", UPDATE, "The bits of both, atomically; gives what was there.",
       bufferUpdate<RMWOp::And>},
      {AMD "cdna3", "buffer_atomic_max", UPDATE, "The larger, atomically; gives what was there.",
       bufferUpdate<RMWOp::Max>},
      {AMD "cdna3", "buffer_atomic_min", UPDATE, "The smaller, atomically; gives what was there.",
       bufferUpdate<RMWOp::Min>},
      {AMD "cdna3", "buffer_atomic_or", UPDATE, "The bits of either, atomically; gives what was there.",
       bufferUpdate<RMWOp::Or>},
      {AMD "cdna3", "buffer_atomic_xchg", UPDATE, "The new value, atomically; gives what was there.",
       bufferUpdate<RMWOp::Exchange>},
      {AMD "cdna3", "buffer_atomic_xor", UPDATE, "The bits of one, atomically; gives what was there.",
       bufferUpdate<RMWOp::Xor>},
      {AMD "cdna3", "mfma", "(a, b, acc)", "acc + a b by matrix cores.", multiply<gpu::MfmaAttr>},
      {AMD "cdna4", "mfma_scaled", "(a, a_scale, a_format, b, b_scale, b_format, acc)",
       "The same for operands whose groups of 32 elements have scales.", multiplyScaled<gpu::MfmaAttr>},
      {AMD "cdna4", "get_mfma_scale_layout", "(dot_operand_layout, shape, scale_factor=32)", "The layout of scales.",
       getScaleLayout},
      {AMD "cdna4.async_copy", "global_load_to_shared", "(dest, ptr, mask=None, other=None, cache_modifier=\"\")",
       "Copies from global to shared memory without registers.", copyToShared},
      {AMD "cdna4.async_copy", "buffer_load_to_shared",
       "(dest, ptr, offsets, mask=None, other=None, cache_modifier=\"\")", "The same from offsets to a base.",
       bufferToShared},
      {AMD "cdna4.async_copy", "commit_group", "()", "Closes the group of copies begun since the last one.",
       commitGroup},
      {AMD "cdna4.async_copy", "wait_group", "(num_outstanding=0)",
       "Waits until at most that many of the newest groups are still copying.", waitGroup},
      {AMD "cdna4.async_copy", "load_shared_relaxed", "(smem, layout)",
       "Reads a buffer without waiting for copies that a wait has seen complete.", loadRelaxed},
      {AMD "gfx1250.async_copy", "commit_group", "()", "Closes the group of copies begun since the last one.",
       commitGroup},
      {AMD "gfx1250.async_copy", "wait_group", "(num_outstanding=0)",
       "Waits until at most that many of the newest groups are still copying.", waitGroup},
      {AMD "gfx1250.async_copy", "global_to_shared", "(smem, pointer, mask=None, other=None, cache_modifier=\"\")",
       "Copies from global to shared memory without registers.", copyToShared},
      {AMD "gfx1250.async_copy", "mbarrier_arrive", "(mbarrier)", "Arrives once copies begun before are complete.",
       copyArrive},
      {AMD "rdna3", "wmma", "(a, b, acc)", "acc + a b by matrix cores.", multiply<gpu::WmmaAttr>},
      {AMD "rdna4", "wmma", "(a, b, acc)", "acc + a b by matrix cores.", multiply<gpu::WmmaAttr>},
      {AMD "gfx1250", "wmma", "(a, b, acc)", "acc + a b by matrix cores.", multiply<gpu::WmmaAttr>},
      {AMD "gfx1250", "wmma_scaled", "(a, a_scale, a_format, b, b_scale, b_format, acc)",
       "The same for operands whose groups of 32 elements have scales.", multiplyScaled<gpu::WmmaAttr>},
      {AMD "gfx1250", "get_wmma_scale_layout", "(dot_operand_layout, shape, scale_factor=32)", "The layout of scales.",
       getScaleLayout},
      {AMD "gfx1250.cluster", "arrive", "()", "Tells the other CTAs of the cluster that this one has come here.",
       arriveAtCluster},
      {AMD "gfx1250.cluster", "wait", "()", "Waits until all CTAs of the cluster have arrived.", waitForCluster},
      {AMD "gfx1250.tdm", "make_tensor_descriptor", "(base, shape, strides, block_shape, layout)",
       "Describes a matrix in memory.", makeDescriptor},
      {AMD "gfx1250.tdm", "async_load", "(src, offsets, dest, pred=True, mbarrier=None)",
       "Copies a block into a buffer.", moverLoad},
      {AMD "gfx1250.tdm", "async_store", "(dest, offsets, src)", "Copies a buffer to a block.", moverStore},
      {AMD "gfx1250.tdm", "async_wait", "(num_outstanding=0)",
       "Waits until at most that many of the newest copies are running.", moverWait},
      {AMD "gfx1250.mbarrier", "init", "(mbarrier, count)", "Makes a barrier of `count` arrivals per phase.",
       initBarrier},
      {AMD "gfx1250.mbarrier", "wait", "(mbarrier, phase)", "Waits until the phase of parity `phase` is complete.",
       waitBarrier},
      {AMD "gfx1250.mbarrier", "arrive", "(mbarrier, *, count=1)", "Arrives, and gives the parity of the phase before.",
       arriveBarrier},
  };
  return table;
}

} // namespace triton::gluon
