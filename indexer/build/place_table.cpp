// Keeps a name for each file, and the lines before it.
#include "build/place_table.hpp"

#include <algorithm>
#include <limits>

namespace warpdex::build {

std::uint32_t PlaceTable::number(const Location& location) {
  // A line that is not past the last one begins the same file again.
  const bool is_same_file = !files_.empty() && files_.back().name == location.file &&
                            files_.back().lines_before + location.line >= last_;
  if (!is_same_file) {
    if (files_.size() == kMaxFiles) return 0;
    files_.push_back({location.file, last_});
  }
  last_ = files_.back().lines_before + location.line;
  return last_ > std::numeric_limits<std::uint32_t>::max() ? 0 : static_cast<std::uint32_t>(last_);
}

std::string PlaceTable::text(std::uint32_t number) const {
  if (number == 0) return "an earlier place";
  const auto after = std::partition_point(
      files_.begin(), files_.end(), [&](const File& file) { return file.lines_before < number; });
  const File& file = *(after - 1);
  return file.name + ":" + std::to_string(number - file.lines_before);
}

}  // namespace warpdex::build
