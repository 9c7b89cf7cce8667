#include "tests/query/engine/cut_likelihoods.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warpdex::test {
namespace {

/// Dense documents, or one fewer.
constexpr std::uint32_t kDenseDocuments = 3;
constexpr std::uint32_t kDenseFrequency = 8'000'000;

}  // namespace

reference::Collection make_cut_collection(Random& random, std::uint32_t documents) {
  const std::vector<std::pair<std::string, std::uint32_t>> terms{
      {"a", 1}, {"b", 2}, {"c", 2}, {"d", 5}, {"rare", 400}};
  reference::Collection collection;
  std::vector<std::vector<reference::Posting>> lists(terms.size());
  std::vector<reference::Posting> dense;
  for (std::uint32_t document = 0; document < documents; ++document) {
    const bool is_dense = document % (documents / kDenseDocuments) == 1;
    const std::uint32_t span = random() % 50 == 0 ? 5'000'000 : 20'000;
    const auto length =
        is_dense ? kDenseFrequency * 5 : static_cast<std::uint32_t>(5'000 + random() % span);
    collection.add_document_of_length({}, length);
    if (is_dense) dense.push_back({document, 1});
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (is_dense) {
        lists[i].push_back({document, kDenseFrequency});
      } else if (random() % terms[i].second == 0) {
        lists[i].push_back({document, static_cast<std::uint32_t>(1 + random() % 9)});
      }
    }
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    collection.add_list(terms[i].first, std::move(lists[i]));
  }
  collection.add_list("dense", std::move(dense));
  return collection;
}

}  // namespace warpdex::test
