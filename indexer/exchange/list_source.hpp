// Lists of another program's index, in the order of their terms, as the last stage of a build takes
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "build/term_source.hpp"
#include "exchange/foreign_index.hpp"

namespace warpdex::exchange {

/// A list's postings, in memory that is used again.
struct ListPostings {
  std::vector<std::uint32_t> docids;
  std::vector<std::uint32_t> frequencies;
};

/// What the values of lists stay within.
struct ListLimits {
  std::uint64_t documents = 0;  ///< docIDs are below it
  std::uint32_t frequency = ~std::uint32_t{0};
};

/// Reads a list and throws InputError unless it has as many postings as it says, its docIDs ascend
/// below `limits.documents`, and its frequencies are from 1 to `limits.frequency`.
void read_checked(const ForeignIndex& index, const ForeignList& list, const ListLimits& limits,
                  ListPostings& postings);

/// The lists of `index`, which are sorted by their terms and have postings.
class ListSource final : public build::TermSource {
 public:
  ListSource(const ForeignIndex& index, const std::vector<ForeignList>& lists,
             const ListLimits& limits)
      : index_(index), lists_(lists), limits_(limits) {}

  /// Until take(), bytes() is the number of postings, which is less than the bytes.
  bool next() override;
  void take(std::vector<std::uint8_t>& out) override;

 private:
  const ForeignIndex& index_;
  const std::vector<ForeignList>& lists_;
  ListLimits limits_;
  std::size_t next_ = 0;
  ListPostings postings_;
};

}  // namespace warpdex::exchange
