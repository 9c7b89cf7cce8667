// Arrays in GPU memory: what other libraries' are, memory for answers, and whose work is waited
// for.
#pragma once

#include "support.hpp"

namespace warpdex::python {

void bind_gpu_arrays(nb::module_& module);

}  // namespace warpdex::python
