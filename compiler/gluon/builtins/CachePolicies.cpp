// Loads and stores that say what caches are to keep: as those of the language without layouts, with an attribute for what these have no words for.
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"
#include "compiler/gpu/dialect/ExplicitOps.h"

using namespace mlir;

namespace triton::gluon {

using namespace frontend;
using frontend::Value;

/// A field of a policy; nothing where it is None or there is none.
static FailureOr<std::optional<Value>> fieldOf(Emitter &emitter, const Value &policy, StringRef name) {
  FailureOr<std::optional<Value>> field = valueAttribute(emitter, policy, name);
  if (failed(field))
    return failure();
  return *field && (*field)->isNone() ? std::optional<Value>() : *field;
}

FailureOr<DictionaryAttr> readCachePolicy(Emitter &emitter, const Value &policy) {
  Builder builder(emitter.context());
  if (policy.isNone())
    return DictionaryAttr();
  const auto *object = policy.getIf<HostObject>();
  const std::string className = object && object->host ? object->host->className(*object) : "";
  if (className != "CachePolicy" && className != "NvidiaCachePolicy")
    return emitter.error("TypeError") << "cache_policy must be a CachePolicy, got " << policy.str();
  NamedAttrList fields;
  auto readText = [&](const Value &from, StringRef field, StringRef name) -> LogicalResult {
    FailureOr<std::optional<Value>> value = fieldOf(emitter, from, field);
    if (failed(value) || !*value)
      return value;
    FailureOr<std::string> text = readString(emitter, **value, field);
    if (succeeded(text))
      fields.set(name, builder.getStringAttr(*text));
    return text;
  };
  if (failed(readText(policy, "cache_modifier", "cache_modifier")) ||
      failed(readText(policy, "eviction_policy", "eviction_policy")) || failed(readText(policy, "l1", "l1")))
    return failure();
  FailureOr<std::optional<Value>> second = fieldOf(emitter, policy, "l2"),
                                  prefetch = fieldOf(emitter, policy, "l2_prefetch_size");
  if (failed(second) || failed(prefetch))
    return failure();
  if (*second) {
    FailureOr<std::optional<Value>> fraction = fieldOf(emitter, **second, "fraction");
    if (failed(readText(**second, "primary", "l2_primary")) ||
        failed(readText(**second, "secondary", "l2_secondary")) || failed(fraction))
      return failure();
    const double *share = *fraction ? (*fraction)->getIf<double>() : nullptr;
    fields.set("l2_fraction", builder.getF32FloatAttr(share ? float(*share) : 1.0f));
  }
  if (*prefetch) {
    FailureOr<int64_t> bytes = readInteger(emitter, **prefetch, "l2_prefetch_size");
    if (failed(bytes))
      return failure();
    fields.set("l2_prefetch_size", builder.getI32IntegerAttr(*bytes));
  }
  if (fields.get("cache_modifier") && fields.get("l1"))
    return emitter.error("ValueError") << "cache modifier cannot be combined with an L1 eviction priority";
  return fields.getDictionary(emitter.context());
}

/// `name` of the language without layouts, whose last parameter but the policy is number `count` - 1.
template <typename OpT>
static FailureOr<Value> withPolicy(Emitter &emitter, const BoundArguments &arguments, StringRef name, unsigned modifier,
                                   unsigned policyIndex) {
  FailureOr<DictionaryAttr> policy = readCachePolicy(emitter, arguments[policyIndex]);
  if (failed(policy))
    return failure();
  BoundArguments plain = arguments;
  plain.values.pop_back();
  plain.given.pop_back();
  if (*policy) {
    if (arguments.isGiven(modifier) || arguments.isGiven(modifier + 1))
      return emitter.error("ValueError") << "cache_policy excludes cache_modifier and eviction_policy";
    auto text = [&](StringRef field, StringRef nothing) {
      auto given = policy->getAs<StringAttr>(field);
      return given && given.getValue() != nothing ? given.getValue() : StringRef();
    };
    if (StringRef cache = text("cache_modifier", "none"); !cache.empty())
      plain.values[modifier] = Value::string(("." + cache).str());
    plain.values[modifier + 1] = Value::string(text("eviction_policy", "evict_normal").str());
  }
  FailureOr<Value> result = findBuiltin("triton.language.core", name)->emit(emitter, plain);
  const bool isMore = *policy && (policy->get("l1") || policy->get("l2_primary") || policy->get("l2_prefetch_size"));
  if (failed(result) || !isMore)
    return result;
  // The access is the last op of its kind so far: what may follow it converts its result.
  Block::iterator at = emitter.builder().getInsertionPoint();
  do
    --at;
  while (!isa<OpT>(*at));
  at->setAttr(gpu::cachePolicyName, *policy);
  return result;
}

static FailureOr<Value> load(Emitter &emitter, const BoundArguments &arguments) {
  return withPolicy<tensor::LoadOp>(emitter, arguments, "load", 5, 8);
}

static FailureOr<Value> store(Emitter &emitter, const BoundArguments &arguments) {
  if (FailureOr<DictionaryAttr> policy = readCachePolicy(emitter, arguments[6]); failed(policy))
    return failure();
  else if (*policy && policy->get("l2_prefetch_size"))
    return emitter.error("ValueError") << "stores prefetch nothing: l2_prefetch_size is for loads";
  return withPolicy<tensor::StoreOp>(emitter, arguments, "store", 4, 6);
}

#define CORE "triton.experimental.gluon.language._core"

llvm::ArrayRef<Builtin> cachePolicyBuiltins() {
  static const Builtin table[] = {
      {CORE, "load",
       "(pointer, mask=None, other=None, boundary_check=(), padding_option=\"\", cache_modifier=\"\", "
       "eviction_policy=\"\", volatile=False, cache_policy=None)",
       "Reads memory: a scalar through a pointer, a block through a block of pointers.\n\n"
       "Where `mask` is false nothing is read and the element is `other`, or undefined without it. `cache_policy` says "
       "what caches are to keep, in place of `cache_modifier` and `eviction_policy`.",
       load},
      {CORE, "store",
       "(pointer, value, mask=None, boundary_check=(), cache_modifier=\"\", eviction_policy=\"\", cache_policy=None)",
       "Writes `value` to memory, where `mask` is true. `cache_policy` says what caches are to keep, in place of "
       "`cache_modifier` and `eviction_policy`.",
       store},
  };
  return table;
}

} // namespace triton::gluon
