#include "warpdex/query/index_vectors.hpp"

#include <cstdint>
#include <vector>

#include "warpdex/core/error.hpp"

namespace warpdex {

const vector::RowSettings& vector_settings(const Snapshot& snapshot) {
  if (!snapshot.settings().vectors) {
    throw UsageError("the index '" + snapshot.folder().string() +
                     "' holds no vectors; give a vector for each document when it is built, as by "
                     "'warpdex index --vectors'");
  }
  return *snapshot.settings().vectors;
}

vector::RowFilter live_rows(const Index& segment) {
  std::vector<std::uint64_t> words(segment.removed().words().begin(),
                                   segment.removed().words().end());
  for (std::uint64_t& word : words) word = ~word;
  return vector::RowFilter::of_bits(words, segment.counts().documents);
}

}  // namespace warpdex
