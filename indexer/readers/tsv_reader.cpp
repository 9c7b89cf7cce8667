// TSV collections: id<TAB>text, one document a line.
#include "readers/input_files.hpp"
#include "readers/readers.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

class TsvReader final : public DocumentReader {
 public:
  explicit TsvReader(const ReaderOptions& options) : files_(options), stored_(options.stored) {}

  bool next(RawRecord& record) override {
    do {
      while (!files_.next_line(record.bytes)) {
        if (files_.at_end()) return false;
      }
    } while (!files_.is_long_line() && record.bytes.find_first_not_of(' ') == std::string::npos);
    record.location = files_.location();
    record.problem.clear();
    if (files_.is_long_line()) set_too_long(record, files_.max_line_bytes());
    return true;
  }

  Document parse(const RawRecord& record) const override {
    const std::string_view line = record.bytes;
    check_utf8(line, record.location);
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) {
      fail_document(record.location, "there is no tab in '" + excerpt(line) +
                                         "'; each line must be an id, a tab, and the text");
    }
    check_id(line.substr(0, tab), record.location);
    Document document{std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))};
    document.stored = stored_text(stored_, document.text);
    return document;
  }

  std::uint64_t unpacking_memory() const override { return files_.unpacking_memory(); }
  std::uint64_t bytes_consumed() const override { return files_.bytes_consumed(); }
  std::uint64_t bytes_total() const override { return files_.bytes_total(); }

 private:
  InputFiles files_;
  std::vector<std::string> stored_;
};

}  // namespace

std::unique_ptr<DocumentReader> open_tsv(const ReaderOptions& options) {
  return std::make_unique<TsvReader>(options);
}

}  // namespace warpdex
