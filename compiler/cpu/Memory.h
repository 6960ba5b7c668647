// Vectors from and to memory.
//   In:  addresses as `Lanes`, which lanes are active, what the others read as.
//   Out: plain vector accesses where the lanes are contiguous, one scalar access where they coincide, shuffles or an
//   access per lane
//        where they are neither.
// Memory of an inactive lane is never touched.
#pragma once

#include "compiler/cpu/Lanes.h"
#include "compiler/cpu/Target.h"

#include "mlir/IR/Builders.h"

namespace triton::cpu {

/// Which lanes an access is for: all where both are null; `uniform` decides for the whole vector, `lanes` for each
/// lane.
struct Predicate {
  mlir::Value uniform, lanes;
  bool isAll() const { return !uniform && !lanes; }
};

class Memory {
public:
  Memory(mlir::OpBuilder &builder, const HostTarget &target, mlir::Location loc)
      : builder(builder), target(target), loc(loc) {}

  /// `width` lanes of `element` (a type of tensor IR). A scalar when `width` is 1 or the address is the same for all
  /// lanes; check the type of the result. `exact` gives the addresses when those at hand only hold under a condition.
  mlir::Value load(const Lanes &address, mlir::Type element, int64_t width, Predicate predicate, mlir::Value other,
                   llvm::function_ref<Lanes()> exact, bool isVolatile = false);
  /// `value`: a vector of `width` lanes, or a scalar when `width` is 1.
  void store(const Lanes &address, mlir::Type element, int64_t width, Predicate predicate, mlir::Value value,
             llvm::function_ref<Lanes()> exact, bool isStreaming = false);

  /// Element `base + offsets` of a buffer, and its counterpart. Buffers may be read past their last element within a
  /// vector's length.
  mlir::Value loadBuffer(mlir::Value pointer, mlir::Type element, int64_t width, mlir::Value base,
                         llvm::ArrayRef<int64_t> offsets);
  void storeBuffer(mlir::Value pointer, mlir::Type element, mlir::Value base, llvm::ArrayRef<int64_t> offsets,
                   mlir::Value value);

  /// From and to the form in memory: i1 is a byte there.
  mlir::Value fromStorage(mlir::Value stored, mlir::Type element);
  mlir::Value toStorage(mlir::Value value, mlir::Type element);

  /// `value` in each of `width` lanes; `value` itself if it is a vector, or `width` is 1.
  mlir::Value broadcast(mlir::Value value, int64_t width);
  mlir::Value anyLane(mlir::Value mask);
  mlir::Value allLanes(mlir::Value mask);
  /// The address `index` elements of `bytes` bytes after `pointer`.
  mlir::Value addressOf(mlir::Value pointer, mlir::Value index, int64_t bytes);

private:
  mlir::Value emitIf(mlir::Value condition, mlir::Type result, llvm::function_ref<mlir::Value()> yes,
                     llvm::function_ref<mlir::Value()> no);
  mlir::Value loadStrided(const Lanes &address, mlir::Type stored, int64_t stride, int64_t width);
  void storeStrided(const Lanes &address, int64_t stride, int64_t width, mlir::Value value);
  mlir::Value loadActive(const Lanes &address, mlir::Type element, int64_t width, bool isVolatile);
  mlir::Value loadMasked(const Lanes &address, mlir::Type element, int64_t width, mlir::Value mask, mlir::Value other);
  void storeActive(const Lanes &address, mlir::Type element, int64_t width, mlir::Value value, bool isStreaming);
  void storeMasked(const Lanes &address, mlir::Type element, int64_t width, mlir::Value mask, mlir::Value value);
  mlir::Value scalarAddress(const Lanes &address, int64_t lane);
  mlir::Value laneDistances(const Lanes &address, int64_t width); // from the pointer, in bytes
  mlir::Value lanePointers(const Lanes &address, int64_t width);
  mlir::Value stackSlot(mlir::Type element, int64_t count, llvm::StringRef purpose);
  void forActiveLanes(mlir::Value mask, int64_t width, llvm::function_ref<void(mlir::Value)> body);
  mlir::Value storeDistances(const Lanes &address, int64_t width, mlir::Type element);
  mlir::Value addressOfLane(const Lanes &address, mlir::Value lane, mlir::Value slot, mlir::Type element);
  bool isContiguous(const Lanes &address, mlir::Type element) const;
  /// Whether masked vector accesses of `element` are single instructions.
  bool hasMasks(mlir::Type element) const;
  /// Whether accesses of `element` at one address per lane are single instructions.
  bool hasGathers(mlir::Type element) const;

  mlir::OpBuilder &builder;
  const HostTarget &target;
  mlir::Location loc;
};

} // namespace triton::cpu
