// Functions that run while compiling: on integers, shapes and dtypes.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/tensor/rules/Rules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::frontend {

// As Python's `triton.cdiv` computes it.
static FailureOr<Value> cdiv(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> top = foldBinary(emitter, BinaryOperation::Add, arguments[0], arguments[1]);
  if (succeeded(top))
    top = foldBinary(emitter, BinaryOperation::Sub, *top, Value::integer(int64_t(1)));
  return failed(top) ? top : foldBinary(emitter, BinaryOperation::FloorDiv, *top, arguments[1]);
}

static FailureOr<Value> nextPowerOf2(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> number = readInteger(emitter, arguments[0], "n");
  if (failed(number))
    return failure();
  if (*number > int64_t(1) << 62)
    return emitter.error("ValueError") << "next_power_of_2 of " << *number << " does not fit 64 bits";
  return Value::integer(*number <= 0 ? 0 : static_cast<int64_t>(llvm::PowerOf2Ceil(*number)));
}

static FailureOr<Value> log2Floor(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> number = readInteger(emitter, arguments[0], "i");
  if (failed(number))
    return failure();
  if (*number <= 0)
    return emitter.error("ValueError") << "the logarithm of " << *number << " is not defined";
  return Value::integer(llvm::Log2_64(*number));
}

static FailureOr<Value> isPowerOfTwo(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> number = readInteger(emitter, arguments[0], "i");
  if (failed(number))
    return failure();
  return Value::boolean(*number > 0 && llvm::isPowerOf2_64(*number));
}

static FailureOr<Value> integerDtype(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> width = readInteger(emitter, arguments[0], "bitwidth");
  FailureOr<bool> isSigned = failed(width) ? FailureOr<bool>() : readBoolean(emitter, arguments[1], "signed");
  if (failed(isSigned))
    return failure();
  const std::string name = *width == 1 ? "int1" : (*isSigned ? "int" : "uint") + std::to_string(*width);
  std::optional<ScalarKind> kind = dispatch::scalarTypeByName(name);
  if (!kind)
    return emitter.error("ValueError") << "unsupported bitwidth " << *width << " and signedness "
                                       << (*isSigned ? "signed" : "unsigned");
  return Value::dtype(Type::scalar(*kind));
}

/// Whether a rule of LanguageRules.def holds: for the library, whose functions are written in the language.
static FailureOr<Value> languageRule(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> name = readString(emitter, arguments[0], "name");
  if (failed(name))
    return failure();
  std::optional<LanguageRule> rule = findLanguageRule(*name);
  if (!rule)
    return emitter.error("ValueError") << "there is no rule of the language '" << *name << "'";
  return Value::boolean(emitter.options().version.has(*rule));
}

/// A warning of the library, whose functions are written in the language.
static FailureOr<Value> announce(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> message = readString(emitter, arguments[0], "message");
  if (failed(message))
    return failure();
  emitter.warn("FutureWarning", *message);
  return Value::none();
}

// What a sum is computed in: narrow integers widen to 32 bits.
static FailureOr<Value> pickSumDtype(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Type> input = readType(emitter, arguments[0], "in_dtype");
  if (failed(input))
    return failure();
  if (!arguments[1].isNone())
    return arguments[1];
  if (!input->isInteger() || input->bitWidth() >= 32)
    return Value::none();
  return Value::dtype(Type::scalar(input->isSigned() ? ScalarKind::Int32 : ScalarKind::UInt32));
}

// The dimension `flip` reverses.
static FailureOr<Value> flipDimension(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::vector<int64_t>> shape = readIntegers(emitter, arguments[1], "shape");
  if (failed(shape))
    return failure();
  const int64_t rank = shape->size();
  if (arguments[0].isNone())
    return Value::integer(rank - 1);
  FailureOr<int64_t> dim = readInteger(emitter, arguments[0], "dim");
  FailureOr<int64_t> axis = failed(dim) ? dim : tensor::normalizeAxis(*dim, rank, ruleErrors(emitter));
  if (failed(axis))
    return failure();
  return Value::integer(*axis);
}

static FailureOr<Value> wrapAxis(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> axis = readInteger(emitter, arguments[0], "axis"),
                     rank = readInteger(emitter, arguments[1], "ndim");
  if (failed(axis) || failed(rank))
    return failure();
  FailureOr<int64_t> wrapped = tensor::normalizeAxis(*axis, *rank, ruleErrors(emitter));
  if (failed(wrapped))
    return failure();
  return Value::integer(*wrapped);
}

// Where a thread of a GPU holds many elements, sorting is loops over tiles of them. One is half of what a thread has registers for, and no more than
// makes loops long enough: the rest is for what waits, and what is compared.
static FailureOr<Value> sortTile(Emitter &emitter, const BoundArguments &arguments) {
  constexpr int64_t registersOfAll = 65536, mostWords = 64, fewestWords = 64;
  FailureOr<int64_t> numel = readInteger(emitter, arguments[0], "numel"),
                     bits = readInteger(emitter, arguments[1], "bitwidth");
  if (failed(numel) || failed(bits))
    return failure();
  const LanguageOptions &options = emitter.options();
  const int64_t threads = int64_t(options.numWarps) * options.warpSize, words = std::max<int64_t>(1, *bits / 32);
  if (options.backend != "cuda" || *numel * words < fewestWords * threads)
    return Value::none();
  const int64_t columns = std::min(mostWords, registersOfAll / threads / 2) / words;
  std::vector<Value> tile;
  for (int64_t size : {int64_t(options.numWarps), int64_t(options.warpSize), columns})
    tile.push_back(Value::integer(size));
  return Value::tuple(std::move(tile));
}

static FailureOr<Value> identity(Emitter &, const BoundArguments &arguments) { return arguments[0]; }

static FailureOr<Value> stringToType(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> name = readString(emitter, arguments[0], "name");
  if (failed(name))
    return failure();
  if (std::optional<Type> type = Type::parse(*name))
    return Value::dtype(*type);
  return emitter.error("ValueError") << "'" << *name << "' names no type";
}

static FailureOr<Value> isDtypeName(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::string> name = readString(emitter, arguments[0], "type_str");
  if (failed(name))
    return failure();
  std::optional<ScalarKind> kind = dispatch::scalarTypeByName(*name);
  return Value::boolean(kind && nameOf(*kind) == *name);
}

llvm::ArrayRef<Builtin> compileTimeBuiltins() {
  static const Builtin table[] = {
      atCompileTime({"triton", "cdiv", "(x, y)", "`x` divided by `y`, rounded up, at compile time.", cdiv}),
      atCompileTime({"triton", "next_power_of_2", "(n)",
                     "The smallest power of two that is at least `n`, at compile time.", nextPowerOf2}),
      atCompileTime({"triton.language.core", "str_to_ty", "(name, c=None)",
                     "The type that a signature string such as \"*fp32\" names.", stringToType}),
      atCompileTime({"triton.language.core.dtype", "is_dtype", "(type_str)", "Whether this is the name of a dtype.",
                     isDtypeName}),
      atCompileTime({"triton.language.core", "get_int_dtype", "(bitwidth, signed)", "The integer dtype of that width.",
                     integerDtype}),
      atCompileTime({"triton.language.core", "_unwrap_if_constexpr", "(o)", "What a constexpr wraps.", identity}),
      atCompileTime(
          {"triton.language.core", "_unwrap_shape", "(shape)", "A shape as compile-time integers.", identity}),
      {"triton.language.core", "_language_rule", "(name)", "Whether the rule holds in the version of the language.",
       languageRule},
      {"triton.language.core", "_announce", "(message)", "Warns of what changes with a later release.", announce},
      {"triton.language.core", "_wrap_axis", "(axis, ndim)", "`axis` counted from the front.", wrapAxis},
      atCompileTime({"triton.language.standard", "_log2", "(i)", "The logarithm to base 2, rounded down.", log2Floor}),
      atCompileTime(
          {"triton.language.standard", "_is_power_of_two", "(i)", "Whether `i` is a power of two.", isPowerOfTwo}),
      {"triton.language.standard", "_sort_tile", "(numel, bitwidth)",
       "The shape of the tiles that so many elements are sorted in, or None where the whole network is unrolled.",
       sortTile},
      atCompileTime({"triton.language.standard", "_get_int_dtype", "(bitwidth, signed)",
                     "The integer dtype of that width.", integerDtype}),
      atCompileTime({"triton.language.standard", "_pick_sum_dtype", "(in_dtype, dtype)",
                     "What a sum of `in_dtype` is computed in, or None to keep it.", pickSumDtype}),
      {"triton.language.standard", "_get_flip_dim", "(dim, shape)", "The dimension to flip, counted from the front.",
       flipDimension},
  };
  return table;
}

} // namespace triton::frontend
