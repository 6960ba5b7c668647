// Branches and loops.
//   In:  scf, cf, regions that run once per element.
//   Out: LLVM blocks; what a loop carries and what branches give are phis, one for each register.
#include "compiler/llvm/gpu/BlockArguments.h"
#include "compiler/llvm/gpu/Families.h"

#include "compiler/tensor/NonNegative.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/TripCount.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::simt {

namespace {

class ControlFlow {
public:
  explicit ControlFlow(Emitter &emitter) : emitter(emitter), builder(emitter.builder) {}

  /// Where the sum behind the last place may wrap, an iteration asks more carefully whether there is another, in no instruction more: as ptxas
  /// unrolls only loops that compare what they have just added to, the sum is what is compared.
  llvm::LogicalResult emitFor(scf::ForOp loop) {
    llvm::Value *lower = emitter.scalar(loop.getLowerBound()), *upper = emitter.scalar(loop.getUpperBound()),
                *step = emitter.scalar(loop.getStep());
    const bool mayWrap = tensor::mayStepBeyond(loop), isUnsigned = loop.getUnsignedCmp();
    auto isLess = [&](llvm::Value *a, llvm::Value *b) {
      return isUnsigned ? builder.CreateICmpULT(a, b) : builder.CreateICmpSLT(a, b);
    };
    // From 0 on no sum is more than an unsigned number holds. Others come to the end of the range, wrapped like it, and not before.
    const bool isCounted = mayWrap && isLongStep(step);
    const bool isFromZero = !isCounted && !isUnsigned && tensor::isCount(loop.getLowerBound());
    llvm::Value *runs = mayWrap ? emitRuns(loop, isLess(lower, upper), step) : nullptr;
    llvm::Value *count = mayWrap && !isFromZero ? emitCount(loop, lower, upper, step) : nullptr;
    llvm::Value *end = count && !isCounted ? builder.CreateAdd(lower, builder.CreateMul(count, step)) : upper;
    llvm::SmallVector<Registers> initial = gatherRegisters(emitter, loop.getInitArgs());
    llvm::BasicBlock *before = builder.GetInsertBlock(), *header = block("loop"), *body = block("body"),
                     *after = block("done");
    builder.CreateBr(header);
    builder.SetInsertPoint(header);
    llvm::PHINode *induction = builder.CreatePHI(lower->getType(), 2), *isNext = nullptr, *left = nullptr;
    induction->addIncoming(lower, before);
    if (isCounted) {
      left = builder.CreatePHI(count->getType(), 2);
      left->addIncoming(count, before);
    }
    if (mayWrap) {
      isNext = builder.CreatePHI(builder.getInt1Ty(), 2);
      isNext->addIncoming(runs, before);
    }
    defineAsPhis(emitter, loop.getRegionIterArgs());
    addIncoming(emitter, loop.getRegionIterArgs(), initial, before);
    builder.CreateCondBr(mayWrap ? isNext : isLess(induction, upper), body, after);

    builder.SetInsertPoint(body);
    emitter.define(loop.getInductionVar(), induction);
    if (failed(emitter.emitBody(*loop.getBody())))
      return failure();
    llvm::Value *next = builder.CreateAdd(induction, step);
    induction->addIncoming(next, builder.GetInsertBlock());
    if (isCounted) {
      llvm::Value *one = llvm::ConstantInt::get(left->getType(), 1), *fewer = builder.CreateSub(left, one);
      left->addIncoming(fewer, builder.GetInsertBlock());
      isNext->addIncoming(builder.CreateICmpNE(left, one), builder.GetInsertBlock());
    } else if (mayWrap)
      isNext->addIncoming(isFromZero ? builder.CreateICmpULT(next, end) : builder.CreateICmpNE(next, end),
                          builder.GetInsertBlock());
    addIncoming(emitter, loop.getRegionIterArgs(),
                gatherRegisters(emitter, loop.getBody()->getTerminator()->getOperands()), builder.GetInsertBlock());
    annotate(builder.CreateBr(header), loop);

    builder.SetInsertPoint(after);
    for (auto [result, argument] : llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs()))
      emitter.define(result, Registers(emitter.registers(argument)));
    return success();
  }

  llvm::LogicalResult emitWhile(scf::WhileOp loop) {
    llvm::SmallVector<Registers> initial = gatherRegisters(emitter, loop.getInits());
    llvm::BasicBlock *before = builder.GetInsertBlock(), *header = block("loop"), *body = block("body"),
                     *after = block("done");
    builder.CreateBr(header);
    builder.SetInsertPoint(header);
    defineAsPhis(emitter, loop.getBeforeArguments());
    addIncoming(emitter, loop.getBeforeArguments(), initial, before);
    if (failed(emitter.emitBody(*loop.getBeforeBody())))
      return failure();
    scf::ConditionOp condition = loop.getConditionOp();
    llvm::SmallVector<Registers> carried = gatherRegisters(emitter, condition.getArgs());
    builder.CreateCondBr(emitter.scalar(condition.getCondition()), body, after);

    builder.SetInsertPoint(body);
    for (auto [argument, registers] : llvm::zip_equal(loop.getAfterArguments(), carried))
      emitter.define(argument, registers);
    if (failed(emitter.emitBody(*loop.getAfterBody())))
      return failure();
    addIncoming(emitter, loop.getBeforeArguments(), gatherRegisters(emitter, loop.getYieldOp().getOperands()),
                builder.GetInsertBlock());
    annotate(builder.CreateBr(header), loop);

    builder.SetInsertPoint(after);
    for (auto [result, registers] : llvm::zip_equal(loop.getResults(), carried))
      emitter.define(result, registers);
    return success();
  }

  llvm::LogicalResult emitIf(scf::IfOp branch) {
    bool hasElse = !branch.getElseRegion().empty();
    llvm::BasicBlock *then = block("then"), *otherwise = hasElse ? block("else") : nullptr, *after = block("end");
    builder.CreateCondBr(emitter.scalar(branch.getCondition()), then, hasElse ? otherwise : after);
    Exit exit{*this, branch.getResults(), after};
    builder.SetInsertPoint(then);
    if (failed(emitter.emitBody(*branch.thenBlock())))
      return failure();
    exit.leave(branch.thenYield().getOperands());
    if (hasElse) {
      builder.SetInsertPoint(otherwise);
      if (failed(emitter.emitBody(*branch.elseBlock())))
        return failure();
      exit.leave(branch.elseYield().getOperands());
    }
    exit.finish();
    return success();
  }

  llvm::LogicalResult emitIndexSwitch(scf::IndexSwitchOp choice) {
    llvm::BasicBlock *after = block("end"), *fallback = block("default");
    llvm::Value *index = emitter.scalar(choice.getArg());
    llvm::SwitchInst *jump = builder.CreateSwitch(index, fallback, choice.getNumCases());
    Exit exit{*this, choice.getResults(), after};
    auto emitCase = [&](llvm::BasicBlock *start, Block &body) -> llvm::LogicalResult {
      builder.SetInsertPoint(start);
      if (failed(emitter.emitBody(body)))
        return failure();
      exit.leave(body.getTerminator()->getOperands());
      return success();
    };
    for (auto [number, value] : llvm::enumerate(choice.getCases())) {
      llvm::BasicBlock *start = block("case");
      jump->addCase(llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(index->getType(), value, /*IsSigned=*/true)),
                    start);
      if (failed(emitCase(start, choice.getCaseBlock(number))))
        return failure();
    }
    if (failed(emitCase(fallback, choice.getDefaultBlock())))
      return failure();
    exit.finish();
    return success();
  }

  llvm::LogicalResult emitWhole(Region &region, llvm::ArrayRef<Registers> arguments, mlir::ValueRange results) {
    Exit exit{*this, results, block("end")};
    if (failed(emitRegion(region, arguments, exit)))
      return failure();
    exit.finish();
    return success();
  }

  /// The scalar function of `map` for every group of `pack` registers.
  llvm::LogicalResult emitMap(tensor::MapElementwiseOp map) {
    unsigned pack = map.getPack();
    llvm::SmallVector<Registers> sources = gatherRegisters(emitter, map.getSrcs()), results(map.getNumResults());
    size_t count = sources[0].size();
    Region &region = map.getScalarOp();
    Operation *terminator = region.back().getTerminator();
    for (size_t first = 0; first < count; first += pack) {
      llvm::SmallVector<Registers> arguments;
      for (const Registers &source : sources)
        for (unsigned index = 0; index < pack; ++index)
          arguments.push_back({source[std::min(first + index, count - 1)]});
      Exit exit{*this, {}, block("end")};
      for (Type type : terminator->getOperandTypes())
        exit.types.push_back(type);
      if (failed(emitRegion(region, arguments, exit)))
        return failure();
      llvm::SmallVector<Registers> outputs = exit.finish();
      for (unsigned result = 0; result < results.size(); ++result)
        for (unsigned index = 0; index < pack && first + index < count; ++index)
          results[result].push_back(outputs[result * pack + index].front());
    }
    for (auto [result, registers] : llvm::zip_equal(map.getResults(), results))
      emitter.define(result, registers);
    return success();
  }

  llvm::LogicalResult emitBranch(cf::BranchOp branch) {
    jump(branch.getDest(), branch.getDestOperands());
    return success();
  }

  llvm::LogicalResult emitConditionalBranch(cf::CondBranchOp branch) {
    // Each edge gets a block of its own: two edges may lead to the same place with different values.
    llvm::BasicBlock *whenTrue = block(""), *whenFalse = block("");
    builder.CreateCondBr(emitter.scalar(branch.getCondition()), whenTrue, whenFalse);
    builder.SetInsertPoint(whenTrue);
    jump(branch.getTrueDest(), branch.getTrueDestOperands());
    builder.SetInsertPoint(whenFalse);
    jump(branch.getFalseDest(), branch.getFalseDestOperands());
    return success();
  }

  llvm::LogicalResult emitSwitch(cf::SwitchOp choice) {
    llvm::Value *flag = emitter.scalar(choice.getFlag());
    llvm::BasicBlock *fallback = block("");
    llvm::SwitchInst *instruction = builder.CreateSwitch(flag, fallback);
    if (auto values = choice.getCaseValues())
      for (auto [number, value] : llvm::enumerate(values->getValues<llvm::APInt>())) {
        llvm::BasicBlock *start = block("");
        instruction->addCase(builder.getInt(value), start);
        builder.SetInsertPoint(start);
        jump(choice.getCaseDestinations()[number], choice.getCaseOperands(number));
      }
    builder.SetInsertPoint(fallback);
    jump(choice.getDefaultDestination(), choice.getDefaultOperands());
    return success();
  }

private:
  /// Where branches meet: a phi for each register of the values that they bring along.
  struct Exit {
    ControlFlow &flow;
    mlir::ValueRange results;
    llvm::BasicBlock *block;
    llvm::SmallVector<Type> types = llvm::to_vector(results.getTypes());
    llvm::SmallVector<std::pair<llvm::BasicBlock *, llvm::SmallVector<Registers>>> edges = {};

    /// Ends the current block: control goes to where branches meet, with `values`.
    void leave(mlir::ValueRange values) {
      edges.push_back({flow.builder.GetInsertBlock(), gatherRegisters(flow.emitter, values)});
      flow.builder.CreateBr(block);
    }

    /// Goes on there. Defines the results if there are any, and gives their registers.
    llvm::SmallVector<Registers> finish() {
      flow.builder.SetInsertPoint(block);
      llvm::SmallVector<Registers> merged;
      for (auto [index, type] : llvm::enumerate(types)) {
        Registers phis;
        for (auto [place, registerType] : llvm::enumerate(flow.emitter.registerTypes(type))) {
          llvm::PHINode *phi = flow.builder.CreatePHI(registerType, edges.size());
          for (auto &[from, values] : edges)
            phi->addIncoming(values[index][place], from);
          phis.push_back(phi);
        }
        merged.push_back(phis);
      }
      for (auto [result, registers] : llvm::zip(results, merged))
        flow.emitter.define(result, registers);
      return merged;
    }
  };

  /// The blocks of a region whose terminators other than branches lead to `exit`.
  llvm::LogicalResult emitRegion(Region &region, llvm::ArrayRef<Registers> arguments, Exit &exit) {
    for (Block &inner : region)
      emitter.blocks[&inner] = block("");
    builder.CreateBr(emitter.blocks[&region.front()]);
    for (auto [argument, registers] : llvm::zip_equal(region.front().getArguments(), arguments))
      emitter.define(argument, registers);
    for (Block &inner : llvm::drop_begin(region)) {
      builder.SetInsertPoint(emitter.blocks[&inner]);
      defineAsPhis(emitter, inner.getArguments());
    }
    for (Block &inner : region) {
      builder.SetInsertPoint(emitter.blocks[&inner]);
      if (failed(emitter.emitBody(inner)))
        return failure();
      Operation *terminator = inner.getTerminator();
      if (terminator->getNumSuccessors() == 0)
        exit.leave(terminator->getOperands());
      else if (failed(emitter.emit(terminator)))
        return failure();
    }
    return success();
  }

  /// Whether a loop has a first iteration, which it has not unless its step is positive.
  llvm::Value *emitRuns(scf::ForOp loop, llvm::Value *isInside, llvm::Value *step) {
    if (tensor::hasPositiveStep(loop))
      return isInside;
    llvm::Value *zero = llvm::ConstantInt::get(step->getType(), 0);
    return builder.CreateAnd(isInside, loop.getUnsignedCmp() ? builder.CreateICmpNE(step, zero)
                                                             : builder.CreateICmpSGT(step, zero));
  }

  /// Whether a few steps may pass the ends of their type. ptxas unrolls loops whose step it knows, adds several steps, and goes on for good where that
  /// sum wraps (seen with ptxas 13.0 and steps of 2^30 and 2^31 - 1): such loops count their iterations.
  static bool isLongStep(llvm::Value *step) {
    auto *known = llvm::dyn_cast<llvm::ConstantInt>(step);
    constexpr unsigned unrolled = 7; // bits: more iterations at a time than any assembler takes
    return known && known->getValue().getActiveBits() + unrolled >= known->getBitWidth();
  }

  /// How often a loop runs, in as many bits as its type has; anything if it does not run.
  llvm::Value *emitCount(scf::ForOp loop, llvm::Value *lower, llvm::Value *upper, llvm::Value *step) {
    llvm::Value *one = llvm::ConstantInt::get(step->getType(), 1);
    llvm::Value *divisor =
        tensor::hasPositiveStep(loop) ? step : builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, step, one);
    llvm::Value *last = builder.CreateSub(builder.CreateSub(upper, lower), one);
    return builder.CreateAdd(builder.CreateUDiv(last, divisor), one);
  }

  llvm::BasicBlock *block(const llvm::Twine &name) {
    return llvm::BasicBlock::Create(emitter.context(), name, emitter.function);
  }

  void jump(Block *target, mlir::ValueRange values) {
    addIncoming(emitter, target->getArguments(), gatherRegisters(emitter, values), builder.GetInsertBlock());
    builder.CreateBr(emitter.blocks[target]);
  }

  /// `llvm.licm.disable`, where the loop says so.
  void annotate(llvm::BranchInst *latch, Operation *loop) {
    auto annotation = loop->getAttrOfType<LLVM::LoopAnnotationAttr>("llvm.loop_annotation");
    if (!annotation || !annotation.getLicm() || !annotation.getLicm().getDisable() ||
        !annotation.getLicm().getDisable().getValue())
      return;
    llvm::LLVMContext &context = emitter.context();
    auto *disable = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.licm.disable"));
    llvm::MDNode *own = llvm::MDNode::getDistinct(context, {nullptr, disable});
    own->replaceOperandWith(0, own);
    latch->setMetadata(llvm::LLVMContext::MD_loop, own);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
};

} // namespace

llvm::LogicalResult emitRegion(Emitter &emitter, Region &region, llvm::ArrayRef<Registers> arguments,
                               mlir::ValueRange results) {
  return ControlFlow(emitter).emitWhole(region, arguments, results);
}

Emitted emitControlFlow(Emitter &emitter, Operation *op) {
  ControlFlow flow(emitter);
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](scf::ForOp loop) { return flow.emitFor(loop); })
      .Case([&](scf::WhileOp loop) { return flow.emitWhile(loop); })
      .Case([&](scf::IfOp branch) { return flow.emitIf(branch); })
      .Case([&](scf::IndexSwitchOp choice) { return flow.emitIndexSwitch(choice); })
      .Case([&](scf::ExecuteRegionOp region) { return flow.emitWhole(region.getRegion(), {}, region.getResults()); })
      .Case([&](tensor::MapElementwiseOp map) { return flow.emitMap(map); })
      .Case([&](cf::BranchOp branch) { return flow.emitBranch(branch); })
      .Case([&](cf::CondBranchOp branch) { return flow.emitConditionalBranch(branch); })
      .Case([&](cf::SwitchOp choice) { return flow.emitSwitch(choice); })
      .Case([&](ub::PoisonOp poison) {
        Registers registers;
        for (llvm::Type *type : emitter.registerTypes(poison.getType()))
          registers.push_back(llvm::PoisonValue::get(type));
        emitter.define(poison.getResult(), registers);
        return Emitted(success());
      })
      .Default([](Operation *) { return Emitted(); });
}

} // namespace triton::simt
