// The rounds of one search: sends messages to parts, and notes which parts do not answer. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shards/whole.hpp"
#include "warpdex/query/shards/shard_broker.hpp"

namespace warpdex::shards {

class PartCalls {
 public:
  /// `ask` and `how` outlive it.
  PartCalls(std::size_t parts, const AskParts& ask, const BrokerSettings& how)
      : ask_(ask), how_(how), missing_(parts) {}

  std::uint32_t parts() const { return static_cast<std::uint32_t>(missing_.size()); }
  std::uint32_t rounds() const { return rounds_; }

  /// One reply a message.
  std::vector<PartReply> send(const std::vector<PartMessage>& messages);
  /// Sends them, and calls take(part, bytes) with each answer. A part whose answer is none
  /// (FormatError) is missing from now on. Throws where that ends the search.
  void ask(const std::vector<PartMessage>& messages,
           const std::function<void(std::uint32_t, const std::string&)>& take);
  /// The part's answer; none where it is missing from now on. Throws where that ends the search.
  std::optional<std::string> answer_of(std::uint32_t part, const PartReply& reply);
  /// From now on the part is missing. Throws IoError where all parts must answer.
  void miss(std::uint32_t part, const std::string& reason);
  /// As it was known before: parts that are missing.
  void take(const Coverage& coverage);
  bool is_missing(std::uint32_t part) const { return !missing_[part].empty(); }

  /// Which parts answered so far.
  Coverage coverage(const Whole& whole) const;

 private:
  const AskParts& ask_;
  const BrokerSettings& how_;
  std::vector<std::string> missing_;  ///< by part: why it does not answer; empty: it does
  std::uint32_t rounds_ = 0;
};

}  // namespace warpdex::shards
