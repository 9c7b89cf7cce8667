// A snapshot of several segments as a batch sees it, with memory for rows of terms. Needs no GPU.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/batch/term_rows.hpp"
#include "gpu/layout/layout.hpp"
#include "gpu/layout/placed_index.hpp"
#include "tests/query/engine/living_support.hpp"

namespace warpdex::gpu {

inline constexpr std::uint32_t kBits = 0;  ///< of removed documents; not read here

struct PlacedSegment final : PlacedIndex {
  explicit PlacedSegment(const Index& placed, std::uint32_t first = 0) : PlacedIndex(placed) {
    first_document = first;
    tables.first_document = first;
    for (std::size_t field = 0; field < placed.texts(); ++field) {
      longest_document = std::max(longest_document, std::ranges::max(placed.lengths(field)));
    }
    if (!placed.removed().none()) removals.bits = &kBits;
  }
  /// No other list has the same place.
  void place(const PostingsEntry& entry, ListSource& list) const override {
    const std::uint64_t segment = std::uint64_t{first_document} << 16;
    list.docids = reinterpret_cast<const std::uint8_t*>(segment + entry.docid_offset + 1);
    list.frequencies = reinterpret_cast<const std::uint8_t*>(segment + entry.frequency_offset + 1);
  }
  RawList find_raw(const PostingsEntry&) const override { return {nullptr, 0}; }
};

/// A snapshot's segments in one space of docIDs.
struct Joined {
  explicit Joined(const Snapshot& snapshot) {
    std::uint32_t first = 0;
    for (const Snapshot::Segment& segment : snapshot.segments()) {
      owned.push_back(std::make_unique<PlacedSegment>(*segment.index, first));
      all.push_back(owned.back().get());
      first += kSpaceDocuments;
    }
  }
  std::vector<std::unique_ptr<PlacedSegment>> owned;
  std::vector<const PlacedIndex*> all;
};

/// Memory for rows, in the place of the GPU's, as upload() fills it.
struct Rows {
  explicit Rows(std::size_t bytes = std::size_t{4} << 20) : memory(bytes / sizeof(ListSource)) {}

  RowMemory view() {
    return {reinterpret_cast<std::uint8_t*>(memory.data()), memory.size() * sizeof(ListSource)};
  }
  void upload(TermRows& rows) {
    std::ranges::copy(rows.fresh(), view().begin + rows.fresh_begin());
    rows.set_uploaded();
  }

  std::vector<ListSource> memory;
};

/// What the index has: weights, or words of one text or of several text fields.
enum class JoinedKind { kText, kFields, kWeights };
inline constexpr std::array kJoinedKinds{JoinedKind::kText, JoinedKind::kFields,
                                         JoinedKind::kWeights};

/// Five segments, documents of the first two were removed.
class JoinedSnapshotTest : public testing::TestWithParam<JoinedKind> {
 protected:
  JoinedSnapshotTest()
      : living_(891, CodecKind::kBitpack, GetParam() == JoinedKind::kWeights, 3'000, false,
                GetParam() == JoinedKind::kFields ? 2 : 1) {
    living_.add_some(2'000);
    living_.commit();
    living_.remove_share(30);
    for (const std::size_t count : {500, 1, 140}) {
      living_.add_some(count);
      living_.commit();
    }
    snapshot_ = std::make_unique<Snapshot>(Snapshot::open(living_.index()));
    joined_ = std::make_unique<Joined>(*snapshot_);
  }

  /// Random queries without AND+OR, whose answer may be either.
  test::LivingLog make_log(std::size_t count) {
    test::LivingLog log(living_, *snapshot_, count);
    for (SearchSettings& settings : log.settings) {
      if (settings.mode == QueryMode::kAndOr) settings.mode = QueryMode::kOr;
    }
    return log;
  }

  test::Living living_;
  std::unique_ptr<Snapshot> snapshot_;
  std::unique_ptr<Joined> joined_;
};

}  // namespace warpdex::gpu
