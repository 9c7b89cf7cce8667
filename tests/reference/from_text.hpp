// Collections and queries from text of terms parted by white space, for tests.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/reference/oracle.hpp"

namespace warpdex::reference {

inline std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

inline void add_text(Collection& collection, const std::string& text, float static_score = 0) {
  const std::vector<std::string> words = split(text);
  const std::vector<std::string_view> terms(words.begin(), words.end());
  collection.add_document(terms, static_score);
}

/// "+must -not optional".
inline Query query_from(const std::string& text) {
  Query query;
  for (const std::string& word : split(text)) {
    const Occur occur = word[0] == '+'   ? Occur::kMust
                        : word[0] == '-' ? Occur::kMustNot
                                         : Occur::kUnsigned;
    query.terms.push_back({occur == Occur::kUnsigned ? word : word.substr(1), occur});
  }
  return query;
}

}  // namespace warpdex::reference
