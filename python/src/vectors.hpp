// Indexes of vectors, k-means and k-selection.
#pragma once

#include "support.hpp"

namespace warpdex::python {

void bind_vectors(nb::module_& module);

}  // namespace warpdex::python
