// Collections of plain text and of HTML: each file a document, folders walked in the order of
// paths.
#include <algorithm>
#include <atomic>
#include <filesystem>

#include "readers/html_document.hpp"
#include "readers/input_files.hpp"
#include "readers/readers.hpp"
#include "readers/text_folder.hpp"
#include "warpdex/core/text_lines.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

struct TextFile {
  std::string path;
  std::string id;
};

// Bytes that an id cannot hold, and the percent sign, become %XX. Of the characters without width,
// those that words are written with are kept if `keep_writing` says so.
std::string escaped_path(std::string_view path, bool keep_writing) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const bool is_utf8 = analysis::find_invalid_utf8(path) == path.size();
  std::string id;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t begin = at;
    const char32_t character =
        is_utf8 ? take_character(path, at) : static_cast<unsigned char>(path[at++]);
    const bool is_kept = keep_writing && belongs_to_writing(character);
    const bool is_escaped = character <= 0x20 || character == '%' ||
                            (character >= 0x7F && (character < 0xA0 || !is_utf8)) ||
                            is_white_space(character) || (is_without_width(character) && !is_kept);
    for (const char c : path.substr(begin, at - begin)) {
      const auto byte = static_cast<unsigned char>(c);
      if (is_escaped) {
        id += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
      } else {
        id += c;
      }
    }
  }
  return id;
}

// A path as an id.
std::string id_from_path(std::string_view path) {
  const std::string id = escaped_path(path, true);
  return id_fault(id).empty() ? id : escaped_path(path, false);
}

std::vector<TextFile> list_files(const std::vector<std::string>& inputs, LeftOut& left_out) {
  if (inputs.empty()) throw UsageError("there is no input; name at least one file or folder");
  std::vector<TextFile> files;
  for (const std::string& input : inputs) {
    if (input == "-") {
      files.push_back({input, "stdin"});
    } else if (fs::is_directory(input)) {
      for (const std::string& path : walk_folder(input, left_out)) {
        files.push_back({(fs::path(input) / path).string(), id_from_path(path)});
      }
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
        files_(list_files(options.inputs, left_out_)),
        on_read_(options.on_read),
        max_bytes_(std::min(options.max_document_bytes, kLargestLimit)),
        unpack_limit_(unpack_limit_of(options.memory)),
        stored_(options.stored),
        is_html_(options.format == DocumentFormat::kHtml) {
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
    try {
      check_encoding(text.substr(0, kEncodingBytes), record.location.file);
    } catch (const InputError& error) {
      fail_document(record.location, error.what());
    }
    text = without_byte_order_marks(text);
    check_utf8(text, record.location);
    check_id(id, record.location);
    if (is_html_) return html_document(id, text, record.location);
    Document document{std::string(id), std::string(text)};
    document.stored = stored_text(stored_, document.text);
    return document;
  }

  std::uint64_t bytes_consumed() const override {
    return consumed_.load(std::memory_order_relaxed);
  }
  std::uint64_t bytes_total() const override { return total_; }
  LeftOut left_out() const override { return left_out_; }

 private:
  Document html_document(std::string_view id, std::string_view html,
                         const Location& location) const {
    HtmlPage page;
    try {
      page = read_html(html);
    } catch (const InputError& error) {
      fail_document(location, error.what());
    }
    Document document{std::string(id), page.title};
    if (!page.title.empty() && !page.text.empty()) document.text += '\n';
    document.text += page.text;
    document.stored = stored_text(stored_, document.text);
    for (std::size_t i = 0; i < stored_.size(); ++i) {
      if (stored_[i] == "title") document.stored[i] = page.title;
    }
    return document;
  }

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
  LeftOut left_out_;
  std::vector<TextFile> files_;
  std::function<void()> on_read_;
  std::size_t max_bytes_;
  UnpackLimit unpack_limit_;
  std::vector<std::string> stored_;
  bool is_html_;
  std::size_t next_file_ = 0;
  std::atomic<std::uint64_t> consumed_{0};
};

}  // namespace

std::unique_ptr<DocumentReader> open_text(const ReaderOptions& options) {
  return std::make_unique<TextReader>(options);
}

std::unique_ptr<DocumentReader> open_html(const ReaderOptions& options) {
  return std::make_unique<TextReader>(options);
}

}  // namespace warpdex
