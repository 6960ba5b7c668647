// Which build of a library is running: part of every key, so that a compiler never takes what another build of it made.
#pragma once

#include <string>

namespace triton::artifact {

/// The hexadecimal id that the linker gave the shared library or program that `address` lies in, made from its content; empty if it has none.
std::string buildIdOf(const void *address);

/// Of the compiler itself.
std::string buildId();

} // namespace triton::artifact
