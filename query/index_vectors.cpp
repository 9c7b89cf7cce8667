#include "warpdex/query/index_vectors.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

std::vector<VectorSet> sets_of(const Snapshot& snapshot) {
  std::vector<VectorSet> sets = vector_sets(snapshot.settings());
  if (!sets.empty()) return sets;
  throw UsageError("the index '" + snapshot.folder().string() +
                   "' holds no vectors; give a vector for each document when it is built, as by "
                   "'warpdex index --vectors'");
}

std::string names_of(const std::vector<VectorSet>& sets) {
  std::string names;
  for (const VectorSet& set : sets) {
    if (!set.name.empty()) names += (names.empty() ? "'" : ", '") + set.name + "'";
  }
  return names.empty() ? "vectors without a name" : "the vectors " + names;
}

}  // namespace

std::size_t find_vectors(const Snapshot& snapshot, std::string_view name) {
  const std::vector<VectorSet> sets = sets_of(snapshot);
  const auto found = std::ranges::find(sets, name, &VectorSet::name);
  if (found != sets.end()) return static_cast<std::size_t>(found - sets.begin());
  if (name.empty() && sets.size() == 1) return 0;
  throw UsageError(
      "the index '" + snapshot.folder().string() + "' has " + names_of(sets) +
      (name.empty() ? "; name one of these" : ", and none called '" + std::string(name) + "'"));
}

vector::RowSettings vector_settings(const Snapshot& snapshot, std::size_t set) {
  return sets_of(snapshot).at(set).rows;
}

vector::RowFilter live_rows(const Index& segment) {
  std::vector<std::uint64_t> words(segment.removed().words().begin(),
                                   segment.removed().words().end());
  for (std::uint64_t& word : words) word = ~word;
  return vector::RowFilter::of_bits(words, segment.counts().documents);
}

}  // namespace warpdex
