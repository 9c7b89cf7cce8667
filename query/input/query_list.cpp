// The checks that every query of a file passes.
#include "input/query_list.hpp"

#include <algorithm>

#include "input/query_limits.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
}

/// Whether there are control characters, which no text has.
bool looks_binary(const std::string& part) {
  return std::ranges::any_of(part, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && (c < '\t' || c > '\r')) || c == 0x7F;
  });
}

/// Bytes that are no characters in Latin-1, and are in the code page that Windows calls so.
bool is_windows(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 && byte < 0xA0;
}

}  // namespace

void QueryList::add(QueryText query, std::uint64_t line) {
  query.id = trimmed(query.id);
  if (query.id.empty()) return refuse(line, "has a query without an id; give each query one");
  std::string why = why_not_utf8(query);
  if (why.empty()) why = query_bytes_problem(query.text.size(), limits_);
  if (!why.empty()) return refuse(line, why);
  const std::string fault = why_not_id(query.id);
  if (!fault.empty()) {
    return refuse(line, "has the query id '" + excerpt(query.id) + "', which " + fault);
  }
  const auto [known, is_new] = line_of_id_.emplace(query.id, line);
  if (!is_new) {
    return refuse(line, "repeats the query id " + known->first + " of line " +
                            std::to_string(known->second) + "; give each query its own");
  }
  saw_utf8_ = saw_utf8_ || !is_ascii(query.id) || !is_ascii(query.text);
  had_any_ = true;
  queries_.push_back(std::move(query));
}

/// Empty if the query is UTF-8. What a file is converted from must be what all of it is.
std::string QueryList::why_not_utf8(const QueryText& query) const {
  for (const std::string* part : {&query.id, &query.text}) {
    const std::size_t invalid = analysis::find_invalid_utf8(*part);
    if (invalid == part->size()) continue;
    const std::string place = "has a query that is not UTF-8 (byte " + std::to_string(invalid + 1) +
                              " of its " + (part == &query.id ? "id" : "text") +
                              "); it looks like ";
    if (looks_binary(*part)) return place + "a binary file: give one of text";
    const bool windows = std::any_of(part->begin(), part->end(), is_windows);
    const std::string from = windows ? "WINDOWS-1252" : "LATIN1";
    const std::string looks = windows ? "Windows-1252" : "Latin-1";
    const std::string convert = "as with iconv -f " + from + " -t UTF-8";
    return place + looks +
           (saw_utf8_ ? ", while lines before it are UTF-8: convert this line alone, " + convert
                      : ": convert the file first, " + convert);
  }
  return {};
}

/// Empty for an id that names the query where it is to be named: runs take no white space.
std::string QueryList::why_not_id(const std::string& id) const {
  const std::string fault = id_fault(id);
  if (are_for_run_ || fault.empty()) return fault;
  // JSON names any id that can be seen.
  std::string seen = id;
  for (std::size_t at = 0; at < seen.size();) {
    const std::size_t begin = at;
    if (is_white_space(take_character(seen, at))) {
      std::fill(seen.begin() + static_cast<std::ptrdiff_t>(begin),
                seen.begin() + static_cast<std::ptrdiff_t>(at), '_');
    }
  }
  return id_fault(seen);
}

void QueryList::refuse(std::uint64_t line, const std::string& problem) {
  had_any_ = true;
  if (!on_bad_query_) fail(line, problem);
  on_bad_query_(file_ + ":" + std::to_string(line) + " " + problem);
}

void QueryList::fail(std::uint64_t line, const std::string& problem) const {
  throw InputError(file_ + ":" + std::to_string(line) + " " + problem);
}

QueryText QueryList::take() {
  QueryText query = std::move(queries_.front());
  queries_.pop_front();
  return query;
}

}  // namespace warpdex
