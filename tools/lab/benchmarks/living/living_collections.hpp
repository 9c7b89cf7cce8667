// Collections for the benchmark of changed indexes on the GPU: made, or taken from an index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// Words whose frequencies are those of Zipf's law.
class Words {
 public:
  std::string any() { return word(0, 1); }
  /// Neither frequent nor rare.
  std::string of_query() { return word(0.3, 0.75); }
  /// Short documents, named from `first` on.
  std::vector<Document> documents(std::size_t count, std::size_t first);

 private:
  std::string word(double from, double to);

  std::mt19937_64 random_{1};
};

/// Queries of three words.
std::vector<Query> make_queries(Words& words, std::size_t count);

/// The documents of an index as bags of words.
std::vector<Document> documents_of(const Index& index);

/// The first queries of a file whose terms all occur, `count` at most.
std::vector<Query> queries_of(const Index& index, const std::filesystem::path& file,
                              std::size_t count);

/// Adds documents to an index, in the place of those with their ids, by one commit.
void add(const std::filesystem::path& folder, std::vector<Document> documents);

/// Builds an index of one segment and one of so many, of the same documents.
void build_both(const std::filesystem::path& one, const std::filesystem::path& several,
                std::size_t segments, std::vector<Document> all);

}  // namespace warpdex
