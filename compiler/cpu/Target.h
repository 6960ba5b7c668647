// The processor that CPU code is generated for, as plain data: what the lowering (vector widths, which dot
// micro-kernel) and the code generator (LLVM's triple, cpu and features) both decide by.
//   In:  the running machine, or the name of a processor so that tests can force baseline, AVX2 or AVX-512 code
//   anywhere. Out: a `HostTarget`. Two equal targets give the same code, and `str()` names one in cache keys and
//   messages.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class raw_ostream;
}

namespace triton::cpu {

struct HostTarget {
  std::string triple;        // x86_64-unknown-linux-gnu
  std::string cpu;           // LLVM's processor name: znver3, x86-64-v3, …
  std::string features;      // LLVM's feature string, "+avx2,-avx512f,…"; empty when the name implies all of them
  unsigned vectorBits = 128; // of one machine vector: 128, 256 or 512

  // Whether arithmetic on an instruction set is available. AMX also needs the kernel's permission, see `detect`.
  bool sse41 = false;
  bool avx = false;
  bool avx2 = false;
  bool fma = false;
  bool f16c = false;
  bool avx512f = false;    // with vl, bw and dq: what LLVM calls x86-64-v4
  bool avx512bf16 = false; // dpbf16ps
  bool avx512fp16 = false;
  bool avx512vnni = false; // dpbusd, dpwssd
  bool avxvnni = false;    // the same on 256 bits without AVX-512
  bool amxBf16 = false;
  bool amxInt8 = false;

  /// The machine this process runs on.
  static HostTarget detect();
  /// "native", a level ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4") or any x86-64 processor name LLVM knows
  /// ("haswell", "znver4", "sapphirerapids", …).
  static llvm::Expected<HostTarget> byName(llvm::StringRef name);

  /// Elements of `elementBits` bits in one machine vector; at least 1.
  unsigned lanes(unsigned elementBits) const { return elementBits >= vectorBits ? 1 : vectorBits / elementBits; }
  /// Vector registers the code may use: 32 with AVX-512, else 16.
  unsigned vectorRegisters() const { return avx512f ? 32 : 16; }
  /// Cycles from an fma's operands to its result: decides how many accumulators keep the units busy.
  unsigned fmaLatency() const;

  /// "znver3 (x86_64-unknown-linux-gnu) 256-bit fma f16c +avx2,…": everything that equality compares.
  std::string str() const;
  bool operator==(const HostTarget &) const = default;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &, const HostTarget &);

} // namespace triton::cpu
