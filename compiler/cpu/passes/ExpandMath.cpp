// Replaces elementary functions by arithmetic, so that they stay in vector registers inside fused loops.
//
//   %e = math.exp %x : vector<8xf32>
// becomes
//   %n = arith.mulf %x, %log2e : vector<8xf32>
//   … some fifteen vector operations, and no call
//
// f16 and bf16 are computed in f32. sin and cos of arguments beyond 2^27 (f64: 2^20), and functions that have no polynomial here
// and no intrinsic in LLVM, become calls of the C library, element by element. Runs on loops over
// vectors, before they go to the LLVM dialect: MLIR would take expm1 and log1p through exp and log there, which loses
// every digit near zero. Leaves alone what is one instruction (sqrt, floor, fma, …) and what LLVM knows how to call.
#include "compiler/cpu/passes/ExpandMath.h"

#include "compiler/tensor/ElementaryMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::cpu {

/// What C's library calls a function that takes more than a few instructions. Empty for all others.
static StringRef libraryName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::AcosOp) { return "acos"; })
      .Case([](math::AcoshOp) { return "acosh"; })
      .Case([](math::AsinOp) { return "asin"; })
      .Case([](math::AsinhOp) { return "asinh"; })
      .Case([](math::AtanOp) { return "atan"; })
      .Case([](math::Atan2Op) { return "atan2"; })
      .Case([](math::AtanhOp) { return "atanh"; })
      .Case([](math::CbrtOp) { return "cbrt"; })
      .Case([](math::CosOp) { return "cos"; })
      .Case([](math::CoshOp) { return "cosh"; })
      .Case([](math::ErfOp) { return "erf"; })
      .Case([](math::ErfcOp) { return "erfc"; })
      .Case([](math::ExpOp) { return "exp"; })
      .Case([](math::Exp2Op) { return "exp2"; })
      .Case([](math::ExpM1Op) { return "expm1"; })
      .Case([](math::LogOp) { return "log"; })
      .Case([](math::Log10Op) { return "log10"; })
      .Case([](math::Log1pOp) { return "log1p"; })
      .Case([](math::Log2Op) { return "log2"; })
      .Case([](math::PowFOp) { return "pow"; })
      .Case([](math::SinOp) { return "sin"; })
      .Case([](math::SinhOp) { return "sinh"; })
      .Case([](math::TanOp) { return "tan"; })
      .Case([](math::TanhOp) { return "tanh"; })
      .Default(StringRef());
}

/// Room for a vector on the stack, at the function's beginning. Shared by calls on vectors of one type: each is done with it at once.
static Value stackSlot(OpBuilder &builder, Location loc, VectorType type, int64_t number) {
  Operation *function = builder.getInsertionBlock()->getParentOp();
  while (!isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  Block &entry = cast<FunctionOpInterface>(function).getFunctionBody().front();
  auto name = builder.getI64IntegerAttr(number);
  for (auto slot : entry.getOps<LLVM::AllocaOp>())
    if (slot.getElemType() == type && slot->getAttr("cpu.library_slot") == name)
      return slot;
  OpBuilder top = OpBuilder::atBlockBegin(&entry);
  Value one = arith::ConstantOp::create(top, loc, top.getI64IntegerAttr(1));
  auto slot = LLVM::AllocaOp::create(top, loc, LLVM::LLVMPointerType::get(top.getContext()), type, one, 64);
  slot->setAttr("cpu.library_slot", name);
  return slot;
}

/// Calls the C library for each element: of a vector in a small loop, since a call per lane is a lot of code.
static Value callLibrary(OpBuilder &builder, Location loc, StringRef name, ValueRange operands) {
  Type element = getElementTypeOrSelf(operands[0].getType());
  std::string symbol = name.str() + (element.isF32() ? "f" : "");
  ModuleOp module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(symbol)) {
    OpBuilder atTop = OpBuilder::atBlockBegin(module.getBody());
    LLVM::LLVMFuncOp::create(atTop, loc, symbol,
                             LLVM::LLVMFunctionType::get(element, SmallVector<Type>(operands.size(), element)));
  }
  auto vector = dyn_cast<VectorType>(operands[0].getType());
  if (!vector)
    return LLVM::CallOp::create(builder, loc, TypeRange{element}, symbol, operands).getResult();
  SmallVector<Value> slots;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    slots.push_back(stackSlot(builder, loc, vector, int64_t(number)));
    LLVM::StoreOp::create(builder, loc, operand, slots.back());
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  auto loop = scf::ForOp::create(builder, loc, constant(0), constant(vector.getNumElements()), constant(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    auto addressIn = [&](Value slot) -> Value {
      return LLVM::GEPOp::create(builder, loc, slot.getType(), element, slot,
                                 ArrayRef<LLVM::GEPArg>{loop.getInductionVar()});
    };
    SmallVector<Value> scalars;
    for (Value slot : slots)
      scalars.push_back(LLVM::LoadOp::create(builder, loc, element, addressIn(slot)));
    Value result = LLVM::CallOp::create(builder, loc, TypeRange{element}, symbol, scalars).getResult();
    LLVM::StoreOp::create(builder, loc, result, addressIn(slots[0]));
  }
  return LLVM::LoadOp::create(builder, loc, vector, slots[0]);
}

/// sin or cos by polynomial, unless an element is too large for it.
static Value expandTrigonometric(OpBuilder &builder, Location loc, Value x, bool isCosine, const HostTarget &target) {
  tensor::ElementaryMath math(builder, loc, target.fma);
  Value fast = isCosine ? math.cos(x) : math.sin(x);
  Type element = getElementTypeOrSelf(x.getType());
  TypedAttr limit = builder.getFloatAttr(element, tensor::ElementaryMath::trigonometricLimit(element));
  auto vector = dyn_cast<VectorType>(x.getType());
  if (vector)
    limit = DenseElementsAttr::get(vector, Attribute(limit));
  // Not for NaN: the polynomial gives NaN for it.
  Value isLarge = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, math::AbsFOp::create(builder, loc, x),
                                        arith::ConstantOp::create(builder, loc, limit));
  if (vector)
    isLarge = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, isLarge);
  auto branch = scf::IfOp::create(builder, loc, x.getType(), isLarge, /*withElseRegion=*/true);
  OpBuilder slow = branch.getThenBodyBuilder();
  scf::YieldOp::create(slow, loc, callLibrary(slow, loc, isCosine ? "cos" : "sin", ValueRange{x}));
  OpBuilder plain = branch.getElseBodyBuilder();
  scf::YieldOp::create(plain, loc, fast);
  return branch.getResult(0);
}

/// The arithmetic that `op` stands for, on operands of f32 or f64. Null if there is none.
static Value expand(OpBuilder &builder, Operation *op, ValueRange operands, const HostTarget &target) {
  tensor::ElementaryMath math(builder, op->getLoc(), target.fma);
  Value x = operands[0];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return math.exp(x); })
      .Case([&](math::Exp2Op) { return math.exp2(x); })
      .Case([&](math::ExpM1Op) { return math.expm1(x); })
      .Case([&](math::LogOp) { return math.log(x); })
      .Case([&](math::Log2Op) { return math.log2(x); })
      .Case([&](math::Log10Op) { return math.log10(x); })
      .Case([&](math::Log1pOp) { return math.log1p(x); })
      .Case([&](math::TanhOp) { return math.tanh(x); })
      .Case([&](math::ErfOp) { return math.erf(x); })
      .Case([&](math::RsqrtOp) { return math.rsqrt(x); })
      .Case([&](math::PowFOp) { return math.pow(x, operands[1]); })
      .Case([&](math::SinOp) { return expandTrigonometric(builder, op->getLoc(), x, false, target); })
      .Case([&](math::CosOp) { return expandTrigonometric(builder, op->getLoc(), x, true, target); })
      .Default(Value());
}

namespace {
struct ExpandMath : PassWrapper<ExpandMath, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMath)

  ExpandMath() = default;
  explicit ExpandMath(HostTarget target) : target(std::move(target)) {}
  ExpandMath(const ExpandMath &other) : PassWrapper(other), target(other.target) {}

  StringRef getArgument() const override { return "cpu-expand-math"; }
  StringRef getDescription() const override { return "Replace elementary functions by arithmetic"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect, vector::VectorDialect, LLVM::LLVMDialect>();
  }

  LogicalResult initialize(MLIRContext *context) override {
    if (target)
      return success();
    llvm::Expected<HostTarget> named = HostTarget::byName(processor);
    if (!named)
      return emitError(UnknownLoc::get(context)) << llvm::toString(named.takeError());
    target = *named;
    return success();
  }

  /// One function at its own type, or in f32 for narrower floats.
  Value lower(OpBuilder &builder, Operation *op) {
    auto elementOf = [](Value value) { return getElementTypeOrSelf(value.getType()); };
    Location loc = op->getLoc();
    Type element = elementOf(op->getResult(0));
    bool isNarrow = element.isF16() || element.isBF16();
    SmallVector<Value> operands(op->getOperands());
    auto as = [&](Type type, Type element) {
      auto vector = dyn_cast<VectorType>(type);
      return vector ? Type(vector.clone(element)) : element;
    };
    if (isNarrow)
      for (Value &operand : operands)
        operand = arith::ExtFOp::create(builder, loc, as(operand.getType(), builder.getF32Type()), operand);
    Value result;
    if (isNarrow || element.isF32() || element.isF64())
      result = expand(builder, op, operands, *target);
    if (StringRef name = libraryName(op); !result && !name.empty())
      result = callLibrary(builder, loc, name, operands);
    if (result && isNarrow)
      result = arith::TruncFOp::create(builder, loc, op->getResult(0).getType(), result);
    return result;
  }

  void runOnOperation() override {
    SmallVector<Operation *> functions;
    getOperation().walk([&](Operation *op) {
      if (isa_and_present<math::MathDialect>(op->getDialect()) && op->getNumResults() == 1 &&
          isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
        functions.push_back(op);
    });
    for (Operation *op : functions) {
      OpBuilder builder(op);
      if (Value result = lower(builder, op)) {
        op->replaceAllUsesWith(ValueRange{result});
        op->erase();
      }
    }
  }

  std::optional<HostTarget> target;
  Option<std::string> processor{*this, "cpu", llvm::cl::desc("the processor to generate code for"),
                                llvm::cl::init("native")};
};
} // namespace

std::unique_ptr<Pass> createExpandMath(const HostTarget &target) { return std::make_unique<ExpandMath>(target); }

void registerExpandMath() { PassRegistration<ExpandMath>(); }

} // namespace triton::cpu
