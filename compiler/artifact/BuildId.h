// Which build of a library is running: part of every key, so that a compiler never takes what another build of it made.
#pragma once

#include <string>

namespace triton::artifact {

/// The hexadecimal id that the linker gave the shared library or program that `address` lies in, made from its content; empty if it has none.
std::string buildIdOf(const void *address);

/// Of the compiler itself.
std::string buildId();
/// The same of a library that others made: where the linker gave it no id, the size of its file and when that was changed stand for its content.
std::string identityOf(const void *address);

/// BLAKE3 over the names and contents of all files below `folder` whose names end in `suffix`, whatever the order a directory lists them in; or over one
/// file, if it is one. Part of the first launch of every process, so it is quick.
std::string digestFiles(const std::string &folder, const std::string &suffix);

} // namespace triton::artifact
