// The language's rules for layouts: placeholders adopt what they meet, dimensions go where a slice lost them.
#include "compiler/gluon/LayoutClasses.h"
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gpu/dialect/AmdOps.h"
#include "compiler/gpu/dialect/encodings/LayoutInference.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace triton::gluon {

using frontend::Emitter;
using frontend::LanguageOptions;

static frontend::Value listOf(ArrayRef<int64_t> shape) {
  std::vector<frontend::Value> list;
  for (int64_t size : shape)
    list.push_back(frontend::Value::integer(size));
  return frontend::Value::tuple(std::move(list));
}

static FailureOr<std::optional<frontend::Value>> made(Emitter &emitter, StringRef module, StringRef name,
                                                      std::vector<frontend::Value> arguments) {
  llvm::Expected<frontend::Value> callee = emitter.host().import(module, name);
  if (!callee)
    return emitter.fail(callee.takeError());
  FailureOr<frontend::Value> object = emitter.call(*callee, {std::move(arguments), {}});
  if (failed(object))
    return failure();
  return std::optional(*object);
}

static std::string sizes(ArrayRef<int64_t> shape, StringRef separator) {
  return llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), separator);
}

/// How the layout is written in symbols. A name need not be unique, so that what goes wrong here is not worth an error.
static std::string nameOfLayout(Emitter &emitter, const frontend::Type &type) {
  FailureOr<frontend::Value> object = makeLayoutObject(emitter, type.layout(), type.shape());
  if (failed(object))
    return "";
  llvm::Expected<std::string> symbol = layoutSymbol(*object);
  if (symbol)
    return *symbol;
  llvm::consumeError(symbol.takeError());
  return "";
}

/// `i32S64SLB1_32_4_0_B`.
static std::string nameOfBlock(Emitter &emitter, const frontend::Type &type) {
  return type.element().mangle() + "S" + sizes(type.shape(), "_") + "SL" + nameOfLayout(emitter, type);
}

/// The shape of the buffer that a handle leads to.
static std::string allocated(Emitter &emitter, const frontend::Type &type) {
  ArrayRef<int64_t> shape = cast<gpu::MemDescType>(handleIr(type)).getAllocShape();
  const bool isShort = emitter.options().version.has(frontend::LanguageRule::ShortSymbols);
  return isShort ? sizes(shape, "_") : "[" + sizes(shape, ", ") + "]";
}

/// "90" for sm_90, "gfx942".
static std::string nameOfArchitecture(const LanguageOptions &options) {
  if (options.backend == "hip")
    return "gfx" + llvm::utohexstr(options.capability, /*LowerCase=*/true);
  return std::to_string(options.capability);
}

namespace {
class Policy final : public frontend::LayoutPolicy {
public:
  void loadDialects(MLIRContext &context) const override {
    context
        .loadDialect<gpu::GpuDialect, gpu::NvidiaDialect, gpu::amd::AmdDialect, GluonDialect, mlir::gpu::GPUDialect>();
  }

  void prepare(ModuleOp module, const LanguageOptions &options) const override {
    Builder builder(module.getContext());
    module->setAttr(gpu::targetName, builder.getStringAttr(options.backend + ":" + nameOfArchitecture(options)));
    module->setAttr(gpu::numWarpsName, builder.getI32IntegerAttr(options.numWarps));
    module->setAttr(gpu::numCtasName, builder.getI32IntegerAttr(options.numCtas));
    module->setAttr(gpu::threadsPerWarpName, builder.getI32IntegerAttr(options.warpSize));
  }

  void markPartition(Operation *function, int warps) const override {
    function->setAttr(gpu::numWarpsName, Builder(function->getContext()).getI32IntegerAttr(warps));
  }

  Attribute defaultLayout(MLIRContext *context) const override { return AutoEncodingAttr::get(context); }
  bool isPlaceholder(Attribute layout) const override { return isa<AutoEncodingAttr>(layout); }

  mlir::Value anchor(Emitter &emitter, mlir::Value block, Attribute layout) const override {
    RankedTensorType type = gpu::withLayout(cast<RankedTensorType>(block.getType()), layout);
    return SetAutoLayoutOp::create(emitter.builder(), emitter.location(), type, block);
  }

  LogicalResult checkExpandDims(Emitter &emitter, RankedTensorType type, int64_t axis) const override {
    if (!isa<gpu::DistributedAttr>(type.getEncoding()))
      return success();
    auto slice = dyn_cast<gpu::SliceAttr>(type.getEncoding());
    FailureOr<frontend::Value> object = makeLayoutObject(emitter, type.getEncoding(), type.getShape());
    if (failed(object))
      return failure();
    if (!slice)
      return emitter.error("ValueError") << "expand_dims expects the layout of its input to be a SliceLayout, got "
                                         << object->str();
    if (slice.getDim() != axis)
      return emitter.error("ValueError") << "expand_dims at axis " << axis << " needs SliceLayout(dim=" << axis
                                         << ", ...), got " << object->str();
    return success();
  }

  /// Layouts are compared by how they are written: a map given by its bases stays one, whatever else has the same map.
  RankedTensorType written(RankedTensorType source, RankedTensorType result, bool isReshape) const override {
    auto asBases = [&] {
      const auto layout = cast<gpu::DistributedAttr>(result.getEncoding());
      return gpu::withLayout(result, gpu::LinearAttr::get(result.getContext(), layout.toLinear(result.getShape())));
    };
    if (isReshape && isa_and_nonnull<gpu::BlockedAttr>(source.getEncoding())) {
      gpu::BlockedAttr blocked = gpu::reshapeBlocked(source, result.getShape());
      return blocked ? gpu::withLayout(result, blocked) : asBases();
    }
    const bool isFound =
        isa_and_nonnull<gpu::BlockedAttr>(result.getEncoding()) &&
        isa_and_nonnull<gpu::LinearAttr, gpu::MmaAttr, gpu::MfmaAttr, gpu::WmmaAttr, gpu::DotOperandAttr>(
            source.getEncoding());
    return isFound ? asBases() : result;
  }

  FailureOr<frontend::Type> descriptorType(Emitter &emitter, const frontend::Type &type,
                                           const frontend::Value &layoutValue) const override {
    using frontend::Type;
    FailureOr<Attribute> layout = readLayout(emitter, layoutValue, "layout of a tensor descriptor");
    if (failed(layout))
      return failure();
    const size_t rank = type.descriptorBlock().shape().size();
    auto withLayout = [&] {
      const Type block = type.descriptorBlock();
      return Type::descriptor(Type::block(block.element(), block.shape(), *layout), type.elements().take_front(rank),
                              type.elements().drop_front(rank));
    };
    if (emitter.options().backend == "hip" && isa<gpu::PaddedSharedAttr, gpu::SwizzledSharedAttr>(*layout))
      return withLayout();
    auto nvmma = dyn_cast<gpu::NvmmaSharedAttr>(*layout);
    if (!nvmma)
      return emitter.error("TypeError") << "a tensor descriptor needs an NVMMASharedLayout, got " << layoutValue.str();
    if (failed(checkCopied(emitter, nvmma)))
      return failure();
    const Type block = type.descriptorBlock();
    // One row is for gathers and scatters, whose buffers have several.
    const bool isRow = block.shape().size() == 2 && block.shape().front() == 1;
    if (!isRow && failed(nvmma.checkShape(block.shape(), [&] { return emitter.ruleError(); })))
      return failure();
    return withLayout();
  }

  std::optional<std::string> mangle(Emitter &emitter, const frontend::Type &type) const override {
    using frontend::Type;
    switch (type.kind()) {
    case Type::Kind::Block:
      if (!type.layout())
        return std::nullopt;
      return nameOfBlock(emitter, type) + "L";
    case Type::Kind::Handle:
      if (handleIr(type).isInteger()) // the answer of cluster launch control
        return type.className().rsplit('.').second.str();
      if (isa<RankedTensorType>(handleIr(type))) // a sum that is not waited for
        return "FT" + nameOfBlock(emitter, type) + "LFT";
      return "MD" + nameOfBlock(emitter, type) + "LAS" + allocated(emitter, type) + "ASMD";
    case Type::Kind::Descriptor: {
      const Type block = type.descriptorBlock();
      if (!block.layout())
        return std::nullopt;
      return "TD" + Type::block(block.element(), block.shape()).mangle() + "_" + nameOfLayout(emitter, block) + "TD";
    }
    default:
      return std::nullopt;
    }
  }

  std::optional<std::string> mangleLayout(const frontend::Value &constant) const override {
    llvm::Expected<std::string> symbol = layoutSymbol(constant);
    if (symbol)
      return *symbol;
    llvm::consumeError(symbol.takeError());
    return std::nullopt;
  }

  FailureOr<std::optional<frontend::Value>> typeObject(Emitter &emitter, const frontend::Type &type) const override {
    using frontend::Value;
    if (!type.layout() || !(type.isBlock() || type.isHandle()))
      return std::optional<Value>();
    FailureOr<Value> layout = makeLayoutObject(emitter, type.layout(), type.shape());
    if (failed(layout))
      return failure();
    std::vector<Value> arguments = {Value::dtype(type.element()), listOf(type.shape()), *layout};
    if (type.isBlock())
      return made(emitter, coreModule, "distributed_type", std::move(arguments));
    // The class of a buffer, and of a sum that is not waited for, has that of its type beside it.
    auto [module, name] = type.className().rsplit('.');
    if (auto buffer = dyn_cast<gpu::MemDescType>(handleIr(type))) {
      arguments.push_back(listOf(buffer.getAllocShape()));
    } else {
      FailureOr<std::optional<Value>> sum = made(emitter, coreModule, "distributed_type", std::move(arguments));
      if (failed(sum))
        return failure();
      arguments = {**sum};
    }
    return made(emitter, module, (name + "_type").str(), std::move(arguments));
  }

  FailureOr<frontend::Value> layoutObject(Emitter &emitter, Attribute layout, ArrayRef<int64_t> shape) const override {
    return makeLayoutObject(emitter, layout, shape);
  }
};
} // namespace

const frontend::LayoutPolicy &layoutPolicy() {
  static const Policy policy;
  return policy;
}

} // namespace triton::gluon
