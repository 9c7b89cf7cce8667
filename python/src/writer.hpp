// Changes an index of text.
#pragma once

#include "support.hpp"

namespace warpdex::python {

void bind_writer(nb::module_& module);

}  // namespace warpdex::python
