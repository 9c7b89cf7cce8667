#include "output/vector_progress.hpp"

#include <string>

#include "output/text.hpp"

namespace warpdex::tools {

void update_vector_progress(std::string_view stage, std::uint64_t done, std::uint64_t total,
                            Progress& progress) {
  const bool is_reading = stage == "reading";
  progress.update(std::string(stage), is_reading ? counted(done, "vector") : std::string(), done,
                  total, is_reading ? Progress::Unit::kItems : Progress::Unit::kSteps);
}

}  // namespace warpdex::tools
