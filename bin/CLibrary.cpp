#include "bin/CLibrary.h"
#include "compiler/support/KernelSymbols.h"

using namespace triton;

// cpuHeaderTemplate, cpuSourceTemplate, cpuWaitingTemplate, cudaHeaderTemplate, cudaSourceTemplate: the files of python/triton/tools/extra.
#include "bin/CTemplates.inc"

static auto typesOf(const dispatch::CVariant &variant) {
  std::vector<std::string> types;
  for (const dispatch::CFunction::Argument &argument : variant.inC().arguments)
    types.push_back(argument.type);
  return types;
}

std::variant<NamedContents, dispatch::Problem> triton::makeCLibrary(const std::string &name,
                                                                    llvm::ArrayRef<CompiledVariant> compiled,
                                                                    const std::string &fileBase,
                                                                    std::string_view grid) {
  auto extents = dispatch::readGrid(grid);
  if (auto *problem = std::get_if<dispatch::Problem>(&extents))
    return *problem;
  NamedContents files;
  std::vector<dispatch::CVariant> variants;
  for (const auto &[variant, artifact] : compiled) {
    if (typesOf(variant) != typesOf(compiled.front().variant))
      return dispatch::Problem{"ValueError",
                               "the specialisations of '" + variant.kernel + "' take different arguments in C"};
    const bool isCpu = variant.backend == "cpu";
    const std::string *cubin = isCpu ? nullptr : artifact->stage("cubin");
    const dispatch::CCode code{.architecture = llvm::StringRef(artifact->architecture).split(' ').first.str(),
                               .binary = cubin ? *cubin : std::string_view(),
                               .arenaBytes = artifact->arenaBytes,
                               .sharedBytes = artifact->sharedBytes,
                               .numCtas = artifact->numCtas,
                               .threads = artifact->numWarps * 32};
    variants.push_back(variant);
    if (!isCpu)
      variants.back().symbol = ptxSymbol(variant.symbol);
    auto add = [&](const char *ending, llvm::StringRef text) {
      files.emplace_back("." + variant.suffix + ending,
                         dispatch::fillTemplate(text, variants.back(), code, fileBase,
                                                std::get<std::vector<std::string_view>>(extents)));
    };
    add(".h", isCpu ? cpuHeaderTemplate : cudaHeaderTemplate);
    add(".c", !isCpu ? cudaSourceTemplate : artifact->waitsForPrograms ? cpuWaitingTemplate : cpuSourceTemplate);
    if (isCpu)
      files.emplace_back("." + variant.suffix + ".o", *artifact->stage("obj"));
  }
  auto [header, source] = dispatch::makeDispatcher(name, variants.front().kernel, variants, fileBase);
  files.emplace_back(".h", std::move(header));
  files.emplace_back(".c", std::move(source));
  return files;
}
