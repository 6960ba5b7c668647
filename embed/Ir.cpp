// Hands out pointers into a module that the handles keep alive.
#include <triton/ir.h>

#include "compiler/driver/IrModule.h"
#include "compiler/driver/Target.h"
#include "compiler/support/DeepStack.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Pipeline.h"
#include "embed/Adapter.h"
#include "embed/Result.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/LocationSnapshot.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

#include <mutex>

namespace triton::ir {

static mlir::Operation *get(const Operation &operation) { return static_cast<mlir::Operation *>(operation.pointer); }
static mlir::Block *get(const Block &block) { return static_cast<mlir::Block *>(block.pointer); }
static mlir::Region *get(const Region &region) { return static_cast<mlir::Region *>(region.pointer); }
static driver::IrModule &get(const Module &module) { return *static_cast<driver::IrModule *>(module.state.get()); }

template <typename T> static std::string print(const T &printable) {
  std::string text;
  llvm::raw_string_ostream(text) << printable;
  return text;
}

static Value make(const std::shared_ptr<void> &module, mlir::Value value) {
  return {{module, const_cast<void *>(value.getAsOpaquePointer())}};
}

std::string Value::type() const { return print(mlir::Value::getFromOpaquePointer(pointer).getType()); }

std::string Operation::name() const { return get(*this)->getName().getStringRef().str(); }
std::string Operation::str() const { return print(*get(*this)); }
unsigned Operation::operandCount() const { return get(*this)->getNumOperands(); }
Value Operation::operand(unsigned index) const { return make(module, get(*this)->getOperand(index)); }
unsigned Operation::resultCount() const { return get(*this)->getNumResults(); }
Value Operation::result(unsigned index) const { return make(module, get(*this)->getResult(index)); }
unsigned Operation::regionCount() const { return get(*this)->getNumRegions(); }
Region Operation::region(unsigned index) const { return {{module, &get(*this)->getRegion(index)}}; }

std::optional<Block> Operation::block() const {
  mlir::Block *block = get(*this)->getBlock();
  return block ? std::optional(Block{{module, block}}) : std::nullopt;
}

std::optional<std::string> Operation::stringAttribute(std::string_view name) const {
  auto attribute = get(*this)->getAttrOfType<mlir::StringAttr>(name);
  return attribute ? std::optional(attribute.str()) : std::nullopt;
}

std::optional<bool> Operation::boolAttribute(std::string_view name) const {
  auto attribute = get(*this)->getAttrOfType<mlir::BoolAttr>(name);
  return attribute ? std::optional(attribute.getValue()) : std::nullopt;
}

std::optional<int64_t> Operation::integerAttribute(std::string_view name) const {
  auto attribute = get(*this)->getAttrOfType<mlir::IntegerAttr>(name);
  return attribute ? attribute.getValue().trySExtValue() : std::nullopt;
}

std::optional<std::string> Operation::symbolAttribute(std::string_view name) const {
  auto attribute = get(*this)->getAttrOfType<mlir::FlatSymbolRefAttr>(name);
  return attribute ? std::optional(attribute.getValue().str()) : std::nullopt;
}

void Operation::setAttribute(std::string_view name, const Attribute &attribute) const {
  mlir::Builder builder(get(*this)->getContext());
  mlir::Attribute made = builder.getUnitAttr();
  if (attribute.kind == Attribute::Kind::Bool)
    made = builder.getBoolAttr(attribute.integer);
  else if (attribute.kind == Attribute::Kind::Integer)
    made = builder.getIntegerAttr(builder.getIntegerType(attribute.width), attribute.integer);
  else if (attribute.kind == Attribute::Kind::String)
    made = builder.getStringAttr(attribute.text);
  get(*this)->setAttr(name, made);
}

unsigned Block::argumentCount() const { return get(*this)->getNumArguments(); }
Value Block::argument(unsigned index) const { return make(module, get(*this)->getArgument(index)); }

std::optional<Region> Block::parent() const {
  mlir::Region *region = get(*this)->getParent();
  return region ? std::optional(Region{{module, region}}) : std::nullopt;
}

unsigned Region::size() const { return get(*this)->getBlocks().size(); }

std::optional<Operation> Region::parent() const {
  mlir::Operation *operation = get(*this)->getParentOp();
  return operation ? std::optional(Operation{{module, operation}}) : std::nullopt;
}

static std::optional<Module> wrap(std::shared_ptr<driver::IrModule> state, const triton::Diagnostics &reported,
                                  embed::Diagnostics &diagnostics) {
  embed::append(reported, diagnostics);
  if (!state)
    return std::nullopt;
  Module module;
  module.state = std::move(state);
  return module;
}

std::optional<Module> Module::emit(embed::Host &host, const embed::CompileRequest &request,
                                   embed::Diagnostics &diagnostics) {
  std::optional<driver::CompileRequest> out = embed::toDriver(host, request, diagnostics);
  if (!out)
    return std::nullopt;
  triton::Diagnostics reported;
  std::shared_ptr<driver::IrModule> state = driver::emitModule(*out, reported);
  return wrap(std::move(state), reported, diagnostics);
}

std::optional<Module> Module::parse(std::string text, std::string fileName, embed::Diagnostics &diagnostics) {
  auto source = Source::create(std::move(fileName), std::move(text));
  triton::Diagnostics reported;
  std::shared_ptr<driver::IrModule> state = driver::parseModule(source, reported);
  return wrap(std::move(state), reported, diagnostics);
}

std::string Module::str(bool withLocations) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(withLocations);
  get(*this).module->print(stream, flags);
  return text;
}

/// Collects what MLIR reports while it lives.
namespace {
class Messages {
public:
  explicit Messages(driver::IrModule &module)
      : handler(&*module.context, [this, &module](mlir::Diagnostic &diagnostic) {
          text += render(driver::toDiagnostic(diagnostic, module.sources), /*color=*/false);
        }) {}
  std::string text;

private:
  mlir::ScopedDiagnosticHandler handler;
};
} // namespace

std::string Module::verify() const {
  Messages messages(get(*this));
  if (mlir::succeeded(mlir::verify(*get(*this).module)))
    return {};
  return messages.text.empty() ? "the module is not valid" : messages.text;
}

Operation Module::operation() const { return {{state, get(*this).module->getOperation()}}; }

void Module::walk(const std::function<void(Operation)> &visit) const {
  get(*this).module->walk([&](mlir::Operation *operation) { visit({{state, operation}}); });
}

std::optional<Operation> Module::function(std::string_view name) const {
  mlir::Operation *found = get(*this).module->lookupSymbol(name);
  return found ? std::optional(Operation{{state, found}}) : std::nullopt;
}

std::string Module::entryName() const {
  std::string name;
  unsigned count = 0;
  for (tensor::FuncOp function : get(*this).module->getOps<tensor::FuncOp>())
    if (function.isPublic()) {
      name = function.getName().str();
      ++count;
    }
  return count == 1 ? name : std::string();
}

std::pair<std::vector<std::string>, std::vector<std::string>> Module::signature(std::string_view name) const {
  std::pair<std::vector<std::string>, std::vector<std::string>> types;
  auto function = mlir::dyn_cast_or_null<mlir::FunctionOpInterface>(get(*this).module->lookupSymbol(name));
  if (!function)
    return types;
  for (auto [index, type] :
       llvm::enumerate(function.getArgumentTypes())) // a mark of IR files: the argument is a tensor map
    types.first.push_back(function.getArgAttr(index, "tt.nv_tma_desc") ? "nvTmaDesc" : print(type));
  for (mlir::Type type : function.getResultTypes())
    types.second.push_back(print(type));
  return types;
}

static llvm::json::Value pictureOf(mlir::RankedTensorType type, const layout::LinearLayout &layout) {
  llvm::json::Object inputs;
  for (const layout::LinearLayout::Input &input : layout.inputs()) {
    llvm::json::Array bases;
    for (const layout::Coordinates &basis : input.bases)
      bases.push_back(llvm::json::Array(basis));
    inputs[input.name] = std::move(bases);
  }
  return llvm::json::Object{{"type", print(type)},
                            {"layout", print(type.getEncoding())},
                            {"shape", llvm::json::Array(type.getShape())},
                            {"inputs", std::move(inputs)}};
}

std::string Module::layouts() const {
  llvm::json::Array pictures;
  const driver::Target *target = driver::findTarget("cuda");
  if (!target)
    return "[]";
  llvm::SetVector<mlir::Type> seen;
  get(*this).module->walk([&](mlir::Operation *operation) {
    for (mlir::Type type : operation->getResultTypes())
      if (std::optional<layout::LinearLayout> layout = target->layoutOf(type)) {
        // What the elements are does not matter, where they are does.
        auto tensor = mlir::cast<mlir::RankedTensorType>(type);
        mlir::Type key = mlir::RankedTensorType::get(tensor.getShape(), mlir::IntegerType::get(type.getContext(), 8),
                                                     tensor.getEncoding());
        if (seen.insert(key))
          pictures.push_back(pictureOf(tensor, *layout));
      }
  });
  return embed::toText(std::move(pictures));
}

std::string Module::takeLocationsFrom(const std::string &path) const {
  if (mlir::succeeded(mlir::generateLocationsFromIR(path, *get(*this).module, mlir::OpPrintingFlags())))
    return {};
  return "cannot write '" + path + "'";
}

std::string Module::runPasses(std::string_view pipeline) const {
  static std::once_flag registered;
  std::call_once(registered, [] {
    mlir::registerTransformsPasses();
    tensor::registerTensorPipeline();
  });
  driver::IrModule &module = get(*this);
  mlir::PassManager manager(&*module.context);
  std::string why;
  llvm::raw_string_ostream stream(why);
  if (mlir::failed(mlir::parsePassPipeline(pipeline, manager, stream)))
    return why.empty() ? "unknown passes: " + std::string(pipeline) : why;
  Messages messages(module);
  mlir::LogicalResult result = mlir::failure();
  const size_t stack = driver::stackFor(driver::countOperations(*module.module));
  if (llvm::Error error = runOnDeepStack(stack, [&] { result = manager.run(*module.module); }))
    return llvm::toString(std::move(error));
  if (mlir::succeeded(result))
    return {};
  return messages.text.empty() ? "a pass failed" : messages.text;
}

} // namespace triton::ir
