// Goes from file to file, and counts lines and bytes.
#include "readers/input_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace warpdex {

namespace fs = std::filesystem;

std::uint64_t total_size(const std::vector<std::string>& inputs) {
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw UsageError("standard input ('-') is given more than once; it can be read only once");
  }
  std::uint64_t total = 0;
  bool known = true;
  for (const std::string& input : inputs) {
    if (input == "-") {
      known = false;
      continue;
    }
    std::error_code error;
    const fs::file_status status = fs::status(input, error);
    if (!fs::exists(status)) {
      throw IoError("cannot open '" + input + "': " + error.message() +
                    "; check the path and its permissions");
    }
    if (fs::is_regular_file(status)) {
      total += fs::file_size(input);
    } else {
      known = false;
    }
  }
  return known ? total : 0;
}

InputFiles::InputFiles(std::vector<std::string> inputs, std::function<void()> on_read)
    : inputs_(std::move(inputs)), on_read_(std::move(on_read)), total_(total_size(inputs_)) {
  if (inputs_.empty()) throw UsageError("there is no input; name at least one file, or '-'");
  for (const std::string& input : inputs_) {
    if (input != "-" && fs::is_directory(input)) {
      throw IoError("'" + input + "' is a folder; name the files in it (only the format text " +
                    "takes folders)");
    }
  }
}

bool InputFiles::next_line(std::string& line) {
  if (!lines_) {
    if (at_end()) return false;
    lines_.emplace(inputs_[next_input_++], on_read_);
    location_.file = lines_->name();
  }
  const bool found = lines_->next(line);
  location_.line = lines_->line_number();
  const std::uint64_t consumed = consumed_before_ + lines_->stream().bytes_consumed();
  consumed_.store(consumed, std::memory_order_relaxed);
  if (!found) {
    consumed_before_ = consumed;
    lines_.reset();
  }
  return found;
}

}  // namespace warpdex
