// A program's place in the grid, what it assumes, and what it says to the outside.
//   Prints: one line for each element of a tensor, by the thread that owns it; a scalar is printed by every thread.
//   Asserts: any thread that holds an element for which the condition is false ends the kernel with the message and its place.
#include "compiler/llvm/gpu/Asserts.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/FloatConversion.h"
#include "compiler/llvm/gpu/InlineAssembly.h"
#include "compiler/llvm/gpu/Packing.h"
#include "compiler/tensor/rules/Rules.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::simt {

/// `text` as part of a format, where % starts a directive.
static std::string quoted(llvm::StringRef text) {
  std::string result;
  for (char character : text)
    result += character == '%' ? std::string("%%") : std::string(1, character);
  return result;
}

namespace {

/// One value as printf takes it, and its directive.
struct Printed {
  std::string directive;
  llvm::Value *value;
};

} // namespace

static Printed asPrinted(Emitter &emitter, llvm::Value *value, Type element, bool isSigned, bool isHex) {
  llvm::IRBuilder<> &builder = emitter.builder;
  unsigned bits = tensor::getElementBits(element);
  if (isHex) {
    llvm::Value *raw = bitCast(builder, value, builder.getIntNTy(bits));
    std::string digits = std::to_string(std::max(bits / 4, 1u));
    if (bits == 64)
      return {"0x%0" + digits + "llx", raw};
    return {"0x%0" + digits + "x", builder.CreateZExt(raw, builder.getInt32Ty())};
  }
  if (isa<tensor::PointerType>(element))
    return {"%p", builder.CreateAddrSpaceCast(value, builder.getPtrTy())};
  if (isa<FloatType>(element))
    return {"%f", convertFloats(emitter, {value}, element, Float64Type::get(element.getContext())).front()};
  isSigned &= bits > 1;
  if (bits == 64)
    return {isSigned ? "%lli" : "%llu", value};
  llvm::Type *word = builder.getInt32Ty();
  return {isSigned ? "%i" : "%u", isSigned ? builder.CreateSExt(value, word) : builder.CreateZExt(value, word)};
}

static std::string indexDirective(int64_t size) {
  unsigned width = tensor::printedIndexWidth(size);
  return width ? "%" + std::to_string(width) + "u" : "%u";
}

static llvm::LogicalResult emitPrint(Emitter &emitter, tensor::PrintOp print) {
  llvm::SmallVector<llvm::Value *> place;
  for (auto axis : {tensor::ProgramIDDim::X, tensor::ProgramIDDim::Y, tensor::ProgramIDDim::Z})
    place.push_back(emitter.machine.grid(emitter, /*isSize=*/false, axis));
  const std::string prefix = quoted(print.getPrefix());
  if (print.getArgs().empty())
    return emitter.machine.print(emitter, print, "pid (%u, %u, %u)" + prefix + "\n", place);
  llvm::LogicalResult result = success();
  for (auto [number, argument] : llvm::enumerate(print.getArgs())) {
    if (isa<tensor::TensorDescType>(argument.getType()))
      return print.emitOpError("cannot print a tensor descriptor on the GPU");
    Registers registers(emitter.registers(argument));
    Type element = getElementTypeOrSelf(argument.getType());
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    std::string which = print.getArgs().size() > 1 ? "(operand " + std::to_string(number) + ") " : std::string();
    auto show = [&](unsigned reg, llvm::ArrayRef<llvm::Value *> index) {
      Printed printed = asPrinted(emitter, registers[reg], element, print.getIsSigned()[number], print.getHex());
      std::string format = "pid (%u, %u, %u) idx (";
      llvm::SmallVector<llvm::Value *> arguments(place);
      for (auto [dim, coordinate] : llvm::enumerate(index)) {
        format += (dim ? ", " : "") + indexDirective(type.getDimSize(dim));
        arguments.push_back(coordinate);
      }
      arguments.push_back(printed.value);
      if (succeeded(result))
        result =
            emitter.machine.print(emitter, print, format + ")" + prefix + which + printed.directive + "\n", arguments);
    };
    if (!type) {
      show(0, {});
      continue;
    }
    llvm::SmallVector<Indices> coordinates = emitter.coordinates(type);
    auto showAll = [&] {
      for (unsigned reg = 0; reg < registers.size(); ++reg)
        if (!emitter.isCopy(type, reg))
          show(reg, coordinates[reg]);
    };
    if (llvm::Value *owns = emitter.writesElements(type))
      emitter.emitIf(owns, showAll);
    else
      showAll();
  }
  return result;
}

/// The innermost place of a location: of what was inlined, not of where to.
static FileLineColLoc fileLocation(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return fileLocation(call.getCallee());
  return location->findInstanceOf<FileLineColLoc>();
}

void failAssertAt(Emitter &emitter, Operation *op, llvm::StringRef message) {
  FileLineColLoc place = fileLocation(op->getLoc());
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  emitter.machine.failAssert(emitter, message, place ? place.getFilename().getValue() : "unknown",
                             place ? place.getLine() : 0, kernel ? kernel.getName() : "unknown");
}

static llvm::LogicalResult emitAssert(Emitter &emitter, tensor::AssertOp check) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *holds = nullptr;
  for (llvm::Value *condition : Registers(emitter.registers(check.getCondition())))
    holds = holds ? builder.CreateAnd(holds, condition) : condition;
  emitter.emitIf(builder.CreateNot(holds), [&] { failAssertAt(emitter, check, check.getMessage()); });
  return success();
}

Emitted emitProgram(Emitter &emitter, Operation *op) {
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](tensor::GetProgramIdOp id) {
        emitter.define(id.getResult(), emitter.machine.grid(emitter, false, id.getAxis()));
        return Emitted(success());
      })
      .Case([&](tensor::GetNumProgramsOp size) {
        emitter.define(size.getResult(), emitter.machine.grid(emitter, true, size.getAxis()));
        return Emitted(success());
      })
      .Case([&](tensor::DebugBarrierOp) {
        emitter.barrier();
        return Emitted(success());
      })
      .Case([&](LLVM::AssumeOp assume) {
        emitter.builder.CreateAssumption(emitter.scalar(assume.getCond()));
        return Emitted(success());
      })
      .Case([&](tensor::PrintOp print) { return emitPrint(emitter, print); })
      .Case([&](tensor::AssertOp check) { return emitAssert(emitter, check); })
      .Case([&](tensor::ElementwiseInlineAsmOp assembly) { return emitInlineAssembly(emitter, assembly); })
      .Default([](Operation *) { return Emitted(); });
}

} // namespace triton::simt
