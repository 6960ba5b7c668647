// What the programmer promises the compiler; and barriers.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <numeric>

using namespace mlir;

namespace triton::frontend {

static FailureOr<std::vector<int64_t>> readHint(Emitter &emitter, const Value &value, llvm::StringRef function) {
  std::vector<Value> values = {value};
  if (value.tuple() || value.is<HostObject>()) {
    FailureOr<std::vector<Value>> sequence = readSequence(emitter, value, "values");
    if (failed(sequence))
      return failure();
    values = *sequence;
  }
  std::vector<int64_t> numbers;
  for (auto [index, element] : llvm::enumerate(values)) {
    if (!element.is<Integer>() || !toInt64(element.get<Integer>()))
      return emitter.error("TypeError") << "values element " << index << " of " << function
                                        << " must have type `constexpr[int]`, got " << element.str();
    numbers.push_back(*toInt64(element.get<Integer>()));
    if (numbers.back() < 1 || !llvm::isInt<32>(numbers.back()))
      return emitter.error("ValueError") << "values element " << index << " of " << function
                                         << " must be positive and fit 32 bits, got " << element.str();
  }
  return numbers;
}

// What two promises about one value say together: multiples combine, of lengths the longer says more.
static int32_t combine(llvm::StringRef name, int64_t known, int64_t added) {
  const int64_t both = name == tensor::divisibilityName ? std::lcm(known, added) : std::max(known, added);
  return llvm::isInt<32>(both) ? both : std::max(known, added);
}

// On the op that makes the value, or on the kernel's argument. A value that a loop carries, or one of several results, has no place
// for it.
static void attach(Emitter &emitter, mlir::Value value, llvm::StringRef name, ArrayRef<int64_t> numbers) {
  OpBuilder &builder = emitter.builder();
  SmallVector<int32_t> words(numbers.begin(), numbers.end());
  if (Operation *op = value.getDefiningOp()) {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0)
      return;
    if (auto known = op->getAttrOfType<DenseIntElementsAttr>(name); known && known.size() == int64_t(numbers.size()))
      for (auto [word, old] : llvm::zip_equal(words, known.getValues<int32_t>()))
        word = combine(name, old, word);
    auto type = RankedTensorType::get({static_cast<int64_t>(words.size())}, builder.getI32Type());
    op->setDiscardableAttr(name, DenseElementsAttr::get(type, ArrayRef<int32_t>(words)));
    return;
  }
  auto argument = cast<BlockArgument>(value);
  auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock() || isa<RankedTensorType>(value.getType()))
    return;
  if (auto known = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), name))
    words[0] = combine(name, known.getInt(), words[0]);
  function.setArgAttr(argument.getArgNumber(), name, builder.getI32IntegerAttr(words[0]));
}

static FailureOr<Value> hint(Emitter &emitter, const BoundArguments &arguments, llvm::StringRef function,
                             llvm::StringRef attribute) {
  FailureOr<Value> input = toTensor(emitter, arguments[0]);
  FailureOr<std::vector<int64_t>> numbers =
      failed(input) ? FailureOr<std::vector<int64_t>>() : readHint(emitter, arguments[1], function);
  if (failed(numbers))
    return failure();
  const Type type = input->type();
  const size_t wanted = std::max<size_t>(1, type.shape().size());
  if (numbers->size() != wanted)
    return emitter.error("ValueError") << "shape of input to " << function
                                       << " does not match the length of values: expected " << wanted << ", got "
                                       << numbers->size();
  attach(emitter, irOf(*input), attribute, *numbers);
  return *input;
}

static FailureOr<Value> multipleOf(Emitter &emitter, const BoundArguments &arguments) {
  return hint(emitter, arguments, "multiple_of", tensor::divisibilityName);
}
static FailureOr<Value> maxContiguous(Emitter &emitter, const BoundArguments &arguments) {
  return hint(emitter, arguments, "max_contiguous", tensor::contiguityName);
}
static FailureOr<Value> maxConstancy(Emitter &emitter, const BoundArguments &arguments) {
  return hint(emitter, arguments, "max_constancy", tensor::constancyName);
}

static FailureOr<Value> assume(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> condition = toTensor(emitter, arguments[0]);
  if (failed(condition))
    return failure();
  if (condition->type().isBlock() || !condition->type().isBool())
    return emitter.error("TypeError") << "assume needs a scalar of type int1, got " << condition->type().str();
  emitter.context()->loadDialect<LLVM::LLVMDialect>();
  LLVM::AssumeOp::create(emitter.builder(), emitter.location(), irOf(*condition));
  return Value::none();
}

static FailureOr<Value> debugBarrier(Emitter &emitter, const BoundArguments &) {
  tensor::DebugBarrierOp::create(emitter.builder(), emitter.location());
  return Value::none();
}

llvm::ArrayRef<Builtin> hintBuiltins() {
  static const Builtin table[] = {
      {"triton.language.core", "multiple_of", "(input, values)",
       "Promises that along each dimension the first element of every contiguous run is a multiple of the given "
       "number. Returns `input`.",
       multipleOf},
      {"triton.language.core", "max_contiguous", "(input, values)",
       "Promises that along each dimension runs of the given length count up by one. Returns `input`.", maxContiguous},
      {"triton.language.core", "max_constancy", "(input, values)",
       "Promises that along each dimension groups of the given length are equal. Returns `input`.", maxConstancy},
      {"triton.language.core", "assume", "(cond)",
       "Promises that the scalar condition holds; the compiler may rely on it.", assume},
      {"triton.language.core", "debug_barrier", "()", "Waits for all threads that run the program.", debugBarrier},
  };
  return table;
}

} // namespace triton::frontend
