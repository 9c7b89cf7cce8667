#include "tests/query/engine/shaped_lists.hpp"

#include <algorithm>
#include <numeric>

#include "tests/reference/from_text.hpp"

namespace warpdex::test {

using reference::Posting;

namespace {

/// A frequency: mostly a few.
std::uint32_t draw_frequency(Random& random) {
  if (random() % 10 == 0) return 1 + static_cast<std::uint32_t>(random() % 400);
  return 1 + static_cast<std::uint32_t>(random() % 4);
}

}  // namespace

reference::Collection make_documents(Random& random, std::uint32_t count, bool has_statics) {
  reference::Collection collection;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool is_long = random() % 32 == 0;
    const auto length = static_cast<std::uint32_t>(random() % (is_long ? 40'000 : 1'000) + 1);
    const float score = has_statics ? static_cast<float>(random() % 40) / 16.0F : 0.0F;
    collection.add_document_of_length({}, length, score);
  }
  return collection;
}

std::vector<std::uint32_t> spread(std::uint32_t documents, std::uint32_t size) {
  std::vector<std::uint32_t> docids;
  for (std::uint64_t i = 1; i <= size; ++i) {
    docids.push_back(static_cast<std::uint32_t>(i * documents / size - 1));
  }
  return docids;
}

std::vector<std::uint32_t> run(std::uint32_t first, std::uint32_t size) {
  std::vector<std::uint32_t> docids(size);
  std::iota(docids.begin(), docids.end(), first);
  return docids;
}

std::vector<std::uint32_t> scatter(Random& random, std::uint32_t documents, std::uint32_t size) {
  std::vector<std::uint32_t> docids = run(0, documents);
  std::shuffle(docids.begin(), docids.end(), random);
  docids.resize(size);
  std::sort(docids.begin(), docids.end());
  return docids;
}

void add_list(reference::Collection& collection, const std::string& term,
              const std::vector<std::uint32_t>& docids, Random& random) {
  std::vector<Posting> postings;
  for (const std::uint32_t docid : docids) postings.push_back({docid, draw_frequency(random)});
  collection.add_list(term, std::move(postings));
}

std::vector<Query> queries_from(const std::vector<std::string>& texts) {
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back(reference::query_from(text));
  return queries;
}

SearchSettings settings_of(QueryMode mode, std::uint32_t k, bool count,
                           const ScorerSettings& scorer) {
  SearchSettings settings;
  settings.mode = mode;
  settings.k = k;
  settings.count = count;
  settings.scorer = scorer;
  return settings;
}

}  // namespace warpdex::test
