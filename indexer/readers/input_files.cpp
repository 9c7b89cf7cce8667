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

void set_too_long(RawRecord& record, std::size_t max_bytes) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  const bool is_in_mib = max_bytes % kMiB == 0;
  record.problem = "the document has more than " +
                   std::to_string(is_in_mib ? max_bytes / kMiB : max_bytes) +
                   (is_in_mib ? " MiB" : " bytes") + "; split it, or check its end";
  std::string().swap(record.bytes);
}

InputFiles::InputFiles(const ReaderOptions& options)
    : inputs_(options.inputs),
      on_read_(options.on_read),
      max_line_bytes_(options.max_document_bytes),
      unpack_limit_(unpack_limit_of(options.memory)),
      total_(total_size(inputs_)) {
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
    lines_.emplace(inputs_[next_input_++], on_read_, max_line_bytes_, unpack_limit_);
    location_.file = lines_->name();
  }
  bool found = true;
  is_long_line_ = false;
  try {
    found = lines_->next_unchecked(line);
  } catch (const LongLine&) {
    is_long_line_ = true;
  }
  location_.line = lines_->line_number();
  const std::uint64_t consumed = consumed_before_ + lines_->stream().bytes_consumed();
  consumed_.store(consumed, std::memory_order_relaxed);
  unpacking_.store(found ? lines_->stream().unpacking_memory() : 0, std::memory_order_relaxed);
  if (!found) {
    consumed_before_ = consumed;
    lines_.reset();
  }
  return found;
}

}  // namespace warpdex
