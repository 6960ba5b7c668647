#include "bin/CLibrary.h"
#include "bin/CHeader.h"
#include "compiler/support/Hash.h"
#include "compiler/support/KernelSymbols.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace triton;
using llvm::StringRef;

// cpuHeaderTemplate, cpuSourceTemplate, cpuWaitingTemplate, cudaHeaderTemplate, cudaSourceTemplate: the files of python/triton/tools/extra.
#include "bin/CTemplates.inc"

template <typename... Parts> static llvm::Error failure(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  (stream << ... << parts);
  return llvm::createStringError(text);
}

/// Parts between commas that stand outside of parentheses, brackets and quotes.
static std::vector<std::string> split(StringRef text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (char c : text) {
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ',' && depth == 0 && !quote)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string &part : parts)
    part = StringRef(part).trim().str();
  return parts;
}

static bool isConstant(StringRef text) {
  return text.empty() || llvm::isDigit(text[0]) || text[0] == '-' || text[0] == '.' || text[0] == '"' ||
         text[0] == '\'' || text[0] == '(' || text == "True" || text == "False" || text == "None" ||
         text.starts_with("tl.");
}

static llvm::Expected<SignatureEntry> readEntry(StringRef text) {
  SignatureEntry entry;
  for (char c : text)
    if (c != ' ')
      entry.text += c;
  if (isConstant(entry.text))
    return entry;
  auto [type, hint] = StringRef(entry.text).split(':');
  entry.type = type.str();
  if (!hint.empty() && hint != "16" && hint != "1")
    return failure("only 1 and 16 are hints, got '", text, "'");
  entry.hint = hint.empty() ? 0 : hint == "16" ? 16 : 1;
  return entry;
}

llvm::Expected<CVariant> triton::makeVariant(const frontend::Function &function, StringRef signature,
                                             const CLibraryOptions &options) {
  std::vector<std::string> parts = split(signature);
  if (parts.size() != function.parameters.size())
    return failure("'", function.name, "' has ", function.parameters.size(), " parameters, the signature '", signature,
                   "' has ", parts.size(), " entries");
  CVariant variant;
  std::string hashed, suffix;
  for (const auto &[index, part] : llvm::enumerate(parts)) {
    llvm::Expected<SignatureEntry> entry = readEntry(part);
    if (!entry)
      return entry.takeError();
    hashed += entry->text + " ";
    suffix += std::to_string(index) + (entry->hint == 16 ? "d" : entry->hint == 1 ? "c" : "");
    variant.signature += (index ? ", " : "") + (entry->hint == 1 ? std::string("1") : part);
    variant.entries.push_back(std::move(*entry));
  }
  hashed += "warps" + std::to_string(options.numWarps) + "xstages" + std::to_string(options.numStages);
  variant.function = options.name + "_" + sha256Hex(hashed).substr(0, 8) + "_" + suffix;
  variant.symbol = options.targetName == "cpu" ? variant.function + "_code" : function.name;
  return variant;
}

/// Puts values in the place of `$name` and `${name}`.
static std::string substitute(StringRef text, const llvm::StringMap<std::string> &values) {
  std::string out;
  while (!text.empty()) {
    size_t at = text.find('$');
    out += text.take_front(at);
    if (at == StringRef::npos)
      break;
    text = text.drop_front(at + 1);
    const bool isBraced = text.consume_front("{");
    StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    text = text.drop_front(name.size());
    if (isBraced)
      text.consume_front("}");
    out += values.lookup(name);
  }
  return out;
}

static std::string typeInC(StringRef type, const CLibraryOptions &options) {
  return type.starts_with("*") && options.targetName != "cpu" ? "CUdeviceptr " : cTypeOf(type).str();
}

/// What must hold of the arguments for a variant, as C.
static std::string conditionOf(const frontend::Function &function, const CVariant &variant,
                               const CLibraryOptions &options) {
  std::vector<std::string> parts;
  for (const auto &[entry, parameter] : llvm::zip(variant.entries, function.parameters)) {
    const bool isPointer = StringRef(entry.type).starts_with("*") && options.targetName == "cpu";
    if (entry.hint == 16)
      parts.push_back((isPointer ? "(uintptr_t)" : "") + parameter.name + " % 16 == 0");
    else if (entry.hint == 1)
      parts.push_back(parameter.name + " == 1");
  }
  return llvm::join(parts, " && ");
}

/// The parameters after the stream, each after a comma: all that callers pass, or those that the code takes.
static std::string prototypeOf(const frontend::Function &function, const CVariant &variant,
                               const CLibraryOptions &options, bool isWhole) {
  std::string text;
  for (const auto &[entry, parameter] : llvm::zip(variant.entries, function.parameters))
    if (entry.isRuntime() || (isWhole && !entry.type.empty()))
      text += ", " + typeInC(entry.type, options) + parameter.name;
  return text;
}

static std::string suffixOf(const CVariant &variant, const CLibraryOptions &options) {
  return variant.function.substr(options.name.size() + 1);
}

static llvm::StringMap<std::string> valuesOf(const frontend::Function &function, const CVariant &variant,
                                             const CLibraryOptions &options, llvm::ArrayRef<std::string> grid) {
  std::string fields, values, addresses, constants, positions, algorithm,
      full = prototypeOf(function, variant, options, true);
  for (const auto &[index, entry] : llvm::enumerate(variant.entries)) {
    const std::string &name = function.parameters[index].name;
    int64_t constant = 0;
    if (entry.isRuntime()) {
      fields += (fields.empty() ? "  " : "\n  ") + typeInC(entry.type, options) + name + ";";
      values += (values.empty() ? "" : ", ") + name;
      addresses += "(void *)&" + name + ", ";
    } else if (entry.hint == 1 || !StringRef(entry.text).getAsInteger(10, constant)) {
      constants += "  const long " + name + " = " + std::to_string(entry.hint == 1 ? 1 : constant) + ";\n  (void)" +
                   name + ";\n";
    }
    if (!entry.type.empty())
      positions += (positions.empty() ? "" : " ") + std::to_string(index);
  }
  auto addValue = [&](StringRef text) {
    std::string identifier;
    for (char c : text)
      identifier += llvm::isAlnum(c) ? c : c == '-' ? 'm' : '_';
    algorithm += (algorithm.empty() ? "" : "x") + identifier;
  };
  for (const SignatureEntry &entry : variant.entries)
    if (entry.type.empty())
      addValue(entry.text);
  for (const SignatureEntry &entry : variant.entries)
    if (entry.hint == 1)
      addValue("1");
  algorithm += "_warps" + std::to_string(options.numWarps) + "xstages" + std::to_string(options.numStages);
  const artifact::Artifact &artifact = *variant.artifact;
  const bool isCpu = options.targetName == "cpu";
  std::string binary;
  if (const std::string *cubin = isCpu ? nullptr : artifact.stage("cubin"); cubin) {
    llvm::raw_string_ostream stream(binary);
    for (unsigned char byte : *cubin)
      stream << llvm::format_hex(byte, 4) << ",";
    stream << "0x00"; // PTX, where there was no assembler, is a string to the driver
  }
  const std::string base = options.fileBase + "." + suffixOf(variant, options);
  llvm::StringMap<std::string> map;
  auto set = [&](StringRef key, std::string value) { map[key] = std::move(value); };
  set("kernel_name", function.name);
  set("target", artifact.backend + " " + StringRef(artifact.architecture).split(' ').first.str());
  set("guard", StringRef(variant.function).upper());
  set("function", variant.function);
  set("symbol", options.targetName == "cpu" ? variant.symbol : ptxSymbol(variant.symbol));
  set("header", base + ".h");
  set("object", base + ".o");
  set("prototype", prototypeOf(function, variant, options, false));
  set("full_signature", StringRef(full).drop_front(full.empty() ? 0 : 2).str());
  set("algo_info", algorithm);
  set("positions", positions);
  set("fields", fields.empty() ? "  char unused;" : fields);
  set("values", values.empty() ? "0" : values);
  set("addresses", addresses);
  set("constants", StringRef(constants).rtrim().empty() ? "" : StringRef(constants).rtrim('\n').str());
  set("grid", "(" + llvm::join(grid, "), (") + ")");
  set("arena_bytes", std::to_string(artifact.arenaBytes));
  set("shared", std::to_string(artifact.sharedBytes));
  set("num_ctas", std::to_string(artifact.numCtas));
  set("threads", std::to_string(artifact.numWarps * 32));
  set("binary_size", std::to_string(isCpu || !artifact.stage("cubin") ? 0 : artifact.stage("cubin")->size() + 1));
  set("binary", binary);
  return map;
}

/// The header and the source of the dispatcher: the variant with most conditions that hold is taken.
static std::pair<std::string, std::string>
makeDispatcher(const frontend::Function &function, llvm::ArrayRef<CVariant> variants, const CLibraryOptions &options) {
  std::vector<const CVariant *> ordered;
  for (const CVariant &variant : variants)
    ordered.push_back(&variant);
  auto strength = [&](const CVariant *variant) {
    return llvm::count_if(variant->entries, [](const SignatureEntry &entry) { return entry.hint != 0; });
  };
  llvm::stable_sort(ordered, [&](const CVariant *a, const CVariant *b) { return strength(a) > strength(b); });
  const std::string prototype = prototypeOf(function, variants.front(), options, true);
  const std::string guard = StringRef(options.name).upper();
  std::string header, source, includes, load, unload, body;
  bool isTotal = false;
  for (const CVariant *variant : ordered) {
    includes += "#include \"" + options.fileBase + "." + suffixOf(*variant, options) + ".h\"\n";
    load += "  load_" + variant->function + "();\n";
    unload += "  unload_" + variant->function + "();\n";
    if (isTotal)
      continue; // one before it takes everything
    std::string passed, condition = conditionOf(function, *variant, options);
    for (const auto &[entry, parameter] : llvm::zip(variant->entries, function.parameters))
      if (entry.isRuntime())
        passed += ", " + parameter.name;
    body += (condition.empty() ? "  " : "  if (" + condition + ")\n    ") + "return " + variant->function + "(stream" +
            passed + ");\n";
    isTotal = condition.empty();
  }
  if (!isTotal)
    body += options.targetName == "cpu" ? "  return TT_ERROR_INVALID_VALUE;\n" : "  return CUDA_ERROR_INVALID_VALUE;\n";
  header = "/* Made by tritonc: kernel " + function.name + ", " + std::to_string(variants.size()) +
           " specialisations. */\n#ifndef TT_" + guard + "_LIBRARY_H\n#define TT_" + guard + "_LIBRARY_H\n\n" +
           includes + "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\nvoid load_" + options.name +
           "(void);\nvoid unload_" + options.name +
           "(void);\n/* Takes the most special variant that fits the arguments. */\nTT_ResultTy " + options.name +
           "(TT_StreamTy stream" + prototype + ");\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
  source = "/* Made by tritonc. */\n#include \"" + options.fileBase + ".h\"\n\nvoid load_" + options.name +
           "(void) {\n" + load + "}\n\nvoid unload_" + options.name + "(void) {\n" + unload + "}\n\nTT_ResultTy " +
           options.name + "(TT_StreamTy stream" + prototype + ") {\n" + body + "}\n";
  return {header, source};
}

llvm::Expected<NamedContents> triton::makeCLibrary(const frontend::Function &function,
                                                   llvm::ArrayRef<CVariant> variants, const CLibraryOptions &options) {
  std::vector<std::string> grid = split(options.grid);
  if (grid.size() != 3)
    return failure("a grid has three extents, got ", grid.size(), ": '", options.grid, "'");
  const bool isCpu = options.targetName == "cpu";
  NamedContents files;
  for (const CVariant &variant : variants) {
    if (prototypeOf(function, variant, options, true) != prototypeOf(function, variants.front(), options, true))
      return failure("the specialisations of '", function.name, "' take different arguments in C");
    llvm::StringMap<std::string> values = valuesOf(function, variant, options, grid);
    const std::string base = "." + suffixOf(variant, options);
    StringRef source = !isCpu ? cudaSourceTemplate : waits(*variant.artifact) ? cpuWaitingTemplate : cpuSourceTemplate;
    files.emplace_back(base + ".h", substitute(isCpu ? cpuHeaderTemplate : cudaHeaderTemplate, values));
    files.emplace_back(base + ".c", substitute(source, values));
    if (isCpu)
      files.emplace_back(base + ".o", *variant.artifact->stage("obj"));
  }
  auto [header, source] = makeDispatcher(function, variants, options);
  files.emplace_back(".h", std::move(header));
  files.emplace_back(".c", std::move(source));
  return files;
}
