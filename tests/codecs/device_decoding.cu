// The kernels that decode what a test asks for, and the comparison.
#include "tests/codecs/device_decoding.hpp"

#include <algorithm>

#include "benchmarks/uploaded_lists.hpp"
#include "tests/support.hpp"
#include "warpdex/codecs/device/block_decoder.cuh"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::test {
namespace {

using device::BlockDecoder;
using device::BlockPlace;
using device::WarpScratch;
using tools::UploadedList;
using tools::UploadedLists;

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;
constexpr std::uint32_t kFill = 0xEEEEEEEE;  // of what is not written

using Job = DeviceJob;

// Work item: a block, by one warp; writes its 128 values, and counts usual ones behind all of them.
template <CodecKind kCodec>
__global__ void decode_blocks(What what, const UploadedList* lists, const Job* jobs,
                              std::uint32_t size, std::uint32_t* out) {
  using Decoder = BlockDecoder<kCodec>;
  __shared__ WarpScratch scratch[kWarps];
  __shared__ typename Decoder::ParsedTail tails[kWarps];
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t i = blockIdx.x * kWarps + warp;
  if (i >= size) return;
  const UploadedList list = lists[jobs[i].list];
  const std::uint32_t block = jobs[i].block;
  if (lane == 0) tails[warp] = Decoder::parse_tail(list.values);
  __syncwarp();
  typename Decoder::Tail tail{};
  if constexpr (Decoder::kKeeps) tail = &tails[warp];
  const BlockPlace place = Decoder::locate(list.values, block);
  Decoder::prefetch(tail, place);
  std::uint32_t values[4] = {0, 0, 0, 0};
  if (what == What::kDocids) {
    const std::uint32_t base = block == 0 ? 0xFFFFFFFF : list.last_docids[block - 1];
    Decoder::docids(list.values, tail, place, base, list.last_docids[block], scratch[warp], values);
  } else if (what == What::kValues) {
    Decoder::values(list.values, tail, place, scratch[warp], values);
  } else {
    if constexpr (Decoder::kHasUsual) {
      if (Decoder::is_usual(list.values, tail, place)) {
        Decoder::usual_values(list.values, tail, place, scratch[warp], values);
        if (lane == 0) atomicAdd(out + std::size_t{size} * kBlockSize, 1);
      } else {
        Decoder::values(list.values, tail, place, scratch[warp], values);
      }
    }
  }
  for (std::uint32_t j = 0; j < 4; ++j) out[i * kBlockSize + lane * 4 + j] = values[j];
}

// Work item: a value, by one thread; its neighbours' are of other blocks, some of other lists. The
// threads of a CTA are as many as the values of a block, and there are `size` CTAs.
template <CodecKind kCodec>
__global__ void decode_alone(const UploadedList* lists, const Job* jobs, std::uint32_t size,
                             std::uint32_t* out) {
  using Decoder = BlockDecoder<kCodec>;
  static_assert(Decoder::kAllAlone && kThreads == kBlockSize);
  __shared__ typename Decoder::ParsedTail tails[kThreads];
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  const Job job = jobs[i % size];
  const std::uint32_t index = (i / size + i % size) % kBlockSize;  // neighbours' differ, too
  const UploadedList list = lists[job.list];
  tails[threadIdx.x] = Decoder::parse_tail(list.values);
  __syncthreads();  // it is read as words, whatever it was written as
  typename Decoder::Tail tail{};
  if constexpr (Decoder::kKeeps) tail = &tails[threadIdx.x];
  const BlockPlace place = Decoder::locate(list.values, job.block);
  std::uint32_t value = 0;
  if (index < place.count) value = Decoder::value_alone(list.values, tail, place, index);
  out[i % size * kBlockSize + index] = value;
}

/// Whether there is such a decoder of the codec.
bool exists(CodecKind kind, What what) {
  if (what == What::kUsualValues) return kind != CodecKind::kPforBlock;
  return what != What::kEachAlone || kind == CodecKind::kBitpack || kind == CodecKind::kPfor;
}

void launch(CodecKind kind, What what, const UploadedList* lists, const DeviceArray<Job>& jobs,
            std::uint32_t* out, const Stream& stream) {
  const auto size = static_cast<std::uint32_t>(jobs.size());
  const auto start = [&]<CodecKind kCodec>() {
    if constexpr (BlockDecoder<kCodec>::kAllAlone) {
      if (what == What::kEachAlone) {
        decode_alone<kCodec><<<size, kThreads, 0, stream.handle()>>>(lists, jobs.data(), size, out);
        return;
      }
    }
    const std::uint32_t ctas = (size + kWarps - 1) / kWarps;
    decode_blocks<kCodec>
        <<<ctas, kThreads, 0, stream.handle()>>>(what, lists, jobs.data(), size, out);
  };
  if (kind == CodecKind::kBitpack) start.template operator()<CodecKind::kBitpack>();
  if (kind == CodecKind::kPforBlock) start.template operator()<CodecKind::kPforBlock>();
  if (kind == CodecKind::kRice) start.template operator()<CodecKind::kRice>();
  if (kind == CodecKind::kPfor) start.template operator()<CodecKind::kPfor>();
  check_launch("decode_blocks");
}

/// A block's values, and the filler behind the last.
Values expected_of(const Values& all, std::uint32_t index, std::uint32_t filler) {
  const std::size_t start = std::size_t{index} * kBlockSize;
  Values block(all.begin() + start,
               all.begin() + std::min<std::size_t>(all.size(), start + kBlockSize));
  block.resize(kBlockSize, filler);
  return block;
}

std::string first_difference(const Values& expected, const std::uint32_t* got) {
  for (std::uint32_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == got[i]) continue;
    return ": at " + std::to_string(i) + " " + std::to_string(got[i]) + ", not " +
           std::to_string(expected[i]);
  }
  return "";
}

}  // namespace

void DeviceDecoding::check(What what) const {
  if (!exists(settings_.kind, what)) return;
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
  DeviceArray<std::uint32_t> out(jobs.size() * kBlockSize + 1);
  Values got(out.size());
  out.fill_bytes(kFill & 0xFF, stream);
  launch(settings_.kind, what, lists.data(), device_jobs, out.data(), stream);
  out.download(got, stream);
  stream.synchronize();
  compare(what, jobs, got);
  if (what == What::kUsualValues) ASSERT_GT(got.back(), kFill) << "no block was usual";
}

void DeviceDecoding::compare(What what, const std::vector<DeviceJob>& jobs,
                             const Values& got) const {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Values expected = expected_of(cases_[jobs[i].list].values, jobs[i].block,
                                        what == What::kDocids ? 0xFFFFFFFF : 0);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), got.begin() + i * kBlockSize))
        << cases_[jobs[i].list].name << ", block " << jobs[i].block << ", code "
        << int{cases_[jobs[i].list].encoded.codes[jobs[i].block]} << ", parameter "
        << int{cases_[jobs[i].list].encoded.parameter}
        << first_difference(expected, &got[i * kBlockSize]);
  }
}

void DeviceDecoding::check_host_docids(std::mt19937_64& random) const {
  for (const DeviceCase& one : cases_) {
    const StoredList list(settings_, one.encoded, one.values.size());
    ASSERT_EQ(list.decode_docids(one.values, random), one.values) << one.name;
  }
}

void DeviceDecoding::check_host_values(std::mt19937_64& random) const {
  for (const DeviceCase& one : cases_) {
    const StoredList list(settings_, one.encoded, one.values.size());
    ASSERT_EQ(list.decode_values(random), one.values) << one.name;
  }
}

}  // namespace warpdex::test
