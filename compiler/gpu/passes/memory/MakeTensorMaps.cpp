// Tensors that a kernel describes itself, as TMA knows them: 128 bytes in global memory, which one warp writes.
//
//   %d = tt.make_tensor_descriptor %base, [%m, %n], [%stride, %one] : <f16>, <tensor<64x64xf16, #shared>>
// becomes
//   %map = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32}
//   ttng.tensormap_create %map, %base, [64, 64], [%n, %m], [%stride * 2], [1, 1] {elem_type, fill_mode, swizzle_mode, …}
//   ttng.tensormap_fenceproxy_acquire %map
//   %d = ttng.reinterpret_tensor_descriptor %map
//
// Partitions of warps are handed the map, and acquire it again: each thread that starts copies has to.
//
// In a loop the same bytes are written again in every iteration: copies that use them have ended by then, as no loop runs copies ahead whose
// descriptor it makes.
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/passes/Passes.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_MAKETENSORMAPS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

struct MakeTensorMaps : impl::MakeTensorMapsBase<MakeTensorMaps> {
  void run() override {
    if (failed(checkDescriptors(getOperation())))
      return signalPassFailure();
    getOperation().walk([](tensor::MakeTensorDescOp make) { lower(make); });
  }

  static void lower(tensor::MakeTensorDescOp make) {
    OpBuilder builder(make);
    Location loc = make.getLoc();
    auto bytes = tensor::PointerType::get(builder.getI8Type());
    Value map = GlobalScratchAllocOp::create(builder, loc, bytes, /*nbytes=*/128, /*alignment=*/128);
    TensorMapFormat format = tensorMapFormat(make.getType());
    auto constant = [&](int64_t value, unsigned width) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(builder.getIntegerType(width), value));
    };
    // The fastest dimension first.
    SmallVector<Value> box, sizes(llvm::reverse(make.getShape())), strides;
    for (int64_t size : llvm::reverse(format.box))
      box.push_back(constant(size, 32));
    Value elementBytes = constant(format.elementBytes, 64);
    for (Value stride : llvm::drop_begin(llvm::reverse(make.getStrides())))
      strides.push_back(arith::MulIOp::create(builder, loc, stride, elementBytes));
    SmallVector<Value> ones(sizes.size(), constant(1, 32));
    bool padsWithNan = make.getPadding() == tensor::PaddingOption::Nan;
    TensormapCreateOp::create(builder, loc, map, make.getBase(), box, sizes, strides, ones, format.elementType,
                              /*interleave_layout=*/0, format.swizzle, padsWithNan);
    TensormapFenceproxyAcquireOp::create(builder, loc, map);
    for (OpOperand &use : llvm::make_early_inc_range(make.getResult().getUses()))
      if (auto specialized = dyn_cast<WarpSpecializeOp>(use.getOwner()))
        acquireInPartitions(specialized, use.getOperandNumber(), map, make.getType());
    make.getResult().replaceAllUsesWith(ReinterpretTensorDescOp::create(builder, loc, make.getType(), map));
    make.erase();
  }

  /// Other warps have to acquire the map themselves.
  static void acquireInPartitions(WarpSpecializeOp op, unsigned capture, Value map, Type descriptor) {
    op->setOperand(capture, map);
    for (Region &region : op.getPartitionRegions()) {
      BlockArgument argument = region.getArgument(capture);
      argument.setType(map.getType());
      OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
      auto acquire = TensormapFenceproxyAcquireOp::create(builder, op.getLoc(), argument);
      auto own = ReinterpretTensorDescOp::create(builder, op.getLoc(), descriptor, argument);
      argument.replaceAllUsesExcept(own.getResult(), SmallPtrSet<Operation *, 2>{acquire, own});
    }
  }
};

} // namespace

} // namespace triton::gpu
