// Search results as JSON.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "warpdex/query/result_writer.hpp"

namespace warpdex {

/// Appends what is between the braces of one answer's object in JsonResultWriter's output.
/// `before`: answers that stand before the first hit, as on earlier pages; ranks count them.
void append_answer_members(const QueryAnswer& answer, std::size_t before, std::string& out);

/// Writes one JSON object, with a line for each answer. UTF-8, without line feeds within an answer:
///
///   {"queries":[
///   {"id":"701","matches":3124,"matches_exact":true,"fell_back_to_or":false,
///   "score_is":"score","hits":[
///     {"rank":1,"document":"GX000-25-2008761","score":14.3298979}, ...]},
///   ...
///   ]}
///
/// (broken into lines here for reading). `hits` is best first and may be empty. Ranks count from 1.
/// `matches` is a lower bound unless `matches_exact`. `score_is` is "score", where larger is
/// better, or "distance", where smaller is. Scores have 9 significant digits; a score that is not
/// finite is null. A hit with fields has an object `fields` with their texts and, if there are
/// snippets, an object `snippets` and, if asked for, one `matches_position`. A hit of a sorted
/// answer has a `cursor`; an answer with facets has `facets`, an object of those by column. An id
/// or name that is not UTF-8 is written by json_text().
class JsonResultWriter : public ResultWriter {
 public:
  /// The stream must outlive the writer.
  explicit JsonResultWriter(std::ostream& out) : out_(out) {}

  void write(const QueryAnswer& answer) override;
  void finish() override;

 private:
  void write_out(std::string_view text);

  std::ostream& out_;
  bool started_ = false;
};

}  // namespace warpdex
