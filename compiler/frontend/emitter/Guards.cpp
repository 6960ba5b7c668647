// The code behind something that may have returned, and code that cannot run at all.
#include "compiler/frontend/emitter/Branches.h"
#include "compiler/frontend/emitter/KernelEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace triton;
using namespace triton::frontend;
using llvm::SmallVector;
using llvm::StringRef;
namespace scf = mlir::scf;
namespace arith = mlir::arith;

Flow KernelEmitter::emitGuarded(Flow flow, llvm::ArrayRef<StringRef> names, bool isFunctionBody,
                                llvm::function_ref<Flow()> rest) {
  using Kind = Flow::Kind;
  assert(flow.kind == Kind::MayReturn && "only what may have returned needs a guard");
  const Scope::Saved before = frame->scope.save(names);
  auto op = scf::IfOp::create(opBuilder, location(), mlir::TypeRange{}, flow.returned, /*addThenBlock=*/true,
                              /*addElseBlock=*/true);
  mlir::Block *returned = &op.getThenRegion().front(), *notReturned = &op.getElseRegion().front();
  Flow restFlow;
  {
    mlir::OpBuilder::InsertionGuard guard(opBuilder);
    opBuilder.setInsertionPointToEnd(notReturned);
    restFlow = rest();
    // Falling off the end of a function returns as well.
    if (isFunctionBody && restFlow.kind != Kind::Returns) {
      restFlow.results = resultsOrPoison(restFlow);
      restFlow.kind = Kind::Returns;
    }
  }
  auto inArm = [&](mlir::Block *block, auto values) {
    mlir::OpBuilder::InsertionGuard guard(opBuilder);
    opBuilder.setInsertionPointToEnd(block);
    return values();
  };
  SmallVector<mlir::Value> returnedYields, restYields;
  const bool needsFlag = restFlow.kind == Kind::MayReturn;
  if (needsFlag) {
    returnedYields.push_back(inArm(returned, [&] { return constantFlag(true); }));
    restYields.push_back(restFlow.returned);
  }
  // While `rest` never returns, the results of what came before hold.
  const size_t resultsBegin = restYields.size();
  if (restFlow.kind != Kind::Continues) {
    llvm::append_range(returnedYields, inArm(returned, [&] { return resultsOrPoison(flow); }));
    llvm::append_range(restYields, inArm(notReturned, [&] { return resultsOrPoison(restFlow); }));
  }
  const size_t resultsEnd = restYields.size();
  SmallVector<std::pair<StringRef, std::optional<LocalBinding>>> changed;
  if (restFlow.kind != Kind::Returns)
    for (const auto &[name, binding] : before) {
      const LocalBinding *found = frame->scope.find(name);
      std::optional<LocalBinding> after = found ? std::optional(*found) : std::nullopt;
      if (unchanged(binding, after))
        continue;
      SmallVector<mlir::Value> values;
      if (after && after->state == LocalBinding::State::Bound)
        flatten(after->value, values);
      llvm::append_range(restYields, values);
      for (mlir::Value value : values)
        returnedYields.push_back(inArm(returned, [&] { return poison(value.getType()); }));
      changed.emplace_back(name, after);
    }

  // Right behind an `scf.if` on the same condition, another one can be merged into it.
  auto previous = llvm::dyn_cast_or_null<scf::IfOp>(op->getPrevNode());
  const bool joinsPrevious = previous && previous.getCondition() == flow.returned;
  if (restYields.empty() && !joinsPrevious) {
    // Nothing comes out: one arm, under the negated condition, reads better.
    opBuilder.setInsertionPoint(op);
    mlir::Value goesOn = arith::XOrIOp::create(opBuilder, location(), flow.returned, constantFlag(true));
    auto guarded = scf::IfOp::create(opBuilder, op.getLoc(), mlir::TypeRange{}, goesOn, /*addThenBlock=*/false,
                                     /*addElseBlock=*/false);
    guarded.getThenRegion().takeBody(op.getElseRegion());
    inArm(&guarded.getThenRegion().back(), [&] { return scf::YieldOp::create(opBuilder, location()); });
    op.erase();
    opBuilder.setInsertionPointAfter(guarded);
    restFlow.results = restFlow.kind == Kind::Continues ? flow.results : SmallVector<mlir::Value>();
  } else {
    op = finishIf(op, returnedYields, restYields);
    opBuilder.setInsertionPointAfter(op);
    mlir::ValueRange results = op.getResults();
    if (restFlow.kind == Kind::Continues)
      restFlow.results = flow.results;
    else
      restFlow.results.assign(results.begin() + resultsBegin, results.begin() + resultsEnd);
    mlir::ValueRange names = results.drop_front(resultsEnd);
    for (auto &[name, binding] : changed)
      if (binding && binding->state == LocalBinding::State::Bound)
        binding->value = rebuild(binding->value, names);
    if (needsFlag)
      restFlow.returned = results[0];
  }
  for (const auto &[name, binding] : changed)
    frame->scope.set(name, binding);
  if (restFlow.kind == Kind::Continues) {
    restFlow.kind = Kind::MayReturn;
    restFlow.returned = flow.returned;
  }
  return restFlow;
}

/// Checks code that cannot run: it is emitted aside, where dead code behind it finds its values, and erased with the rest at the end of the function.
void KernelEmitter::emitDead(llvm::ArrayRef<syntax::Stmt *> body) {
  mlir::OpBuilder::InsertionGuard guard(opBuilder);
  auto aside = scf::IfOp::create(opBuilder, location(), mlir::TypeRange{}, constantFlag(false), /*addThenBlock=*/true,
                                 /*addElseBlock=*/false);
  frame->dead.push_back(aside);
  opBuilder.setInsertionPointToEnd(&aside.getThenRegion().front());
  emitStatements(body);
}
