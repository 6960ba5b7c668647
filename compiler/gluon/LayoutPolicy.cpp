// The language's rules for layouts: placeholders adopt what they meet, dimensions go where a slice lost them.
#include "compiler/frontend/Operations.h"
#include "compiler/gluon/builtins/Buffers.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace triton::gluon {

using frontend::Emitter;
using frontend::LanguageOptions;

static std::string sizes(ArrayRef<int64_t> shape, StringRef separator = "_") {
  return llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), separator);
}

static frontend::Value listOf(ArrayRef<int64_t> shape) {
  std::vector<frontend::Value> list;
  for (int64_t size : shape)
    list.push_back(frontend::Value::integer(size));
  return frontend::Value::tuple(std::move(list));
}

/// What the layout's `mangle()` says. A name need not be unique, so that what goes wrong here is not worth an error.
static std::string nameOfLayout(Emitter &emitter, const frontend::Type &type) {
  FailureOr<frontend::Value> object = makeLayoutObject(emitter, type.layout(), type.shape());
  if (failed(object))
    return "";
  FailureOr<std::optional<frontend::Value>> method = frontend::valueAttribute(emitter, *object, "mangle");
  if (failed(method) || !*method)
    return "";
  FailureOr<frontend::Value> name = emitter.call(**method, {});
  return succeeded(name) && name->is<std::string>() ? name->get<std::string>() : "";
}

namespace {
class Policy final : public frontend::LayoutPolicy {
public:
  void loadDialects(MLIRContext &context) const override {
    context.loadDialect<gpu::GpuDialect, gpu::NvidiaDialect, GluonDialect>();
  }

  void prepare(ModuleOp module, const LanguageOptions &options) const override {
    Builder builder(module.getContext());
    module->setAttr(gpu::targetName, builder.getStringAttr(options.backend + ":" + std::to_string(options.capability)));
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

  FailureOr<frontend::Type> descriptorType(Emitter &emitter, const frontend::Type &type,
                                           const frontend::Value &layoutValue) const override {
    using frontend::Type;
    FailureOr<Attribute> layout = readLayout(emitter, layoutValue, "layout of a tensor descriptor");
    if (failed(layout))
      return failure();
    auto nvmma = dyn_cast<gpu::NvmmaSharedAttr>(*layout);
    if (!nvmma)
      return emitter.error("TypeError") << "a tensor descriptor needs an NVMMASharedLayout, got " << layoutValue.str();
    const Type block = type.descriptorBlock();
    // One row is for gathers and scatters, whose buffers have several.
    const bool isRow = block.shape().size() == 2 && block.shape().front() == 1;
    if (!isRow && failed(nvmma.checkShape(block.shape(), [&] { return emitter.ruleError(); })))
      return failure();
    const size_t rank = block.shape().size();
    return Type::descriptor(Type::block(block.element(), block.shape(), *layout), type.elements().take_front(rank),
                            type.elements().drop_front(rank));
  }

  /// Types of what is known at run time, then the constants with their places: `i32__(1,)cconstexpr_8_`.
  std::string mangleArguments(Emitter &emitter, ArrayRef<frontend::Value> arguments) const override {
    std::string types, constants;
    for (auto [index, argument] : llvm::enumerate(arguments)) {
      const frontend::Type type = argument.type();
      if (type.kind() != frontend::Type::Kind::Constant)
        types += (types.empty() ? "" : "_") + mangle(emitter, type);
      else
        constants += (constants.empty() ? "(" : "_(") + std::to_string(index) + ",)c" + type.str();
    }
    std::string text;
    for (char c : constants) {
      if (c == '.')
        text += "_d_";
      else if (c == '\'')
        text += "_sq_";
      else
        text += c == '[' || c == ']' ? '_' : c;
    }
    return types + "__" + text;
  }

  std::string mangle(Emitter &emitter, const frontend::Type &type) const {
    using Kind = frontend::Type::Kind;
    auto joined = [&](llvm::ArrayRef<frontend::Type> types) {
      return llvm::join(llvm::map_range(types, [&](const frontend::Type &each) { return mangle(emitter, each); }), "_");
    };
    switch (type.kind()) {
    case Kind::Block:
      if (!type.layout())
        break;
      return mangle(emitter, type.element()) + "S" + sizes(type.shape()) + "SL" + nameOfLayout(emitter, type) + "L";
    case Kind::Handle:
      return "MD" + mangle(emitter, type.element()) + "S" + sizes(type.shape()) + "SL" + nameOfLayout(emitter, type) +
             "LAS[" + sizes(cast<gpu::MemDescType>(handleIr(type)).getAllocShape(), ", ") + "]ASMD";
    case Kind::Descriptor:
      if (!type.descriptorBlock().layout())
        break;
      return "TD" + mangle(emitter, type.descriptorBlock()) + "_" + nameOfLayout(emitter, type.descriptorBlock()) +
             "TD";
    case Kind::Tuple:
      return "T" + joined(type.elements()) + "T";
    case Kind::Aggregate:
      return type.className().str() + "<" + joined(type.elements()) + ">";
    default:
      break;
    }
    return type.mangle();
  }

  FailureOr<std::optional<frontend::Value>> typeObject(Emitter &emitter, const frontend::Type &type) const override {
    using frontend::Value;
    const bool isBlock = type.isBlock();
    if (!type.layout() || !(isBlock || type.className() == sharedClass))
      return std::optional<Value>();
    FailureOr<Value> layout = makeLayoutObject(emitter, type.layout(), type.shape());
    if (failed(layout))
      return failure();
    frontend::CallArguments arguments;
    arguments.positional = {Value::dtype(type.element()), listOf(type.shape()), *layout};
    if (!isBlock)
      arguments.positional.push_back(listOf(cast<gpu::MemDescType>(handleIr(type)).getAllocShape()));
    llvm::Expected<Value> made =
        emitter.host().import(coreModule, isBlock ? "distributed_type" : "shared_memory_descriptor_type");
    if (!made)
      return emitter.fail(made.takeError());
    FailureOr<Value> object = emitter.call(*made, arguments);
    if (failed(object))
      return failure();
    return std::optional(*object);
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
