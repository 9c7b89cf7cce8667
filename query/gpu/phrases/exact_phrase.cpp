// Which trees are phrases that the GPU answers.
#include <algorithm>
#include <functional>

#include "warpdex/query/gpu/gpu_phrases.hpp"

namespace warpdex {

bool is_exact_phrase(const QueryNode& tree) {
  const std::size_t words = tree.texts.size();
  return tree.kind == QueryNode::Kind::kPhrase && tree.slop == 0 && tree.boost > 0 && words >= 2 &&
         words <= kMaxGpuPhraseWords && tree.positions.size() == words &&
         std::ranges::adjacent_find(tree.positions, std::greater_equal()) == tree.positions.end();
}

}  // namespace warpdex
