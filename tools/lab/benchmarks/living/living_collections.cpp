// Makes the documents, queries and indexes of the benchmark of changed indexes on the GPU.
#include "benchmarks/living/living_collections.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

constexpr double kVocabulary = 200'000;

void build(const fs::path& folder, std::vector<Document> documents) {
  BuildOptions options;
  options.output = folder;
  options.analyzer = "whitespace";
  options.codec.kind = CodecKind::kBitpack;
  build_index(*documents_from_memory(std::move(documents)), options);
}

}  // namespace

std::string Words::word(double from, double to) {
  const double share = static_cast<double>(random_() % 1'000'000) / 1e6;
  const double rank = std::pow(kVocabulary, from + (to - from) * share);
  return "w" + std::to_string(static_cast<std::uint64_t>(rank));
}

std::vector<Document> Words::documents(std::size_t count, std::size_t first) {
  std::vector<Document> made;
  for (std::size_t i = 0; i < count; ++i) {
    Document document{"d" + std::to_string(first + i), "", {}};
    for (std::size_t words = 10 + random_() % 40; words > 0; --words) document.text += any() + " ";
    made.push_back(std::move(document));
  }
  return made;
}

std::vector<Query> make_queries(Words& words, std::size_t count) {
  std::vector<Query> queries(count);
  for (Query& query : queries) {
    for (int i = 0; i < 3; ++i) query.terms.push_back({words.of_query()});
  }
  return queries;
}

std::vector<Document> documents_of(const Index& index) {
  std::vector<Document> documents(index.counts().documents);
  index.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
    const Postings postings = read_postings(index, entry);
    for (std::size_t i = 0; i < postings.docids.size(); ++i) {
      std::string& text = documents[postings.docids[i]].text;
      for (std::uint32_t n = 0; n < postings.frequencies[i]; ++n) (text += term) += ' ';
    }
  });
  for (std::size_t i = 0; i < documents.size(); ++i) documents[i].id = "d" + std::to_string(i);
  return documents;
}

std::vector<Query> queries_of(const Index& index, const fs::path& file, std::size_t count) {
  const std::unique_ptr<Analyzer> analyzer = make_analyzer(index.settings().analyzer);
  std::vector<Query> queries;
  for (const QueryText& text : read_queries(file, QueryFormat::kTsv)) {
    Query query = parse_query(text, QuerySyntax::kPlain, *analyzer);
    const bool occur = std::ranges::all_of(
        query.terms, [&](const QueryTerm& term) { return index.find(term.term).has_value(); });
    if (occur && !query.terms.empty()) queries.push_back(std::move(query));
    if (queries.size() == count) break;
  }
  return queries;
}

void add(const fs::path& folder, std::vector<Document> documents) {
  LivingIndex writer(folder);
  writer.add(*documents_from_memory(std::move(documents)), {.update = true, .build = {}});
  writer.commit();
}

void build_both(const fs::path& one, const fs::path& several, std::size_t segments,
                std::vector<Document> all) {
  const std::size_t part = all.size() / segments;
  const auto documents = [&](std::size_t segment) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(segment * part);
    return std::vector<Document>(begin, begin + static_cast<std::ptrdiff_t>(part));
  };
  build(several, documents(0));
  for (std::size_t i = 1; i < segments; ++i) add(several, documents(i));
  all.resize(segments * part);
  build(one, std::move(all));
}

}  // namespace warpdex
