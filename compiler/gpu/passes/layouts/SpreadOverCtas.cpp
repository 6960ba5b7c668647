// Says which CTA of a cluster holds what, when a program is more than one CTA.
//
//   tensor<1024xf32, #ttg.blocked<{sizePerThread = [4], …}>>
// becomes, for two CTAs,
//   tensor<1024xf32, #ttg.blocked<{sizePerThread = [4], …, CGALayout = [[1]]}>>
//
// Each blocked layout is cut along the dimension that varies slowest, so that every CTA loads and stores blocks of its own; ops that keep layouts keep
// the cut, and what crosses it (a reduction along it, a conversion to another cut) exchanges values through the cluster's shared memory.
// Programs with dots, descriptors or ops that put elements in another order hold copies in all CTAs instead: each does all the work and the
// first one stores. Runs right after layouts are assigned, until when the module says that a program is one CTA.
#include "compiler/gpu/passes/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_SPREADOVERCTAS
#include "compiler/gpu/passes/Passes.h.inc"

/// Whether cutting every blocked layout alike leaves what each thread does to its own elements as it is.
static bool canCut(ModuleOp module) {
  auto isBlocked = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa<BlockedAttr>(tensor.getEncoding());
  };
  return !module
              .walk([&](Operation *op) {
                bool reorders = isa<tensor::DotOp, tensor::ReshapeOp, tensor::CatOp, tensor::JoinOp, tensor::SplitOp,
                                    tensor::HistogramOp, tensor::MapElementwiseOp>(op);
                bool describes = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<tensor::TensorDescType>);
                bool turns = isa<tensor::TransOp>(op) &&
                             !(isBlocked(op->getOperand(0).getType()) && isBlocked(op->getResult(0).getType()));
                return reorders || describes || turns ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// The bases of the CTAs: powers of two along one dimension, or zeros.
static SmallVector<int64_t> clusterBases(unsigned bits, int64_t rank, std::optional<unsigned> dimension) {
  SmallVector<int64_t> flat(bits * rank, 0);
  for (unsigned bit = 0; bit < bits && dimension; ++bit)
    flat[bit * rank + *dimension] = int64_t(1) << bit;
  return flat;
}

namespace {
struct SpreadOverCtas : impl::SpreadOverCtasBase<SpreadOverCtas> {
  using SpreadOverCtasBase::SpreadOverCtasBase;

  void run() override {
    ModuleOp module = getOperation();
    if (numCtas == 1)
      return;
    if (numCtas < 1 || numCtas > 16 || !llvm::isPowerOf2_32(numCtas)) {
      module.emitError() << "a cluster has 1, 2, 4, 8 or 16 CTAs, got num_ctas = " << numCtas.getValue();
      return signalPassFailure();
    }
    std::optional<int> capability = getComputeCapability(module);
    if (capability && *capability < 90) {
      module.emitError() << "num_ctas = " << numCtas.getValue() << " needs sm_90 or newer, got "
                         << module->getAttr(targetName);
      return signalPassFailure();
    }
    module->setAttr(numCtasName, Builder(&getContext()).getI32IntegerAttr(numCtas));
    unsigned bits = llvm::Log2_32(numCtas);
    bool cut = canCut(module);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](BlockedAttr layout) -> std::optional<Attribute> {
      if (!layout.getCluster().empty())
        return std::nullopt;
      int64_t rank = layout.getRank();
      auto along = cut ? std::optional<unsigned>(layout.getOrder().back()) : std::nullopt;
      return BlockedAttr::get(&getContext(), layout.getSizePerThread(), layout.getThreadsPerWarp(),
                              layout.getWarpsPerCTA(), layout.getOrder(), clusterBases(bits, rank, along));
    });
    replacer.addReplacement([&](MmaAttr layout) -> std::optional<Attribute> {
      if (!layout.getCluster().empty())
        return std::nullopt;
      return MmaAttr::get(&getContext(), layout.getVersionMajor(), layout.getVersionMinor(), layout.getWarpsPerCTA(),
                          layout.getInstrShape(),
                          clusterBases(bits, static_cast<int64_t>(layout.getWarpsPerCTA().size()), std::nullopt));
    });
    replacer.addReplacement([&](LinearAttr layout) -> std::optional<Attribute> {
      if (!layout.getBlocks().empty())
        return std::nullopt;
      return LinearAttr::get(&getContext(), layout.getRank(), layout.getRegisters(), layout.getLanes(),
                             layout.getWarps(), clusterBases(bits, layout.getRank(), std::nullopt));
    });
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
    // Values of constants are not attributes within attributes: they keep the type they had.
    module.walk([](arith::ConstantOp constant) {
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
    });
  }
};
} // namespace

} // namespace triton::gpu
