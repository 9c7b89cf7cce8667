// The line of progress of builds and changes of an index of vectors.
#pragma once

#include <cstdint>
#include <string_view>

#include "output/progress.hpp"

namespace warpdex::tools {

/// What VectorProgress is told: of the stage "reading" vectors are counted, of others steps.
void update_vector_progress(std::string_view stage, std::uint64_t done, std::uint64_t total,
                            Progress& progress);

}  // namespace warpdex::tools
