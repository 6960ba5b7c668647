// A program's place in the grid, what it assumes, and what it says to the outside.
//   Prints: one line for each element of a tensor, by the thread that owns it; a scalar is printed by every thread.
//   Asserts: any thread that holds an element for which the condition is false ends the kernel with the message and its place.
#include "compiler/llvm/nvidia/Families.h"
#include "compiler/llvm/nvidia/FloatConversion.h"
#include "compiler/llvm/nvidia/InlineAssembly.h"
#include "compiler/llvm/nvidia/Packing.h"
#include "compiler/llvm/nvidia/Records.h"
#include "compiler/tensor/rules/Rules.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace triton::nvidia {

/// With clusters a program is a cluster: its CTAs lie along x.
static llvm::Value *readGrid(Emitter &emitter, bool isSize, tensor::ProgramIDDim axis) {
  using namespace llvm::Intrinsic;
  static constexpr llvm::Intrinsic::ID table[2][2][3] = {
      {{nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y, nvvm_read_ptx_sreg_ctaid_z},
       {nvvm_read_ptx_sreg_nctaid_x, nvvm_read_ptx_sreg_nctaid_y, nvvm_read_ptx_sreg_nctaid_z}},
      {{nvvm_read_ptx_sreg_clusterid_x, nvvm_read_ptx_sreg_clusterid_y, nvvm_read_ptx_sreg_clusterid_z},
       {nvvm_read_ptx_sreg_nclusterid_x, nvvm_read_ptx_sreg_nclusterid_y, nvvm_read_ptx_sreg_nclusterid_z}}};
  llvm::CallInst *place = emitter.intrinsic(table[emitter.numCtas() > 1][isSize][static_cast<unsigned>(axis)], {});
  // What the driver launches at most; a size is one more than an index can be, and never 0.
  uint32_t limit = axis == tensor::ProgramIDDim::X ? 0x7fffffff : 65535;
  place->addRangeRetAttr(
      llvm::ConstantRange(llvm::APInt(32, isSize ? 1 : 0), llvm::APInt(32, isSize ? limit + 1 : limit)));
  return place;
}

/// A constant string as a generic pointer.
static llvm::Value *stringOf(Emitter &emitter, llvm::StringRef text) {
  llvm::Constant *data = llvm::ConstantDataArray::getString(emitter.context(), text);
  llvm::GlobalVariable *global = nullptr;
  for (llvm::GlobalVariable &known : emitter.module.globals())
    if (known.isConstant() && known.hasInitializer() && known.getInitializer() == data)
      global = &known;
  if (!global) {
    global = new llvm::GlobalVariable(emitter.module, data->getType(), /*isConstant=*/true,
                                      llvm::GlobalValue::InternalLinkage, data, "text", nullptr,
                                      llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
    global->setAlignment(llvm::Align(1));
  }
  return emitter.builder.CreateAddrSpaceCast(global, emitter.builder.getPtrTy());
}

/// printf, with arguments as C passes them.
static void callPrintf(Emitter &emitter, llvm::StringRef format, llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  auto *layout = llvm::StructType::get(emitter.context(), types);
  llvm::AllocaInst *buffer;
  {
    llvm::IRBuilder<>::InsertPointGuard guard(builder);
    llvm::BasicBlock &entry = emitter.function->getEntryBlock();
    builder.SetInsertPoint(&entry, entry.begin());
    buffer = builder.CreateAlloca(layout);
  }
  for (auto [index, argument] : llvm::enumerate(arguments))
    builder.CreateStore(argument, builder.CreateStructGEP(layout, buffer, index));
  llvm::Type *pointer = builder.getPtrTy();
  auto callee = emitter.module.getOrInsertFunction(
      "vprintf", llvm::FunctionType::get(builder.getInt32Ty(), {pointer, pointer}, /*isVarArg=*/false));
  builder.CreateCall(callee, {stringOf(emitter, format), buffer});
}

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
    place.push_back(readGrid(emitter, /*isSize=*/false, axis));
  const std::string prefix = quoted(print.getPrefix());
  if (print.getArgs().empty())
    callPrintf(emitter, "pid (%u, %u, %u)" + prefix + "\n", place);
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
      callPrintf(emitter, format + ")" + prefix + which + printed.directive + "\n", arguments);
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
  return success();
}

/// The innermost place of a location: of what was inlined, not of where to.
static FileLineColLoc fileLocation(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return fileLocation(call.getCallee());
  return location->findInstanceOf<FileLineColLoc>();
}

static llvm::LogicalResult emitAssert(Emitter &emitter, tensor::AssertOp check) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *holds = nullptr;
  for (llvm::Value *condition : Registers(emitter.registers(check.getCondition())))
    holds = holds ? builder.CreateAnd(holds, condition) : condition;
  emitter.emitIf(builder.CreateNot(holds), [&] {
    FileLineColLoc place = fileLocation(check.getLoc());
    auto kernel = check->getParentOfType<FunctionOpInterface>();
    llvm::Type *pointer = builder.getPtrTy();
    auto callee = emitter.module.getOrInsertFunction(
        "__assertfail", llvm::FunctionType::get(builder.getVoidTy(),
                                                {pointer, pointer, builder.getInt32Ty(), pointer, builder.getInt64Ty()},
                                                /*isVarArg=*/false));
    builder.CreateCall(callee, {stringOf(emitter, check.getMessage()),
                                stringOf(emitter, place ? place.getFilename().getValue() : "unknown"),
                                emitter.i32(place ? place.getLine() : 0),
                                stringOf(emitter, kernel ? kernel.getName() : "unknown"), emitter.i64(1)});
  });
  return success();
}

Emitted emitProgram(Emitter &emitter, Operation *op) {
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](tensor::GetProgramIdOp id) {
        emitter.define(id.getResult(), readGrid(emitter, false, id.getAxis()));
        return Emitted(success());
      })
      .Case([&](tensor::GetNumProgramsOp size) {
        emitter.define(size.getResult(), readGrid(emitter, true, size.getAxis()));
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
      .Case([&](record::RecordOp record) { return emitRecord(emitter, record); })
      .Case([&](tensor::AssertOp check) { return emitAssert(emitter, check); })
      .Case([&](tensor::ElementwiseInlineAsmOp assembly) { return emitInlineAssembly(emitter, assembly); })
      .Default([](Operation *) { return Emitted(); });
}

} // namespace triton::nvidia
