#include "warpdex/query/cpu/blocks/document_blocks.hpp"

#include <cstring>
#include <numeric>
#include <string>

#include "cpu/blocks/block_list.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/postings.hpp"

namespace warpdex {
namespace {

constexpr std::uint64_t kMaxDocumentsOfBlocks = std::uint64_t{1}
                                                << 29;  // so that starts fit in 32 bits
/// A list has words where it is in one of so many superblocks or more: then they take no more
/// memory than numbers.
constexpr std::uint32_t kSuperblocksOfWide = 16;
/// Groups of the lexicon that a thread takes at once.
constexpr std::uint64_t kGroupsAtOnce = 64;

void append(std::vector<std::uint8_t>& bytes, const void* data, std::size_t size) {
  const auto* const from = static_cast<const std::uint8_t*>(data);
  bytes.insert(bytes.end(), from, from + size);
}

template <class T>
void append(std::vector<std::uint8_t>& bytes, const std::vector<T>& values) {
  append(bytes, values.data(), values.size() * sizeof(T));
}

/// Writes lists one after the other. Keeps its memory.
class ListMaker {
 public:
  explicit ListMaker(std::uint32_t superblocks) : superblocks_(superblocks) {}

  /// Appends a list.
  void make(const Postings& postings, std::vector<std::uint8_t>& bytes) {
    numbers_.clear();
    starts_.clear();
    largest_.clear();
    records_.clear();
    for (std::size_t i = 0; i < postings.docids.size();) i = add_record(postings, i);
    BlockListHeader header{};
    header.count = static_cast<std::uint32_t>(numbers_.size());
    header.is_wide = numbers_.size() * kSuperblocksOfWide >= superblocks_ ? 1 : 0;
    header.largest = *std::max_element(largest_.begin(), largest_.end());
    append(bytes, &header, sizeof header);
    if (header.is_wide != 0) {
      set_words();
      append(bytes, words_);
    } else {
      append(bytes, numbers_);
    }
    append(bytes, starts_);
    append(bytes, largest_);
    append(bytes, records_);
    bytes.resize((bytes.size() + 7) / 8 * 8);
  }

 private:
  /// The record of the superblock of posting `i`. Returns the first posting behind it.
  std::size_t add_record(const Postings& postings, std::size_t i) {
    const std::uint32_t number = postings.docids[i] / kDocumentsOfSuperblock;
    std::uint16_t documents[kBlocksOfSuperblock] = {};
    std::uint8_t largest[kBlocksOfSuperblock] = {};
    std::uint8_t first[kBlocksOfSuperblock] = {};
    std::uint32_t blocks = 0;
    impacts_.clear();
    for (; i < postings.docids.size(); ++i) {
      if (postings.docids[i] / kDocumentsOfSuperblock != number) break;
      if (postings.frequencies[i] > kMaxImpact) throw FormatError("an impact is larger than 255");
      const auto impact = static_cast<std::uint8_t>(postings.frequencies[i]);
      const std::uint32_t place = postings.docids[i] % kDocumentsOfSuperblock;
      const std::uint32_t block = place / kDocumentsOfBlock;
      if (documents[block] == 0) first[block] = static_cast<std::uint8_t>(impacts_.size());
      documents[block] |= static_cast<std::uint16_t>(1U << place % kDocumentsOfBlock);
      largest[block] = std::max(largest[block], impact);
      blocks |= 1U << block;
      impacts_.push_back(impact);
    }
    numbers_.push_back(number);
    starts_.push_back(static_cast<std::uint32_t>(records_.size()));
    largest_.push_back(*std::max_element(impacts_.begin(), impacts_.end()));
    const auto mask = static_cast<std::uint16_t>(blocks);
    append(records_, &mask, sizeof mask);
    const auto add = [&](const auto& values) {
      for (std::uint32_t block = 0; block < kBlocksOfSuperblock; ++block) {
        if ((blocks >> block & 1) != 0) append(records_, &values[block], sizeof values[block]);
      }
    };
    add(largest);
    add(documents);
    add(first);
    append(records_, impacts_);
    return i;
  }

  void set_words() {
    words_.assign((superblocks_ + 63) / 64, {});
    for (const std::uint32_t number : numbers_) {
      words_[number / 64].bits |= std::uint64_t{1} << number % 64;
    }
    std::uint32_t rank = 0;
    for (SuperblockWord& word : words_) {
      word.rank = rank;
      rank += static_cast<std::uint32_t>(std::popcount(word.bits));
    }
  }

  std::uint32_t superblocks_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint8_t> largest_;
  std::vector<std::uint8_t> records_;
  std::vector<std::uint8_t> impacts_;
  std::vector<SuperblockWord> words_;
};

}  // namespace

DocumentBlocks::DocumentBlocks(const Index& index, std::size_t threads)
    : superblocks_(static_cast<std::uint32_t>(
          (index.counts().documents + kDocumentsOfSuperblock - 1) / kDocumentsOfSuperblock)) {
  if (!index.settings().impacts) {
    throw UsageError(
        "blocks of documents are for indexes of impacts; build it of sparse vectors, or with "
        "--impacts");
  }
  if (index.counts().documents > kMaxDocumentsOfBlocks) {
    throw UsageError("blocks of documents hold up to 536,870,912 documents a segment");
  }
  lists_.resize(index.counts().terms);
  parts_.resize((index.term_groups() + kGroupsAtOnce - 1) / kGroupsAtOnce);
  parallel_for(threads, parts_.size(), [&](std::size_t, std::size_t part) {
    ListMaker maker(superblocks_);
    std::vector<std::uint8_t>& bytes = parts_[part];
    std::vector<std::pair<std::uint32_t, std::size_t>> begins;
    const std::uint64_t end = std::min((part + 1) * kGroupsAtOnce, index.term_groups());
    for (std::uint64_t group = part * kGroupsAtOnce; group < end; ++group) {
      const std::uint64_t terms_end =
          std::min<std::uint64_t>((group + 1) * kLexiconGroup, lists_.size());
      index.for_each_term_of_group(group, [&](std::string_view, const PostingsEntry& entry) {
        if (entry.term_number >= terms_end) {
          throw FormatError(
              "the lexicon is damaged (a group of too many terms); restore the index or build it "
              "again");
        }
        begins.emplace_back(entry.term_number, bytes.size());
        maker.make(read_postings(index, entry), bytes);
      });
    }
    bytes.resize(bytes.size() + kBlockListPadding);
    bytes.shrink_to_fit();
    for (const auto& [term, begin] : begins) lists_[term] = bytes.data() + begin;
  });
}

DocumentBlocks::~DocumentBlocks() = default;

BlockList DocumentBlocks::list(std::uint32_t term_number) const {
  const std::uint8_t* at = lists_[term_number];
  BlockListHeader header;
  std::memcpy(&header, at, sizeof header);
  at += sizeof header;
  BlockList list{.count = header.count, .largest_of_all = header.largest};
  if (header.is_wide != 0) {
    list.words = reinterpret_cast<const SuperblockWord*>(at);
    at += (superblocks_ + 63) / 64 * sizeof(SuperblockWord);
  } else {
    list.numbers = reinterpret_cast<const std::uint32_t*>(at);
    at += header.count * sizeof(std::uint32_t);
  }
  list.starts = reinterpret_cast<const std::uint32_t*>(at);
  list.largest = at + header.count * sizeof(std::uint32_t);
  list.records = list.largest + header.count;
  return list;
}

DocumentBlocks::Place DocumentBlocks::place(std::uint32_t term_number) const {
  const std::size_t part = term_number / (kGroupsAtOnce * kLexiconGroup);
  return {part, static_cast<std::uint64_t>(lists_[term_number] - parts_[part].data())};
}

std::uint64_t DocumentBlocks::bytes() const {
  std::uint64_t bytes = lists_.size() * sizeof lists_[0];
  for (const auto& part : parts_) bytes += part.size();
  return bytes;
}

SnapshotBlocks::SnapshotBlocks(const Snapshot& snapshot, std::size_t threads,
                               const SnapshotBlocks* before) {
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    std::shared_ptr<const DocumentBlocks> blocks;
    if (before != nullptr) {
      for (const Segment& known : before->segments_) {
        if (are_same_segment(*known.index, *segment.index)) blocks = known.blocks;
      }
    }
    if (!blocks) blocks = std::make_shared<const DocumentBlocks>(*segment.index, threads);
    segments_.push_back({segment.index, std::move(blocks)});
  }
}

}  // namespace warpdex
