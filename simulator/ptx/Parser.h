// PTX text to syntax. Understands what LLVM's NVPTX back end writes and what people write in inline assembly.
#pragma once

#include "simulator/ptx/Syntax.h"

#include <memory>

namespace triton::simulator::ptx {

struct Parsed {
  std::unique_ptr<const Module> module; // null where `problem` is not empty
  std::string problem;                  // "line 12: expected ';' behind an instruction, got '}'"
};

Parsed parse(std::string text);

} // namespace triton::simulator::ptx
