// Where documents stand in their input, in 32 bits each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex::build {

/// Numbers locations, whose files come one after another, by their lines counted through all files.
class PlaceTable {
 public:
  /// The number of a location that is not before the one of the last call; 0, which names none,
  /// past 2^32 lines or kMaxFiles files.
  std::uint32_t number(const Location& location);
  /// "FILE:LINE" of a number that number() gave; "an earlier place" of 0.
  std::string text(std::uint32_t number) const;

 private:
  static constexpr std::size_t kMaxFiles = 10'000;  // each may be a document: few bytes in all

  struct File {
    std::string name;
    std::uint64_t lines_before = 0;
  };
  std::vector<File> files_;
  std::uint64_t last_ = 0;  // line, counted through all files
};

}  // namespace warpdex::build
