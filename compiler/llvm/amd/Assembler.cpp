#include "compiler/llvm/amd/Assembler.h"

#include "compiler/llvm/LlvmTargets.h"

#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::amd {

llvm::Expected<std::string> assemble(llvm::StringRef text, const gpu::Target &target) {
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  auto found = findLlvmTarget(triple);
  if (!found)
    return found.takeError();
  const llvm::Target &llvmTarget = **found;

  std::string messages;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "amdgcn"), llvm::SMLoc());
  auto note = [](const llvm::SMDiagnostic &diagnostic, void *context) {
    if (diagnostic.getKind() != llvm::SourceMgr::DK_Error)
      return;
    auto &all = *static_cast<std::string *>(context);
    all += (all.empty() ? "" : "\n") + ("line " + std::to_string(diagnostic.getLineNo()) + ": ") +
           diagnostic.getMessage().str() + ": " + diagnostic.getLineContents().trim().str();
  };
  sources.setDiagHandler(note, &messages);

  const llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(llvmTarget.createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> assembly(llvmTarget.createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<llvm::MCSubtargetInfo> chip(llvmTarget.createMCSubtargetInfo(triple, target.cpu(), ""));
  std::unique_ptr<llvm::MCInstrInfo> instructions(llvmTarget.createMCInstrInfo());
  llvm::MCContext context(triple, assembly.get(), registers.get(), chip.get(), &sources, &options);
  std::unique_ptr<llvm::MCObjectFileInfo> sections(llvmTarget.createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(sections.get());
  context.setDiagnosticHandler([&](const llvm::SMDiagnostic &diagnostic, bool, const llvm::SourceMgr &,
                                   std::vector<const llvm::MDNode *> &) { note(diagnostic, &messages); });

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  std::unique_ptr<llvm::MCAsmBackend> backend(llvmTarget.createMCAsmBackend(*chip, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> encoder(llvmTarget.createMCCodeEmitter(*instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(llvmTarget.createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(encoder), *chip));
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *assembly));
  std::unique_ptr<llvm::MCTargetAsmParser> own(llvmTarget.createMCAsmParser(*chip, *parser, *instructions, options));
  parser->setTargetParser(*own);
  const bool hasFailed = parser->Run(/*NoInitialTextSection=*/false);
  if (hasFailed || !messages.empty())
    return llvm::createStringError("cannot assemble for " + target.cpu() + ": " + messages);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace triton::amd
