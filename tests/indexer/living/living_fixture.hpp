// A small index to be changed, for tests.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"

namespace warpdex::test {

using Texts = std::vector<std::pair<std::string, std::string>>;

inline std::unique_ptr<DocumentReader> reader_of(const Texts& texts) {
  std::vector<Document> documents;
  for (const auto& [id, text] : texts) {
    documents.push_back({id, text});
    documents.back().stored = {text};  // read where the index stores a field, as the vector below
    documents.back().embedding = {1, static_cast<float>(text.size())};
  }
  return documents_from_memory(std::move(documents));
}

inline AddOptions one_thread(bool update = false) {
  AddOptions options{.update = update, .build = {}};
  options.build.threads = 1;
  return options;
}

class LivingIndexTest : public testing::Test {
 protected:
  void build(const Texts& texts, const std::function<void(BuildOptions&)>& change = {}) {
    BuildOptions options;
    options.output = index_;
    options.analyzer = "whitespace";
    options.threads = 1;
    if (change) change(options);
    build_index(*reader_of(texts), options);
  }

  /// The names of live documents in their order.
  std::vector<std::string> names() const {
    const Snapshot snapshot = Snapshot::open(index_);
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < snapshot.docid_end(); ++i) {
      const std::string name(snapshot.document_name(i));
      if (snapshot.find_document(name) == i) names.push_back(name);
    }
    EXPECT_EQ(names.size(), snapshot.documents());
    return names;
  }

  template <class Exception, class Action>
  static std::string complaint(const Action& action) {
    try {
      action();
      return "";
    } catch (const Exception& error) {
      return error.what();
    }
  }

  const TemporaryFolder folder_{place_in_memory()};
  const std::filesystem::path index_ = folder_ / "index";
};

}  // namespace warpdex::test
