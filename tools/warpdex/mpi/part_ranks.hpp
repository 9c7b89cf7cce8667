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
  /// threads, or on a GPU: rank r of a host takes its GPU r mod N. Throws IoError with the first
  /// part that cannot be opened and why.
  void open(std::span<const std::string> folders, std::size_t threads, bool on_gpu);
  /// Rank 0: as AskParts has it. Throws Error for replies of more than 2 GiB together.
  std::vector<PartReply> ask(const std::vector<PartMessage>& messages,
                             const std::string& task = "");
  /// Rank 0: serve() returns on the other ranks. Once, last.
  void end();
  /// Other ranks: does what rank 0 asks until it ends.
  void serve();

 private:
  void find_rank_of_host() noexcept;
  std::string reply(std::string_view request) noexcept;
  PartServer open_part(std::string_view folder, const std::string& task);
  std::vector<std::string> gather(const std::string& mine) const noexcept;

  int rank_ = 0;
  int ranks_ = 1;
  int rank_of_host_ = 0;
  std::vector<Gpu> gpus_{};  ///< the one of this rank, once parts are opened there
  std::map<std::size_t, PartServer> parts_{};
};

}  // namespace warpdex::tools
