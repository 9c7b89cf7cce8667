// Titles of generated documents: a second text field, with short lists.
#pragma once

#include <cstdint>

#include "generate/counter_random.hpp"
#include "generate/list_model.hpp"

namespace warpdex::generate {

/// A title has 1 to 12 words. One document in 16 that has a term has it in its title too, once.
class Titles {
 public:
  explicit Titles(std::uint64_t seed) : seed_(seed) {}

  std::uint32_t length(std::uint32_t document) const {
    return 1 + below(number_at(stream_key(seed_, Purpose::kTitleLength), document), 12);
  }

  /// Makes the list of titles of a term's list, which may become empty. O(postings).
  void keep(std::uint32_t rank, GeneratedList& list) const {
    const std::uint64_t key = stream_key(seed_, Purpose::kTermInTitle, rank);
    std::erase_if(list.docids,
                  [&](std::uint32_t docid) { return number_at(key, docid) % 16 != 0; });
    list.frequencies.assign(list.docids.size(), 1);
  }

 private:
  std::uint64_t seed_;
};

}  // namespace warpdex::generate
