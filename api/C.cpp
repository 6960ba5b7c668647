// The C interface over the C++ one. No exception leaves: what may throw for lack of memory ends the program as it does in C++.
#include <triton/c.h>

#include <triton/tune.h>

#include <cstring>
#include <new>

using namespace triton;

struct triton_error {
  std::string kind, message;
};
struct triton_module {
  Module module;
  std::vector<std::string> names;
};
struct triton_kernel {
  Kernel kernel;
  std::string name;
  std::vector<std::string> parameters;
};
struct triton_compiled {
  CompiledKernel compiled;
  std::string name;
  std::vector<std::string> stages;
};
struct triton_tuning {
  Tuning tuning;
};

static_assert(TRITON_INT1 == static_cast<int>(DataType::Int1) && TRITON_UINT8 == static_cast<int>(DataType::UInt8) &&
                  TRITON_FLOAT8E5 == static_cast<int>(DataType::Float8E5) &&
                  TRITON_FLOAT16 == static_cast<int>(DataType::Float16) &&
                  TRITON_FLOAT64 == static_cast<int>(DataType::Float64),
              "C and C++ number the types alike");

static void report(triton_error **out, const Error &error) {
  if (out)
    *out = new triton_error{error.kind(), error.what()};
}

static const char *nameAt(const std::vector<std::string> &names, size_t index) {
  return index < names.size() ? names[index].c_str() : nullptr;
}

static Argument toArgument(const triton_argument &argument) {
  auto make = [&]() -> Argument {
    switch (argument.kind) {
    case TRITON_ARGUMENT_BOOLEAN:
      return argument.value.integer != 0;
    case TRITON_ARGUMENT_INTEGER:
      return argument.value.integer;
    case TRITON_ARGUMENT_UNSIGNED:
      return argument.value.natural;
    case TRITON_ARGUMENT_REAL:
      return argument.value.real;
    case TRITON_ARGUMENT_STRING:
      return std::string(argument.value.string ? argument.value.string : "");
    case TRITON_ARGUMENT_TYPE:
      return static_cast<DataType>(argument.type);
    case TRITON_ARGUMENT_POINTER:
      return pointer(argument.value.pointer, static_cast<DataType>(argument.type));
    default:
      return nullptr;
    }
  };
  return argument.name ? named(argument.name, make()) : make();
}

/// What is wrong with arguments that no C++ program could have made; empty if nothing is.
static std::string problem(const triton_argument *arguments, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const triton_argument &argument = arguments[i];
    if (argument.kind < TRITON_ARGUMENT_NONE || argument.kind > TRITON_ARGUMENT_POINTER)
      return "argument " + std::to_string(i) + " has the unknown kind " + std::to_string(argument.kind);
    const bool hasType = argument.kind == TRITON_ARGUMENT_TYPE || argument.kind == TRITON_ARGUMENT_POINTER;
    if (hasType && (argument.type < TRITON_INT1 || argument.type > TRITON_FLOAT64))
      return "argument " + std::to_string(i) + " has the unknown type " + std::to_string(argument.type);
  }
  return {};
}

static std::vector<Argument> toArguments(const triton_argument *arguments, size_t count) {
  std::vector<Argument> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(toArgument(arguments[i]));
  return out;
}

/// Older callers give a shorter structure: what it lacks keeps its default.
static Options toOptions(const triton_options *given) {
  triton_options all = TRITON_OPTIONS_INIT;
  if (given)
    std::memcpy(&all, given, given->size < sizeof(all) ? given->size : sizeof(all));
  Options options;
  options.target = all.target ? all.target : "cpu";
  options.architecture = all.architecture ? all.architecture : "native";
  options.numWarps = all.num_warps;
  options.numStages = all.num_stages;
  options.numCtas = all.num_ctas;
  options.debug = all.debug;
  options.enableFpFusion = all.enable_fp_fusion;
  options.keepAssembly = all.keep_assembly;
  options.threads = all.threads;
  options.cacheDirectory = all.cache_directory ? all.cache_directory : "";
  options.device = all.device;
  options.maxRegisters = all.max_registers;
  options.stream = all.stream;
  options.launchCooperative = all.launch_cooperative;
  options.launchProgrammatic = all.launch_programmatic;
  options.overlapLaunches = all.overlap_launches;
  options.launchGraphs = all.launch_graphs;
  options.cacheSecretFile = all.cache_secret_file ? all.cache_secret_file : "";
  return options;
}

static triton_compiled *wrap(Expected<CompiledKernel> compiled, triton_error **error) {
  if (!compiled) {
    report(error, compiled.error());
    return nullptr;
  }
  return new triton_compiled{*compiled, std::string(compiled->name()), compiled->stages()};
}

static triton_module *wrap(Expected<Module> module, triton_error **error) {
  if (!module) {
    report(error, module.error());
    return nullptr;
  }
  return new triton_module{*module, module->kernels()};
}

extern "C" {

int triton_c_version(void) { return TRITON_C_VERSION; }
const char *triton_version(void) { return version().data(); }

const char *triton_error_kind(const triton_error *error) { return error->kind.c_str(); }
const char *triton_error_message(const triton_error *error) { return error->message.c_str(); }
void triton_error_free(triton_error *error) { delete error; }

triton_module *triton_module_load(const char *path, triton_error **error) { return wrap(Module::tryLoad(path), error); }

triton_module *triton_module_parse(const char *text, const char *name, triton_error **error) {
  return wrap(Module::tryParse(text, name ? name : "<string>"), error);
}

size_t triton_module_kernel_count(const triton_module *module) { return module->names.size(); }
const char *triton_module_kernel_name(const triton_module *module, size_t index) {
  return nameAt(module->names, index);
}

triton_kernel *triton_module_kernel(const triton_module *module, const char *name, triton_error **error) {
  auto kernel = module->module.tryKernel(name);
  if (!kernel) {
    report(error, kernel.error());
    return nullptr;
  }
  std::vector<std::string> parameters;
  for (const ParameterInfo &parameter : kernel->parameters())
    parameters.push_back(parameter.name);
  return new triton_kernel{*kernel, std::string(kernel->name()), std::move(parameters)};
}

void triton_module_free(triton_module *module) { delete module; }

const char *triton_kernel_name(const triton_kernel *kernel) { return kernel->name.c_str(); }
size_t triton_kernel_parameter_count(const triton_kernel *kernel) { return kernel->parameters.size(); }
const char *triton_kernel_parameter_name(const triton_kernel *kernel, size_t index) {
  return nameAt(kernel->parameters, index);
}

int triton_kernel_launch(const triton_kernel *kernel, int64_t grid_x, int64_t grid_y, int64_t grid_z,
                         const triton_argument *arguments, size_t argument_count, const triton_options *options,
                         triton_error **error) {
  if (std::string why = problem(arguments, argument_count); !why.empty()) {
    report(error, Error("ValueError", why));
    return 1;
  }
  auto launched =
      kernel->kernel.tryLaunch({grid_x, grid_y, grid_z}, toArguments(arguments, argument_count), toOptions(options));
  if (launched)
    return 0;
  report(error, launched.error());
  return 1;
}

triton_compiled *triton_kernel_compile(const triton_kernel *kernel, const triton_argument *arguments,
                                       size_t argument_count, const triton_options *options, triton_error **error) {
  if (std::string why = problem(arguments, argument_count); !why.empty()) {
    report(error, Error("ValueError", why));
    return nullptr;
  }
  return wrap(kernel->kernel.tryCompile(toArguments(arguments, argument_count), toOptions(options)), error);
}

triton_compiled *triton_kernel_compile_signature(const triton_kernel *kernel, const char *signature,
                                                 const triton_options *options, triton_error **error) {
  return wrap(kernel->kernel.tryCompileSignature(signature, toOptions(options)), error);
}

void triton_kernel_free(triton_kernel *kernel) { delete kernel; }

const char *triton_compiled_name(const triton_compiled *compiled) { return compiled->name.c_str(); }
size_t triton_compiled_stage_count(const triton_compiled *compiled) { return compiled->stages.size(); }
const char *triton_compiled_stage_name(const triton_compiled *compiled, size_t index) {
  return nameAt(compiled->stages, index);
}

const char *triton_compiled_stage(const triton_compiled *compiled, const char *name, size_t *size) {
  std::string_view content = compiled->compiled.stage(name);
  if (size)
    *size = content.size();
  return content.empty() ? nullptr : content.data();
}

void triton_compiled_free(triton_compiled *compiled) { delete compiled; }

triton_tuning *triton_kernel_tune(const triton_kernel *kernel,
                                  triton_grid (*grid)(const triton_config *config, void *context), void *context,
                                  const triton_argument *arguments, size_t argument_count, const triton_config *configs,
                                  size_t config_count, triton_error **error) {
  std::string why = problem(arguments, argument_count);
  std::vector<Config> converted;
  for (size_t i = 0; i < config_count && why.empty(); ++i) {
    why = problem(configs[i].arguments, configs[i].argument_count);
    if (why.empty())
      converted.push_back(
          {toArguments(configs[i].arguments, configs[i].argument_count), toOptions(configs[i].options)});
  }
  if (!why.empty()) {
    report(error, Error("ValueError", why));
    return nullptr;
  }
  auto gridOf = [&](const Config &config) {
    // The tuner asks about the configurations that it was given: the address tells which one.
    size_t index = 0;
    while (index + 1 < converted.size() && &config != &converted[index])
      ++index;
    triton_grid extents = grid(&configs[index], context);
    return Grid(extents.x, extents.y, extents.z);
  };
  auto tuning = tryTune(kernel->kernel, toArguments(arguments, argument_count), converted, gridOf);
  if (!tuning) {
    report(error, tuning.error());
    return nullptr;
  }
  return new triton_tuning{std::move(*tuning)};
}

size_t triton_tuning_best(const triton_tuning *tuning) { return tuning->tuning.best; }
double triton_tuning_milliseconds(const triton_tuning *tuning, size_t index) {
  const auto &measurements = tuning->tuning.measurements;
  return index < measurements.size() ? measurements[index].milliseconds : -1;
}
void triton_tuning_free(triton_tuning *tuning) { delete tuning; }

} // extern "C"
