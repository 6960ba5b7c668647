// Gives every tensor a layout.
//
//   %x = tt.load %pointers : tensor<1024x!tt.ptr<f32>>
// becomes
//   %x = tt.load %pointers : tensor<1024x!tt.ptr<f32>, #blocked>       #blocked = #ttg.blocked<{sizePerThread = [4], …}>
//
// First a plan is made for the whole module (LayoutProblem: what there is to decide; LayoutPlan: the decisions), then it is applied:
// types get their layouts, `ttg.convert_layout` stands where a value is wanted in another layout than it is made in, and what is cheap is
// computed again in each layout it is wanted in. A conversion of a value from outside of a loop stands before the loop.
//
// Runs on tensor IR after everything that only tensor IR can do, and once the module says what it is compiled for. Calls pass tensors in
// default layouts.
#include "compiler/gpu/AccessAnalysis.h"
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/passes/Passes.h"
#include "compiler/gpu/passes/layouts/LayoutPlan.h"
#include "compiler/tensor/rules/Rules.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

class Application {
public:
  Application(const LayoutProblem &problem, const LayoutPlan &plan) : problem(problem), plan(plan) {}

  void apply(tensor::FuncOp function) {
    auto withLayouts = [&](TypeRange types) {
      return llvm::map_to_vector(types, [&](Type type) { return withDefaultLayout(type); });
    };
    function.setType(FunctionType::get(function.getContext(), withLayouts(function.getArgumentTypes()),
                                       withLayouts(function.getResultTypes())));
    SmallVector<Operation *> kept, computedAgain;
    function.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { (problem.isCheap(op) ? computedAgain : kept).push_back(op); });
    // In the order of the program: what an op uses already has its layout.
    for (Operation *op : kept)
      apply(op);
    for (Operation *op : llvm::reverse(computedAgain))
      op->erase();
  }

private:
  Type withDefaultLayout(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? withLayout(tensor, defaultLayout(nullptr, tensor, problem.threads())) : type;
  }

  void apply(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (problem.use(operand))
        operand.set(inLayout(operand.get(), plan.layoutFor(operand), op));
    auto define = [&](Value value) {
      if (Attribute layout = plan.layoutOf(value))
        value.setType(withLayout(cast<RankedTensorType>(value.getType()), layout));
    };
    llvm::for_each(op->getResults(), define);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), define);
  }

  /// `value` in `layout`, or in any if null, for `user`.
  Value inLayout(Value value, Attribute layout, Operation *user) {
    auto type = cast<RankedTensorType>(value.getType());
    if (problem.isCheap(value))
      return computeAgain(value, layout ? layout : defaultLayout(nullptr, type, problem.threads()));
    return !layout || type.getEncoding() == layout ? value : convert(value, layout, user);
  }

  Value convert(Value value, Attribute layout, Operation *user) {
    // Out of all loops that `value` is not in.
    Operation *place = user;
    for (Operation *outer = user; outer->getBlock() != value.getParentBlock();) {
      outer = outer->getParentOp();
      if (isa<LoopLikeOpInterface>(outer))
        place = outer;
    }
    Value &converted = conversions[{value, layout, place->getBlock()}];
    if (!converted) {
      OpBuilder builder(place);
      converted = ConvertLayoutOp::create(builder, value.getLoc(),
                                          withLayout(cast<RankedTensorType>(value.getType()), layout), value);
    }
    return converted;
  }

  /// A copy of the op behind `value`, beside it, whose result is in `layout`.
  Value computeAgain(Value value, Attribute layout) {
    if (Value known = copies.lookup({value, layout}))
      return known;
    Operation *op = value.getDefiningOp();
    IRMapping mapping;
    for (OpOperand &operand : op->getOpOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.get().getType())) {
        Attribute wanted = relationOf(operand, problem.threads()).follow(layout, slotType(op), type);
        mapping.map(operand.get(), computeAgain(operand.get(), wanted));
      }
    OpBuilder builder(op);
    auto type = withLayout(cast<RankedTensorType>(value.getType()), layout);
    Operation *copy = builder.clone(*op, mapping);
    if (auto constant = dyn_cast<arith::ConstantOp>(copy))
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
    copy->getResult(0).setType(type);
    return copies[{value, layout}] = copy->getResult(0);
  }

  const LayoutProblem &problem;
  const LayoutPlan &plan;
  DenseMap<std::tuple<Value, Attribute, Block *>, Value> conversions;
  DenseMap<std::pair<Value, Attribute>, Value> copies;
};

struct AssignLayouts : impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;

  void run() override {
    ModuleOp module = getOperation();
    if (failed(check(module)))
      return signalPassFailure();
    AccessAnalysis access(module);
    const LayoutProblem problem(module);
    LayoutPlan plan(problem, access);
    if (printPlan)
      plan.print(llvm::outs());
    Application application(problem, plan);
    for (auto function : module.getOps<tensor::FuncOp>())
      application.apply(function);
  }

  /// What earlier passes have taken away, and what is not done yet.
  static LogicalResult check(ModuleOp module) {
    WalkResult result = module.walk([&](Operation *op) -> WalkResult {
      if (isa<tensor::MakeTensorPtrOp>(op))
        return op->emitOpError() << "must be rewritten before layouts are assigned";
      if (auto dot = dyn_cast<tensor::DotScaledOp>(op))
        if (!planScaledDot(dot, dotTarget(module), getNumWarps(module)))
          return op->emitOpError() << "must be rewritten before layouts are assigned";
      for (Type type : op->getOperandTypes())
        if (auto pointer = dyn_cast<tensor::PointerType>(type);
            pointer && isa<RankedTensorType>(pointer.getPointeeType()))
          return op->emitOpError() << "has a block pointer, which must be rewritten before layouts are assigned";
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace

} // namespace triton::gpu
