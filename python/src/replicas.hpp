// Replicas of parts, which threads of Python send messages to.
#pragma once

#include <memory>

#include "support.hpp"
#include "warpdex/parts.hpp"

namespace warpdex::python {

/// A ReplicaSet, which searchers share.
class Replicas {
 public:
  /// `are_of_parts`: answers are those of a PartServer, and looked at.
  Replicas(std::size_t parts, std::shared_ptr<ReplicaCounters> counters, bool are_of_parts,
           const ReplicaSettings& settings);

  std::size_t parts() const { return set_.get()->parts(); }
  AskParts ask_by_searchers() const { return ask_replicas(set_.get()); }
  void take(const std::vector<std::vector<std::string>>& names) const;
  void close() const;
  /// (number, part, name, bytes) or None.
  nb::object next(std::uint64_t sent) const;
  /// (part, bytes) to (answer, failure), within so many seconds.
  nb::list ask(const std::vector<std::pair<std::uint32_t, nb::bytes>>& messages,
               double seconds) const;
  void answered(std::uint64_t call, const nb::bytes& bytes) const;
  void failed(std::uint64_t call, const std::string& why, bool lacks_version) const;

 private:
  Owned<std::shared_ptr<ReplicaSet>> set_;
};

/// So many seconds from now; up to a year.
std::chrono::steady_clock::time_point time_in(double seconds);

void bind_replicas(nb::module_& module);

}  // namespace warpdex::python
