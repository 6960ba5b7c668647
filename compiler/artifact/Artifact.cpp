#include "compiler/artifact/Artifact.h"

using namespace triton::artifact;

const std::string *Artifact::stage(llvm::StringRef name) const {
  for (const StageOutput &output : stages)
    if (output.name == name)
      return &output.content;
  return nullptr;
}
