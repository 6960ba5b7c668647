// Modules from files, and what can be asked of a kernel without compiling it.
#include "api/Kernel.h"
#include "compiler/frontend/values/Folding.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace triton;

static llvm::Expected<triton_module *> parse(std::string text, std::string name) {
  auto module = llvm::makeIntrusiveRefCnt<triton_module>();
  module->source = Source::create(std::move(name), std::move(text));
  Diagnostics diagnostics;
  module->host = frontend::FileHost::create(module->source, diagnostics);
  if (!module->host)
    return failure(diagnostics);
  for (const auto &function : module->host->kernels())
    module->names.push_back(function->name);
  return handOut(std::move(module));
}

static llvm::Expected<triton_module *> load(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return failure("FileNotFoundError", "cannot read '" + path + "': " + buffer.getError().message());
  return parse((*buffer)->getBuffer().str(), path);
}

/// A parameter's default as if the caller had passed it; nullopt if there is no such argument.
static std::optional<triton_argument> toArgument(const frontend::Value &value) {
  if (value.isNone())
    return triton_none();
  if (auto *boolean = value.getIf<bool>())
    return triton_boolean(*boolean);
  if (auto *real = value.getIf<double>())
    return triton_real(*real);
  if (auto *text = value.getIf<std::string>(); text && text->find('\0') == std::string::npos)
    return triton_string(text->c_str());
  if (auto *integer = value.getIf<frontend::Integer>())
    if (auto small = frontend::toInt64(*integer))
      return triton_integer(*small);
  return std::nullopt;
}

static llvm::Expected<triton_kernel *> findKernel(triton_module &module, llvm::StringRef name) {
  auto function = module.host->kernel(name);
  if (!function)
    return failure("NameError",
                   module.source->name().str() + " has no jitted function '" + name.str() + "'" +
                       (module.names.empty() ? ", nor any other" : "; it has: " + llvm::join(module.names, ", ")));
  auto kernel = llvm::makeIntrusiveRefCnt<triton_kernel>();
  kernel->module = &module;
  for (const frontend::Parameter &parameter : function->parameters)
    kernel->defaults.push_back(parameter.defaultValue ? toArgument(*parameter.defaultValue) : std::nullopt);
  kernel->function = std::move(function);
  return handOut(std::move(kernel));
}

static const frontend::Parameter *parameterAt(const triton_kernel *kernel, size_t index) {
  return kernel && index < kernel->function->parameters.size() ? &kernel->function->parameters[index] : nullptr;
}

extern "C" {

triton_module *triton_module_load(const char *path, triton_error **error) {
  return make(error, {{"path", path}}, [&] { return load(path); });
}

triton_module *triton_module_parse(const char *text, const char *name, triton_error **error) {
  return make(error, {{"text", text}}, [&] { return parse(text, name ? name : "<string>"); });
}

triton_module *triton_module_parse_text(triton_text text, const char *name, triton_error **error) {
  return make(error, {{"text", text.data}}, [&] { return parse(toStringRef(text).str(), name ? name : "<string>"); });
}

size_t triton_module_kernel_count(const triton_module *module) { return module ? module->names.size() : 0; }

const char *triton_module_kernel_name(const triton_module *module, size_t index) {
  return module && index < module->names.size() ? module->names[index].c_str() : nullptr;
}

triton_kernel *triton_module_kernel(const triton_module *module, const char *name, triton_error **error) {
  return make(error, {{"module", module}, {"name", name}},
              [&] { return findKernel(const_cast<triton_module &>(*module), name); });
}

triton_module *triton_module_retain(const triton_module *module) { return retain(module); }
void triton_module_free(triton_module *module) { release(module); }

const char *triton_kernel_name(const triton_kernel *kernel) {
  return kernel ? kernel->function->name.c_str() : nullptr;
}

size_t triton_kernel_parameter_count(const triton_kernel *kernel) {
  return kernel ? kernel->function->parameters.size() : 0;
}

const char *triton_kernel_parameter_name(const triton_kernel *kernel, size_t index) {
  const frontend::Parameter *parameter = parameterAt(kernel, index);
  return parameter ? parameter->name.c_str() : nullptr;
}

const char *triton_kernel_parameter_annotation(const triton_kernel *kernel, size_t index) {
  const frontend::Parameter *parameter = parameterAt(kernel, index);
  return parameter ? parameter->annotation.c_str() : nullptr;
}

int triton_kernel_parameter_is_constexpr(const triton_kernel *kernel, size_t index) {
  const frontend::Parameter *parameter = parameterAt(kernel, index);
  return parameter && parameter->isConstexpr;
}

int triton_kernel_parameter_has_default(const triton_kernel *kernel, size_t index) {
  const frontend::Parameter *parameter = parameterAt(kernel, index);
  return parameter && parameter->defaultValue;
}

triton_kernel *triton_kernel_retain(const triton_kernel *kernel) { return retain(kernel); }
void triton_kernel_free(triton_kernel *kernel) { release(kernel); }

} // extern "C"
