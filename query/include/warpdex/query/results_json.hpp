// Search results as JSON.
#pragma once

#include <iosfwd>
#include <string>

#include "warpdex/query/result_writer.hpp"

namespace warpdex {

/// Writes one object, answer by answer, a line for each; UTF-8, no line feed within a query:
///
///   {"queries":[
///   {"id":"701","matches":3124,"matches_exact":true,"fell_back_to_or":false,"hits":[
///     {"rank":1,"document":"GX000-25-2008761","score":14.3298979}, ...]},
///   ...
///   ]}
///
/// (broken and indented here to be read). `hits` is best first and may be empty; ranks count
/// from 1; `matches` is a lower bound unless `matches_exact`; scores have 9 significant digits,
/// and null stands for one that is not finite. A hit with fields has an object `fields` of their
/// texts, and, if there are snippets, an object `snippets`. An id or name that is not UTF-8 is
/// written as json_text() does.
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
