// Query logs: lines with and without ids. TREC topics are read by trec_topics.cpp, JSON by
// json_queries.cpp.
#include "warpdex/query/input/query_file.hpp"

#include "input/query_list.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/text_lines.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

/// What a line without its separator is instead.
std::string guess(std::string_view line, bool is_named_trec) {
  const std::string_view text = trimmed(line);
  if (text.starts_with("<top>") || is_named_trec) {
    return "it looks like TREC topics: choose the format trec, as by --query-format trec";
  }
  if (text.starts_with('{') && text.find("\"vector\"") != text.npos) {
    return "it looks like a sparse vector: choose the format sparse, as by --query-format sparse";
  }
  if (text.starts_with('{')) {
    return "it looks like JSON: choose the format jsonl, as by --query-format jsonl";
  }
  return "add it, or choose another query format";
}

class SeparatedLines final : public QueryLines {
 public:
  SeparatedLines(char separator, const char* name, bool is_named_trec)
      : separator_(separator), name_(name), is_named_trec_(is_named_trec) {}

  void read(const std::string& line, std::uint64_t number, QueryList& queries) override {
    // A line of a tab alone is no empty line: its id was lost.
    if (line.find_first_not_of(' ') == line.npos) return;
    const std::size_t end = line.find(separator_);
    if (end == line.npos) {
      queries.refuse(number, "has no " + std::string(name_) +
                                 " between a query's id and its text; " +
                                 guess(line, is_named_trec_));
      return;
    }
    queries.add({.id = line.substr(0, end), .text = line.substr(end + 1)}, number);
  }

 private:
  char separator_;
  const char* name_;
  bool is_named_trec_;  ///< the file
};

class WholeLines final : public QueryLines {
 public:
  void read(const std::string& line, std::uint64_t number, QueryList& queries) override {
    queries.add({.id = std::to_string(number), .text = line}, number);
  }
};

std::unique_ptr<QueryLines> lines_of(const std::filesystem::path& file, QueryFormat format,
                                     const QueryReadOptions& options) {
  const bool is_trec = file.extension() == ".trec";
  switch (format) {
    case QueryFormat::kTsv: return std::make_unique<SeparatedLines>('\t', "tab", is_trec);
    case QueryFormat::kColon: return std::make_unique<SeparatedLines>(':', "colon", is_trec);
    case QueryFormat::kLines: return std::make_unique<WholeLines>();
    case QueryFormat::kTrec: return trec_topics(options.topic_fields, options.limits.bytes);
    case QueryFormat::kJsonl: return json_queries(false);
    case QueryFormat::kSparse: return json_queries(true);
  }
  throw UsageError("the format of the queries is none that Warpdex reads");
}

}  // namespace

QueryFormat query_format_from_name(std::string_view name) {
  if (name == "tsv") return QueryFormat::kTsv;
  if (name == "colon") return QueryFormat::kColon;
  if (name == "lines") return QueryFormat::kLines;
  if (name == "trec") return QueryFormat::kTrec;
  if (name == "jsonl") return QueryFormat::kJsonl;
  if (name == "sparse") return QueryFormat::kSparse;
  throw UsageError("there is no query format '" + std::string(name) +
                   "'; take tsv, colon, lines, trec, jsonl or sparse");
}

TopicField topic_field_from_name(std::string_view name) {
  if (name == "title") return TopicField::kTitle;
  if (name == "desc") return TopicField::kDescription;
  if (name == "narr") return TopicField::kNarrative;
  throw UsageError("topics have no field '" + std::string(name) + "'; take title, desc or narr");
}

struct QueryReader::State {
  State(const std::filesystem::path& file, QueryFormat format, const QueryReadOptions& options)
      : format_lines(lines_of(file, format, options)),
        lines(file, options.on_read, options.max_line_bytes),
        queries(lines.name(), options) {}

  /// Reads the next line into the queries; false at the end of the file. A line that is too long or
  /// no text is a bad query.
  bool read_line() {
    std::string fault;
    try {
      if (!lines.next_unchecked(line)) return false;
      fault = line_fault(line);
    } catch (const LongLine& error) {
      line.clear();
      fault = error.problem() + "; shorten the query";
    }
    if (fault.empty()) {
      format_lines->read(line, lines.line_number(), queries);
    } else {
      format_lines->refuse(lines.line_number(), fault, queries);
    }
    return true;
  }

  std::unique_ptr<QueryLines> format_lines;
  LineReader lines;
  QueryList queries;
  std::string line;
  bool at_end = false;
};

QueryReader::QueryReader(const std::filesystem::path& file, QueryFormat format,
                         const QueryReadOptions& options)
    : state_(std::make_unique<State>(file, format, options)) {}

QueryReader::~QueryReader() = default;

bool QueryReader::next(QueryText& query) {
  State& state = *state_;
  while (state.queries.is_empty() && !state.at_end) {
    if (!state.read_line()) {
      state.at_end = true;
      state.format_lines->finish(state.queries);
    }
  }
  if (state.queries.is_empty()) return false;
  query = state.queries.take();
  return true;
}

bool QueryReader::has_more_at_hand() const {
  return !state_->queries.is_empty() || (!state_->at_end && state_->lines.has_line_at_hand());
}

std::vector<QueryText> read_queries(const std::filesystem::path& file, QueryFormat format,
                                    const QueryReadOptions& options) {
  QueryReader reader(file, format, options);
  std::vector<QueryText> queries;
  for (QueryText query; reader.next(query);) queries.push_back(std::move(query));
  return queries;
}

}  // namespace warpdex
