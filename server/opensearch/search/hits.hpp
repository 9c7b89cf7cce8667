// Answers to searches in OpenSearch's shape.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "opensearch/search/search_ask.hpp"

namespace warpdex::server::opensearch {

/// How many documents match, and whether that is a lower bound.
struct Total {
  std::uint64_t value = 0;
  bool is_exact = true;
};

/// Of a search that the engine answered.
void write_answer(const SearchAsk& ask, const SearchOutcome& outcome, JsonWriter& json);
/// Of documents of a commit. `scroll_id`: empty, or that of the next page.
void write_documents(const SearchAsk& ask, const IndexReader& reader,
                     std::span<const ScoredDocument> documents, Total total,
                     Request::Clock::time_point arrival, const std::string& scroll_id,
                     JsonWriter& json);
/// Ends an object that write_answer() and write_documents() leave open.
void end_answer(JsonWriter& json);

/// All stored texts of a document that are not left out; none where the index stores nothing.
std::map<std::string, std::string> stored_of(const IndexReader& reader, std::uint32_t document);
/// Milliseconds since then.
std::int64_t millis_since(Request::Clock::time_point arrival);

}  // namespace warpdex::server::opensearch
