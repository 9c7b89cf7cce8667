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
  DecodeChecksum checksum;
};

Encoded encode(const Experiment& experiment, std::uint64_t seed) {
  std::vector<std::uint32_t> values = make_values(experiment.distribution, experiment.length, seed);
  Encoded encoded;
  if (experiment.docids) {
    values = docids_of(values);
    encoded.bytes = encode_docids(experiment.settings, values, experiment.bit_sets);
    for (std::size_t i = kBlockSize; i < values.size() + kBlockSize; i += kBlockSize) {
      encoded.last_docids.push_back(values[std::min(i, values.size()) - 1]);
    }
  } else {
    encoded.bytes = encode_values(experiment.settings, values);
  }
  for (const std::uint32_t value : values) encoded.checksum.add(value);
  const std::size_t missing = encoded.bytes.codes.size() * kBlockSize - values.size();
  for (std::size_t i = 0; i < missing; ++i) encoded.checksum.add(experiment.docids ? ~0U : 0);
  return encoded;
}

}  // namespace

std::string name_of(const CodecSettings& settings) {
  std::string name(codec_name(settings.kind));
  if (settings.kind == CodecKind::kPfor) name += "/" + std::to_string(settings.pfor_levels);
  return name;
}

Result measure(const Experiment& experiment, int passes, double bytes_per_second,
               const Stream& stream) {
  std::vector<Encoded> encoded(experiment.lists);
  parallel_for(0, experiment.lists,
               [&](std::size_t, std::size_t i) { encoded[i] = encode(experiment, i + 1); });
  UploadedLists lists;
  DecodeChecksum expected;
  for (const Encoded& list : encoded) {
    lists.add(experiment.settings, list.bytes, static_cast<std::uint32_t>(experiment.length),
              list.last_docids);
    expected.sum += list.checksum.sum;
    expected.bits ^= list.checksum.bits;
  }
  // An odd number of copies, so that their checksums do not cancel each other.
  const std::size_t copies = (experiment.postings / experiment.length / experiment.lists) | 1;
  lists.upload(copies, stream);
  expected.sum *= static_cast<std::uint32_t>(copies);

  DecodeWork work;
  work.codec = experiment.settings.kind;
  work.docids = experiment.docids;
  work.to_memory = experiment.to_memory;
  work.lists = lists.data();
  work.list_count = lists.size();
  work.blocks = static_cast<std::uint32_t>((experiment.length + kBlockSize - 1) / kBlockSize);
  const DecodeTimes times = time_decoding(work, passes, stream);

  Result result;
  result.codec = name_of(experiment.settings);
  result.what = experiment.docids                                       ? "docIDs"
                : experiment.distribution == Distribution::kFrequencies ? "frequencies"
                                                                        : "gaps only";
  result.lists = std::string(distribution_name(experiment.distribution)) +
                 (experiment.docids && !experiment.bit_sets ? ", no bit sets" : "");
  if (experiment.to_memory) result.lists += ", to memory";
  result.postings = experiment.length * lists.size();
  result.bytes = lists.bytes() * copies;
  result.seconds = median(times.seconds);
  const std::uint64_t written =
      experiment.to_memory ? lists.size() * work.blocks * kBlockSize * sizeof(std::uint32_t) : 0;
  result.floor_seconds = static_cast<double>(result.bytes + written) / bytes_per_second;
  result.right = times.checksum == expected;
  return result;
}

}  // namespace warpdex::tools
