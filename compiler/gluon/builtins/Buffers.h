// Buffers as values of the language, and what builtins on them read alike.
#pragma once

#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/gluon/LayoutObjects.h"

namespace triton::gluon {

inline constexpr llvm::StringLiteral sharedClass = "triton.experimental.gluon.language._core.shared_memory_descriptor";

/// A buffer in shared memory; `element` is what the language calls its elements.
frontend::Value sharedValue(mlir::Value ir, frontend::Type element);
/// An argument that must be one.
mlir::FailureOr<frontend::Value> readShared(frontend::Emitter &emitter, const frontend::Value &value,
                                            llvm::StringRef what);
inline mlir::Value bufferOf(const frontend::Value &handle) { return handle.get<frontend::HandleValue>().ir; }
inline gpu::MemDescType bufferTypeOf(const frontend::Value &handle) {
  return llvm::cast<gpu::MemDescType>(bufferOf(handle).getType());
}
/// An argument that must be a barrier: a buffer of one int64.
mlir::FailureOr<frontend::Value> readBarrier(frontend::Emitter &emitter, const frontend::Value &value);
/// An error unless the target is an NVIDIA GPU, sm_`capability` or newer.
mlir::LogicalResult needs(frontend::Emitter &emitter, int capability, llvm::StringRef what);
/// An error unless the target is an AMD GPU.
mlir::LogicalResult needsAmd(frontend::Emitter &emitter, llvm::StringRef what);
/// Closes the group of copies that threads have begun since the last one; waits until at most `pending` groups are copying.
mlir::FailureOr<frontend::Value> commitCopies(frontend::Emitter &emitter);
mlir::FailureOr<frontend::Value> waitForCopies(frontend::Emitter &emitter, const frontend::Value &pending);
/// A tensor descriptor, and as many int32 scalars as it has dimensions.
mlir::FailureOr<const frontend::DescriptorValue *> readDescriptor(frontend::Emitter &emitter,
                                                                  const frontend::Value &value, llvm::StringRef what);
mlir::FailureOr<llvm::SmallVector<mlir::Value>> readCoordinates(frontend::Emitter &emitter,
                                                                const frontend::Value &value,
                                                                const frontend::DescriptorValue &descriptor,
                                                                llvm::StringRef what);
/// A shape of powers of two, given as a list.
mlir::FailureOr<std::vector<int64_t>> readShapeOf(frontend::Emitter &emitter, const frontend::Value &value);
/// What a new buffer begins with: null for None, else a block of its shape and elements.
mlir::FailureOr<mlir::Value> readContents(frontend::Emitter &emitter, const frontend::Value &value,
                                          const frontend::Type &element, llvm::ArrayRef<int64_t> shape);
/// A predicate: an int1 scalar, or a constant.
mlir::FailureOr<mlir::Value> readPredicate(frontend::Emitter &emitter, const frontend::Value &value,
                                           llvm::StringRef what);
/// The type of a buffer in tensor memory, whose layout is an argument.
mlir::FailureOr<gpu::MemDescType> tensorMemoryType(frontend::Emitter &emitter, frontend::Type element,
                                                   llvm::ArrayRef<int64_t> shape, const frontend::Value &layoutValue);
/// The layout of registers in which a buffer in tensor memory is read, by the instruction `variant`, with `warps` (None: those that run this).
mlir::FailureOr<frontend::Value> registerLayoutOf(frontend::Emitter &emitter, const frontend::Value &buffer,
                                                  const frontend::Value &warps, const frontend::Value &variant);
/// What caches are asked to keep, as an attribute of the access; null for None.
mlir::FailureOr<mlir::DictionaryAttr> readCachePolicy(frontend::Emitter &emitter, const frontend::Value &policy);
/// An error if TMA cannot fill buffers of this layout.
mlir::LogicalResult checkCopied(frontend::Emitter &emitter, gpu::NvmmaSharedAttr layout);
/// An int32 scalar.
mlir::FailureOr<mlir::Value> readScalar32(frontend::Emitter &emitter, const frontend::Value &value,
                                          llvm::StringRef what);

} // namespace triton::gluon
