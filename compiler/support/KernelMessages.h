// What kernels on AMD GPUs say to the outside: device_print and device_assert, as bytes in a buffer that a launch brings.
//   Written by: generated code (compiler/llvm/amd/Messages.h). Read by: the runtime, when the kernel has ended (runtime/gpu/Messages.h).
// A buffer is a header, then records without gaps. A thread that has something to say adds the bytes of its record to `asked`, and writes it where they were, if they fit. Bytes that nobody
// wrote are zero.
#pragma once

#include <cstdint>

namespace triton::messages {

struct Header {
  uint64_t asked = 0;    // bytes behind the header that threads asked for
  uint64_t capacity = 0; // that there are
  uint64_t failures = 0; // threads whose assertion failed, also those whose record had no room
};

enum class Kind : uint32_t { Print = 1, Assertion = 2 };

/// Behind it: the text, filled up with zeros to a multiple of 8 bytes, then the values, 8 bytes each.
struct Record {
  uint32_t bytes = 0; // of all of it, a multiple of 8
  Kind kind = Kind::Print;
  uint32_t textBytes =
      0; // a format of printf's, without its zero: of 32-bit and 64-bit (`ll`) integers, doubles and pointers
  uint32_t valueCount = 0;
};

constexpr uint32_t roundedUp(uint32_t bytes) { return (bytes + 7) / 8 * 8; }

/// The name of LLVM metadata that says what an assertion is about, where it ends a wave.
inline constexpr char assertionMetadata[] = "triton.assertion";

} // namespace triton::messages
