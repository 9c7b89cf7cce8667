// The real collections and queries, for tests: read apart from the project's own readers, analysed
// by its `english` analyzer.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/reference/oracle.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::test {

struct RealCollection {
  reference::Collection collection;
  std::vector<std::string> names;  ///< by docID
};

/// A .jsonl.xz file of `id`, `title` and `contents`, relative to the data folder; the title stands
/// before the contents.
RealCollection read_collection(const std::string& relative);

/// Query texts by kind of file.
struct Topic {
  std::string id;
  std::string text;
};
std::vector<Topic> read_topics(const std::string& relative, char separator);
/// The search-benchmark-game's queries (signed syntax) without the phrases.
std::vector<Topic> read_game_topics(const std::string& relative);

/// Analysed; a word's leading + or - counts as its sign if `is_signed`.
Query analyse(const Topic& topic, bool is_signed);

/// Relevant documents by query.
using Judgements = std::map<std::string, std::set<std::string>>;
Judgements read_judgements(const std::string& relative);

}  // namespace warpdex::test
