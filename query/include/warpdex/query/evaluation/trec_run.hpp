// TREC's files: runs (what a system found) and qrels (what people judged).
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "warpdex/query/result_writer.hpp"

namespace warpdex {

/// Writes lines of `qid Q0 docno rank score tag`, ranks from 1. Distances are negated, so that
/// larger scores are better. An answer without hits has no line.
/// Throws InputError for a query id or document name that is empty or has ASCII white space, which
/// would break the lines.
class TrecRunWriter : public ResultWriter {
 public:
  /// The stream must outlive the writer. Throws UsageError for a tag that is empty or holds white
  /// space.
  explicit TrecRunWriter(std::ostream& out, std::string tag = "warpdex");

  void write(const QueryAnswer& answer) override;
  void finish() override;

 private:
  void check_stream() const;

  std::ostream& out_;
  std::string tag_;
  std::string lines_;
};

struct RunDocument {
  std::string name;
  float score = 0;  ///< trec_eval rounds scores as well, and so makes some equal
  bool operator==(const RunDocument&) const = default;
};

/// One query's documents, in the order of the file. The file's ranks are ignored.
struct RunQuery {
  std::string id;
  std::vector<RunDocument> documents;
};

struct TrecRun {
  std::string tag;                ///< of the last line; empty for an empty run
  std::vector<RunQuery> queries;  ///< in order of first appearance
};

/// Reads a run ("-": standard input; compressed files are unpacked). Fields are separated by ASCII
/// white space. Blank lines are skipped, fields past the sixth ignored. The lines of a query need
/// not be together. Throws IoError for a file that cannot be read and InputError, with file and
/// line, for a line with fewer than six fields, a score that is not a number, or a document that a
/// query lists twice.
TrecRun read_run(const std::filesystem::path& file);

/// Grades by query id, then by document name. A grade below 0 means not judged.
using Qrels = std::map<std::string, std::unordered_map<std::string, std::int32_t>>;

/// Reads lines of `qid iteration docno grade` (TREC) or of `qid docno grade` (BEIR); the first line
/// decides which. A BEIR file may begin with a line of names (query-id corpus-id score, and others
/// such as qid docid relevance). Throws as read_run does: for a line with another number of fields,
/// a grade that is not a whole number of 32 bits, or a document that is judged twice.
Qrels read_qrels(const std::filesystem::path& file);

}  // namespace warpdex
