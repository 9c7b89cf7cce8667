// Arrays in GPU memory: what other libraries' are, memory for answers, and whose work is waited
// for.
#pragma once

#include "support.hpp"

namespace warpdex::python {

/// An address in GPU memory, as Python has it.
using Address = std::uintptr_t;

void bind_gpu_arrays(nb::module_& module);

}  // namespace warpdex::python
