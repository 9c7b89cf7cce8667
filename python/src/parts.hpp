// An index in parts, by messages.
#pragma once

#include "support.hpp"

namespace warpdex::python {

void bind_parts(nb::module_& module);

}  // namespace warpdex::python
