#include "build_support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "tests/support.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"

namespace warpdex::test {
namespace {

std::map<std::uint32_t, std::uint32_t> read_list(const Index& index, const PostingsEntry& entry) {
  std::map<std::uint32_t, std::uint32_t> list;
  const Postings postings = read_postings(index, entry);
  for (std::size_t i = 0; i < postings.docids.size(); ++i) {
    list.emplace(postings.docids[i], postings.frequencies[i]);
  }
  return list;
}

}  // namespace

std::vector<Document> random_documents(std::mt19937_64& random, std::size_t count,
                                       std::size_t words, std::size_t max_tokens) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::uniform_int_distribution<std::size_t> length(0, max_tokens);
  std::vector<Document> documents;
  for (std::size_t i = 0; i < count; ++i) {
    Document document{std::to_string(i) + "d", ""};
    for (std::size_t left = i % 17 == 3 ? 0 : length(random); left > 0; --left) {
      const double rank = std::pow(static_cast<double>(words), uniform(random));
      document.text += std::to_string(static_cast<std::size_t>(rank)) + "w ";
    }
    documents.push_back(std::move(document));
  }
  return documents;
}

Collection invert(const std::vector<Document>& documents) {
  Collection collection;
  for (const Document& document : documents) {
    const auto docid = static_cast<std::uint32_t>(collection.names.size());
    std::istringstream words(document.text);
    std::uint32_t length = 0;
    for (std::string word; words >> word; ++length) ++collection.lists[word][docid];
    collection.names.push_back(document.id);
    collection.lengths.push_back(length);
  }
  return collection;
}

Collection read_index(const std::filesystem::path& folder) {
  const Index index = Index::open(folder);
  Collection collection;
  collection.lengths.assign(index.lengths().begin(), index.lengths().end());
  for (std::uint32_t i = 0; i < index.counts().documents; ++i) {
    collection.names.emplace_back(index.document_name(i));
  }
  const auto scores = index.sections().static_scores;
  collection.static_scores.assign(scores.begin(), scores.end());
  index.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
    collection.lists.emplace(term, read_list(index, entry));
  });
  return collection;
}

std::map<std::string, std::string> folder_bytes(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files.emplace(entry.path().lexically_relative(folder).string(), read_file(entry.path()));
  }
  return files;
}

std::vector<std::uint64_t> checksums(const std::filesystem::path& folder) {
  std::vector<std::uint64_t> sums;
  const Index index = Index::open(folder);
  for (const SectionInfo& section : index.section_infos()) sums.push_back(section.checksum);
  return sums;
}

BuildOptions options_for(const std::filesystem::path& output) {
  BuildOptions options;
  options.output = output;
  options.analyzer = "whitespace";
  options.fields = "contents";
  options.memory = kMinBuildMemory;
  options.threads = 1;
  return options;
}

BuildReport build_from_memory(std::vector<Document> documents, const BuildOptions& options) {
  const auto reader = documents_from_memory(std::move(documents));
  return build_index(*reader, options);
}

}  // namespace warpdex::test
