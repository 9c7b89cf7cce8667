// What the tests of api/ share: random documents, and what a call complains of.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"

namespace warpdex::test {

/// `count` documents of 1 to `longest` words out of w0 ... w<words - 1>, rarer ones less often. Ids
/// are "d<first>" and so on.
inline std::vector<Document> word_documents(std::mt19937_64& random, std::size_t first,
                                            std::size_t count, std::size_t words,
                                            std::size_t longest) {
  std::vector<Document> documents;
  for (std::size_t i = 0; i < count; ++i) {
    Document document{"d" + std::to_string(first + i)};
    for (std::size_t n = 1 + random() % longest; n > 0; --n) {
      document.text += "w" + std::to_string(random() % (1 + random() % words)) + " ";
    }
    documents.push_back(std::move(document));
  }
  return documents;
}

inline BuildOptions plain_build(const std::filesystem::path& folder) {
  BuildOptions build;
  build.output = folder;
  build.analyzer = "whitespace";
  build.threads = 2;
  return build;
}

/// What a call says that throws Failure.
template <class Failure, class Call>
std::string complaint(const Call& call) {
  try {
    call();
  } catch (const Failure& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace warpdex::test
