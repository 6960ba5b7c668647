#include "compiler/llvm/amd/Messages.h"

#include "compiler/llvm/gpu/Machine.h"
#include "compiler/support/KernelMessages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Support/Endian.h"

using namespace triton::simt;

namespace triton::amd {

using messages::Header;
using messages::Record;

/// A value as a record holds it.
static llvm::Value *asWord(Emitter &emitter, llvm::Value *value) {
  llvm::IRBuilder<> &builder = emitter.builder;
  if (value->getType()->isPointerTy())
    return builder.CreatePtrToInt(value, builder.getInt64Ty());
  if (value->getType()->isDoubleTy())
    return builder.CreateBitCast(value, builder.getInt64Ty());
  return builder.CreateZExt(value, builder.getInt64Ty());
}

static constexpr llvm::StringLiteral moduleNote = "triton.messages";

/// The kernel's last argument. Functions that are not inlined find it before the hidden arguments, which they can reach.
static llvm::Value *bufferOf(Emitter &emitter) {
  emitter.module.getOrInsertNamedMetadata(moduleNote);
  if (emitter.function->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL)
    return emitter.function->getArg(emitter.function->arg_size() - 1);
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *hidden = emitter.intrinsic(llvm::Intrinsic::amdgcn_implicitarg_ptr, {});
  llvm::LoadInst *buffer = builder.CreateAlignedLoad(
      builder.getPtrTy(1), builder.CreateConstGEP1_32(builder.getInt8Ty(), hidden, unsigned(-8)), llvm::Align(8));
  buffer->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(emitter.context(), {}));
  return buffer;
}

static void writeRecord(Emitter &emitter, messages::Kind kind, llvm::StringRef text,
                        llvm::ArrayRef<llvm::Value *> values) {
  llvm::IRBuilder<> &builder = emitter.builder;
  const uint32_t textBytes = messages::roundedUp(text.size()),
                 bytes = sizeof(Record) + textBytes + 8 * uint32_t(values.size());
  llvm::SmallVector<llvm::Value *> words{emitter.i64(uint64_t(kind) << 32 | bytes),
                                         emitter.i64(uint64_t(values.size()) << 32 | text.size())};
  std::string padded = text.str();
  padded.resize(textBytes);
  for (uint32_t at = 0; at < textBytes; at += 8)
    words.push_back(emitter.i64(llvm::support::endian::read64le(padded.data() + at)));
  for (llvm::Value *value : values)
    words.push_back(asWord(emitter, value));

  llvm::Value *buffer = bufferOf(emitter);
  auto at = [&](uint64_t offset) { return builder.CreateConstGEP1_64(builder.getInt8Ty(), buffer, offset); };
  llvm::Value *isThere = builder.CreateICmpNE(buffer, llvm::ConstantPointerNull::get(builder.getPtrTy(1)));
  // The host's memory: all devices and the host count in it.
  auto add = [&](uint64_t offset, uint64_t value) {
    return builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, at(offset), emitter.i64(value), llvm::MaybeAlign(8),
                                   llvm::AtomicOrdering::Monotonic, llvm::SyncScope::System);
  };
  emitter.emitIf(isThere, [&] {
    if (kind == messages::Kind::Assertion)
      add(offsetof(Header, failures), 1);
    llvm::Value *begin = add(offsetof(Header, asked), bytes);
    llvm::Value *capacity =
        builder.CreateAlignedLoad(builder.getInt64Ty(), at(offsetof(Header, capacity)), llvm::Align(8));
    llvm::Value *fits = builder.CreateICmpULE(builder.CreateAdd(begin, emitter.i64(bytes)), capacity);
    emitter.emitIf(fits, [&] {
      llvm::Value *record = builder.CreateGEP(builder.getInt8Ty(), at(sizeof(Header)), begin);
      for (auto [index, word] : llvm::enumerate(words))
        builder.CreateAlignedStore(word, builder.CreateConstGEP1_64(builder.getInt64Ty(), record, index),
                                   llvm::Align(8));
    });
  });
}

void writePrint(Emitter &emitter, llvm::StringRef format, llvm::ArrayRef<llvm::Value *> arguments) {
  writeRecord(emitter, messages::Kind::Print, format, arguments);
}

/// Text of the program as part of a format.
static std::string quoted(llvm::StringRef text) { return llvm::join(llvm::split(text, '%'), "%%"); }

void writeAssertion(Emitter &emitter, llvm::StringRef message, llvm::StringRef file, unsigned line,
                    llvm::StringRef function) {
  llvm::SmallVector<llvm::Value *> place;
  for (auto axis : {tensor::ProgramIDDim::X, tensor::ProgramIDDim::Y, tensor::ProgramIDDim::Z})
    place.push_back(emitter.machine.grid(emitter, /*isSize=*/false, axis));
  place.push_back(emitter.machine.threadOfCta(emitter));
  const std::string text = quoted(file) + ":" + std::to_string(line) + ": " + quoted(function) +
                           ": block: [%u,%u,%u], thread: [%u,0,0] Assertion `" + quoted(message) + "` failed.\n";
  writeRecord(emitter, messages::Kind::Assertion, text, place);
  // Not an intrinsic: those that do not return let LLVM move code behind them.
  auto *end = llvm::cast<llvm::CallInst>(
      emitter.inlineAsm("s_endpgm", "~{memory}", emitter.builder.getVoidTy(), {}, AsmEffects::SideEffect));
  llvm::LLVMContext &context = emitter.context();
  end->setMetadata(messages::assertionMetadata, llvm::MDNode::get(context, llvm::MDString::get(context, message)));
}

bool writesMessages(const llvm::Module &module) { return module.getNamedMetadata(moduleNote) != nullptr; }

} // namespace triton::amd
