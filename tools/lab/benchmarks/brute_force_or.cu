// Uploads an index's long lists as they are, with the tables that decoding needs; short lists come
// from the host as scored postings.
#include "benchmarks/brute_force_or.hpp"

#include <algorithm>
#include <numeric>

#include "warpdex/codecs/device/block_decoder.cuh"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/select/select_k.hpp"
#include "warpdex/indexer/format/postings.hpp"

namespace warpdex::tools {
namespace {

constexpr std::uint32_t kThreads = 128;
constexpr std::uint32_t kWarps = kThreads / kWarp;
/// Blocks of a list that a warp decodes in turn.
constexpr std::uint32_t kRunBlocks = 32;

/// A long list of a query of the group.
struct List {
  device::DeviceValues docids;
  device::DeviceValues frequencies;
  const std::uint32_t* last_docids;
  std::uint32_t blocks;
  std::uint32_t query;  ///< its number in the group
  float weight;         ///< weight, c0 and c1 are those of TermScorer
  float c0;
  float c1;
};

/// Neighbouring blocks of a list, up to kRunBlocks.
struct Run {
  std::uint32_t list;
  std::uint32_t first;
};

/// A posting of a short list.
struct ScoredPosting {
  std::uint32_t query;
  std::uint32_t document;
  float score;
};

/// One accumulator for each document of each query of the group, and what scores need to know.
struct Sums {
  float* values;
  std::uint32_t documents;
  const std::uint32_t* lengths;
  bool are_impacts;

  __device__ void add(std::uint32_t query, std::uint32_t document, float score) const {
    atomicAdd(values + std::size_t{query} * documents + document, score);
  }
  __device__ void add(const List& list, std::uint32_t document, std::uint32_t frequency) const {
    const auto tf = static_cast<float>(frequency);
    const float part = are_impacts ? 0 : list.c0 + list.c1 * static_cast<float>(lengths[document]);
    add(list.query, document, list.weight * (are_impacts ? tf : __fdiv_rn(tf, tf + part)));
  }
};

/// Work item: a run of blocks, a warp; CTAs of 128 threads. Shared memory: scratch for decoding, 2
/// KiB, and two tails a warp. Bound by atomic additions to memory that is not in the L2 cache: a
/// posting reads and writes 32 bytes.
template <CodecKind kCodec>
__global__ void __launch_bounds__(kThreads)
    add_postings(const List* lists, const Run* runs, std::uint32_t run_count, Sums sums) {
  using Decoder = device::BlockDecoder<kCodec>;
  __shared__ device::WarpScratch scratches[kWarps];
  __shared__ typename Decoder::ParsedTail tails[kWarps][2];
  const std::uint32_t warp = warp_id();
  const std::uint32_t number = blockIdx.x * kWarps + warp;
  if (number >= run_count) return;
  const Run run = runs[number];
  const List& list = lists[run.list];
  device::WarpScratch& scratch = scratches[warp];
  if (lane_id() < 2) {
    tails[warp][lane_id()] = Decoder::parse_tail(lane_id() == 0 ? list.docids : list.frequencies);
  }
  __syncwarp();
  typename Decoder::Tail of_docids{};
  typename Decoder::Tail of_frequencies{};
  if constexpr (Decoder::kKeeps) {
    of_docids = &tails[warp][0];
    of_frequencies = &tails[warp][1];
  }
  const std::uint32_t end = min(run.first + kRunBlocks, list.blocks);
  for (std::uint32_t block = run.first; block < end; ++block) {
    const std::uint32_t base = block == 0 ? 0xFFFFFFFF : list.last_docids[block - 1];
    std::uint32_t documents[4];
    std::uint32_t values[4];
    Decoder::docids(list.docids, of_docids, Decoder::locate(list.docids, block), base,
                    list.last_docids[block], scratch, documents);
    __syncwarp();
    Decoder::values(list.frequencies, of_frequencies, Decoder::locate(list.frequencies, block),
                    scratch, values);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (documents[i] < sums.documents) sums.add(list, documents[i], values[i] + 1);
    }
    __syncwarp();
  }
}

/// Work item: a posting of a short list, a thread; CTAs of 128 threads. Bound by the launch.
__global__ void __launch_bounds__(kThreads)
    add_scored(const ScoredPosting* postings, std::uint32_t count, Sums sums) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) sums.add(postings[i].query, postings[i].document, postings[i].score);
}

template <typename T>
DeviceArray<T> copy_to_gpu(const std::vector<T>& values, const Stream& stream) {
  DeviceArray<T> array(values.size(), stream.device());
  if (!values.empty()) array.upload(values, stream);
  return array;
}

std::uint32_t ctas_for(std::size_t items, std::uint32_t items_of_cta) {
  return static_cast<std::uint32_t>((items + items_of_cta - 1) / items_of_cta);
}

}  // namespace

/// The lists of some queries, in GPU memory.
struct BruteForceOr::Group {
  DeviceArray<List> lists;
  DeviceArray<Run> runs;
  DeviceArray<ScoredPosting> postings;
  bool are_impacts = false;
};

BruteForceOr::BruteForceOr(const Index& index, int device) : index_(index), stream_(device) {
  const IndexSections& sections = index.sections();
  if (!sections.static_scores.empty()) {
    throw UsageError("OR by brute force knows no static scores; use an index without them");
  }
  lengths_ = upload(sections.document_lengths);
  last_docids_ = upload(sections.block_last_docids);
  const gpu::ExceptionTables exceptions = gpu::make_exception_tables(index);
  docids_ = upload({upload(sections.docids), upload(sections.docid_offsets),
                    upload(sections.docid_bases), upload(sections.docid_codes)},
                   exceptions.docids);
  frequencies_ = upload({upload(sections.frequencies), upload(sections.frequency_offsets),
                         upload(sections.frequency_bases), upload(sections.frequency_codes)},
                        exceptions.frequencies);
  stream_.synchronize();
}

template <typename T>
const T* BruteForceOr::upload(std::span<const T> section) {
  DeviceBuffer& copy = sections_.emplace_back(section.size_bytes() + kReadSlack, stream_.device());
  copy.fill(0, stream_);
  if (!section.empty()) {
    copy.upload({reinterpret_cast<const std::uint8_t*>(section.data()), section.size_bytes()},
                stream_);
  }
  return static_cast<const T*>(copy.data());
}

BruteForceOr::Values BruteForceOr::upload(Values values, const gpu::ExceptionTable& table) {
  values.exceptions = upload(std::span(table.entries));
  values.exception_bases = upload(std::span(table.bases));
  values.flat_tails = upload(std::span(table.flat_tails));
  values.flat_starts = table.flat_starts;
  return values;
}

BruteForceOr::Group BruteForceOr::make_group(std::span<const PlannedQuery> plans,
                                             const ScorerSettings& scorer) const {
  const IndexCounts& counts = index_.counts();
  std::vector<List> lists;
  std::vector<Run> runs;
  std::vector<ScoredPosting> scored;
  for (std::uint32_t query = 0; query < plans.size(); ++query) {
    for (const PlannedTerm& term : plans[query].terms) {
      const PostingsEntry& entry = term.entry;
      if (term.is_must || term.is_prohibited) {
        throw UsageError("OR by brute force takes optional terms only; leave the signs out");
      }
      const Postings postings = entry.is_short() ? read_postings(index_, entry) : Postings{};
      const std::uint64_t occurrences =
          entry.is_short() ? std::accumulate(postings.frequencies.begin(),
                                             postings.frequencies.end(), std::uint64_t{0})
                           : entry.collection_frequency;
      const TermScorer score = make_term_scorer(scorer, {counts.documents, counts.tokens},
                                                entry.document_frequency, occurrences, term.weight);
      for (std::size_t i = 0; i < postings.docids.size(); ++i) {
        const std::uint32_t document = postings.docids[i];
        scored.push_back(
            {query, document, score(postings.frequencies[i], index_.lengths()[document])});
      }
      if (entry.is_short()) continue;
      const std::uint32_t blocks = (entry.document_frequency + kBlockSize - 1) / kBlockSize;
      for (std::uint32_t first = 0; first < blocks; first += kRunBlocks) {
        runs.push_back({static_cast<std::uint32_t>(lists.size()), first});
      }
      lists.push_back(
          {place(docids_, entry, entry.docid_offset, entry.docid_bytes - entry.docid_tail_bytes,
                 entry.docid_parameter),
           place(frequencies_, entry, entry.frequency_offset,
                 entry.frequency_bytes - entry.frequency_tail_bytes, entry.frequency_parameter),
           last_docids_ + entry.first_block, blocks, query, score.weight, score.c0, score.c1});
    }
  }
  Group group{copy_to_gpu(lists, stream_), copy_to_gpu(runs, stream_), copy_to_gpu(scored, stream_),
              scorer.kind == ScorerKind::kImpact};
  stream_.synchronize();
  return group;
}

device::DeviceValues BruteForceOr::place(const Values& all, const PostingsEntry& entry,
                                         std::uint64_t offset, std::uint32_t tail_offset,
                                         std::uint8_t parameter) const {
  const std::uint8_t* const bytes = all.bytes + offset;
  const auto flat = all.flat_starts.find(entry.first_block);
  const bool is_flat = flat != all.flat_starts.end();
  return {.bytes = bytes,
          .offsets = all.offsets + entry.first_block,
          .bases = all.bases + entry.first_base,
          .codes = all.codes + entry.first_block,
          .exceptions = all.exceptions + entry.first_block,
          .exception_bases = all.exception_bases + entry.first_base,
          .tail = is_flat ? all.flat_tails + flat->second : bytes + tail_offset,
          .count = entry.document_frequency,
          .parameter = parameter,
          .levels = std::min<std::uint8_t>(index_.settings().codec.pfor_levels, 1)};
}

void BruteForceOr::add(const Group& group, float* values) {
  const Sums sums{values, static_cast<std::uint32_t>(index_.counts().documents), lengths_,
                  group.are_impacts};
  const auto kernel = [&] {
    switch (index_.settings().codec.kind) {
      case CodecKind::kBitpack: return add_postings<CodecKind::kBitpack>;
      case CodecKind::kPfor: return add_postings<CodecKind::kPfor>;
      case CodecKind::kPforBlock: return add_postings<CodecKind::kPforBlock>;
      case CodecKind::kRice: break;
    }
    return add_postings<CodecKind::kRice>;
  }();
  const auto runs = static_cast<std::uint32_t>(group.runs.size());
  if (runs > 0) {
    kernel<<<ctas_for(runs, kWarps), kThreads, 0, stream_.handle()>>>(
        group.lists.data(), group.runs.data(), runs, sums);
    check_launch("add_postings");
  }
  const auto postings = static_cast<std::uint32_t>(group.postings.size());
  if (postings > 0) {
    add_scored<<<ctas_for(postings, kThreads), kThreads, 0, stream_.handle()>>>(
        group.postings.data(), postings, sums);
    check_launch("add_scored");
  }
}

std::vector<std::vector<Hit>> BruteForceOr::run(std::span<const PlannedQuery> plans,
                                                const ScorerSettings& scorer, std::uint32_t k,
                                                std::size_t at_once, BruteForceTimes& times) {
  if (scorer.kind == ScorerKind::kQueryLikelihood) {
    throw UsageError("OR by brute force scores by BM25 or impacts; leave query likelihood out");
  }
  const std::size_t documents = index_.counts().documents;
  std::vector<std::vector<Hit>> answers(plans.size());
  if (documents == 0) return answers;
  const CurrentDevice current(stream_.device());
  at_once = std::clamp<std::size_t>(at_once, 1, std::max<std::size_t>(plans.size(), 1));
  DeviceArray<float> sums(at_once * documents, stream_.device());
  DeviceArray<float> scores(at_once * k, stream_.device());
  DeviceArray<std::uint32_t> ids(at_once * k, stream_.device());
  SelectScratch scratch(stream_.device());
  Event start(stream_.device());
  Event end(stream_.device());
  const auto timed = [&](double& seconds, const auto& work) {
    start.record(stream_);
    work();
    end.record(stream_);
    end.synchronize();
    seconds += end.seconds_since(start);
  };
  for (std::size_t first = 0; first < plans.size(); first += at_once) {
    const std::size_t count = std::min(at_once, plans.size() - first);
    const Group group = make_group(plans.subspan(first, count), scorer);
    timed(times.clear, [&] { sums.fill_bytes(0, stream_); });
    timed(times.add, [&] { add(group, sums.data()); });
    timed(times.select, [&] {
      select_k<float, std::uint32_t>({sums.data(), count, documents, documents}, k,
                                     SelectOrder::kLargest, scores.data(), ids.data(), scratch,
                                     stream_);
    });
    std::vector<float> best(count * k);
    std::vector<std::uint32_t> best_ids(count * k);
    scores.download(best, stream_);
    ids.download(best_ids, stream_);
    stream_.synchronize();
    for (std::size_t i = 0; i < count * k; ++i) {
      const bool matches = best_ids[i] != kNoId<std::uint32_t> && best[i] > 0;
      if (matches) answers[first + i / k].push_back({best_ids[i], best[i]});
    }
  }
  return answers;
}

}  // namespace warpdex::tools
