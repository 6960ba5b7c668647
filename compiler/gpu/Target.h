// An NVIDIA architecture: what a kernel is compiled for, and what its hardware can do.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::gpu {

struct Target {
  unsigned capability = 90;                      // 10 * major + minor
  bool allowsWgmma = true, allowsTcgen05 = true; // false: dots do without, for comparison

  /// "sm_90a", "sm_90", "sm90", "cuda:90" or "90". Fails, naming what is accepted.
  static llvm::Expected<Target> byName(llvm::StringRef name) {
    llvm::StringRef digits = name;
    if (!digits.consume_front("sm_") && !digits.consume_front("sm"))
      digits.consume_front("cuda:");
    digits = digits.rtrim("af");
    static constexpr unsigned known[] = {70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
    unsigned number = 0;
    if (digits.getAsInteger(10, number) || !llvm::is_contained(known, number))
      return llvm::createStringError("unknown NVIDIA architecture '" + name +
                                     "': expected sm_70, 75, 80, 86, 89, 90a, 100a, 103a or 120a");
    return Target{number};
  }

  /// cp.async, and what else came with sm_80: mma.sync of 16 rows, warp-wide reductions, conversions to bf16, hints about the second cache.
  bool isAmpereOrNewer() const { return capability >= 80; }
  /// ldmatrix.
  bool hasMatrixLoads() const { return capability >= 75; }
  bool isHopper() const { return capability / 10 == 9; }
  bool isBlackwell() const { return capability / 10 == 10 || capability / 10 == 11; }
  bool hasWgmma() const { return isHopper() && allowsWgmma; }
  /// tcgen05, and the memory that it accumulates in.
  bool hasTensorMemory() const { return isBlackwell() && allowsTcgen05; }
  bool hasTcgen05Integers() const { return hasTensorMemory() && capability != 103; }
  bool hasTma() const { return capability >= 90; }
  /// Rows by number: tile::gather4 and tile::scatter4.
  bool hasTmaGather() const { return isBlackwell(); }
  bool hasClusters() const { return capability >= 90; }
  /// cvt between fp8 and f16/f32.
  bool hasFp8Conversions() const { return capability >= 89; }
  /// fp8 operands of mma.sync that are not emulated.
  bool hasFp8Mma() const { return capability == 89 || capability / 10 == 12; }
  bool hasBFloatArithmetic() const { return capability >= 90; }
  /// Bytes of shared memory that one CTA may use.
  unsigned sharedBytes() const {
    switch (capability) {
    case 70:
    case 72:
      return 96 * 1024;
    case 75:
      return 64 * 1024;
    case 80:
    case 87:
      return 163 * 1024;
    case 86:
    case 89:
    case 120:
    case 121:
      return 99 * 1024;
    default:
      return 227 * 1024;
    }
  }

  /// As LLVM and ptxas spell it: with the features of exactly this chip where it has some.
  std::string cpu() const { return "sm_" + llvm::utostr(capability) + (capability >= 90 ? "a" : ""); }
  /// As the module attribute `ttg.target` spells it.
  std::string str() const { return "cuda:" + llvm::utostr(capability); }
  bool operator==(const Target &) const = default;
};

} // namespace triton::gpu
