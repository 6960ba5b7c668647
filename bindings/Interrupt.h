// Ctrl-C, and whatever else the handlers of signals in Python raise, while something runs without the interpreter's lock.
#pragma once

namespace triton::python {

/// Runs the handlers of signals that have come; whether one has raised an exception, which is kept for `raiseInterruption`. Takes the interpreter's lock. Only the main
/// thread runs handlers: on others the answer is no.
bool isInterrupted();

/// Sets the exception that `isInterrupted` has kept on this thread; false if there is none.
bool raiseInterruption();

} // namespace triton::python
