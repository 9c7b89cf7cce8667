// The parts of an index on the ranks of an MPI job: part p lies on rank p mod N. Rank 0 asks all
// ranks by a broadcast, and gathers what each answers for its parts.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/parts.hpp"

namespace warpdex::tools {

/// One rank's parts, and its talk with the others. After MPI_Init, on one thread. Where a rank is
/// lost or out of memory, MPI ends all.
class PartRanks {
 public:
  PartRanks();
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Rank 0: each rank opens its parts, which are these folders, and answers with `threads`
  /// threads. Throws IoError with the first part that cannot be opened and why.
  void open(std::span<const std::string> folders, std::size_t threads);
  /// Rank 0: as AskParts has it. Throws Error for replies of more than 2 GiB together.
  std::vector<PartReply> ask(const std::vector<PartMessage>& messages,
                             const std::string& task = "");
  /// Rank 0: serve() returns on the other ranks. Once, last.
  void end();
  /// Other ranks: does what rank 0 asks until it ends.
  void serve();

 private:
  std::string reply(std::string_view request) noexcept;
  std::vector<std::string> gather(const std::string& mine) const noexcept;

  int rank_ = 0;
  int ranks_ = 1;
  std::map<std::size_t, PartServer> parts_{};
};

}  // namespace warpdex::tools
