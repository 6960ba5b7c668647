// What a running kernel tells: prints, memory accesses, failed assertions and its scopes; and what it asks: whether to stop.
//   In:  `tt.print` and `tt.assert`, on scalars or tensors; `proton.record`.
//   Out: for each element, a call of the C library's `printf`, or of `triton_check_access` for the prints that report accesses; for an
//        assertion that fails, a call of `triton_assert_failed(message, x, y, z)`. The runtime provides both, and they let the launch
//        fail. For a record a call of `triton_record(scope, is start, x, y, z)`, where the program has one.
#include "compiler/cpu/Convert.h"
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/passes/CheckAccesses.h"
#include "compiler/support/KernelSymbols.h"
#include "compiler/tensor/rules/Rules.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace triton::cpu {

/// The address of a constant C string in the module.
static Value stringOf(OpBuilder &builder, Location loc, ModuleOp module, StringRef text) {
  std::string terminated = text.str() + '\0';
  LLVM::GlobalOp global;
  int count = 0;
  for (auto known : module.getOps<LLVM::GlobalOp>()) {
    ++count;
    if (auto value = dyn_cast_or_null<StringAttr>(known.getValueOrNull()); value && value.getValue() == terminated)
      global = known;
  }
  if (!global) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), terminated.size());
    global = LLVM::GlobalOp::create(top, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                    ("triton.text." + Twine(count)).str(), top.getStringAttr(terminated));
  }
  return LLVM::AddressOfOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), global.getSymName());
}

static LLVM::LLVMFuncOp declare(ModuleOp module, StringRef name, LLVM::LLVMFunctionType type) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::LLVMFuncOp::create(top, module.getLoc(), name, type);
}

/// `text` as part of a format, where % starts a directive.
static std::string quoted(StringRef text) {
  std::string result;
  for (char character : text)
    result += character == '%' ? std::string("%%") : std::string(1, character);
  return result;
}

LogicalResult Lowering::lowerAccess(tensor::PrintOp report) {
  Location loc = report.getLoc();
  ModuleOp module = entry->getParentOp()->getParentOfType<ModuleOp>();
  MLIRContext *context = builder.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context), i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer, i32, pointer, i64, i32, i32, i32});
  LLVM::LLVMFuncOp check = declare(module, "triton_check_access", type);
  Scalar s{builder, loc};
  auto emit = [&](Value address, Value mask, Value element) {
    OpBuilder::InsertionGuard guard(builder);
    if (mask) {
      auto branch = scf::IfOp::create(builder, loc, mask, /*withElseRegion=*/false);
      builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    Value site = stringOf(builder, loc, module, report->getAttrOfType<StringAttr>(siteAttribute).getValue());
    Value what = arith::ConstantOp::create(builder, loc, report->getAttrOfType<IntegerAttr>(accessAttribute));
    LLVM::CallOp::create(builder, loc, check,
                         ValueRange{site, what, address, element, programId[0], programId[1], programId[2]});
  };
  OperandRange operands = report.getArgs();
  auto shaped = dyn_cast<RankedTensorType>(operands[0].getType());
  if (!shaped) {
    emit(scalars.lookup(operands[0]), operands.size() > 1 ? scalars.lookup(operands[1]) : Value(), s.i64(0));
    return success();
  }
  forEachElement(shaped.getShape(), loc, [&](Coordinates &at) {
    Value element = s.i64(0);
    for (auto [coordinate, size] : llvm::zip_equal(at, shaped.getShape()))
      element = s.add(s.mul(element, s.i64(size)), coordinate.base);
    Value mask = operands.size() > 1 ? evaluator.uniform(operands[1], at) : Value();
    emit(evaluator.uniform(operands[0], at), mask, element);
  });
  return checked();
}

LogicalResult Lowering::lowerPrint(tensor::PrintOp print) {
  if (print->hasAttr(accessAttribute))
    return lowerAccess(print);
  Location loc = print.getLoc();
  ModuleOp module = entry->getParentOp()->getParentOfType<ModuleOp>();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto printfType = LLVM::LLVMFunctionType::get(i32, {pointer}, /*isVarArg=*/true);
  LLVM::LLVMFuncOp printf = declare(module, "printf", printfType);
  Scalar s{builder, loc};
  auto call = [&](StringRef format, ArrayRef<Value> operands) {
    SmallVector<Value> all{stringOf(builder, loc, module, format)};
    all.append(operands.begin(), operands.end());
    LLVM::CallOp::create(builder, loc, printf, all);
  };
  // C passes integers as 64 bits and floats as double here, so that one directive serves all widths.
  auto show = [&](Value value, Type element, bool isSigned, ArrayRef<Value> index, ArrayRef<int64_t> shape,
                  StringRef which) {
    std::string format = "pid (%d, %d, %d) idx (";
    for (size_t d = 0; d < index.size(); ++d)
      format += (d ? ", %" : "%") + std::to_string(std::max(1u, tensor::printedIndexWidth(shape[d]))) + "lld";
    format += ")" + quoted(print.getPrefix()) + std::string(which);
    SmallVector<Value> operands{programId[0], programId[1], programId[2]};
    operands.append(index.begin(), index.end());
    if (isa<LLVM::LLVMPointerType>(value.getType())) {
      format += "%p";
    } else if (isa<FloatType>(element) && !print.getHex()) {
      format += "%f";
      value = convertFloat(builder, loc, value, element, builder.getF64Type(), Rounding::NearestEven, target);
    } else {
      int64_t bits = tensor::getElementBits(element);
      Value whole = isa<FloatType>(value.getType()) ? s.bitcast(value, builder.getIntegerType(bits)) : value;
      value = s.resize(whole, i64, isSigned && !print.getHex());
      format += print.getHex() ? "0x%0" + std::to_string((bits + 3) / 4) + "llx" : isSigned ? "%lld" : "%llu";
    }
    operands.push_back(value);
    call(format + "\n", operands);
  };
  if (print.getArgs().empty()) {
    call("pid (%d, %d, %d)" + quoted(print.getPrefix()) + "\n", {programId[0], programId[1], programId[2]});
    return success();
  }
  for (auto [i, argument] : llvm::enumerate(print.getArgs())) {
    bool isSigned = i < print.getIsSigned().size() && print.getIsSigned()[i];
    std::string which = print.getArgs().size() > 1 ? "(operand " + std::to_string(i) + ") " : std::string();
    Type element = getElementTypeOrSelf(argument.getType());
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type) {
      show(scalars.lookup(argument), element, isSigned, {}, {}, which);
      continue;
    }
    forEachElement(type.getShape(), loc, [&](Coordinates &at) {
      SmallVector<Value> index;
      for (const Coordinate &coordinate : at)
        index.push_back(coordinate.base);
      show(evaluator.uniform(argument, at), element, isSigned, index, type.getShape(), which);
    });
  }
  return checked();
}

/// Lets the launch fail where `condition`, a scalar, does not hold.
void Lowering::emitCheck(Location loc, StringRef message, Value condition) {
  ModuleOp module = entry->getParentOp()->getParentOfType<ModuleOp>();
  Scalar s{builder, loc};
  Type i32 = builder.getI32Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                          {LLVM::LLVMPointerType::get(builder.getContext()), i32, i32, i32});
  LLVM::LLVMFuncOp report = declare(module, "triton_assert_failed", type);
  Value fails = s.compare(arith::CmpIPredicate::eq, condition, s.i1(false));
  auto branch = scf::IfOp::create(builder, loc, fails, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  std::string text = message.str();
  if (auto where = loc->findInstanceOf<FileLineColLoc>())
    text = where.getFilename().str() + ":" + std::to_string(where.getLine()) + ": " + text;
  LLVM::CallOp::create(builder, loc, report,
                       ValueRange{stringOf(builder, loc, module, text), programId[0], programId[1], programId[2]});
}

/// Calls a function that not every program which runs the code has.
static void callIfThere(OpBuilder &builder, Location loc, ModuleOp module, StringRef name, ValueRange arguments) {
  MLIRContext *context = builder.getContext();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), llvm::to_vector(arguments.getTypes()));
  LLVM::LLVMFuncOp function = declare(module, name, type);
  function.setLinkage(LLVM::Linkage::ExternWeak);
  Type pointer = LLVM::LLVMPointerType::get(context);
  Value address = LLVM::AddressOfOp::create(builder, loc, pointer, function.getSymName());
  Value isThere =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, address, LLVM::ZeroOp::create(builder, loc, pointer));
  auto branch = scf::IfOp::create(builder, loc, isThere, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  LLVM::CallOp::create(builder, loc, function, arguments);
}

/// Asks the runtime, if the program has one, whether to stop: it does not return then.
void Lowering::emitPoll(Location loc) {
  callIfThere(builder, loc, entry->getParentOp()->getParentOfType<ModuleOp>(), pollSymbol, {});
}

LogicalResult Lowering::lowerRecord(record::RecordOp record) {
  Location loc = record.getLoc();
  ModuleOp module = entry->getParentOp()->getParentOfType<ModuleOp>();
  Value scope = stringOf(builder, loc, module, record.getName());
  Value isStart = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(record.getIsStart()));
  callIfThere(builder, loc, module, "triton_record", {scope, isStart, programId[0], programId[1], programId[2]});
  return success();
}

LogicalResult Lowering::lowerAssert(tensor::AssertOp check) {
  Location loc = check.getLoc();
  auto shaped = dyn_cast<RankedTensorType>(check.getCondition().getType());
  if (!shaped) {
    emitCheck(loc, check.getMessage(), scalars.lookup(check.getCondition()));
    return success();
  }
  forEachElement(shaped.getShape(), loc, [&](Coordinates &at) {
    emitCheck(loc, check.getMessage(), evaluator.uniform(check.getCondition(), at));
  });
  return checked();
}

void Lowering::lowerCombinedAsserts() {
  SmallVector<tensor::AssertOp> checks;
  entry->getParentOp()->walk([&](tensor::AssertOp check) { checks.push_back(check); });
  for (tensor::AssertOp check : checks) {
    builder.setInsertionPoint(check);
    emitCheck(check.getLoc(), check.getMessage(), check.getCondition());
    check.erase();
  }
}

} // namespace triton::cpu
