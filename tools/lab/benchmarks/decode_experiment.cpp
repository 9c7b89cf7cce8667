// Makes, encodes, uploads, decodes and checks the lists of a measurement.
#include "benchmarks/decode_experiment.hpp"

#include <algorithm>
#include <vector>

#include "benchmarks/decode.hpp"
#include "search/timing.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::tools {
namespace {

/// An encoded list and the checksum of what it decodes to.
struct Encoded {
  EncodedValues bytes;
  std::vector<std::uint32_t> last_docids;
  std::uint32_t count = 0;
  DecodeChecksum checksum;
};

Encoded encode(const MeasuredLists& lists, std::size_t number) {
  const std::vector<std::uint32_t> values = lists.values(number);
  Encoded encoded;
  encoded.count = static_cast<std::uint32_t>(values.size());
  if (lists.docids) {
    const bool bit_sets = lists.bit_sets && values.size() >= kBlockSize;
    encoded.bytes = encode_docids(lists.settings, values, bit_sets);
    for (std::size_t i = kBlockSize; i < values.size() + kBlockSize; i += kBlockSize) {
      encoded.last_docids.push_back(values[std::min(i, values.size()) - 1]);
    }
  } else {
    encoded.bytes = encode_values(lists.settings, values);
  }
  for (const std::uint32_t value : values) encoded.checksum.add(value);
  const std::size_t missing = encoded.bytes.codes.size() * kBlockSize - values.size();
  for (std::size_t i = 0; i < missing; ++i) encoded.checksum.add(lists.docids ? ~0U : 0);
  return encoded;
}

}  // namespace

std::string name_of(const CodecSettings& settings) {
  std::string name(codec_name(settings.kind));
  if (settings.kind == CodecKind::kPfor) name += "/" + std::to_string(settings.pfor_levels);
  return name;
}

Result measure(const MeasuredLists& given, int passes, double bytes_per_second,
               const Stream& stream) {
  std::vector<Encoded> encoded(given.count);
  parallel_for(0, given.count, [&](std::size_t, std::size_t i) { encoded[i] = encode(given, i); });
  UploadedLists lists;
  DecodeChecksum expected;
  std::vector<std::uint32_t> counts;
  std::uint64_t postings = 0;
  for (const Encoded& list : encoded) {
    lists.add(given.settings, list.bytes, list.count, list.last_docids);
    expected.sum += list.checksum.sum;
    expected.bits ^= list.checksum.bits;
    counts.push_back(list.count);
    postings += list.count;
  }
  // An odd number of copies, so that their checksums do not cancel each other.
  const std::size_t copies = (given.postings / postings) | 1;
  lists.upload(copies, stream);
  expected.sum *= static_cast<std::uint32_t>(copies);
  for (std::size_t i = given.count; i < lists.size(); ++i) {
    counts.push_back(counts[i - given.count]);
  }
  const std::vector<DecodeRun> runs = cut_into_runs(counts);
  const DecodeTimes times = time_decoding(
      {given.settings.kind, given.docids, given.to_memory, lists.data(), runs}, passes, stream);

  Result result;
  result.codec = name_of(given.settings);
  result.postings = postings * copies;
  result.bytes = lists.bytes() * copies;
  result.seconds = median(times.seconds);
  const std::uint64_t blocks = lists.blocks() * copies;
  const std::uint64_t written = given.to_memory ? blocks * kBlockSize * sizeof(std::uint32_t) : 0;
  result.floor_seconds = static_cast<double>(result.bytes + written) / bytes_per_second;
  result.right = times.checksum == expected;
  return result;
}

Result measure(const Experiment& experiment, int passes, double bytes_per_second,
               const Stream& stream) {
  const auto values = [&](std::size_t i) {
    const std::vector<std::uint32_t> made =
        make_values(experiment.distribution, experiment.length, i + 1);
    return experiment.docids ? docids_of(made) : made;
  };
  Result result =
      measure(MeasuredLists{experiment.settings, experiment.docids, experiment.bit_sets,
                            experiment.to_memory, experiment.lists, values, experiment.postings},
              passes, bytes_per_second, stream);
  result.what = experiment.docids                                       ? "docIDs"
                : experiment.distribution == Distribution::kFrequencies ? "frequencies"
                                                                        : "gaps only";
  result.lists = std::string(distribution_name(experiment.distribution)) +
                 (experiment.docids && !experiment.bit_sets ? ", no bit sets" : "");
  if (experiment.to_memory) result.lists += ", to memory";
  return result;
}

}  // namespace warpdex::tools
