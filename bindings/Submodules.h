// The parts of `triton._C.libtriton`, each in the file of its name: what it adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace triton::python {

/// `cache`: the directory of compiled kernels, seals, and the Redis client
void addCache(nanobind::module_ &module);
/// `cuda`: the GPU's driver, of NVIDIA or AMD, as the package uses it
void addCuda(nanobind::module_ &module);
/// scalar types, annotations of parameters, how arguments specialise, C libraries
void addDispatch(nanobind::module_ &module);
/// environment variables as the native layer reads them
void addEnvironment(nanobind::module_ &module);
/// `gluon_layouts`: the table from which Gluon makes its classes of layouts, and what they ask the compiler
void addGluonLayouts(nanobind::module_ &module);
/// `language_names`, `language_entry`: the registry of the language, from which `tl` is made
void addLanguage(nanobind::module_ &module);
/// `interpreter`: sessions in which operations on tensors are done at once
void addInterpreter(nanobind::module_ &module);
/// of `interpreter`: accesses to host memory by arrays of addresses, for interpreters written in Python
void addInterpreterMemory(nanobind::module_ &interpreter);
/// `ir`: modules as clients walk them
void addIr(nanobind::module_ &module);
/// `linear_layout`
void addLayout(nanobind::module_ &module);
/// `llvm`: LLVM's steps one by one, under the names that backends of other packages call
void addLlvm(nanobind::module_ &module);
/// `nvidia`: cuBLAS as a baseline
void addNvidia(nanobind::module_ &module);
/// `ir.pass_manager`, `passes`: pipelines that a plugin backend or an inspection hook puts together; after `ir`
void addPasses(nanobind::module_ &module);
/// `profiler`: what triton.profiler rests on
void addProfiler(nanobind::module_ &module);
/// `sanitizer`: watching the memory accesses of launches
void addSanitizer(nanobind::module_ &module);
/// `ValueHandle`, `emission`: values of kernel code in the hands of Python code
void addTensorObject(nanobind::module_ &module);
/// `tuning`: what triton.autotune and triton.testing.do_bench rest on
void addTune(nanobind::module_ &module);
/// `compile`, `compile_ir` and the Artifact they give
void addCompile(nanobind::module_ &module);
/// `complete_options`, `target_facts` and the tools of a toolkit
void addCompileOptions(nanobind::module_ &module);

} // namespace triton::python
