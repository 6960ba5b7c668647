// device_print and device_assert: records in the buffer that a launch brings (compiler/support/KernelMessages.h), without a library of AMD's.
//   In:  a kernel's last argument: the buffer, null where whoever launches does not read messages.
//   Out: code that writes one record for each active lane.
#pragma once

#include "compiler/llvm/gpu/Emitter.h"

namespace triton::amd {

/// What printf would write.
void writePrint(simt::Emitter &emitter, llvm::StringRef format, llvm::ArrayRef<llvm::Value *> arguments);
/// Says what failed, as NVIDIA's runtime does, and ends the wave: AMD's trap would end the process before anybody has read the message.
void writeAssertion(simt::Emitter &emitter, llvm::StringRef message, llvm::StringRef file, unsigned line,
                    llvm::StringRef function);

/// Whether the module has such code; it says so itself.
bool writesMessages(const llvm::Module &module);

} // namespace triton::amd
