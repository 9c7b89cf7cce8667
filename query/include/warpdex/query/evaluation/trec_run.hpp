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

/// Writes lines of `qid Q0 docno rank score tag`, ranks from 1. An answer without hits leaves no
/// line. Refuses (InputError) a query id or document name that is empty or holds ASCII white
/// space, which would break the lines.
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
  double score = 0;
  bool operator==(const RunDocument&) const = default;
};

/// One query's documents, as they stand in the file; the ranks written there are not kept.
struct RunQuery {
  std::string id;
  std::vector<RunDocument> documents;
};

struct TrecRun {
  std::string tag;                ///< of the last line; empty for an empty run
  std::vector<RunQuery> queries;  ///< in order of first appearance
};

/// Reads a run ("-": standard input; packed files are unpacked). Fields are parted by any ASCII
/// white space, blank lines skipped, fields past the sixth ignored; a query's lines may be
/// scattered. Throws IoError for a file that cannot be read and InputError, with file and line,
/// for a line with fewer fields, a score that is not a number, or a document that a query lists
/// twice.
TrecRun read_run(const std::filesystem::path& file);

/// Grades by query id, then by document name. A grade below 0 means: not judged.
using Qrels = std::map<std::string, std::unordered_map<std::string, std::int32_t>>;

/// Reads lines of `qid iteration docno grade`, or of `qid docno grade`, as BEIR has them, before
/// which a line of names may stand (query-id corpus-id score): the first line decides. Throws as
/// read_run does, for a line of other than so many fields, a grade that is not a whole number of 32
/// bits, or a document judged twice.
Qrels read_qrels(const std::filesystem::path& file);

}  // namespace warpdex
