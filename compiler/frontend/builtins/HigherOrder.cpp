// Functions of functions, and the ways out of the language: assembly and foreign libraries.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Extern.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::frontend {

static FailureOr<std::vector<Value>> readOperands(Emitter &emitter, ArrayRef<Value> arguments) {
  FailureOr<std::vector<Value>> operands =
      mapValues(arguments, [&](const Value &value) { return toTensor(emitter, value); });
  return failed(operands) ? operands : broadcastTogether(emitter, *operands);
}

// Whether anything reached from `op`, calls included, writes memory.
static bool writesMemory(Operation *op, ModuleOp module) {
  return op
      ->walk([&](Operation *nested) {
        if (auto call = dyn_cast<tensor::CallOp>(nested)) {
          Operation *callee = module.lookupSymbol(call.getCallee());
          return callee && writesMemory(callee, module) ? WalkResult::interrupt() : WalkResult::advance();
        }
        auto effects = dyn_cast<MemoryEffectOpInterface>(nested);
        return effects && effects.hasEffect<MemoryEffects::Write>() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

// The types of `pack` values per result; those of one group must agree.
static FailureOr<std::vector<Type>> resultTypes(Emitter &emitter, ArrayRef<Value> values, int64_t pack) {
  if (values.empty() || values.size() % pack != 0)
    return emitter.error("ValueError") << "the function of map_elementwise must return " << pack
                                       << " scalars per result, got " << values.size();
  std::vector<Type> types;
  for (size_t index = 0; index < values.size(); ++index) {
    const Value &value = values[index];
    if (!value.isTensor() || value.type().isBlock())
      return emitter.error("ValueError") << "the function of map_elementwise must return scalars, got " << value.str();
    if (index % pack == 0)
      types.push_back(value.type());
    else if (!(value.type() == types.back()))
      return emitter.error("ValueError") << "the scalars of one result of map_elementwise must have one type, got "
                                         << types.back().str() << " and " << value.type().str();
  }
  return types;
}

static FailureOr<Value> mapElementwise(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> pack = readInteger(emitter, arguments[2], "pack");
  FailureOr<std::vector<Value>> operands =
      failed(pack) ? FailureOr<std::vector<Value>>() : readOperands(emitter, arguments[1].tuple()->elements);
  if (failed(operands))
    return failure();
  if (*pack < 1 || !llvm::isPowerOf2_64(*pack))
    return emitter.error("ValueError") << "pack must be a power of two, got " << *pack;
  if (operands->empty() || !operands->front().type().isBlock())
    return emitter.error("ValueError") << "map_elementwise needs at least one tensor of rank 1 or more";
  const Type first = operands->front().type();
  if (first.elementCount() % *pack != 0)
    return emitter.error("ValueError") << "the number of elements " << first.elementCount()
                                       << " must be a multiple of pack " << *pack;

  // What the op yields is known only once its region is there, so the region is built in a stand-in without results.
  OpBuilder &builder = emitter.builder();
  SmallVector<mlir::Value> sources = llvm::map_to_vector(*operands, irOf);
  auto standIn =
      tensor::MapElementwiseOp::create(builder, emitter.location(), TypeRange(), sources, static_cast<uint32_t>(*pack));
  std::vector<Value> scalars, values;
  FailureOr<std::vector<Type>> types = failure();
  bool hasSeveral = false; // a tuple of results, if of one
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&standIn.getScalarOp());
    for (const Value &operand : *operands)
      for (int64_t lane = 0; lane < *pack; ++lane) {
        const Type element = operand.type().element();
        scalars.push_back(
            Value::tensor(block->addArgument(element.toIr(emitter.context()), emitter.location()), element));
      }
    FailureOr<Value> result = emitter.callScalar(arguments[0], scalars);
    if (succeeded(result)) {
      hasSeveral = result->tuple() != nullptr;
      values = hasSeveral ? result->tuple()->elements : std::vector<Value>{*result};
      types = resultTypes(emitter, values, *pack);
    }
    if (succeeded(types) && writesMemory(standIn, emitter.module()))
      types = emitter.error("ValueError") << "the function of map_elementwise must not write memory";
    if (succeeded(types))
      tensor::MapElementwiseReturnOp::create(builder, emitter.location(), llvm::map_to_vector(values, irOf));
  }
  if (failed(types)) {
    standIn.erase();
    return failure();
  }
  SmallVector<mlir::Type> results;
  for (const Type &type : *types)
    results.push_back(first.withElement(type).toIr(emitter.context()));
  auto op =
      tensor::MapElementwiseOp::create(builder, emitter.location(), results, sources, static_cast<uint32_t>(*pack));
  op.getScalarOp().takeBody(standIn.getScalarOp());
  standIn.erase();
  std::vector<Value> tensors;
  for (auto [ir, type] : llvm::zip_equal(op.getResult(), *types))
    tensors.push_back(tensorOf(ir, type));
  return hasSeveral ? Value::tuple(std::move(tensors)) : tensors[0];
}

static FailureOr<Value> inlineAsm(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> text = readString(emitter, arguments[0], "asm"),
                         constraints = readString(emitter, arguments[1], "constraints");
  if (failed(text) || failed(constraints))
    return failure();
  llvm::erase_if(*constraints, llvm::isSpace); // which LLVM would read as letters
  FailureOr<std::vector<Value>> given = readSequence(emitter, arguments[2], "args");
  FailureOr<bool> isPure = failed(given) ? FailureOr<bool>() : readBoolean(emitter, arguments[4], "is_pure");
  FailureOr<int64_t> pack = failed(isPure) ? FailureOr<int64_t>() : readInteger(emitter, arguments[5], "pack");
  FailureOr<std::vector<Value>> operands =
      failed(pack) ? FailureOr<std::vector<Value>>() : readOperands(emitter, *given);
  if (failed(operands))
    return failure();
  const bool hasSeveral = arguments[3].tuple() != nullptr;
  std::vector<Type> elements;
  for (const Value &dtype : hasSeveral ? arguments[3].tuple()->elements : std::vector<Value>{arguments[3]}) {
    FailureOr<Type> element = readElementType(emitter, dtype, "dtype");
    if (failed(element))
      return failure();
    elements.push_back(*element);
  }
  SmallVector<mlir::Type> results;
  for (const Type &element : elements)
    results.push_back(
        (operands->empty() ? element : operands->front().type().withElement(element)).toIr(emitter.context()));
  SmallVector<mlir::Value> sources = llvm::map_to_vector(*operands, irOf);
  if (failed(tensor::checkInlineAsm({*text, *constraints, *pack}, ValueRange(sources).getTypes(), results,
                                    ruleErrors(emitter))))
    return failure();
  auto op = tensor::ElementwiseInlineAsmOp::create(emitter.builder(), emitter.location(), results, *text, *constraints,
                                                   *isPure, static_cast<uint32_t>(*pack), sources);
  std::vector<Value> tensors;
  for (auto [ir, element] : llvm::zip_equal(op.getResult(), elements))
    tensors.push_back(tensorOf(ir, element));
  return hasSeveral ? Value::tuple(std::move(tensors)) : tensors[0];
}

static std::string typeList(ArrayRef<Type> types) {
  std::vector<std::string> names;
  for (const Type &type : types)
    names.push_back(type.str());
  return "(" + llvm::join(names, ", ") + ")";
}

FailureOr<ExternForm> selectForm(Emitter &emitter, llvm::StringRef name, ArrayRef<Value> operands,
                                 ArrayRef<ExternForm> forms) {
  std::vector<Type> types;
  for (const Value &operand : operands)
    types.push_back(operand.type().element());
  for (const ExternForm &form : forms)
    if (form.parameters == types)
      return form;
  std::vector<std::string> accepted;
  for (const ExternForm &form : forms)
    accepted.push_back(typeList(form.parameters));
  return emitter.error("ValueError") << name << " does not take arguments of types " << typeList(types) << "; it takes "
                                     << llvm::join(accepted, " or ");
}

FailureOr<Value> callExtern(Emitter &emitter, llvm::StringRef name, llvm::StringRef library, llvm::StringRef path,
                            ArrayRef<Value> arguments, ArrayRef<ExternForm> forms, bool isPure) {
  FailureOr<std::vector<Value>> operands =
      mapValues(arguments, [&](const Value &value) { return toTensor(emitter, value); });
  if (failed(operands))
    return failure();
  FailureOr<ExternForm> form = selectForm(emitter, name, *operands, forms);
  if (failed(form))
    return failure();
  if (emitter.showsSteps() && failed(broadcastTogether(emitter, *operands))) // once to know the shape, once to have it
    return failure();
  operands = broadcastTogether(emitter, *operands);
  if (failed(operands))
    return failure();
  const Type type = operands->empty() ? form->result : operands->front().type().withElement(form->result);
  auto op =
      tensor::ExternElementwiseOp::create(emitter.builder(), emitter.location(), type.toIr(emitter.context()),
                                          llvm::map_to_vector(*operands, irOf), library, path, form->symbol, isPure);
  return Value::tensor(op, type);
}

// The table comes from the host as a dict from tuples of dtypes to (symbol, dtype).
static FailureOr<std::vector<ExternForm>> readForms(Emitter &emitter, const Value &value) {
  const auto *table = value.getIf<HostObject>();
  if (!table)
    return emitter.error("TypeError") << "arg_type_symbol_dict must be a dict, got " << value.repr();
  FailureOr<std::vector<Value>> keys = readSequence(emitter, value, "arg_type_symbol_dict");
  if (failed(keys))
    return failure();
  std::vector<ExternForm> forms;
  for (const Value &key : *keys) {
    llvm::Expected<Value> entry = table->host->subscript(*table, key);
    if (!entry)
      return emitter.fail(entry.takeError());
    const TupleValue *pair = entry->tuple();
    const auto *symbol = pair && pair->elements.size() == 2 ? pair->elements[0].getIf<std::string>() : nullptr;
    const auto *result = symbol ? pair->elements[1].getIf<Type>() : nullptr;
    FailureOr<std::vector<Value>> parameters = readSequence(emitter, key, "a key of arg_type_symbol_dict");
    if (failed(parameters))
      return failure();
    if (!result || !(result->isScalar() || result->isPointer()))
      return emitter.error("TypeError") << "arg_type_symbol_dict must map dtypes to (symbol, dtype), got "
                                        << entry->repr();
    ExternForm form{{}, *result, *symbol};
    for (const Value &parameter : *parameters) {
      FailureOr<Type> type = readElementType(emitter, parameter, "a key of arg_type_symbol_dict");
      if (failed(type))
        return failure();
      form.parameters.push_back(*type);
    }
    forms.push_back(std::move(form));
  }
  return forms;
}

static FailureOr<Value> externElementwise(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> library = readString(emitter, arguments[0], "lib_name"),
                         path = readString(emitter, arguments[1], "lib_path");
  if (failed(library) || failed(path))
    return failure();
  FailureOr<std::vector<Value>> operands = readSequence(emitter, arguments[2], "args");
  FailureOr<std::vector<ExternForm>> forms =
      failed(operands) ? FailureOr<std::vector<ExternForm>>() : readForms(emitter, arguments[3]);
  FailureOr<bool> isPure = failed(forms) ? FailureOr<bool>() : readBoolean(emitter, arguments[4], "is_pure");
  if (failed(isPure))
    return failure();
  return callExtern(emitter, "extern_elementwise", *library, *path, *operands, *forms, *isPure);
}

llvm::ArrayRef<Builtin> higherOrderBuiltins() {
  static const Builtin table[] = {
      {"triton.language.core", "map_elementwise", "(scalar_fn, *args, pack=1)",
       "Runs a jitted function of scalars on every element of its arguments, which broadcast together.\n\n"
       "The function may branch and return early, but not write memory. With `pack`, it takes and returns that many "
       "neighbouring elements of each argument and "
       "result at a time.",
       mapElementwise},
      {"triton.language.core", "inline_asm_elementwise", "(asm, constraints, args, dtype, is_pure, pack)",
       "Runs assembly of the target on every group of `pack` elements of `args`, which broadcast together.\n\n"
       "`constraints` are LLVM's: outputs first, then inputs; elements narrower than 32 bits share registers. `dtype` "
       "is the dtype of the result, or a tuple of "
       "dtypes for several. With `is_pure=False` the assembly is never removed or merged.",
       inlineAsm},
      {"triton.language.core", "extern_elementwise", "(lib_name, lib_path, args, arg_type_symbol_dict, is_pure)",
       "Calls a function of a bitcode library on every element of `args`, which broadcast together.\n\n"
       "`arg_type_symbol_dict` maps tuples of argument dtypes to the symbol to call and the dtype it returns; "
       "arguments are not converted.",
       externElementwise},
  };
  return table;
}

} // namespace triton::frontend
