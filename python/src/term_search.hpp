// Searches for weighted terms that are not analysed: learned sparse queries, expanded queries.
#pragma once

#include "support.hpp"

namespace warpdex::python {

/// After bind_searcher().
void bind_term_search(nb::module_& module);

}  // namespace warpdex::python
