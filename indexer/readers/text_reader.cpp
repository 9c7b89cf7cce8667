// Collections of plain-text files: each file a document, folders walked in the order of paths.
#include <algorithm>
#include <atomic>
#include <filesystem>

#include "readers/input_files.hpp"
#include "readers/readers.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

struct TextFile {
  std::string path;
  std::string id;
};

// A path as an id: bytes that an id cannot hold, and the percent sign, become %XX.
std::string id_from_path(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const bool is_utf8 = analysis::find_invalid_utf8(path) == path.size();
  std::string id;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7F || c == '%' || (byte >= 0x80 && !is_utf8)) {
      id += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      id += c;
    }
  }
  return id;
}

// The regular files below `folder` whose path below it has no part that starts with a dot.
// Links to files are followed, links to folders are not (they may go round in a circle).
void append_tree(const std::string& folder, std::vector<TextFile>& files) try {
  std::vector<std::string> paths;
  for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      paths.push_back(entry->path().lexically_relative(folder).generic_string());
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    files.push_back({(fs::path(folder) / path).string(), id_from_path(path)});
  }
} catch (const fs::filesystem_error& error) {
  throw IoError("cannot list '" + folder + "': " + error.code().message() + " ('" +
                error.path1().string() + "'); check its permissions");
}

std::vector<TextFile> list_files(const std::vector<std::string>& inputs) {
  if (inputs.empty()) throw UsageError("there is no input; name at least one file or folder");
  std::vector<TextFile> files;
  for (const std::string& input : inputs) {
    if (input == "-") {
      files.push_back({input, "stdin"});
    } else if (fs::is_directory(input)) {
      append_tree(input, files);
    } else {
      files.push_back({input, id_from_path(fs::path(input).filename().string())});
    }
  }
  return files;
}

std::uint64_t size_of(const std::vector<TextFile>& files) {
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const TextFile& file : files) paths.push_back(file.path);
  return total_size(paths);
}

constexpr std::uint64_t kLargestLimit = std::uint64_t{1} << 62;  // with which sums do not overflow

class TextReader final : public DocumentReader {
 public:
  explicit TextReader(const ReaderOptions& options)
      : total_(total_size(options.inputs)),
        files_(list_files(options.inputs)),
        on_read_(options.on_read),
        max_bytes_(std::min(options.max_document_bytes, kLargestLimit)),
        unpack_limit_(unpack_limit_of(options.memory)),
        stored_(options.stored) {
    total_ = size_of(files_);
  }

  // The record is the id, a line feed (which no id holds), and the file.
  bool next(RawRecord& record) override {
    if (next_file_ == files_.size()) return false;
    const TextFile& file = files_[next_file_++];
    InputStream stream(file.path, on_read_, unpack_limit_);
    record.location = {stream.name(), 1};
    record.bytes = file.id + '\n';
    record.problem.clear();
    const std::size_t max_size = record.bytes.size() + max_bytes_;
    append_rest(stream, max_size, record.bytes);
    if (record.bytes.size() > max_size) set_too_long(record, max_bytes_);
    consumed_.fetch_add(stream.bytes_consumed(), std::memory_order_relaxed);
    return true;
  }

  Document parse(const RawRecord& record) const override {
    const std::string_view bytes = record.bytes;
    const std::size_t id_size = std::min(bytes.find('\n'), bytes.size());
    const std::string_view id = bytes.substr(0, id_size);
    std::string_view text = bytes.substr(std::min(id_size + 1, bytes.size()));
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    check_utf8(text, record.location);
    check_id(id, record.location);
    Document document{std::string(id), std::string(text)};
    document.stored = stored_text(stored_, document.text);
    return document;
  }

  std::uint64_t bytes_consumed() const override {
    return consumed_.load(std::memory_order_relaxed);
  }
  std::uint64_t bytes_total() const override { return total_; }

 private:
  /// Stops where there are more than `max_size` bytes.
  static void append_rest(InputStream& stream, std::size_t max_size, std::string& bytes) {
    constexpr std::size_t kSmallestStep = std::size_t{64} << 10;
    std::size_t size = bytes.size();
    while (size <= max_size) {
      if (bytes.size() - size < kSmallestStep) bytes.resize(size + std::max(size, kSmallestStep));
      const std::size_t more = stream.read(bytes.data() + size, bytes.size() - size);
      if (more == 0) break;
      size += more;
    }
    bytes.resize(size);
  }

  std::uint64_t total_ = 0;
  std::vector<TextFile> files_;
  std::function<void()> on_read_;
  std::size_t max_bytes_;
  UnpackLimit unpack_limit_;
  std::vector<std::string> stored_;
  std::size_t next_file_ = 0;
  std::atomic<std::uint64_t> consumed_{0};
};

}  // namespace

std::unique_ptr<DocumentReader> open_text(const ReaderOptions& options) {
  return std::make_unique<TextReader>(options);
}

}  // namespace warpdex
