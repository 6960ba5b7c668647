// The options of a compile or launch as C programs hand them over.
#pragma once

#include "api/Arguments.h"
#include "compiler/driver/Options.h"

#include "llvm/ADT/SmallString.h"

namespace triton {

/// What callers give, with defaults where they give nothing: older ones have a shorter structure. Texts are never NULL.
llvm::Expected<triton_options> completeOptions(const triton_options *given);
/// The same for tuning.
llvm::Expected<triton_tune_options> completeOptions(const triton_tune_options *given);

/// What `body` gives for arguments and options as callers hand them over, checked and complete.
template <typename Options, typename Body>
auto withChecked(const triton_argument *arguments, size_t count, const Options *options, Body body)
    -> decltype(body(Arguments(), *options)) {
  auto checked = checkArguments(arguments, count);
  if (!checked)
    return checked.takeError();
  auto complete = completeOptions(options);
  if (!complete)
    return complete.takeError();
  return body(*checked, *complete);
}

/// What the compiler is asked for; an error that names an option which there is not.
llvm::Expected<driver::Settings> driverOptions(const triton_options &options);

/// All that compiled code and its launches depend on; equal only for equal options. Where compiled kernels are kept is no part of it.
void appendKey(const triton_options &options, llvm::SmallVectorImpl<char> &key);

} // namespace triton
