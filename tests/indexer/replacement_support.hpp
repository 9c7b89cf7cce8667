// Small indexes that replace each other, told apart by how many documents they have.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <iterator>
#include <string>

#include "tests/support.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::test {

inline void write_small_index(const std::filesystem::path& target, int documents) {
  IndexWriter writer(target, {});
  for (int i = 0; i < documents; ++i) writer.add_document("name-" + std::to_string(i), 0);
  writer.commit();
}

inline std::uint64_t documents_of(const std::filesystem::path& index) {
  return Index::open(index).counts().documents;
}

inline std::size_t entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                                std::filesystem::directory_iterator()));
}

/// The message of the Exception that `action` throws; "nothing" if it throws none.
template <class Exception, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace warpdex::test
