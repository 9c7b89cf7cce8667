// TREC runs and qrels, written and read.
#include "warpdex/query/evaluation/trec_run.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"

namespace warpdex {
namespace {

constexpr std::string_view kRunSpace = " \t\n\v\f\r";

bool is_one_field(std::string_view text) {
  return !text.empty() && text.find_first_of(kRunSpace) == text.npos;
}

void require_one_field(const std::string& what, std::string_view text) {
  if (is_one_field(text)) return;
  throw InputError(what + " '" + std::string(text) +
                   "' is empty or holds white space, which a TREC run cannot; write JSON instead");
}

/// The lines of a file that are not blank, each cut into its fields.
class FieldReader {
 public:
  explicit FieldReader(const std::filesystem::path& file) : lines_(file) {}

  bool next(std::vector<std::string_view>& fields) {
    fields.clear();
    while (fields.empty() && lines_.next(line_)) split(fields);
    return !fields.empty();
  }

  std::uint64_t line_number() const { return lines_.line_number(); }

  [[noreturn]] void fail(std::uint64_t line, const std::string& problem) const {
    throw InputError(lines_.name() + ":" + std::to_string(line) + " " + problem);
  }

 private:
  void split(std::vector<std::string_view>& fields) const {
    const std::string_view line = line_;
    std::size_t begin = line.find_first_not_of(kRunSpace);
    while (begin != line.npos) {
      const std::size_t end = std::min(line.find_first_of(kRunSpace, begin), line.size());
      fields.push_back(line.substr(begin, end - begin));
      begin = line.find_first_not_of(kRunSpace, end);
    }
  }

  LineReader lines_;
  std::string line_;
};

/// The number that all of `text` spells, with or without a plus sign.
template <typename Number>
bool parse_number(std::string_view text, Number& number) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

/// A query of a run while its file is read: with the line of each document.
struct OpenQuery {
  RunQuery query;
  std::vector<std::uint64_t> lines;
};

void refuse_repeated_documents(const FieldReader& reader, const OpenQuery& open) {
  const std::vector<RunDocument>& documents = open.query.documents;
  std::vector<std::size_t> order(documents.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int compared = documents[a].name.compare(documents[b].name);
    return compared != 0 ? compared < 0 : a < b;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (documents[order[i]].name != documents[order[i - 1]].name) continue;
    reader.fail(open.lines[order[i]], "lists document " + documents[order[i]].name +
                                          " again for query " + open.query.id + " (first on line " +
                                          std::to_string(open.lines[order[i - 1]]) +
                                          "); keep one of the two");
  }
}

}  // namespace

std::string format_score(float score) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), score,
                                 std::chars_format::general, 9);
  return {digits.data(), end.ptr};
}

TrecRunWriter::TrecRunWriter(std::ostream& out, std::string tag) : out_(out), tag_(std::move(tag)) {
  if (!is_one_field(tag_)) {
    throw UsageError("the run's tag '" + tag_ + "' is empty or holds white space; give one word");
  }
}

void TrecRunWriter::write(const QueryAnswer& answer) {
  require_one_field("the query id", answer.id);
  lines_.clear();
  std::size_t rank = 0;
  for (const NamedHit& hit : answer.hits) {
    require_one_field("the document name", hit.document);
    const float score = answer.scores_are_distances ? 0 - hit.score : hit.score;  // never -0
    lines_.append(answer.id).append(" Q0 ").append(hit.document).append(" ");
    lines_.append(std::to_string(++rank)).append(" ").append(format_score(score)).append(" ");
    lines_.append(tag_).append("\n");
  }
  out_.write(lines_.data(), static_cast<std::streamsize>(lines_.size()));
  check_stream();
}

void TrecRunWriter::finish() {
  out_.flush();
  check_stream();
}

void TrecRunWriter::check_stream() const {
  if (!out_) throw IoError("the run cannot be written; check the space left at its target");
}

TrecRun read_run(const std::filesystem::path& file) {
  FieldReader reader(file);
  TrecRun run;
  std::vector<OpenQuery> open;
  std::unordered_map<std::string, std::size_t> index_of_id;
  for (std::vector<std::string_view> fields; reader.next(fields);) {
    const std::uint64_t line = reader.line_number();
    if (fields.size() < 6) {
      reader.fail(line, "has " + std::to_string(fields.size()) +
                            " fields; a run's lines are: qid Q0 docno rank score tag");
    }
    double score = 0;
    if (!parse_number(fields[4], score) || std::isnan(score)) {
      reader.fail(line, "has the score '" + std::string(fields[4]) + "'; give a number");
    }
    const auto [entry, is_new] = index_of_id.emplace(fields[0], open.size());
    if (is_new) open.push_back({.query = {.id = entry->first, .documents = {}}, .lines = {}});
    OpenQuery& query = open[entry->second];
    query.query.documents.push_back({std::string(fields[2]), static_cast<float>(score)});
    query.lines.push_back(line);
    run.tag = fields[5];
  }
  for (OpenQuery& query : open) {
    refuse_repeated_documents(reader, query);
    run.queries.push_back(std::move(query.query));
  }
  return run;
}

namespace {

/// Whether these are names of columns, as BEIR's query-id, corpus-id and score.
bool are_column_names(const std::vector<std::string_view>& fields) {
  std::array<std::string, 2> ends{std::string(fields.front()), std::string(fields.back())};
  for (std::string& name : ends) {
    std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
  }
  constexpr std::array<std::string_view, 6> kQueries{"queryid", "qid",   "query",
                                                     "topicid", "topic", "topicnumber"};
  constexpr std::array<std::string_view, 8> kGrades{
      "score", "relevance", "rel", "grade", "label", "relevancescore", "judgment", "judgement"};
  return std::ranges::find(kQueries, ends[0]) != kQueries.end() &&
         std::ranges::find(kGrades, ends[1]) != kGrades.end();
}

/// Where a file judges a document first, as " (first on line 3)"; "" where it cannot be read again.
std::string first_judgement(const std::filesystem::path& file, std::string_view query,
                            std::string_view document, std::size_t columns) {
  if (!std::filesystem::is_regular_file(file)) return "";
  FieldReader reader(file);
  for (std::vector<std::string_view> fields; reader.next(fields);) {
    if (fields.size() != columns || fields[0] != query || fields[columns - 2] != document) continue;
    return " (first on line " + std::to_string(reader.line_number()) + ")";
  }
  return "";
}

}  // namespace

Qrels read_qrels(const std::filesystem::path& file) {
  FieldReader reader(file);
  Qrels qrels;
  std::size_t columns = 0;  // 4, or BEIR's 3; 0 before the first line
  for (std::vector<std::string_view> fields; reader.next(fields);) {
    const std::uint64_t line = reader.line_number();
    std::int32_t grade = 0;
    const bool is_number = parse_number(fields.back(), grade);
    if (columns == 0) {
      columns = fields.size() == 3 ? 3 : 4;
      if (columns == 3 && are_column_names(fields)) continue;
    }
    if (fields.size() != columns) {
      reader.fail(line, "has " + std::to_string(fields.size()) + " fields; qrels' lines are: " +
                            (columns == 3 ? "query-id corpus-id score, as the first line has them"
                                          : "qid iteration docno grade"));
    }
    if (!is_number) {
      reader.fail(line, "has the grade '" + std::string(fields.back()) + "'; give a whole number");
    }
    const std::string document(fields[columns - 2]);
    if (!qrels[std::string(fields[0])].emplace(document, grade).second) {
      reader.fail(
          line, "judges document " + document + " again for query " + std::string(fields[0]) +
                    first_judgement(file, fields[0], document, columns) + "; keep one of the two");
    }
  }
  return qrels;
}

}  // namespace warpdex
