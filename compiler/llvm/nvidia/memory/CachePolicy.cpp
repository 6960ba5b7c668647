#include "compiler/llvm/nvidia/memory/CachePolicy.h"

#include "compiler/gpu/dialect/ExplicitOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace triton::nvidia {

llvm::Value *createPolicy(Emitter &emitter, llvm::StringRef primary, llvm::StringRef secondary, float fraction) {
  std::string text = "createpolicy.fractional.L2::" + primary.str();
  if (!secondary.empty())
    text += ".L2::" + secondary.str();
  const std::string bits = llvm::utohexstr(llvm::bit_cast<uint32_t>(fraction), /*LowerCase=*/true, /*Width=*/8);
  return emitter.inlineAsm(text + ".b64 $0, 0f" + bits + ";", "=l", emitter.builder.getInt64Ty(), {});
}

std::optional<CachePolicy> cachePolicyOf(Emitter &emitter, Operation *op) {
  auto fields = op->getAttrOfType<DictionaryAttr>(gpu::cachePolicyName);
  if (!fields)
    return std::nullopt;
  CachePolicy policy;
  auto text = [&](llvm::StringRef name) {
    auto field = fields.getAs<StringAttr>(name);
    return field ? field.getValue() : llvm::StringRef();
  };
  if (llvm::StringRef first = text("l1"); !first.empty())
    policy.qualifiers += ".L1::" + first.str();
  if (llvm::StringRef primary = text("l2_primary"); !primary.empty()) {
    auto fraction = fields.getAs<FloatAttr>("l2_fraction");
    policy.hint =
        createPolicy(emitter, primary, text("l2_secondary"), fraction ? float(fraction.getValueAsDouble()) : 1.0f);
    policy.qualifiers += ".L2::cache_hint";
  }
  if (auto bytes = fields.getAs<IntegerAttr>("l2_prefetch_size"))
    policy.qualifiers += ".L2::" + std::to_string(bytes.getInt()) + "B";
  return policy;
}

} // namespace triton::nvidia
