// What `libtriton.compile` and `libtriton.ir.emit` are given, as a request.
#pragma once

#include <triton/embed.h>

#include <nanobind/nanobind.h>

namespace triton::python {

/// Throws what is wrong with it.
embed::CompileRequest readRequest(nanobind::handle function, const nanobind::list &arguments, std::string symbol,
                                  const nanobind::dict &options);

} // namespace triton::python
