// The device decoders give what the encoders were given, and what the host's decoders give: whole
// blocks of docIDs and of values, and single values.
#include <algorithm>
#include <memory>

#include "tests/codecs/lists.hpp"
#include "tests/support.hpp"
#include "warpdex/codecs/device/block_decoder.cuh"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/tools/benchmarks/uploaded_lists.hpp"

namespace warpdex::test {
namespace {

using device::BlockDecoder;
using device::BlockPlace;
using device::WarpScratch;
using tools::UploadedList;
using tools::UploadedLists;

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;
constexpr std::uint32_t kRun = 20;

/// A block to decode.
struct Job {
  std::uint32_t list;
  std::uint32_t block;
};

enum class What { kDocids, kValues, kEachValue, kDocidsByCursor, kValuesByCursor };

__host__ __device__ bool is_docids(What what) {
  return what == What::kDocids || what == What::kDocidsByCursor;
}

// Work item: a block, by one warp; writes its 128 values.
template <CodecKind kCodec>
__global__ void decode_blocks(What what, const UploadedList* lists, const Job* jobs,
                              std::uint32_t size, std::uint32_t* out) {
  __shared__ WarpScratch scratch[kWarps];
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t i = blockIdx.x * kWarps + warp;
  if (i >= size) return;
  const UploadedList list = lists[jobs[i].list];
  const std::uint32_t block = jobs[i].block;
  const BlockPlace place = device::locate(list.values, block);
  std::uint32_t values[4] = {0, 0, 0, 0};
  if (what == What::kDocids) {
    const std::uint32_t base = block == 0 ? 0xFFFFFFFF : list.last_docids[block - 1];
    BlockDecoder<kCodec>::docids(list.values, place, base, list.last_docids[block], scratch[warp],
                                 values);
  } else if (what == What::kValues) {
    BlockDecoder<kCodec>::values(list.values, place, scratch[warp], values);
  } else {
    for (std::uint32_t at = 0; at < place.count; ++at) {
      const std::uint32_t value =
          BlockDecoder<kCodec>::value_at(list.values, place, at, scratch[warp]);
      const bool own = at / 4 == lane;
      if (own && at % 4 == 0) values[0] = value;
      if (own && at % 4 == 1) values[1] = value;
      if (own && at % 4 == 2) values[2] = value;
      if (own && at % 4 == 3) values[3] = value;
    }
  }
  for (std::uint32_t j = 0; j < 4; ++j) out[i * kBlockSize + lane * 4 + j] = values[j];
}

// Work item: 20 blocks of a list, by one warp, in ascending order.
template <CodecKind kCodec>
__global__ void decode_runs(What what, const UploadedList* lists, const Job* jobs,
                            std::uint32_t size, std::uint32_t* out) {
  using Decoder = BlockDecoder<kCodec>;
  __shared__ WarpScratch scratch[kWarps];
  __shared__ typename Decoder::CursorScratch cursor_scratch[kWarps];
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  std::uint32_t i = (blockIdx.x * kWarps + warp) * kRun;
  const std::uint32_t end = min(i + kRun, size);
  while (i < end) {
    const UploadedList list = lists[jobs[i].list];
    auto cursor = Decoder::cursor(list.values, cursor_scratch[warp]);
    const std::uint32_t first = i;
    for (; i < end && jobs[i].list == jobs[first].list; ++i) {
      const std::uint32_t block = jobs[i].block;
      const BlockPlace place = device::locate(list.values, block);
      std::uint32_t values[4];
      if (what == What::kDocidsByCursor) {
        const std::uint32_t base = block == 0 ? 0xFFFFFFFF : list.last_docids[block - 1];
        Decoder::docids(list.values, cursor, place, base, list.last_docids[block], scratch[warp],
                        values);
      } else {
        Decoder::values(list.values, cursor, place, scratch[warp], values);
      }
      for (std::uint32_t j = 0; j < 4; ++j) out[i * kBlockSize + lane * 4 + j] = values[j];
    }
  }
}

void launch(CodecKind kind, What what, const UploadedList* lists, const DeviceArray<Job>& jobs,
            std::uint32_t* out, const Stream& stream) {
  const auto size = static_cast<std::uint32_t>(jobs.size());
  const bool by_cursor = what == What::kDocidsByCursor || what == What::kValuesByCursor;
  const std::uint32_t each = by_cursor ? kWarps * kRun : kWarps;
  const std::uint32_t blocks = (size + each - 1) / each;
  const auto start = [&](auto* one_by_one, auto* runs) {
    auto* kernel = by_cursor ? runs : one_by_one;
    kernel<<<blocks, kThreads, 0, stream.handle()>>>(what, lists, jobs.data(), size, out);
  };
  switch (kind) {
    case CodecKind::kBitpack:
      start(decode_blocks<CodecKind::kBitpack>, decode_runs<CodecKind::kBitpack>);
      break;
    case CodecKind::kPfor:
      start(decode_blocks<CodecKind::kPfor>, decode_runs<CodecKind::kPfor>);
      break;
    case CodecKind::kPforBlock:
      start(decode_blocks<CodecKind::kPforBlock>, decode_runs<CodecKind::kPforBlock>);
      break;
    case CodecKind::kRice:
      start(decode_blocks<CodecKind::kRice>, decode_runs<CodecKind::kRice>);
      break;
  }
  check_launch("decode_blocks");
}

/// A list, what it must decode to, and what to say if it does not.
struct Case {
  Values values;
  EncodedValues encoded;
  std::string name;
};

/// Decodes all blocks of all lists at once, and compares.
class DeviceDecoding {
 public:
  explicit DeviceDecoding(const CodecSettings& settings) : settings_(settings) {}

  void add(Values values, EncodedValues encoded, const std::string& name) {
    cases_.push_back({std::move(values), std::move(encoded), name});
  }

  void check(What what) {
    const Stream stream;
    UploadedLists lists;
    std::vector<Job> jobs;
    for (std::uint32_t i = 0; i < cases_.size(); ++i) {
      const Values& values = cases_[i].values;
      Values lasts;
      for (std::uint32_t block = 0; block < cases_[i].encoded.codes.size(); ++block) {
        lasts.push_back(values[std::min<std::size_t>(values.size(), (block + 1) * kBlockSize) - 1]);
        jobs.push_back({i, block});
      }
      lists.add(settings_, cases_[i].encoded, static_cast<std::uint32_t>(values.size()), lasts);
    }
    lists.upload(1, stream);
    DeviceArray<Job> device_jobs(jobs.size());
    device_jobs.upload(jobs, stream);
    DeviceArray<std::uint32_t> out(jobs.size() * kBlockSize);
    launch(settings_.kind, what, lists.data(), device_jobs, out.data(), stream);
    Values got(out.size());
    out.download(got, stream);
    stream.synchronize();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const Values expected = expected_of(jobs[i], is_docids(what) ? 0xFFFFFFFF : 0);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), got.begin() + i * kBlockSize))
          << cases_[jobs[i].list].name << ", block " << jobs[i].block << ", code "
          << int{cases_[jobs[i].list].encoded.codes[jobs[i].block]} << ", parameter "
          << int{cases_[jobs[i].list].encoded.parameter}
          << first_difference(expected, &got[i * kBlockSize]);
    }
  }

  /// That the host's decoder agrees with the expected values, too.
  void check_host_docids(std::mt19937_64& random) const {
    for (const Case& one : cases_) {
      const StoredList list(settings_, one.encoded, one.values.size());
      ASSERT_EQ(list.decode_docids(one.values, random), one.values) << one.name;
    }
  }
  void check_host_values(std::mt19937_64& random) const {
    for (const Case& one : cases_) {
      const StoredList list(settings_, one.encoded, one.values.size());
      ASSERT_EQ(list.decode_values(random), one.values) << one.name;
    }
  }

 private:
  Values expected_of(const Job& job, std::uint32_t filler) const {
    const Values& all = cases_[job.list].values;
    const std::size_t start = std::size_t{job.block} * kBlockSize;
    Values block(all.begin() + start,
                 all.begin() + std::min<std::size_t>(all.size(), start + kBlockSize));
    block.resize(kBlockSize, filler);
    return block;
  }

  static std::string first_difference(const Values& expected, const std::uint32_t* got) {
    for (std::uint32_t i = 0; i < expected.size(); ++i) {
      if (expected[i] == got[i]) continue;
      return ": at " + std::to_string(i) + " " + std::to_string(got[i]) + ", not " +
             std::to_string(expected[i]);
    }
    return "";
  }

  CodecSettings settings_;
  std::vector<Case> cases_;
};

class DeviceDecoder : public testing::TestWithParam<CodecSettings> {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << why_no_device();
  }

  void add_docids(DeviceDecoding& decoding, const Values& docids, const std::string& name) {
    for (const bool dense : {false, true}) {
      decoding.add(docids, encode_docids(GetParam(), docids, dense), name);
    }
  }
  void add_values(DeviceDecoding& decoding, const Values& values, const std::string& name) {
    decoding.add(values, encode_values(GetParam(), values), name);
  }
};

/// Calls add(shape, count) for every shape and size.
template <typename Add>
void for_each_list(Add add) {
  for (int shape = 0; shape < kShapes; ++shape) {
    for (const std::size_t count : ugly_sizes()) add(static_cast<Shape>(shape), count);
  }
}

TEST_P(DeviceDecoder, DocidsOfEveryShapeAndSize) {
  std::mt19937_64 random = generator(101);
  DeviceDecoding decoding(GetParam());
  for_each_list([&](Shape shape, std::size_t count) {
    add_docids(decoding, make_docids(shape, count, random), describe(GetParam(), shape, count));
  });
  decoding.check(What::kDocids);
  decoding.check(What::kDocidsByCursor);
  decoding.check_host_docids(random);
}

TEST_P(DeviceDecoder, ValuesOfEveryShapeAndSize) {
  std::mt19937_64 random = generator(102);
  DeviceDecoding decoding(GetParam());
  for_each_list([&](Shape shape, std::size_t count) {
    add_values(decoding, make_values(shape, count, random), describe(GetParam(), shape, count));
  });
  decoding.check(What::kValues);
  decoding.check(What::kValuesByCursor);
  decoding.check(What::kEachValue);
  decoding.check_host_values(random);
}

TEST_P(DeviceDecoder, EveryWidth) {
  std::mt19937_64 random = generator(103);
  DeviceDecoding decoding(GetParam());
  for (std::uint32_t width = 0; width <= 32; ++width) {
    for (const std::size_t count : {5, 127, 128, 300}) {
      Values values(count);
      for (std::uint32_t& value : values) {
        value = width == 0 ? 0 : static_cast<std::uint32_t>(random()) >> (32 - width);
      }
      add_values(decoding, values, "width " + std::to_string(width));
    }
  }
  decoding.check(What::kValues);
  decoding.check(What::kValuesByCursor);
  decoding.check(What::kEachValue);
}

/// Long enough that exceptions have exceptions, that themselves have some.
TEST_P(DeviceDecoder, LongLists) {
  std::mt19937_64 random = generator(104);
  DeviceDecoding docids(GetParam());
  DeviceDecoding values(GetParam());
  for (const Shape shape : {Shape::kGeometric, Shape::kClustered, Shape::kZipf}) {
    const std::string name = describe(GetParam(), shape, 100'000);
    add_docids(docids, make_docids(shape, 100'000, random), name);
    add_values(values, make_values(shape, 100'000, random), name);
  }
  docids.check(What::kDocids);
  docids.check(What::kDocidsByCursor);
  docids.check_host_docids(random);
  values.check(What::kValues);
  values.check(What::kValuesByCursor);
  values.check(What::kEachValue);
}

/// Widths of each level's array that differ more from level to level than those of real lists.
TEST_P(DeviceDecoder, ExceptionsOfExceptions) {
  std::mt19937_64 random = generator(105);
  DeviceDecoding decoding(GetParam());
  for (int i = 0; i < 8; ++i) {
    Values values(60'000);
    for (std::uint32_t& value : values) {
      std::uint32_t width = 1 + i % 4;
      while (width < 32 && random() % 5 == 0) width += 3;
      value = static_cast<std::uint32_t>(random()) >> (32 - std::min(width, 32U));
    }
    for (std::size_t at = 0; at < values.size(); at += 1 + random() % 4000) {
      for (std::size_t j = at; j < std::min(values.size(), at + 60); ++j) values[j] |= 1U << 20;
    }
    add_values(decoding, values, "steps of exceptions, " + std::to_string(i));
  }
  decoding.check(What::kValues);
  decoding.check(What::kValuesByCursor);
  decoding.check(What::kEachValue);
}

/// Runs of documents, a few of them missing, far from each other; and gaps of 2^31.
TEST_P(DeviceDecoder, DenseAndFarApart) {
  std::mt19937_64 random = generator(106);
  DeviceDecoding decoding(GetParam());
  for (const std::uint32_t density : {1, 2, 4, 8, 30, 200}) {
    Values docids;
    for (std::uint32_t docid = 0; docids.size() < 5000; ++docid) {
      if (random() % 1000 == 0) docid += static_cast<std::uint32_t>(random() % 50'000);
      if (random() % density == 0) docids.push_back(docid);
    }
    add_docids(decoding, docids, "one of " + std::to_string(density));
  }
  add_docids(decoding, {0, 0x80000001, 0xFFFFFFFE}, "gaps of 2^31");
  add_docids(decoding, {0xFFFFFFFE}, "the last document");
  Values edges(300);
  for (std::uint32_t i = 0; i < 300; ++i) edges[i] = i < 150 ? i : 0xFFFFFFFE - (299 - i);
  add_docids(decoding, edges, "both ends");
  decoding.check(What::kDocids);
  decoding.check(What::kDocidsByCursor);
  decoding.check_host_docids(random);
}

std::string test_name(const testing::TestParamInfo<CodecSettings>& info) {
  std::string name(codec_name(info.param.kind));
  std::replace(name.begin(), name.end(), '-', '_');
  if (info.param.kind == CodecKind::kPfor) name += std::to_string(info.param.pfor_levels);
  return name;
}

INSTANTIATE_TEST_SUITE_P(Codecs, DeviceDecoder, testing::ValuesIn(all_settings()), test_name);

}  // namespace
}  // namespace warpdex::test
