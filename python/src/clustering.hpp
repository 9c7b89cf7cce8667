// k-means and the selection of the k best values.
#pragma once

#include "support.hpp"

namespace warpdex::python {

void bind_clustering(nb::module_& module);

}  // namespace warpdex::python
