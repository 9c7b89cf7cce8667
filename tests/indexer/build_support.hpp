// What the tests of indexer/build share: collections drawn at random, an inversion written without
// any of the builder's code, and an index read back into the same form.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex::test {

/// Of each term: its documents and how often it occurs in them.
using Lists = std::map<std::string, std::map<std::uint32_t, std::uint32_t>>;

struct Collection {
  std::vector<std::string> names;
  std::vector<std::uint32_t> lengths;
  std::vector<float> static_scores;  ///< empty: none
  Lists lists;
  bool operator==(const Collection&) const = default;
};

/// Documents of words that are as unequally frequent as those of text, with some empty ones among
/// them. Their ids are "0d", "1d", ...
std::vector<Document> random_documents(std::mt19937_64& random, std::size_t count,
                                       std::size_t words, std::size_t max_tokens);

/// Inverts documents, split at ASCII white space.
Collection invert(const std::vector<Document>& documents);

/// Reads all of an index.
Collection read_index(const std::filesystem::path& folder);

/// The files of a folder and what is in them, by their paths in it.
std::map<std::string, std::string> folder_bytes(const std::filesystem::path& folder);

/// The checksums of an index's sections, in order.
std::vector<std::uint64_t> checksums(const std::filesystem::path& folder);

/// Options for the whitespace analyzer.
BuildOptions options_for(const std::filesystem::path& output);

BuildReport build_from_memory(std::vector<Document> documents, const BuildOptions& options);

}  // namespace warpdex::test
