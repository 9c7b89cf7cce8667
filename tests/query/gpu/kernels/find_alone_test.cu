// One thread's lookup in a list of `bitpack` (gpu/device/find_alone.cuh), against a search of the
// postings on the host: every docID of lists of all forms, and its neighbours.
#include "gpu/device/find_alone.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/uploaded_lists.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::gpu {
namespace {

using Random = std::mt19937_64;
using Numbers = std::vector<std::uint32_t>;
using tools::UploadedList;
using tools::UploadedLists;

struct Search {
  std::uint32_t list;
  std::uint32_t document;
};

__global__ void find_all(Batch batch, const Search* searches, std::uint32_t count,
                         std::uint32_t* values) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  values[i] = find_value_alone(batch, batch.lists[searches[i].list], searches[i].document);
}

/// The postings of a list, and how it is stored.
struct TestedList {
  Numbers docids;
  Numbers values;
  std::uint32_t first_document = 0;  ///< of its segment
  bool allows_dense = false;
  bool has_row = false;  ///< in the table of first blocks by tile
  std::string name;

  bool is_raw() const { return docids.size() < kBlockSize; }
  std::uint32_t blocks() const {
    return static_cast<std::uint32_t>((docids.size() + kBlockSize - 1) / kBlockSize);
  }
  /// The value of a document, or kNone.
  std::uint32_t value_of(std::uint32_t document) const {
    const auto found = std::lower_bound(docids.begin(), docids.end(), document);
    if (found == docids.end() || *found != document) return kNone;
    return values[static_cast<std::size_t>(found - docids.begin())];
  }
};

/// Bits of the gaps, less one, between a list's docIDs. Wide ones are at the same place of each
/// block, or of one only if few of them fit into 32 bits.
struct Gaps {
  std::uint32_t usual;
  std::uint32_t wide;
  std::uint32_t place;  ///< where the wide ones are, in the list

  bool is_wide(std::uint32_t i) const {
    return wide > 16 ? i == place : i % kBlockSize == place % kBlockSize;
  }
};

Numbers draw_docids(Random& random, std::uint32_t first, const Gaps& gaps, std::uint32_t count) {
  Numbers docids;
  std::uint32_t next = first;
  for (std::uint32_t i = 0; i < count; ++i) {
    next += static_cast<std::uint32_t>(random() & ((1U << gaps.usual) - 1));
    if (gaps.wide > gaps.usual && gaps.is_wide(i)) next += 1U << (gaps.wide - 1);
    docids.push_back(next++);
  }
  return docids;
}

Numbers draw_values(Random& random, std::uint32_t width, std::size_t count) {
  Numbers values(count);
  for (std::uint32_t& value : values) {
    value = static_cast<std::uint32_t>(random() & ((std::uint64_t{1} << width) - 1));
  }
  return values;
}

/// Collects lists and uploads them as a batch has them.
class ListsOfBatch {
 public:
  void add(const TestedList& list) {
    List added{};
    added.blocks = list.blocks();
    added.size = static_cast<std::uint32_t>(list.docids.size());
    added.first_document = list.first_document;
    added.tile_row = kNone;
    if (list.is_raw()) {
      added.flags = kRaw;
      add_raw(list);
    } else {
      if (list.has_row) added.tile_row = add_row(list);
      add_encoded(list);
    }
    lists_.push_back(added);
  }

  Batch upload(const Stream& stream) {
    encoded_.upload(1, stream);
    std::vector<UploadedList> placed(encoded_.size());
    copy_to_host(placed.data(), encoded_.data(), placed.size(), stream);
    stream.synchronize();
    raw_on_gpu_ = upload_all(raw_, stream);
    rows_on_gpu_ = upload_all(rows_, stream);
    std::size_t next = 0;
    std::size_t next_raw = 0;
    for (List& list : lists_) {
      if (list.flags & kRaw) {
        const std::uint32_t* const raw = raw_on_gpu_.data() + next_raw;
        list.docids.bytes = reinterpret_cast<const std::uint8_t*>(raw);
        list.frequencies.bytes = reinterpret_cast<const std::uint8_t*>(raw + kRawEntries);
        next_raw += kRawListEntries;
      } else {
        list.docids = placed[next].values;
        list.last_docids = placed[next].last_docids;
        list.frequencies = placed[next + 1].values;
        next += 2;
      }
    }
    lists_on_gpu_ = upload_all(lists_, stream);
    Batch batch{};
    batch.lists = lists_on_gpu_.data();
    batch.first_blocks = rows_on_gpu_.data();
    return batch;
  }

  /// The codes of all blocks of docIDs that have been added.
  const std::set<std::uint32_t>& codes() const { return codes_; }

 private:
  static constexpr CodecSettings kCodec{CodecKind::kBitpack, 1};

  template <class T>
  static DeviceArray<T> upload_all(const std::vector<T>& values, const Stream& stream) {
    DeviceArray<T> on_gpu(values.size());
    on_gpu.upload(values, stream);
    return on_gpu;
  }

  void add_raw(const TestedList& list) {
    const std::size_t begin = raw_.size();
    raw_.resize(begin + kRawEntries, kNone);
    raw_.resize(begin + kRawListEntries, 0);
    std::copy(list.docids.begin(), list.docids.end(), raw_.begin() + begin);
    std::copy(list.values.begin(), list.values.end(), raw_.begin() + begin + kRawEntries);
  }

  /// The first block of each tile that does not end before it, and an entry behind the last tile.
  std::uint32_t add_row(const TestedList& list) {
    const auto row = static_cast<std::uint32_t>(rows_.size());
    const std::uint32_t tiles = ((list.docids.back() + 1) >> kTileShift) + 2;
    std::uint32_t block = 0;
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      while (block < list.blocks() && last_docid(list, block) < (tile << kTileShift)) ++block;
      rows_.push_back(block);
    }
    return row;
  }

  static std::uint32_t last_docid(const TestedList& list, std::uint32_t block) {
    return list.docids[std::min<std::size_t>((block + 1) * kBlockSize, list.docids.size()) - 1];
  }

  void add_encoded(const TestedList& list) {
    Numbers from_first;
    for (const std::uint32_t docid : list.docids) from_first.push_back(docid - list.first_document);
    Numbers last;
    for (std::uint32_t i = 0; i < list.blocks(); ++i) last.push_back(last_docid(list, i));
    const auto count = static_cast<std::uint32_t>(list.docids.size());
    const EncodedValues docids = encode_docids(kCodec, from_first, list.allows_dense);
    codes_.insert(docids.codes.begin(), docids.codes.end());
    encoded_.add(kCodec, docids, count, last);
    encoded_.add(kCodec, encode_values(kCodec, list.values), count);
  }

  UploadedLists encoded_;  ///< docIDs and values in turn
  std::vector<List> lists_;
  Numbers raw_;
  Numbers rows_;
  std::set<std::uint32_t> codes_;
  DeviceArray<std::uint32_t> raw_on_gpu_;
  DeviceArray<std::uint32_t> rows_on_gpu_;
  DeviceArray<List> lists_on_gpu_;
};

/// Each docID of each list and its neighbours, as far as they are in the list's segment.
std::vector<Search> searches_of(const std::vector<TestedList>& lists) {
  std::vector<Search> searches;
  for (std::uint32_t i = 0; i < lists.size(); ++i) {
    const std::uint32_t first = lists[i].first_document;
    searches.push_back({i, first});
    for (const std::uint32_t docid : lists[i].docids) {
      if (docid > first) searches.push_back({i, docid - 1});
      searches.push_back({i, docid});
      searches.push_back({i, docid + 1});
    }
  }
  return searches;
}

/// Gaps of all widths, bit sets or not, last blocks that are full or not, some with a row by tile.
std::vector<TestedList> make_lists(Random& random) {
  constexpr Gaps kGaps[] = {{0, 0, 0},   {1, 1, 0},  {2, 2, 0},  {8, 8, 0},  {15, 15, 0},
                            {16, 16, 0}, {8, 17, 0}, {8, 24, 0}, {8, 31, 0}, {8, 32, 0},
                            {0, 4, 0},   {1, 8, 0},  {2, 9, 0},  {1, 12, 0}};
  std::vector<TestedList> lists;
  for (Gaps gaps : kGaps) {
    for (const std::uint32_t count : {1U, 2U, 64U, 127U, 128U, 129U, 255U, 34 * 128U + 127}) {
      for (const std::uint32_t place : {0U, 63U, 127U, count - 1}) {
        gaps.place = place;
        const bool may_have_row = gaps.wide <= 16;  // the table is short
        TestedList list;
        if (may_have_row && random() % 2 == 0) list.first_document = 3 * kSpaceDocuments;
        list.docids = draw_docids(random, list.first_document, gaps, count);
        list.values = draw_values(random, static_cast<std::uint32_t>(random() % 32), count);
        list.allows_dense = random() % 2 == 0;
        list.has_row = may_have_row && random() % 2 == 0;
        list.name = std::to_string(count) + " postings, gaps of " + std::to_string(gaps.usual) +
                    " bits, of " + std::to_string(gaps.wide) + " at " + std::to_string(place) +
                    (list.allows_dense ? ", bit sets" : "") + (list.has_row ? ", row" : "");
        lists.push_back(std::move(list));
      }
    }
  }
  return lists;
}

TEST(FindAlone, FindsEachPostingAndNoOther) {
  Random random = test::generator(626);
  const std::vector<TestedList> lists = make_lists(random);
  ListsOfBatch uploaded;
  for (const TestedList& list : lists) uploaded.add(list);
  for (const std::uint32_t code : {0U, 1U, 16U, 17U, 31U, 32U, std::uint32_t{kDenseCode}}) {
    EXPECT_TRUE(uploaded.codes().contains(code)) << code;
  }
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Stream stream;
  const Batch batch = uploaded.upload(stream);
  const std::vector<Search> wanted = searches_of(lists);
  const auto count = static_cast<std::uint32_t>(wanted.size());
  DeviceArray<Search> searches(count);
  DeviceArray<std::uint32_t> values(count);
  searches.upload(wanted, stream);
  values.fill_bytes(0xA5, stream);
  find_all<<<(count + 127) / 128, 128, 0, stream.handle()>>>(batch, searches.data(), count,
                                                             values.data());
  Numbers found(count);
  values.download(found, stream);
  stream.synchronize();
  for (std::uint32_t i = 0; i < count; ++i) {
    const TestedList& list = lists[wanted[i].list];
    ASSERT_EQ(found[i], list.value_of(wanted[i].document))
        << "document " << wanted[i].document << " of " << list.name;
  }
}

}  // namespace
}  // namespace warpdex::gpu
