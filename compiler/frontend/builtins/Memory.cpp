// Loads and stores through pointers, blocks of pointers and block pointers.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/frontend/builtins/Pointers.h"
#include "compiler/frontend/builtins/Shape.h"
#include "compiler/frontend/values/Casting.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using triton::tensor::CacheModifier;
using triton::tensor::EvictionPolicy;
using triton::tensor::PaddingOption;

namespace triton::frontend {

bool isBlockPointer(Type type) { return type.isPointer() && type.pointee().isBlock(); }

Type memoryForm(Type pointee) {
  return pointee.isBool() && !pointee.isPointer() ? Type::scalar(ScalarKind::Int8) : pointee;
}

FailureOr<Value> readPointer(Emitter &emitter, const Value &value, llvm::StringRef function) {
  if (!value.isTensor() || !value.type().isPointerLike())
    return emitter.error("ValueError") << "unsupported ptr type "
                                       << (value.isTensor() ? value.type().str() : value.repr()) << " in `tl."
                                       << function << "`";
  if (failed(checkTypeSupported(emitter, value.type().pointee())))
    return failure();
  return value;
}

LogicalResult checkWritable(Emitter &emitter, Type pointer) {
  if (pointer.isConstPointer())
    return emitter.error("ValueError") << "Cannot store to a constant pointer: " << pointer.element().str();
  return success();
}

FailureOr<std::optional<Value>> readMask(Emitter &emitter, const Value &value) {
  if (value.isNone())
    return std::optional<Value>();
  FailureOr<Value> mask = toTensor(emitter, value);
  if (failed(mask))
    return failure();
  if (mask->type().isPointerLike() || !mask->type().isBool())
    return emitter.error("ValueError") << "mask argument must have boolean scalar type, got " << mask->type().str();
  return std::optional<Value>(*mask);
}

FailureOr<CacheModifier> readLoadCache(Emitter &emitter, const Value &value) {
  static constexpr std::pair<llvm::StringLiteral, CacheModifier> options[] = {{"", CacheModifier::None},
                                                                              {".ca", CacheModifier::CA},
                                                                              {".cg", CacheModifier::CG},
                                                                              {".cs", CacheModifier::CS},
                                                                              {".cv", CacheModifier::CV}};
  return readChoice<CacheModifier>(emitter, value, "cache_modifier", options);
}

FailureOr<CacheModifier> readStoreCache(Emitter &emitter, const Value &value) {
  static constexpr std::pair<llvm::StringLiteral, CacheModifier> options[] = {{"", CacheModifier::None},
                                                                              {".wb", CacheModifier::WB},
                                                                              {".cg", CacheModifier::CG},
                                                                              {".cs", CacheModifier::CS},
                                                                              {".wt", CacheModifier::WT}};
  return readChoice<CacheModifier>(emitter, value, "cache_modifier", options);
}

FailureOr<EvictionPolicy> readEviction(Emitter &emitter, const Value &value) {
  static constexpr std::pair<llvm::StringLiteral, EvictionPolicy> options[] = {
      {"", EvictionPolicy::Normal},
      {"evict_normal", EvictionPolicy::Normal},
      {"evict_first", EvictionPolicy::EvictFirst},
      {"evict_last", EvictionPolicy::EvictLast}};
  return readChoice<EvictionPolicy>(emitter, value, "eviction_policy", options);
}

FailureOr<std::optional<PaddingOption>> readPadding(Emitter &emitter, const Value &value) {
  static constexpr std::pair<llvm::StringLiteral, std::optional<PaddingOption>> options[] = {
      {"", std::nullopt}, {"zero", PaddingOption::Zero}, {"nan", PaddingOption::Nan}};
  return readChoice<std::optional<PaddingOption>>(emitter, value, "padding_option", options);
}

// A bare 0 stands for no dimension, as anything false does.
static FailureOr<std::vector<int32_t>> readBoundaryCheck(Emitter &emitter, const Value &value) {
  if (value.isNone() || (asInteger(value) && *asInteger(value) == 0))
    return std::vector<int32_t>();
  FailureOr<std::vector<int64_t>> dims = readIntegers(emitter, value, "boundary_check");
  if (failed(dims))
    return failure();
  return std::vector<int32_t>(dims->begin(), dims->end());
}

namespace {
struct LoadOptions {
  std::vector<int32_t> boundaryCheck;
  std::optional<PaddingOption> padding;
  CacheModifier cache;
  EvictionPolicy eviction;
  bool isVolatile;
};
} // namespace

static FailureOr<LoadOptions> readLoadOptions(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<std::vector<int32_t>> boundary = readBoundaryCheck(emitter, arguments[3]);
  if (failed(boundary))
    return failure();
  FailureOr<std::optional<PaddingOption>> padding = readPadding(emitter, arguments[4]);
  if (failed(padding))
    return failure();
  FailureOr<CacheModifier> cache = readLoadCache(emitter, arguments[5]);
  if (failed(cache))
    return failure();
  FailureOr<EvictionPolicy> eviction = readEviction(emitter, arguments[6]);
  if (failed(eviction))
    return failure();
  FailureOr<bool> isVolatile = readBoolean(emitter, arguments[7], "volatile");
  if (failed(isVolatile))
    return failure();
  return LoadOptions{*boundary, *padding, *cache, *eviction, *isVolatile};
}

static FailureOr<Value> loadBlockPointer(Emitter &emitter, const Value &pointer, bool hasMaskOrOther,
                                         const LoadOptions &options) {
  if (hasMaskOrOther)
    return emitter.error("ValueError") << "`mask` and `other` arguments cannot be specified for loading block pointers";
  if (failed(tensor::inferLoad(irOf(pointer).getType(), {}, {}, options.boundaryCheck, options.padding,
                               ruleErrors(emitter))))
    return failure();
  auto op = tensor::LoadOp::create(emitter.builder(), emitter.location(), irOf(pointer),
                                   ArrayRef<int32_t>(options.boundaryCheck), options.padding, options.cache,
                                   options.eviction, options.isVolatile);
  const Type element = pointer.type().pointee().element();
  const Value loaded = tensorOf(op, memoryForm(element));
  return memoryForm(element) == element ? FailureOr<Value>(loaded) : toBoolean(emitter, loaded);
}

// The pointers come first in `operands`. All grow to the common shape; of a scalar pointer only scalars may go with it, which the rule says.
static FailureOr<std::vector<Value>> broadcastWithPointers(Emitter &emitter, std::vector<Value> operands) {
  if (!operands[0].type().isBlock())
    return operands;
  return broadcastTogether(emitter, operands);
}

static FailureOr<Value> loadPointers(Emitter &emitter, const Value &pointers, const std::optional<Value> &mask,
                                     const Value &otherValue, const LoadOptions &options) {
  const Type pointee = pointers.type().pointee();
  std::vector<Value> operands = {pointers};
  if (mask)
    operands.push_back(*mask);
  if (!otherValue.isNone()) {
    FailureOr<Value> other = cast(emitter, otherValue, memoryForm(pointee));
    if (failed(other))
      return failure();
    operands.push_back(*other);
  }
  if (!mask && !otherValue.isNone())
    return emitter.error("ValueError") << "`other` cannot be provided without `mask`";
  FailureOr<std::vector<Value>> all = broadcastWithPointers(emitter, operands);
  if (failed(all))
    return failure();
  mlir::Value maskIr = all->size() > 1 ? irOf((*all)[1]) : mlir::Value(),
              otherIr = all->size() > 2 ? irOf((*all)[2]) : mlir::Value();
  const auto typeOf = [](mlir::Value value) { return value ? value.getType() : mlir::Type(); };
  mlir::Value pointerIr = irOf((*all)[0]);
  if (failed(tensor::inferLoad(pointerIr.getType(), typeOf(maskIr), typeOf(otherIr), options.boundaryCheck,
                               options.padding, ruleErrors(emitter))))
    return failure();
  auto op = tensor::LoadOp::create(emitter.builder(), emitter.location(), pointerIr, maskIr, otherIr, options.cache,
                                   options.eviction, options.isVolatile);
  const Value loaded = tensorOf(op, memoryForm(pointee));
  return pointee.isBool() && !pointee.isPointer() ? toBoolean(emitter, loaded) : loaded;
}

static FailureOr<Value> load(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> pointer = readPointer(emitter, arguments[0], "load");
  if (failed(pointer))
    return failure();
  FailureOr<LoadOptions> options = readLoadOptions(emitter, arguments);
  if (failed(options))
    return failure();
  FailureOr<std::optional<Value>> mask = readMask(emitter, arguments[1]);
  if (failed(mask))
    return failure();
  if (isBlockPointer(pointer->type()))
    return loadBlockPointer(emitter, *pointer, *mask || !arguments[2].isNone(), *options);
  return loadPointers(emitter, *pointer, *mask, arguments[2], *options);
}

/// `value` as it lies in memory that `pointee` is read from.
static FailureOr<Value> inMemory(Emitter &emitter, const Value &value, Type pointee) {
  const bool isTruth = emitter.options().version.has(LanguageRule::BoolStores) && !(memoryForm(pointee) == pointee);
  FailureOr<Value> stored = isTruth ? toBoolean(emitter, value) : FailureOr<Value>(value);
  return failed(stored) ? stored : cast(emitter, *stored, memoryForm(pointee));
}

static FailureOr<Value> storeBlockPointer(Emitter &emitter, const Value &pointer, Value value,
                                          const BoundArguments &arguments, CacheModifier cache,
                                          EvictionPolicy eviction) {
  const Type block = pointer.type().pointee();
  FailureOr<std::vector<int32_t>> boundary = readBoundaryCheck(emitter, arguments[3]);
  if (failed(boundary))
    return failure();
  if (!arguments[2].isNone())
    return emitter.error("ValueError") << "`mask` argument cannot be specified for storing block pointers";
  FailureOr<Value> stored = inMemory(emitter, value, block.element());
  if (succeeded(stored) && !stored->type().isBlock())
    stored = broadcastTo(emitter, *stored, block.shape());
  if (failed(stored))
    return failure();
  value = *stored;
  if (failed(tensor::checkStore(irOf(pointer).getType(), irOf(value).getType(), {}, *boundary, ruleErrors(emitter))))
    return failure();
  tensor::StoreOp::create(emitter.builder(), emitter.location(), irOf(pointer), irOf(value),
                          ArrayRef<int32_t>(*boundary), cache, eviction);
  return Value::none();
}

FailureOr<std::vector<Value>> fitToPointers(Emitter &emitter, const Value &pointers, const Value &value,
                                            const std::optional<Value> &mask) {
  FailureOr<Value> converted = inMemory(emitter, value, pointers.type().pointee());
  if (failed(converted))
    return failure();
  std::vector<Value> operands = {pointers, *converted};
  if (mask)
    operands.push_back(*mask);
  FailureOr<std::vector<Value>> all = broadcastWithPointers(emitter, operands);
  if (failed(all))
    return failure();
  if ((*all)[0].type().shape() != pointers.type().shape()) {
    const Type wanted = (*all)[0].type(), pointerType = pointers.type();
    return emitter.error("ValueError") << "expected pointer argument to have shape ["
                                       << llvm::interleaved(wanted.shape()) << "] but got ["
                                       << llvm::interleaved(pointerType.shape())
                                       << "]: the pointers of a store are not broadcast";
  }
  return all;
}

static FailureOr<Value> store(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> pointer = readPointer(emitter, arguments[0], "store");
  if (failed(pointer) || failed(checkWritable(emitter, pointer->type())))
    return failure();
  FailureOr<CacheModifier> cache = readStoreCache(emitter, arguments[4]);
  FailureOr<EvictionPolicy> eviction =
      failed(cache) ? FailureOr<EvictionPolicy>() : readEviction(emitter, arguments[5]);
  FailureOr<Value> value = failed(eviction) ? FailureOr<Value>() : toTensor(emitter, arguments[1]);
  if (failed(value))
    return failure();
  if (isBlockPointer(pointer->type()))
    return storeBlockPointer(emitter, *pointer, *value, arguments, *cache, *eviction);
  FailureOr<std::vector<int32_t>> boundary = readBoundaryCheck(emitter, arguments[3]);
  FailureOr<std::optional<Value>> mask =
      failed(boundary) ? FailureOr<std::optional<Value>>() : readMask(emitter, arguments[2]);
  if (failed(mask))
    return failure();
  FailureOr<std::vector<Value>> all = fitToPointers(emitter, *pointer, *value, *mask);
  if (failed(all))
    return failure();
  mlir::Value maskIr = *mask ? irOf((*all)[2]) : mlir::Value();
  if (failed(tensor::checkStore(irOf((*all)[0]).getType(), irOf((*all)[1]).getType(),
                                maskIr ? maskIr.getType() : mlir::Type(), *boundary, ruleErrors(emitter))))
    return failure();
  tensor::StoreOp::create(emitter.builder(), emitter.location(), irOf((*all)[0]), irOf((*all)[1]), maskIr, *cache,
                          *eviction);
  return Value::none();
}

llvm::ArrayRef<Builtin> memoryBuiltins() {
  static const Builtin table[] = {
      {"triton.language.core", "load",
       "(pointer, mask=None, other=None, boundary_check=(), padding_option=\"\", cache_modifier=\"\", "
       "eviction_policy=\"\", volatile=False)",
       "Reads memory: a scalar through a pointer, a block through a block of pointers or a block pointer.\n\n"
       "Where `mask` is false nothing is read and the element is `other`, or undefined without it. `mask`, `other` and "
       "the pointers broadcast together.\n"
       "For block pointers, `boundary_check` lists the dimensions along which elements outside of the tensor are not "
       "read, and `padding_option` (\"zero\" or "
       "\"nan\") is what they give.\n"
       "`cache_modifier` (\".ca\", \".cg\", \".cs\", \".cv\") and `eviction_policy` (\"evict_first\", \"evict_last\") "
       "are "
       "hints; a `volatile` read is neither removed nor merged.",
       load},
      {"triton.language.core", "store",
       "(pointer, value, mask=None, boundary_check=(), cache_modifier=\"\", eviction_policy=\"\")",
       "Writes `value` to memory through a pointer, a block of pointers or a block pointer.\n\n"
       "`value` is converted to the pointers' element type and broadcast to their shape (a block pointer takes only "
       "its own shape). Where `mask` is false "
       "nothing is written. When several elements go to one address, which one stays is undefined.\n"
       "`cache_modifier` is \".wb\", \".cg\", \".cs\" or \".wt\".",
       store, true},
  };
  return table;
}

} // namespace triton::frontend
