#include "compiler/tensor/Places.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace triton {

PlaceChain tensor::placesOf(Location location) {
  PlaceChain chain;
  SmallVector<Location> left{location}; // the innermost last
  while (!left.empty()) {
    Location next = left.pop_back_val();
    if (auto file = dyn_cast<FileLineColLoc>(next)) {
      if (file.getLine())
        chain.push_back({file.getFilename().str(), file.getLine(), file.getColumn()});
    } else if (auto name = dyn_cast<NameLoc>(next)) {
      left.push_back(name.getChildLoc());
    } else if (auto call = dyn_cast<CallSiteLoc>(next)) {
      left.push_back(call.getCaller());
      left.push_back(call.getCallee());
    } else if (auto fused = dyn_cast<FusedLoc>(next)) {
      auto part = llvm::find_if(fused.getLocations(),
                                [](Location part) { return bool(part->findInstanceOf<FileLineColLoc>()); });
      if (part != fused.getLocations().end())
        left.push_back(*part);
    } else if (auto opaque = dyn_cast<OpaqueLoc>(next)) {
      left.push_back(opaque.getFallbackLocation());
    }
  }
  return chain;
}

} // namespace triton
