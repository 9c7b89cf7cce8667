// TREC collections: <DOC> ... </DOC>, on one line or many, cut out of the lines of the inputs.
#include "readers/input_files.hpp"
#include "readers/readers.hpp"
#include "readers/trec_markup.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

// What parse() refuses is cut out as a record of its own, so that the next document is whole:
// text outside of documents (its first line stands for all up to the next <DOC>), and a <DOC>
// without an end, which ends before a line that starts with <DOC> or with its file.
class TrecReader final : public DocumentReader {
 public:
  explicit TrecReader(const ReaderOptions& options) : files_(options), stored_(options.stored) {}

  bool next(RawRecord& record) override {
    record.problem.clear();
    if (in_long_document_) pass_over_long_document();
    while (find_text()) {
      if (is_long_line_) {  // outside of documents
        is_long_line_ = false;
        in_stray_text_ = true;
        record.location = files_.location();
        set_too_long(record, files_.max_line_bytes());
        return true;
      }
      const std::string_view rest = std::string_view(line_).substr(offset_);
      const std::optional<TagPlace> start = find_tag(rest, "doc", 0);
      if (start && start->begin == 0) {
        in_stray_text_ = false;
        take_document(record, offset_ + start->end);
        return true;
      }
      const std::size_t stray = start ? start->begin : rest.size();
      offset_ += stray;
      if (in_stray_text_) continue;
      in_stray_text_ = true;
      record.bytes.assign(rest.substr(0, stray));
      record.location = files_.location();
      return true;
    }
    return false;
  }

  Document parse(const RawRecord& record) const override {
    Document document = parse_trec(record.bytes, record.location);
    document.stored = stored_text(stored_, document.text);
    return document;
  }

  std::uint64_t unpacking_memory() const override { return files_.unpacking_memory(); }
  std::uint64_t bytes_consumed() const override { return files_.bytes_consumed(); }
  std::uint64_t bytes_total() const override { return files_.bytes_total(); }

 private:
  // Moves to the next byte that is not blank, or to a line that is too long; false at the end of
  // all files.
  bool find_text() {
    for (;;) {
      if (is_long_line_) return true;
      offset_ = line_.find_first_not_of(" \t\r\f\v", offset_);
      if (offset_ != std::string::npos) return true;
      if (!next_line() && files_.at_end()) return false;
    }
  }

  // Leaves an empty line at the end of a file.
  bool next_line() {
    offset_ = 0;
    const bool found = files_.next_line(line_);
    is_long_line_ = files_.is_long_line();
    if (found) return true;
    line_.clear();
    in_stray_text_ = false;
    return false;
  }

  // From offset_, where <DOC> stands, to the end of its </DOC>; `inside` is the end of <DOC>.
  void take_document(RawRecord& record, std::size_t inside) {
    record.location = files_.location();
    record.bytes.clear();
    for (;;) {
      const std::optional<TagPlace> end = find_tag(line_, "/doc", inside);
      if (end) {
        record.bytes.append(line_, offset_, end->end - offset_);
        offset_ = end->end;
        if (is_too_long(record)) set_too_long(record, files_.max_line_bytes());
        return;
      }
      record.bytes.append(line_, offset_, std::string::npos);
      record.bytes += '\n';
      if (is_too_long(record)) break;
      if (!next_line() || starts_document()) return;
      if (is_long_line_) break;
      inside = 0;
    }
    in_long_document_ = true;
    set_too_long(record, files_.max_line_bytes());
  }

  bool is_too_long(const RawRecord& record) const {
    return record.bytes.size() > files_.max_line_bytes();
  }

  // To where the document ends, as take_document() does.
  void pass_over_long_document() {
    in_long_document_ = false;
    while (next_line() && !starts_document()) {
      const std::optional<TagPlace> end = find_tag(line_, "/doc", 0);
      if (!end) continue;
      offset_ = end->end;
      break;
    }
    is_long_line_ = false;
  }

  bool starts_document() const {
    const std::size_t first = line_.find_first_not_of(" \t");
    if (first == std::string::npos || line_[first] != '<') return false;
    const std::optional<TagPlace> start = find_tag(line_, "doc", first);
    return start && start->begin == first;
  }

  InputFiles files_;
  std::vector<std::string> stored_;
  std::string line_;
  std::size_t offset_ = 0;  // in line_, of what no record holds yet
  bool in_stray_text_ = false;
  bool is_long_line_ = false;      // the line, which is then empty
  bool in_long_document_ = false;  // whose rest is still to be passed over
};

}  // namespace

std::unique_ptr<DocumentReader> open_trec(const ReaderOptions& options) {
  return std::make_unique<TrecReader>(options);
}

}  // namespace warpdex
