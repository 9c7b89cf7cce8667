// Parts in this process: shards, and a broker over them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/query/shards/shard.hpp"
#include "warpdex/query/shards/shard_broker.hpp"

namespace warpdex::test {

class LocalParts {
 public:
  explicit LocalParts(std::vector<Snapshot> snapshots) : snapshots_(std::move(snapshots)) {
    for (const Snapshot& snapshot : snapshots_) {
      shards_.push_back(std::make_unique<shards::Shard>(snapshot, CpuEngineSettings{.threads = 1}));
      first_.push_back(end_);
      end_ += snapshot.docid_end();
    }
    broker_ = std::make_unique<shards::ShardBroker>(
        shards_.size(),
        [this](std::span<const shards::PartMessage> messages) { return ask(messages); });
  }

  shards::ShardBroker& broker() { return *broker_; }
  const std::vector<Snapshot>& snapshots() const { return snapshots_; }

  /// From now on, says what a part replies in the place of its shard; empty: the shard does.
  void replace_replies(std::function<shards::PartReply(const shards::PartMessage&)> reply) {
    reply_ = std::move(reply);
  }

  /// An answer with docIDs that count through all parts.
  SearchResult joined(const shards::MergedAnswer& answer) const {
    SearchResult result{{}, answer.matches, answer.fell_back_to_or};
    for (const shards::GlobalHit& hit : answer.hits) {
      result.hits.push_back({first_[hit.part] + hit.document, hit.score});
    }
    return result;
  }

 private:
  std::vector<shards::PartReply> ask(std::span<const shards::PartMessage> messages) {
    std::vector<shards::PartReply> replies;
    for (const shards::PartMessage& message : messages) {
      shards::PartReply reply = reply_ ? reply_(message) : shards::PartReply{};
      if (reply.bytes.empty() && reply.failure.empty()) {
        reply.bytes = shards_[message.part]->answer(message.bytes);
      }
      replies.push_back(std::move(reply));
    }
    return replies;
  }

  std::vector<Snapshot> snapshots_;
  std::vector<std::unique_ptr<shards::Shard>> shards_;
  std::vector<std::uint32_t> first_;
  std::uint32_t end_ = 0;
  std::function<shards::PartReply(const shards::PartMessage&)> reply_;
  std::unique_ptr<shards::ShardBroker> broker_;
};

}  // namespace warpdex::test
