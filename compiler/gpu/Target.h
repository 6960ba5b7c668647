// What a GPU kernel is compiled for, and what that hardware can do: an NVIDIA architecture by its compute capability, an AMD one by its row of a table.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::gpu {

/// An AMD architecture.
struct AmdArchitecture {
  enum class Fp8 { None, Fnuz, Ocp }; // the formats that its instructions know
  llvm::StringLiteral name;           // "gfx942"
  unsigned lanes;                     // of a wave, as kernels are compiled for it
  unsigned sharedBytes;               // LDS of a workgroup
  unsigned mfma, wmma;                // versions of the matrix instructions; 0: none
  Fp8 fp8;
  bool isCdna() const { return mfma != 0; }
};
/// Null if there is none of that name.
const AmdArchitecture *findAmdArchitecture(llvm::StringRef name);

struct Target {
  unsigned capability = 90;                      // NVIDIA: 10 * major + minor; else 0
  bool allowsWgmma = true, allowsTcgen05 = true; // false: dots do without, for comparison
  const AmdArchitecture *amd = nullptr;          // null: NVIDIA
  unsigned mfmaSize = 0, kPack = 1; // AMD: wanted rows and columns of MFMA (0: chosen), instructions per read

  /// "sm_90a", "sm_90", "sm90", "cuda:90" or "90"; "gfx942" or "hip:gfx942". Fails, naming what is accepted.
  static llvm::Expected<Target> byName(llvm::StringRef name) {
    if (llvm::StringRef chip = name; chip.consume_front("hip:") || chip.starts_with("gfx"))
      return amdByName(chip);
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
  static llvm::Expected<Target> amdByName(llvm::StringRef chip);

  bool isAmd() const { return amd; }
  /// Threads of a warp.
  unsigned lanes() const { return amd ? amd->lanes : 32; }

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
    if (amd)
      return amd->sharedBytes;
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
  std::string cpu() const {
    return amd ? amd->name.str() : "sm_" + llvm::utostr(capability) + (capability >= 90 ? "a" : "");
  }
  /// As the module attribute `ttg.target` spells it.
  std::string str() const { return amd ? "hip:" + amd->name.str() : "cuda:" + llvm::utostr(capability); }
  bool operator==(const Target &) const = default;
};

} // namespace triton::gpu
