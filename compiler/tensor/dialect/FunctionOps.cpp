// Functions and calls: how they are built, written and checked.
#include "compiler/tensor/Stages.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;

namespace triton::tensor {

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                   ArrayRef<NamedAttribute> attributes, ArrayRef<DictionaryAttr> argumentAttributes) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attributes.begin(), attributes.end());
  state.addRegion();
  if (!argumentAttributes.empty())
    call_interface_impl::addArgAndResultAttrs(builder, state, argumentAttributes, {}, getArgAttrsAttrName(state.name),
                                              getResAttrsAttrName(state.name));
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto functionType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                         function_interface_impl::VariadicFlag,
                         std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), functionType,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

bool FuncOp::isNoInline() {
  auto attribute = (*this)->getAttrOfType<BoolAttr>("noinline");
  return attribute && attribute.getValue();
}

LogicalResult FuncOp::verify() {
  auto error = [&] { return emitOpError(); };
  for (TypeRange types : {TypeRange(getArgumentTypes()), TypeRange(getResultTypes())})
    for (Type type : types)
      if (failed(checkValueType(type, error)))
        return failure();
  for (unsigned index = 0; index < getNumArguments(); ++index) {
    Attribute attribute = getArgAttr(index, divisibilityName);
    auto divisor = dyn_cast_or_null<IntegerAttr>(attribute);
    if (attribute && (!divisor || divisor.getInt() < 1))
      return emitOpError() << divisibilityName << " of argument " << index << " must be a positive integer, got "
                           << attribute;
  }
  return success();
}

void CallOp::build(OpBuilder &builder, OperationState &state, FuncOp callee, ValueRange operands) {
  state.addOperands(operands);
  state.addAttribute("callee", SymbolRefAttr::get(callee));
  state.addTypes(callee.getFunctionType().getResults());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "calls '" << getCallee() << "', which is not a function";
  auto error = [&] { return emitOpError(); };
  if (failed(checkRegionTypes("operand", getOperandTypes(), callee.getFunctionType().getInputs(), error)))
    return failure();
  return checkRegionTypes("result", getResultTypes(), callee.getFunctionType().getResults(), error);
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  return checkRegionTypes("operand", getOperandTypes(), function.getFunctionType().getResults(),
                          [&] { return emitOpError(); });
}

LogicalResult PrintOp::verify() {
  if (getArgs().size() != getIsSigned().size())
    return emitOpError() << "has " << getArgs().size() << " operands, but isSigned has " << getIsSigned().size()
                         << " values";
  return success();
}

} // namespace triton::tensor
