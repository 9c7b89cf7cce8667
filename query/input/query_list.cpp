// The checks that every query of a file passes.
#include "input/query_list.hpp"

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {

void QueryList::add(std::string_view id, std::string_view text, std::uint64_t line) {
  id = trimmed(id);
  if (id.empty()) fail(line, "has a query without an id; give each query one");
  for (const std::string_view part : {id, text}) {
    const std::size_t invalid = analysis::find_invalid_utf8(part);
    if (invalid == part.npos) continue;
    fail(line, "has a query that is not UTF-8 (byte " + std::to_string(invalid + 1) + " of its " +
                   (part.data() == id.data() ? "id" : "text") +
                   "); if the file is Latin-1, convert it first, as with iconv -f LATIN1 -t UTF-8");
  }
  const auto [known, is_new] = line_of_id_.emplace(id, line);
  if (!is_new) {
    fail(line, "repeats the query id " + known->first + " of line " +
                   std::to_string(known->second) + "; give each query its own");
  }
  queries_.push_back({known->first, std::string(text)});
}

void QueryList::fail(std::uint64_t line, const std::string& problem) const {
  throw InputError(file_ + ":" + std::to_string(line) + " " + problem);
}

}  // namespace warpdex
