#include "dispatch/CLibrary.h"

#include "dispatch/Text.h"

#include <algorithm>
#include <map>

namespace triton::dispatch {

std::string cTypeOf(std::string_view type, std::string_view backend) {
  if (type.starts_with("*"))
    return backend != "cpu" ? "CUdeviceptr " : type.starts_with("*k") ? "const void *" : "void *";
  auto scalar = scalarTypeByName(type);
  return scalar && *scalar != ScalarType::Void ? std::string(infoOf(*scalar).cType) + " " : "";
}

static bool isWordCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static std::string upper(std::string_view text) {
  std::string result;
  for (char c : text)
    result += c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : isWordCharacter(c) ? c : '_';
  return result;
}
static std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (size_t index = 0; index < parts.size(); ++index)
    text += (index ? std::string(separator) : "") + parts[index];
  return text;
}

static std::string withoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

// Variants.

std::variant<CVariant, Problem> makeVariant(std::string kernel, std::span<const Parameter> parameters,
                                            std::string_view signature, std::string_view name, std::string backend,
                                            int numWarps, int numStages, std::string (*digest)(const std::string &)) {
  const std::vector<std::string_view> parts = splitEntries(signature);
  if (parts.size() != parameters.size())
    return Problem{"ValueError", "'" + kernel + "' has " + std::to_string(parameters.size()) +
                                     " parameters, the signature '" + std::string(signature) + "' has " +
                                     std::to_string(parts.size()) + " entries"};
  CVariant variant{.kernel = std::move(kernel), .backend = std::move(backend)};
  variant.settings = "warps" + std::to_string(numWarps) + "xstages" + std::to_string(numStages);
  std::string hashed, hints;
  for (size_t index = 0; index < parts.size(); ++index) {
    auto read = readEntry(parameters[index], parts[index]);
    if (auto *problem = std::get_if<Problem>(&read))
      return *problem;
    auto &entry = std::get<SignatureEntry>(read);
    if (!entry.type.empty() && cTypeOf(entry.type, variant.backend).empty())
      return Problem{"ValueError", "parameter '" + parameters[index].name + "': '" + entry.type + "' is no type in C"};
    hashed += withoutSpaces(entry.text) + " ";
    hints += std::to_string(index) + (entry.hint == 16 ? "d" : entry.hint == 1 ? "c" : "");
    variant.names.push_back(parameters[index].name);
    variant.entries.push_back(std::move(entry));
  }
  variant.suffix = digest(hashed + variant.settings).substr(0, 8) + "_" + hints;
  variant.function = std::string(name) + "_" + variant.suffix;
  variant.symbol = variant.backend == "cpu" ? variant.function + "_code" : variant.kernel;
  return variant;
}

CFunction CVariant::inC() const {
  CFunction result{.name = function};
  for (size_t index = 0; index < entries.size(); ++index)
    if (const SignatureEntry &entry = entries[index]; !entry.type.empty())
      result.arguments.push_back({cTypeOf(entry.type, backend), names[index], entry.hint});
  return result;
}

std::variant<std::vector<std::string_view>, Problem> readGrid(std::string_view text) {
  std::vector<std::string_view> extents = splitEntries(text);
  if (extents.size() == 3)
    return extents;
  return Problem{"ValueError",
                 "a grid has three extents, got " + std::to_string(extents.size()) + ": '" + std::string(text) + "'"};
}

/// The parameters after the stream, each after a comma: all that callers pass, or those that the code takes.
static std::string prototypeOf(const CFunction &function, bool isWhole) {
  std::string text;
  for (const CFunction::Argument &argument : function.arguments)
    if (isWhole || argument.hint != 1)
      text += ", " + argument.type + argument.name;
  return text;
}

/// The constants of a variant as a part of a name.
static std::string algorithmOf(const CVariant &variant) {
  std::string text;
  auto add = [&](std::string_view value) {
    text += text.empty() ? "" : "x";
    for (char c : value)
      text += c == '-' ? 'm' : isWordCharacter(c) ? c : '_';
  };
  for (const SignatureEntry &entry : variant.entries)
    if (entry.type.empty())
      add(withoutSpaces(entry.text));
  for (const SignatureEntry &entry : variant.entries)
    if (entry.hint == 1)
      add("1");
  return text + "_" + variant.settings;
}

static bool isInteger(std::string_view text) {
  text.remove_prefix(text.starts_with("-"));
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

using Values = std::map<std::string, std::string, std::less<>>;

static Values valuesOf(const CVariant &variant, const CCode &code, std::string_view fileBase,
                       std::span<const std::string_view> grid) {
  const CFunction function = variant.inC();
  std::vector<std::string> fields, values, constants, positions, extents;
  std::string addresses, binary;
  for (const CFunction::Argument &argument : function.arguments)
    if (argument.hint != 1) {
      fields.push_back("  " + argument.type + argument.name + ";");
      values.push_back(argument.name);
      addresses += "(void *)&" + argument.name + ", ";
    }
  for (size_t index = 0; index < variant.entries.size(); ++index) {
    const SignatureEntry &entry = variant.entries[index];
    const std::string &name = variant.names[index];
    if (entry.hint == 1 || (entry.type.empty() && isInteger(entry.text)))
      constants.push_back("  const long " + name + " = " + (entry.hint == 1 ? "1" : entry.text) + ";\n  (void)" + name +
                          ";");
    if (!entry.type.empty())
      positions.push_back(std::to_string(index));
  }
  for (std::string_view extent : grid)
    extents.push_back("(" + std::string(extent) + ")");
  constexpr std::string_view digits = "0123456789abcdef";
  for (unsigned char byte : code.binary)
    binary += {'0', 'x', digits[byte >> 4], digits[byte & 15], ','};
  if (!binary.empty())
    binary += "0x00"; // PTX, where there was no assembler, is a string to the driver
  const std::string base = std::string(fileBase) + "." + variant.suffix, full = prototypeOf(function, true);
  return {{"kernel_name", variant.kernel},
          {"target", variant.backend + " " + code.architecture},
          {"guard", upper(variant.function)},
          {"function", variant.function},
          {"symbol", variant.symbol},
          {"header", base + ".h"},
          {"object", base + ".o"},
          {"prototype", prototypeOf(function, false)},
          {"full_signature", full.substr(std::min<size_t>(2, full.size()))},
          {"algo_info", algorithmOf(variant)},
          {"positions", join(positions, " ")},
          {"fields", fields.empty() ? "  char unused;" : join(fields, "\n")},
          {"values", values.empty() ? "0" : join(values, ", ")},
          {"addresses", addresses},
          {"constants", join(constants, "\n")},
          {"grid", join(extents, ", ")},
          {"arena_bytes", std::to_string(code.arenaBytes)},
          {"shared", std::to_string(code.sharedBytes)},
          {"num_ctas", std::to_string(code.numCtas)},
          {"threads", std::to_string(code.threads)},
          {"binary_size", std::to_string(code.binary.empty() ? 0 : code.binary.size() + 1)},
          {"binary", binary}};
}

std::string fillTemplate(std::string_view text, const CVariant &variant, const CCode &code, std::string_view fileBase,
                         std::span<const std::string_view> grid) {
  const Values values = valuesOf(variant, code, fileBase, grid);
  std::string out;
  for (size_t at; (at = text.find('$')) != text.npos;) {
    out += text.substr(0, at);
    text.remove_prefix(at + 1);
    const bool isBraced = text.starts_with("{");
    text.remove_prefix(isBraced);
    const size_t end = std::ranges::find_if_not(text, isWordCharacter) - text.begin();
    if (auto value = values.find(text.substr(0, end)); value != values.end())
      out += value->second;
    text.remove_prefix(end + isBraced);
  }
  return out += text;
}

// Dispatchers.

/// What must hold of the arguments for a variant, as C.
static std::string conditionOf(const CFunction &function) {
  std::vector<std::string> parts;
  for (const auto &[type, name, hint] : function.arguments)
    if (hint == 16)
      parts.push_back((type.ends_with("*") ? "(uintptr_t)" : "") + name + " % 16 == 0");
    else if (hint == 1)
      parts.push_back(name + " == 1");
  return join(parts, " && ");
}

static std::string invalidValue(std::string_view backend) {
  return backend == "cpu" ? "TT_ERROR_INVALID_VALUE" : "CUDA_ERROR_INVALID_VALUE";
}

/// `void load_add(void)` and its counterpart, which call the same of others.
static std::string loaders(const std::string &name, std::span<const std::string> callees) {
  std::string text;
  for (std::string verb : {"load", "unload"}) {
    text += "\nvoid " + verb + "_" + name + "(void) {\n";
    for (const std::string &callee : callees)
      text += "  " + verb + "_" + callee + "();\n";
    text += "}\n";
  }
  return text;
}

/// A function that takes the most special variant that fits its arguments; those stand in that order.
static std::string dispatchFunction(const std::string &name, std::span<const CFunction> variants,
                                    std::string_view backend) {
  std::string text = "\nTT_ResultTy " + name + "(TT_StreamTy stream" + prototypeOf(variants.front(), true) + ") {\n";
  std::vector<std::string> names;
  bool isTotal = false;
  for (const CFunction &variant : variants) {
    names.push_back(variant.name);
    if (isTotal)
      continue; // one before it takes everything
    const std::string condition = conditionOf(variant);
    text += condition.empty() ? "  " : "  if (" + condition + ")\n    ";
    text += "return " + variant.name + "(stream";
    for (const CFunction::Argument &argument : variant.arguments)
      text += argument.hint == 1 ? "" : ", " + argument.name;
    text += ");\n";
    isTotal = condition.empty();
  }
  if (!isTotal)
    text += "  return " + invalidValue(backend) + ";\n";
  return text + "}\n" + loaders(name, names);
}

static std::vector<CFunction> inOrder(std::span<const CFunction> variants) {
  auto hints = [](const CFunction &variant) {
    return size_t(std::ranges::count_if(variant.arguments, [](const auto &argument) { return argument.hint != 0; }));
  };
  std::multimap<size_t, const CFunction *, std::greater<>> byHints;
  for (const CFunction &variant : variants)
    byHints.emplace(hints(variant), &variant);
  std::vector<CFunction> ordered;
  for (auto [count, variant] : byHints)
    ordered.push_back(*variant);
  return ordered;
}

static std::string beginHeader(std::string_view maker, const std::string &guard, const std::string &includes) {
  return "/* Made by " + std::string(maker) + ". */\n#ifndef TT_" + guard + "_H\n#define TT_" + guard + "_H\n\n" +
         includes + "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
}
static constexpr std::string_view headerEnd = "\n#ifdef __cplusplus\n}\n#endif\n#endif\n";

static std::string declare(const std::string &name, const std::string &prototype) {
  return "TT_ResultTy " + name + "(TT_StreamTy stream" + prototype + ");\nvoid load_" + name + "(void);\nvoid unload_" +
         name + "(void);\n";
}

CFiles makeDispatcher(const std::string &name, std::string_view kernel, std::span<const CVariant> variants,
                      const std::string &fileBase) {
  std::vector<CFunction> functions;
  std::string includes;
  for (const CVariant &variant : variants) {
    functions.push_back(variant.inC());
    includes += "#include \"" + fileBase + "." + variant.suffix + ".h\"\n";
  }
  std::string header = beginHeader("tritonc", upper(name) + "_LIBRARY", includes) + "/* Kernel " + std::string(kernel) +
                       ": takes the most special of " + std::to_string(variants.size()) +
                       " variants that fits the arguments. */\n" + declare(name, prototypeOf(functions.front(), true)) +
                       std::string(headerEnd);
  std::string source = "/* Made by tritonc. */\n#include \"" + fileBase + ".h\"\n" +
                       dispatchFunction(name, inOrder(functions), variants.front().backend);
  return {std::move(header), std::move(source)};
}

static constexpr std::string_view cpuTypes =
    "#include <stdint.h>\n\n#ifndef TT_CPU_TYPES\n#define TT_CPU_TYPES\ntypedef int TT_ResultTy;\ntypedef void "
    "*TT_StreamTy;\nenum { TT_SUCCESS = 0, TT_ERROR_INVALID_VALUE = 1, TT_ERROR_OUT_OF_MEMORY = 2 };\n#endif\n";
static constexpr std::string_view cudaTypes =
    "#include <cuda.h>\n#include <stdint.h>\n\n#ifndef TT_CUDA_TYPES\n#define TT_CUDA_TYPES\ntypedef CUresult "
    "TT_ResultTy;\ntypedef CUstream TT_StreamTy;\n#endif\n";

/// The functions of one kernel over its algorithms.
static std::string kernelCode(const CKernel &kernel, std::string_view backend) {
  const std::string &name = kernel.name, count = std::to_string(kernel.algorithms.size());
  const CFunction &first = kernel.algorithms.front().second.front();
  const std::string prototype = prototypeOf(first, true);
  std::string passed;
  for (const CFunction::Argument &argument : first.arguments)
    passed += ", " + argument.name;
  std::vector<std::string> algorithms;
  for (const auto &[algorithm, variants] : kernel.algorithms)
    algorithms.push_back(algorithm);
  return "\ntypedef TT_ResultTy (*" + name + "_kernel_func_t)(TT_StreamTy stream" + prototype + ");\n" + name +
         "_kernel_func_t " + name + "_kernels[] = {" + join(algorithms, ", ") + "};\n\nint " + name +
         "_get_num_algos(void) { return " + count + "; }\n\nTT_ResultTy " + name + "(TT_StreamTy stream" + prototype +
         ", int algo_id) {\n  if (algo_id < 0 || algo_id >= " + count + ")\n    return " + invalidValue(backend) +
         ";\n  return " + name + "_kernels[algo_id](stream" + passed + ");\n}\n\nTT_ResultTy " + name +
         "_default(TT_StreamTy stream" + prototype + ") { return " + name + "(stream" + passed + ", 0); }\n" +
         loaders(name, algorithms);
}

CFiles linkKernels(std::string_view guard, std::string_view headerName, std::string_view backend,
                   std::span<const CKernel> kernels) {
  std::string header =
      beginHeader("triton.tools.link", upper(guard), std::string(backend == "cpu" ? cpuTypes : cudaTypes));
  std::string source = "/* Made by triton.tools.link. */\n#include \"" + std::string(headerName) + "\"\n";
  for (const CKernel &kernel : kernels) {
    const std::string prototype = prototypeOf(kernel.algorithms.front().second.front(), true);
    header += "/* Kernel " + kernel.name + ": " + std::to_string(kernel.algorithms.size()) + " algorithms. */\n";
    for (const auto &[algorithm, variants] : kernel.algorithms) {
      header += declare(algorithm, prototype);
      const std::vector<CFunction> ordered = inOrder(variants);
      source += "\n";
      for (const CFunction &variant : ordered)
        source += declare(variant.name, prototypeOf(variant, false));
      source += dispatchFunction(algorithm, ordered, backend);
    }
    header += "int " + kernel.name + "_get_num_algos(void);\nTT_ResultTy " + kernel.name +
              "_default(TT_StreamTy stream" + prototype + ");\n" + declare(kernel.name, prototype + ", int algo_id");
    source += kernelCode(kernel, backend);
  }
  return {header + std::string(headerEnd), std::move(source)};
}

} // namespace triton::dispatch
