// The command-line compiler: a kernel from a `.py` file (or a `.ttir` or `.ttgir` file) to IR, assembly, an object file or a C header. Needs no Python.
#include "bin/CHeader.h"
#include "bin/CLibrary.h"
#include "bin/Simulate.h"
#include "compiler/artifact/Description.h"
#include "compiler/driver/Driver.h"
#include "compiler/driver/Specialization.h"
#include "compiler/driver/Target.h"
#include "compiler/driver/Toolkit.h"
#include "compiler/frontend/LanguageVersion.h"
#include "compiler/frontend/filehost/FileHost.h"
#include "compiler/support/Hash.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace triton;
namespace cl = llvm::cl;

// --help lists them in the order of their names.
static cl::OptionCategory category("Basics");
static cl::OptionCategory inspectionCategory("Inspection", "What to print and to keep of a compile.");
static cl::OptionCategory launchCategory("Options of a launch", "They are those of kernel[grid](...) in Python.");
static cl::OptionCategory settingsCategory("Settings");
static cl::extrahelp examples(R"(
EXAMPLES:

  tritonc kernels.py --list
  tritonc kernels.py --kernel add_kernel --signature "*fp32:16, *fp32:16, *fp32:16, i32, 1024" --emit asm
  tritonc kernels.py --kernel add_kernel --signature "*fp32:16, *fp32:16, *fp32:16, i32, 1024" --target cuda --arch sm_90a --emit ptx

A signature has an entry for each parameter: a type, with :16 where the argument will be divisible by 16 or :1 where it will be 1, or a constant.
)");
static cl::opt<std::string> input(cl::Positional, cl::desc("<kernel.py | kernel.ttir | kernel.ttgir>"),
                                  cl::cat(category));
static cl::opt<std::string> kernelName("kernel",
                                       cl::desc("the jitted function to compile; may be left out if there is only one"),
                                       cl::value_desc("name"), cl::cat(category));
static cl::list<std::string>
    signatures("signature", cl::value_desc("types"), cl::cat(category),
               cl::desc("one entry per parameter: \"*fp32:16, *fp32:16, *fp32:16, i32, 1024\"; several for a library"));
static cl::opt<std::string>
    gridText("grid", cl::value_desc("extents"), cl::init("1, 1, 1"), cl::cat(category),
             cl::desc("of a library: three C expressions over the parameters; three numbers to simulate"));
static cl::opt<std::string> simulated("simulate", cl::value_desc("arguments"), cl::cat(category),
                                      cl::desc("run it on a simulated GPU (--arch), watched, and print what is wrong: "
                                               "for each argument an array's elements, or a number"));
static cl::opt<std::string>
    emit("emit",
         cl::desc("source, ttir (default), llir or library; cpu: asm, obj or header; cuda: ttgir, ptx or cubin; hip: "
                  "ttgir, amdgcn or hsaco"),
         cl::init("ttir"), cl::value_desc("stage"), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("output file (default: standard output)"), cl::value_desc("file"),
                                   cl::cat(category));
static cl::opt<std::string> symbol("name", cl::desc("symbol of the compiled function (default: the kernel's name)"),
                                   cl::cat(category));
static cl::opt<bool> listKernels("list", cl::desc("list the file's kernels and their parameters"), cl::cat(category));
static cl::opt<bool> showTimes("time", cl::desc("print what each stage took"), cl::cat(category));
static cl::opt<bool> listRules("list-rules", cl::desc("print the rules by which releases of the language differ"),
                               cl::cat(category));
static cl::opt<bool> listOptions("list-options", cl::desc("print the options of the compiler"), cl::cat(category));

/// The options of Options.def as flags, and what they are set to.
static driver::Settings settings;
static std::vector<std::unique_ptr<cl::opt<std::string>>> flags;

static cl::OptionCategory &categoryOf(const driver::OptionEntry &entry) {
  if (entry.name == "target" || entry.name == "arch")
    return category;
  if (entry.role == driver::OptionEntry::Role::Inspection)
    return inspectionCategory;
  return entry.isOfLaunch() ? launchCategory : settingsCategory;
}

static void addFlags() {
  for (const driver::OptionEntry &entry : driver::optionEntries()) {
    std::string *name = new std::string(entry.name); // the command line keeps references
    std::replace(name->begin(), name->end(), '_', '-');
    const std::string takers = entry.takers().empty() ? "" : (entry.takers() + ": ").str();
    const std::string *text = new std::string(takers + entry.text.str());
    const bool isOptional = entry.kind() == "True or False" || entry.name == "print_ir_after_all";
    flags.push_back(std::make_unique<cl::opt<std::string>>(llvm::StringRef(*name), cl::desc(*text),
                                                           cl::value_desc(entry.kind()), cl::cat(categoryOf(entry)),
                                                           isOptional ? cl::ValueOptional : cl::ValueRequired));
  }
}

static llvm::Error readFlags() {
  for (const auto &[flag, entry] : llvm::zip(flags, driver::optionEntries()))
    if (entry.name == "target" && flag->getNumOccurrences())
      if (const driver::Target *target = driver::findTarget(flag->getValue()))
        static_cast<driver::Options &>(settings) = target->defaults();
  for (const auto &[flag, entry] : llvm::zip(flags, driver::optionEntries())) {
    if (!flag->getNumOccurrences())
      continue;
    const bool isForScreen = flag->empty() && entry.name == "print_ir_after_all";
    if (llvm::Error error = driver::setOptionText(settings, entry.name, isForScreen ? "-" : flag->getValue()))
      return error;
  }
  return llvm::Error::success();
}

static int fail(const llvm::Twine &message) {
  llvm::errs() << "tritonc: error: " << message << "\n";
  return 1;
}

static int fail(const Diagnostics &diagnostics) {
  llvm::errs() << render(diagnostics.all(), llvm::sys::Process::StandardErrHasColors());
  return 1;
}

static void printKernel(const frontend::Function &function) {
  llvm::outs() << function.name << "(";
  llvm::interleaveComma(function.parameters, llvm::outs(), [](const frontend::Parameter &parameter) {
    llvm::outs() << parameter.name;
    if (!parameter.annotation.empty())
      llvm::outs() << ": " << parameter.annotation;
    if (parameter.defaultValue)
      llvm::outs() << " = " << parameter.defaultValue->repr();
  });
  llvm::outs() << ")\n";
}

/// Why the target cannot give what --emit asks for; nullopt if it can, or if there is no such target, which the compile says.
static std::optional<std::string> findEmitFault() {
  const driver::Target *target = driver::findTarget(settings.backend);
  if (!target)
    return std::nullopt;
  driver::Inspection inspection = settings;
  inspection.emitAssembly = true;
  std::vector<std::string> stages = {"source"};
  for (const driver::Stage &stage : target->stages(settings, inspection))
    stages.push_back(stage.name);
  // C code for them is written from what the Python package has of it (bin/CMakeLists.txt).
  if (settings.backend == "cpu")
    stages.push_back("header");
  if (settings.backend != "hip")
    stages.push_back("library");
  if (llvm::is_contained(stages, emit))
    return std::nullopt;
  const std::string last = stages.back();
  stages.pop_back();
  return "--emit=" + emit + ": of target " + settings.backend + " there are " + llvm::join(stages, ", ") + " and " +
         last;
}

/// The kernel asked for, or the only one.
static std::shared_ptr<const frontend::Function> chooseKernel(frontend::FileHost &host) {
  auto kernels = host.kernels();
  if (kernelName.empty() && kernels.size() == 1)
    return kernels.front();
  std::string names;
  for (const auto &kernel : kernels) {
    if (kernel->name == kernelName)
      return kernel;
    names += (names.empty() ? "" : ", ") + kernel->name;
  }
  if (kernels.empty())
    fail(input + " has no jitted function");
  else if (kernelName.empty())
    fail("which kernel? pass --kernel with one of: " + names);
  else
    fail(input + " has no jitted function '" + kernelName + "'; it has: " + names);
  return nullptr;
}

static int writeFile(const std::string &path, llvm::StringRef content) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error)
    return fail("cannot write '" + path + "': " + error.message());
  stream << content;
  stream.close();
  if (stream.has_error()) {
    error = stream.error();
    stream.clear_error();
    return fail("cannot write '" + path + "': " + error.message());
  }
  return 0;
}

static int write(const artifact::Artifact &artifact) {
  if (simulated.getNumOccurrences()) {
    auto findings = simulate(artifact, simulated, gridText);
    return findings ? *findings != 0 : fail(llvm::toString(findings.takeError()));
  }
  std::string header;
  const std::string *content = artifact.stage(emit);
  if (emit == "header") {
    header = makeCHeader(artifact);
    content = &header;
  }
  if (!content)
    return fail("'" + input + "' does not begin early enough to give '" + emit + "'");
  const bool isBinary = emit == "obj" || emit == "cubin" || emit == "hsaco";
  if (output.empty() && isBinary && llvm::sys::Process::StandardOutIsDisplayed())
    return fail("an object file would garble the terminal: name a file with -o");
  if (int code = writeFile(output.empty() ? "-" : output.getValue(), *content))
    return code;
  if (showTimes)
    for (const artifact::StageOutput &stage : artifact.stages)
      llvm::errs() << llvm::formatv("{0,-8} {1,8:f2} ms\n", stage.name, stage.microseconds / 1000);
  return 0;
}

/// Writes the files of a C library: a function for each signature, and the dispatcher over them.
static int writeLibrary(const std::shared_ptr<const frontend::Function> &function) {
  if (output.empty())
    return fail("a library is several files: name what they begin with by -o");
  const std::string name = symbol.empty() ? function->name : symbol.getValue();
  const std::vector<dispatch::Parameter> parameters(function->parameters.begin(), function->parameters.end());
  std::vector<CompiledVariant> variants;
  for (const std::string &signature : signatures) {
    auto made = dispatch::makeVariant(function->name, parameters, signature, name, settings.backend, settings.numWarps,
                                      settings.numStages, [](const std::string &text) { return sha256Hex(text); });
    if (auto *problem = std::get_if<dispatch::Problem>(&made))
      return fail(problem->message);
    auto &variant = std::get<dispatch::CVariant>(made);
    driver::CompileRequest request;
    for (auto [parameter, entry] : llvm::zip_equal(function->parameters, variant.entries)) {
      auto argument = driver::specialize(parameter, entry);
      if (!argument)
        return fail(llvm::toString(argument.takeError()));
      request.kernel.arguments.push_back(std::move(*argument));
    }
    request.kernel.function = function;
    request.kernel.symbol = variant.symbol;
    request.options = settings;
    Diagnostics diagnostics;
    std::shared_ptr<const artifact::Artifact> artifact = driver::compile(request, diagnostics);
    if (!artifact)
      return fail(diagnostics);
    variants.push_back({std::move(variant), std::move(artifact)});
  }
  if (variants.empty())
    return fail("a library needs at least one --signature");
  auto files = makeCLibrary(name, variants, llvm::sys::path::filename(output).str(), gridText);
  if (auto *problem = std::get_if<dispatch::Problem>(&files))
    return fail(problem->message);
  for (const auto &[ending, content] : std::get<NamedContents>(files))
    if (int code = writeFile(output + ending, content))
      return code;
  return 0;
}

int main(int argc, char **argv) {
  addFlags();
  cl::HideUnrelatedOptions({&category, &inspectionCategory, &launchCategory, &settingsCategory});
  cl::SetVersionPrinter([](llvm::raw_ostream &out) {
    out << "tritonc of triton.cpp " << frontend::stamp() << ", with LLVM " << LLVM_VERSION_STRING << "\n";
  });
  cl::ParseCommandLineOptions(argc, argv, "compiles Triton kernels ahead of time\n");
  if (listRules) {
    llvm::outs() << frontend::languageRulesReference();
    return 0;
  }
  if (listOptions) {
    llvm::outs() << driver::optionsReference();
    return 0;
  }
  if (llvm::Error error = readFlags())
    return fail(llvm::toString(std::move(error)));
  if (std::optional<std::string> fault = findEmitFault(); fault && !simulated.getNumOccurrences())
    return fail(*fault);
  if (settings.tensorMaps && emit == "library")
    return fail(
        "--tensor-maps: whoever launches makes the maps and brings scratch memory, which generated C code does not");
  if (input.empty())
    return fail("which file? give a kernel.py, kernel.ttir or kernel.ttgir");
  auto buffer = llvm::MemoryBuffer::getFile(input, /*IsText=*/true);
  if (!buffer)
    return fail("cannot read '" + input + "': " + buffer.getError().message());
  auto source = Source::create(input, (*buffer)->getBuffer().str());
  Diagnostics diagnostics;
  settings.lastStage = emit == "header" ? "obj" : emit.getValue();
  settings.emitAssembly |= emit == "asm";
  if (simulated.getNumOccurrences()) {
    const bool isAmd = settings.backend == "hip";
    settings.backend = isAmd ? "hip" : "cuda";
    settings.lastStage = artifact::codeStage(settings.backend).str();
    if (isAmd)
      settings.isSimulated = true;
    else
      settings.assemblerPath = driver::simulatorName.str();
  }

  if (llvm::StringRef extension = llvm::sys::path::extension(input); extension == ".ttir" || extension == ".ttgir") {
    auto artifact = driver::compileIr(
        {.stage = extension.drop_front().str(), .source = source, .options = settings, .inspection = settings},
        diagnostics);
    return artifact ? write(*artifact) : fail(diagnostics);
  }

  auto host = frontend::FileHost::create(source, diagnostics);
  if (!host)
    return fail(diagnostics);
  if (listKernels) {
    for (const auto &kernel : host->kernels())
      printKernel(*kernel);
    return 0;
  }
  driver::CompileRequest request;
  request.kernel.function = chooseKernel(*host);
  if (!request.kernel.function)
    return 1;
  if (emit == "library")
    return writeLibrary(request.kernel.function);
  if (signatures.size() > 1)
    return fail("several signatures make a library: --emit=library");
  request.kernel.symbol = symbol;
  auto arguments =
      driver::parseSignature(*request.kernel.function, signatures.empty() ? std::string() : signatures.front());
  if (!arguments)
    return fail(llvm::toString(arguments.takeError()));
  request.kernel.arguments = std::move(*arguments);
  request.options = settings;
  request.inspection = settings;
  auto artifact = driver::compile(request, diagnostics);
  if (!artifact)
    return fail(diagnostics);
  if (!diagnostics.all().empty())
    llvm::errs() << render(diagnostics.all(), llvm::sys::Process::StandardErrHasColors());
  return write(*artifact);
}
