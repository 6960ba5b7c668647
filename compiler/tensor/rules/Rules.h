// What the ops of tensor IR accept and what they yield: one function per op, asked by verifiers, the frontend and the
// interpreter.
//   In:  the types and compile-time numbers an op is given, and where to put an error.
//   Out: the type of the result, or failure after exactly one diagnostic.
// Messages speak of shapes and dtypes, not of IR.
#ifndef TRITON_COMPILER_TENSOR_RULES_RULES_H
#define TRITON_COMPILER_TENSOR_RULES_RULES_H

#include "compiler/tensor/Tensor.h"

namespace triton::tensor {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
using Shape = llvm::ArrayRef<int64_t>;

inline constexpr int64_t maxTensorElements = 1048576;

// Shapes.
/// Every dim a power of two, and not too many elements.
mlir::LogicalResult checkShape(Shape shape, EmitError error);
/// `axis` counted from the front: -1 is the last dim of `rank`.
mlir::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank, EmitError error);
/// The shape two operands of an elementwise op are broadcast to: the shorter one gets dims of size 1 in front.
mlir::FailureOr<llvm::SmallVector<int64_t>> inferBroadcastShape(Shape lhs, Shape rhs, EmitError error);
/// `order`, which the user knows as `what`, names each of 0..rank-1 once.
mlir::LogicalResult checkPermutation(llvm::StringRef what, llvm::ArrayRef<int32_t> order, int64_t rank,
                                     EmitError error);

mlir::FailureOr<mlir::RankedTensorType> inferRange(mlir::MLIRContext *context, int64_t start, int64_t end,
                                                   EmitError error);
mlir::FailureOr<mlir::RankedTensorType> inferSplat(mlir::Type scalar, Shape shape, EmitError error);
mlir::FailureOr<mlir::Type> inferUnsplat(mlir::RankedTensorType tensor, EmitError error);
mlir::FailureOr<mlir::RankedTensorType> inferExpandDims(mlir::RankedTensorType tensor, int64_t axis, EmitError error);
mlir::FailureOr<mlir::RankedTensorType> inferBroadcast(mlir::RankedTensorType tensor, Shape shape, EmitError error);
mlir::FailureOr<mlir::RankedTensorType> inferReshape(mlir::RankedTensorType tensor, Shape shape, EmitError error);
mlir::FailureOr<mlir::RankedTensorType> inferTrans(mlir::RankedTensorType tensor, llvm::ArrayRef<int32_t> order,
                                                   EmitError error);
mlir::FailureOr<mlir::RankedTensorType> inferCat(mlir::RankedTensorType lhs, mlir::RankedTensorType rhs,
                                                 EmitError error);
mlir::FailureOr<mlir::RankedTensorType> inferJoin(mlir::Type lhs, mlir::Type rhs, EmitError error);
/// The type of each half.
mlir::FailureOr<mlir::Type> inferSplit(mlir::RankedTensorType tensor, EmitError error);
mlir::FailureOr<mlir::RankedTensorType> inferGather(mlir::RankedTensorType source, mlir::RankedTensorType indices,
                                                    int64_t axis, EmitError error);

// Reductions.
mlir::FailureOr<llvm::SmallVector<mlir::Type>> inferReduce(mlir::TypeRange operands, int64_t axis, EmitError error);
mlir::LogicalResult checkScan(mlir::TypeRange operands, int64_t axis, EmitError error);
/// `mask` may be null.
mlir::FailureOr<mlir::RankedTensorType> inferHistogram(mlir::Type operand, mlir::Type mask, int64_t bins,
                                                       EmitError error);
/// `yields` are the types a region gives, `wanted` those it must: one `what` per type.
mlir::LogicalResult checkRegionTypes(llvm::StringRef what, mlir::TypeRange yields, mlir::TypeRange wanted,
                                     EmitError error);

// Casts and elementwise ops.
mlir::LogicalResult checkBitcast(mlir::Type from, mlir::Type to, EmitError error);
mlir::LogicalResult checkFpToFp(mlir::Type from, mlir::Type to, std::optional<RoundingMode> rounding, EmitError error);
/// How many characters `device_print` gives to an index of a dimension of this size: as many digits as its largest takes.
unsigned printedIndexWidth(int64_t size);
/// What an inline assembly op says of itself.
struct InlineAsm {
  llvm::StringRef text, constraints;
  int64_t packedElements = 1;
};
mlir::LogicalResult checkInlineAsm(const InlineAsm &assembly, mlir::TypeRange operands, mlir::TypeRange results,
                                   EmitError error);

// Matrices.
/// The type of the product of `a` and `b`, of elements `element`.
mlir::FailureOr<mlir::RankedTensorType> inferDot(mlir::RankedTensorType a, mlir::RankedTensorType b, mlir::Type element,
                                                 EmitError error);
/// `product` is what `inferDot` gave: the accumulator must be the same.
mlir::LogicalResult checkAccumulator(mlir::RankedTensorType product, mlir::Type accumulator, EmitError error);
/// One operand of a scaled dot, as `inferDotScaled` takes it.
struct ScaledOperand {
  mlir::RankedTensorType type;
  mlir::RankedTensorType scale; // null: not scaled
  ScaleDotElemType format;
  bool packedAlongK = true;
};
/// The type of the product, f32.
mlir::FailureOr<mlir::RankedTensorType> inferDotScaled(ScaledOperand lhs, ScaledOperand rhs, EmitError error);

// Memory. `mask` and `other` may be null.
mlir::FailureOr<mlir::Type> inferLoad(mlir::Type pointer, mlir::Type mask, mlir::Type other,
                                      llvm::ArrayRef<int32_t> boundaryCheck, std::optional<PaddingOption> padding,
                                      EmitError error);
mlir::LogicalResult checkStore(mlir::Type pointer, mlir::Type value, mlir::Type mask,
                               llvm::ArrayRef<int32_t> boundaryCheck, EmitError error);
mlir::FailureOr<mlir::Type> inferAtomicRmw(RMWOp op, mlir::Type pointer, mlir::Type value, mlir::Type mask,
                                           EmitError error);
mlir::FailureOr<mlir::Type> inferAtomicCas(mlir::Type pointer, mlir::Type compared, mlir::Type value, EmitError error);

// Block pointers and descriptors. A rank argument is how many values the op was given.
struct WindowRanks {
  int64_t shape, strides, offsets;
};
mlir::FailureOr<PointerType> inferMakeTensorPtr(mlir::Type base, WindowRanks ranks, llvm::ArrayRef<int32_t> blockShape,
                                                llvm::ArrayRef<int32_t> order, EmitError error);
mlir::LogicalResult checkAdvance(mlir::Type pointer, int64_t offsets, EmitError error);
/// The blocks that descriptors of `elementBits` wide elements may have.
mlir::LogicalResult checkDescriptorBlock(Shape block, unsigned elementBits, EmitError error);
/// `isSigned` is how integer elements compare.
mlir::FailureOr<TensorDescType> inferMakeTensorDesc(mlir::Type base, int64_t shapeRank, int64_t stridesRank,
                                                    llvm::ArrayRef<int32_t> blockShape, bool isSigned,
                                                    PaddingOption padding, EmitError error);
mlir::FailureOr<mlir::RankedTensorType> inferDescriptorLoad(TensorDescType descriptor, int64_t indices,
                                                            EmitError error);
mlir::LogicalResult checkDescriptorStore(TensorDescType descriptor, mlir::Type value, int64_t indices, EmitError error);
mlir::LogicalResult checkDescriptorReduce(DescriptorReduceKind kind, TensorDescType descriptor, mlir::Type value,
                                          int64_t indices, EmitError error);
mlir::FailureOr<mlir::RankedTensorType> inferDescriptorGather(TensorDescType descriptor, mlir::Type rows,
                                                              EmitError error);
mlir::LogicalResult checkDescriptorScatter(TensorDescType descriptor, mlir::Type rows, mlir::Type value,
                                           EmitError error);

} // namespace triton::tensor

#endif
