// A small index that the tests of loads share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/indexer/build_support.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/snapshot.hpp"

namespace warpdex::test {

/// Builds an index of 300 documents of two words, `a` and `b`, in the folder, and opens it.
inline Snapshot two_words(const TemporaryFolder& folder) {
  std::vector<Document> documents(300);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].id = std::to_string(i);
    documents[i].text = "a b";
  }
  build_from_memory(std::move(documents), options_for(folder / "index"));
  return Snapshot::open(folder / "index");
}

}  // namespace warpdex::test
