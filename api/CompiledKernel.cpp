// What can be asked of a compiled kernel.
#include "api/CompiledKernel.h"

#include "llvm/ADT/STLExtras.h"

using namespace triton;

/// The stages that have something to read.
static auto readable(const triton_compiled &compiled) {
  return llvm::make_filter_range(compiled.artifact->stages,
                                 [](const artifact::StageOutput &stage) { return !stage.content.empty(); });
}

extern "C" {

const char *triton_compiled_name(const triton_compiled *compiled) {
  return compiled ? compiled->artifact->name.c_str() : nullptr;
}

size_t triton_compiled_stage_count(const triton_compiled *compiled) {
  return compiled ? llvm::range_size(readable(*compiled)) : 0;
}

const char *triton_compiled_stage_name(const triton_compiled *compiled, size_t index) {
  if (compiled)
    for (const artifact::StageOutput &stage : readable(*compiled))
      if (index-- == 0)
        return stage.name.c_str();
  return nullptr;
}

const char *triton_compiled_stage(const triton_compiled *compiled, const char *name, size_t *size) {
  const std::string *content = compiled && name ? compiled->artifact->stage(name) : nullptr;
  if (size)
    *size = content ? content->size() : 0;
  return content && !content->empty() ? content->c_str() : nullptr;
}

const char *triton_compiled_timing(const triton_compiled *compiled, size_t index, double *milliseconds) {
  if (!compiled || index >= compiled->artifact->stages.size())
    return nullptr;
  const artifact::StageOutput &stage = compiled->artifact->stages[index];
  if (milliseconds)
    *milliseconds = stage.microseconds / 1000;
  return stage.name.c_str();
}

static const artifact::Argument *argumentAt(const triton_compiled *compiled, size_t index) {
  return compiled && index < compiled->artifact->arguments.size() ? &compiled->artifact->arguments[index] : nullptr;
}

const char *triton_compiled_argument_name(const triton_compiled *compiled, size_t index) {
  const artifact::Argument *argument = argumentAt(compiled, index);
  return argument ? argument->name.c_str() : nullptr;
}

const char *triton_compiled_argument_type(const triton_compiled *compiled, size_t index) {
  const artifact::Argument *argument = argumentAt(compiled, index);
  return argument ? argument->type.c_str() : nullptr;
}

triton_compiled *triton_compiled_retain(const triton_compiled *compiled) { return retain(compiled); }
void triton_compiled_free(triton_compiled *compiled) { release(compiled); }

} // extern "C"
