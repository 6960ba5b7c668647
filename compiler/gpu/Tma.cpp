#include "compiler/gpu/Tma.h"

#include "compiler/gpu/AccessAnalysis.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::gpu {

NvmmaSharedAttr tmaLayout(tensor::TensorDescType type) {
  RankedTensorType block = type.getSignlessBlockType();
  if (auto layout = dyn_cast_or_null<NvmmaSharedAttr>(block.getEncoding()))
    return layout;
  return NvmmaSharedAttr::getDefault(block.getShape(), block.getElementType());
}

MemDescType barrierType(MLIRContext *context, std::optional<int64_t> count) {
  auto layout = SwizzledSharedAttr::get(context, 1, 1, 1, {0});
  SmallVector<int64_t> shape = {1};
  if (count)
    shape.insert(shape.begin(), *count);
  return MemDescType::get(shape, IntegerType::get(context, 64), layout, SharedMemoryAttr::get(context),
                          /*mutableMemory=*/true);
}

MemDescType blockBufferType(tensor::TensorDescType descriptor) {
  RankedTensorType block = descriptor.getSignlessBlockType();
  return MemDescType::get(block.getShape(), block.getElementType(), tmaLayout(descriptor),
                          SharedMemoryAttr::get(descriptor.getContext()), /*mutableMemory=*/true);
}

int64_t blockBytes(tensor::TensorDescType descriptor) {
  RankedTensorType block = descriptor.getSignlessBlockType();
  return block.getNumElements() * block.getElementTypeBitWidth() / 8;
}

/// `shape` is that of the buffer which blocks are moved to and from.
static LogicalResult checkBuffer(Operation *op, tensor::TensorDescType descriptor, ArrayRef<int64_t> shape) {
  RankedTensorType block = descriptor.getSignlessBlockType();
  if (block.getElementTypeBitWidth() < 8 || block.getRank() > 5)
    return op->emitOpError() << "cannot be done by TMA, which moves at least one byte per element in at most 5 "
                                "dimensions, got "
                             << descriptor;
  return tmaLayout(descriptor).checkShape(shape, [&] { return op->emitOpError(); });
}

static LogicalResult checkMap(Operation *op, tensor::TensorDescType descriptor) {
  SmallVector<int64_t> shape(descriptor.getBlockType().getShape());
  if (shape.front() == 1) // of rows to gather, which lie below each other
    shape.front() = 8;
  return checkBuffer(op, descriptor, shape);
}

LogicalResult checkDescriptors(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) -> WalkResult {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<tensor::DescriptorLoadOp, tensor::DescriptorStoreOp, tensor::DescriptorReduceOp>([](auto access) {
          tensor::TensorDescType type = access.getDesc().getType();
          return checkBuffer(access, type, type.getBlockType().getShape());
        })
        .Case([](tensor::DescriptorGatherOp gather) {
          return checkBuffer(gather, gather.getDesc().getType(), gather.getType().getShape());
        })
        .Case([](tensor::DescriptorScatterOp scatter) {
          return checkBuffer(scatter, scatter.getDesc().getType(), scatter.getSrc().getType().getShape());
        })
        .Case([](tensor::MakeTensorDescOp make) { return checkMap(make, make.getType()); })
        .Case([](tensor::FuncOp function) {
          for (Type type : function.getArgumentTypes())
            if (auto descriptor = dyn_cast<tensor::TensorDescType>(type);
                descriptor && function.isPublic() && failed(checkMap(function, descriptor)))
              return failure();
          return success();
        })
        .Default(success());
  });
  return failure(result.wasInterrupted());
}

static int elementTypeOf(Type element) {
  if (element.isF16())
    return 6;
  if (element.isF32())
    return 7;
  if (element.isF64())
    return 9;
  if (element.isBF16())
    return 10;
  bool isSigned = !element.isUnsignedInteger();
  switch (element.getIntOrFloatBitWidth()) {
  case 16:
    return 1;
  case 32:
    return isSigned ? 3 : 2;
  case 64:
    return isSigned ? 5 : 4;
  default:
    return 0; // bytes, 8-bit floats included
  }
}

SmallVector<int64_t> copiedShape(NvmmaSharedAttr layout, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> part(shape);
  ArrayRef<int64_t> cluster = layout.getCluster();
  for (size_t at = 0; at < cluster.size(); ++at)
    if (int64_t &size = part[at % shape.size()]; cluster[at] && size > 1)
      size /= 2;
  return part;
}

TensorMapFormat tensorMapFormat(tensor::TensorDescType type) {
  RankedTensorType block = type.getBlockType();
  NvmmaSharedAttr layout = tmaLayout(type);
  layout::Coordinates box = layout.getLayout().tmaBox(copiedShape(layout, block.getShape()));
  return {.swizzle = layout.getSwizzlingByteWidth() ? int(llvm::Log2_32(layout.getSwizzlingByteWidth() / 16)) : 0,
          .elementBytes = int(block.getElementTypeBitWidth() / 8),
          .elementType = elementTypeOf(block.getElementType()),
          .box = SmallVector<int64_t>(box.begin(), box.end())};
}

namespace {

/// Decides about the descriptors of a module.
class Choice {
public:
  Choice(ModuleOp module, const Target &target) : target(target), access(module) {}

  /// Null if the descriptor is to be spelled out.
  NvmmaSharedAttr layoutOf(Value descriptor);

private:
  /// Whether TMA can do what `user` does with the descriptor.
  bool fits(Operation *user, tensor::TensorDescType type);
  bool startsAtMultipleOf16Bytes(Value column, tensor::TensorDescType type) {
    return access.of(column).divisibilityOfAll() * (type.getBlockType().getElementTypeBitWidth() / 8) % 16 == 0;
  }
  /// A write that starts before a tensor's first element is an illegal instruction, unlike a read.
  bool canBeWritten(ValueRange indices, tensor::TensorDescType type) {
    return startsAtMultipleOf16Bytes(indices.back(), type) &&
           llvm::all_of(indices, [&](Value index) { return access.of(index).isNonNegative(); });
  }

  const Target &target;
  AccessAnalysis access;
};

} // namespace

bool Choice::fits(Operation *user, tensor::TensorDescType type) {
  return llvm::TypeSwitch<Operation *, bool>(user)
      .Case([&](tensor::DescriptorLoadOp op) { return startsAtMultipleOf16Bytes(op.getIndices().back(), type); })
      .Case([&](tensor::DescriptorStoreOp op) { return canBeWritten(op.getIndices(), type); })
      .Case([&](tensor::DescriptorReduceOp op) {
        // Only TMA does these: users are taken at their word.
        Type element = type.getSignlessBlockType().getElementType();
        bool isOnlyHere = (element.isF16() || element.isBF16()) && op.getKind() != tensor::DescriptorReduceKind::Add;
        return isOnlyHere || canBeWritten(op.getIndices(), type);
      })
      .Case([&](tensor::DescriptorGatherOp op) {
        return target.hasTmaGather() && startsAtMultipleOf16Bytes(op.getYOffset(), type);
      })
      .Case(
          [&](tensor::DescriptorScatterOp op) { return target.hasTmaGather() && canBeWritten(op.getYOffset(), type); })
      .Default(false);
}

static bool movesRows(Operation *op) { return isa<tensor::DescriptorGatherOp, tensor::DescriptorScatterOp>(op); }

NvmmaSharedAttr Choice::layoutOf(Value descriptor) {
  auto type = cast<tensor::TensorDescType>(descriptor.getType());
  RankedTensorType block = type.getSignlessBlockType();
  unsigned bits = block.getElementTypeBitWidth();
  if (bits < 8 || bits > 32 || block.getRank() > 5 || block.getShape().back() * bits < 128 || block.getEncoding())
    return {};
  if (!llvm::all_of(descriptor.getUsers(), [&](Operation *user) { return fits(user, type); }))
    return {};
  // Rows that are gathered lie below each other in a buffer, in a layout that single rows do not have.
  bool isOfRows = llvm::any_of(descriptor.getUsers(), movesRows);
  if (isOfRows && !llvm::all_of(descriptor.getUsers(), movesRows))
    return {};
  SmallVector<int64_t> shape(block.getShape());
  if (isOfRows)
    shape[0] = 8; // there are at least as many
  auto layout = NvmmaSharedAttr::getDefault(shape, block.getElementType());
  // Two blocks should have room beside each other.
  int64_t bytes = ShapedType::getNumElements(shape) * bits / 8;
  return layout.getLayout().toLinear(shape) && bytes <= target.sharedBytes() / 2 ? layout : NvmmaSharedAttr();
}

/// A descriptor that can be made on the device as TMA knows it. What the language asks of users is taken for granted: the base and
/// all strides but the last are multiples of 16 bytes.
static bool canBeMade(tensor::MakeTensorDescOp make) {
  auto function = make->getParentOfType<tensor::FuncOp>();
  Type element = make.getType().getSignlessBlockType().getElementType();
  bool padsWithNan = make.getPadding() == tensor::PaddingOption::Nan;
  return function && function.isPublic() && matchPattern(make.getStrides().back(), m_One()) &&
         !(padsWithNan && tensor::isFloat8(element)); // bytes, to TMA
}

static void setLayout(Value descriptor, NvmmaSharedAttr layout) {
  RankedTensorType block = cast<tensor::TensorDescType>(descriptor.getType()).getBlockType();
  descriptor.setType(
      tensor::TensorDescType::get(RankedTensorType::get(block.getShape(), block.getElementType(), layout)));
}

/// The descriptors that are made in the module, and those that its kernels take.
static SmallVector<Value> findDescriptors(ModuleOp module) {
  SmallVector<Value> found;
  module.walk([&](Operation *op) {
    if (auto make = dyn_cast<tensor::MakeTensorDescOp>(op))
      found.push_back(make.getResult());
    if (auto function = dyn_cast<tensor::FuncOp>(op); function && function.isPublic() && !function.isExternal())
      llvm::copy_if(function.getArguments(), std::back_inserter(found),
                    [](BlockArgument argument) { return isa<tensor::TensorDescType>(argument.getType()); });
  });
  return found;
}

/// Functions take what their blocks take.
static void updateFunctionTypes(ModuleOp module) {
  module.walk([](tensor::FuncOp function) {
    if (!function.isExternal())
      function.setFunctionType(
          FunctionType::get(function.getContext(), function.getBody().getArgumentTypes(), function.getResultTypes()));
  });
}

void chooseDescriptors(ModuleOp module, const Target &target) {
  if (!target.hasTma())
    return;
  SmallVector<Value> candidates = findDescriptors(module);
  llvm::erase_if(candidates, [](Value descriptor) {
    auto make = descriptor.getDefiningOp<tensor::MakeTensorDescOp>();
    return make && !canBeMade(make);
  });
  if (candidates.empty())
    return;
  Choice choice(module, target);
  SmallVector<NvmmaSharedAttr> layouts = llvm::map_to_vector(candidates, [&](Value it) { return choice.layoutOf(it); });
  for (auto [descriptor, layout] : llvm::zip_equal(candidates, layouts))
    if (layout)
      setLayout(descriptor, layout);
  updateFunctionTypes(module);
}

void dropImpliedLayouts(ModuleOp module) {
  for (Value descriptor : findDescriptors(module)) {
    RankedTensorType block = cast<tensor::TensorDescType>(descriptor.getType()).getSignlessBlockType();
    if (block.getEncoding() == NvmmaSharedAttr::getDefault(block.getShape(), block.getElementType()))
      setLayout(descriptor, {});
  }
  updateFunctionTypes(module);
}

} // namespace triton::gpu
