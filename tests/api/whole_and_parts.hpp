// A whole in parts, each of several segments with documents removed, and one index of what is live.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/parts.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::test {

class WholeAndParts {
 public:
  /// Cuts the documents into parts of random sizes, some of which may be empty.
  WholeAndParts(std::mt19937_64& random, const NewIndex& settings, std::size_t parts,
                std::vector<NewDocument> documents) {
    std::vector<std::size_t> cuts{0, documents.size()};
    while (cuts.size() < parts + 1) cuts.push_back(random() % (documents.size() + 1));
    std::ranges::sort(cuts);
    Writer whole(path("whole"), settings);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::vector<NewDocument> own(
          documents.begin() + static_cast<std::ptrdiff_t>(cuts[part]),
          documents.begin() + static_cast<std::ptrdiff_t>(cuts[part + 1]));
      for (NewDocument& document : write(random, path(std::to_string(part)), settings, own)) {
        whole.add(std::move(document));
      }
      servers_.emplace_back(path(std::to_string(part)), SearcherOptions{.threads = 1});
    }
    whole.commit();
    one_ = std::make_unique<Searcher>(path("whole"));
    parts_ = std::make_unique<PartedSearcher>(
        parts, [this](const std::vector<PartMessage>& messages) { return ask(messages); });
  }

  const Searcher& one() const { return *one_; }
  const PartedSearcher& parts() const { return *parts_; }
  std::size_t size() const { return servers_.size(); }
  PartedAnswer search(std::string_view text, const SearchOptions& options) const {
    return std::move(parts_->search({&text, 1}, options).answers.at(0));
  }
  /// From now on the part does not answer.
  void take_away(std::size_t part) { away_ = part; }

 private:
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  std::vector<PartReply> ask(const std::vector<PartMessage>& messages) const {
    std::vector<PartReply> replies;
    for (const PartMessage& message : messages) {
      PartReply& reply = replies.emplace_back();
      if (message.part == away_) {
        reply.failure = "it is away";
      } else {
        reply.bytes = servers_[message.part].answer(message.bytes);
      }
    }
    return replies;
  }

  /// Returns the documents that are not removed.
  static std::vector<NewDocument> write(std::mt19937_64& random, const std::filesystem::path& to,
                                        const NewIndex& settings,
                                        const std::vector<NewDocument>& documents) {
    Writer writer(to, settings);
    for (const NewDocument& document : documents) {
      writer.add(document);
      if (random() % (documents.size() / 2 + 1) == 0) writer.commit();
    }
    std::vector<NewDocument> live;
    for (const NewDocument& document : documents) {
      if (random() % 8 == 0) {
        writer.remove(document.id);
      } else {
        live.push_back(document);
      }
    }
    writer.commit();
    return live;
  }

  TemporaryFolder folder_{place_in_memory()};
  std::vector<PartServer> servers_;
  std::unique_ptr<Searcher> one_;
  std::unique_ptr<PartedSearcher> parts_;
  std::size_t away_ = static_cast<std::size_t>(-1);
};

/// The number of parts that a seed is tested with.
inline std::size_t parts_of(std::uint64_t seed) {
  constexpr std::size_t kCounts[] = {1, 2, 3, 8};
  return kCounts[seed % 4];
}

/// The same documents with the same scores, to the bit, and the same matches.
inline void expect_same(const PartedAnswer& found, const Answer& wanted) {
  ASSERT_EQ(found.hits.size(), wanted.size());
  for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
    ASSERT_EQ(found.hits[rank].id, wanted[rank].id()) << rank;
    ASSERT_EQ(found.hits[rank].score, wanted[rank].score()) << rank;
  }
  EXPECT_TRUE(found.is_complete);
  EXPECT_EQ(found.fell_back_to_or, wanted.fell_back_to_or);
  if (wanted.matches_exact) {
    EXPECT_EQ(found.matches, wanted.matches);
  }
}

}  // namespace warpdex::test
