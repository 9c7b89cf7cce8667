// Measures codecs on an index's own lists.
#include "collections/codec_comparison.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include "collections/list_sample.hpp"
#include "search/timing.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/indexer/format/list_classes.hpp"

namespace warpdex::tools {
namespace {

constexpr int kTimedUnits = 7;
constexpr double kUnitSeconds = 0.004;  ///< a unit repeats passes up to about this long
constexpr std::size_t kListsAtOnce = 4096;

ListSample sample_class(const Index& index, std::size_t wanted, std::uint64_t stride) {
  ListSample sample;
  std::uint64_t ordinal = 0;
  index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
    if (list_class(entry.document_frequency) != wanted) return;
    if (ordinal++ % stride == 0) append_list(index, entry, sample);
  });
  return sample;
}

/// Lists encoded by one codec, laid out as in an index: bytes back to back, metadata in arrays.
class EncodedSample {
 public:
  EncodedSample(const CodecSettings& settings, bool docids, bool bit_sets)
      : settings_(settings), docids_(docids), bit_sets_(bit_sets) {}

  void encode(const ListSample& sample, std::size_t threads) {
    std::vector<EncodedValues> encoded;
    for (std::size_t first = 0; first < sample.lists(); first += kListsAtOnce) {
      const std::size_t count = std::min(kListsAtOnce, sample.lists() - first);
      encoded.assign(count, {});
      parallel_for(threads, count, [&](std::size_t, std::size_t i) {
        encoded[i] = encode_list(sample, first + i);
      });
      for (std::size_t i = 0; i < count; ++i) append(sample, first + i, encoded[i]);
    }
    payload_ = bytes_.size();
    bytes_.resize(bytes_.size() + kReadSlack);
  }

  /// Bits of payload and widths: a byte a list for rice and pfor, a byte a block for the others.
  double bits() const {
    const bool width_per_list =
        settings_.kind == CodecKind::kRice || settings_.kind == CodecKind::kPfor;
    const std::size_t widths = width_per_list ? lists_.size() : offsets_.size();
    return 8 * static_cast<double>(payload_ + widths);
  }

  /// Decodes everything once; returns a value that depends on all blocks.
  std::uint32_t decode_all() const {
    std::array<std::uint32_t, kBlockSize> out{};
    std::uint32_t witness = 0;
    for (const List& list : lists_) {
      const ListDecoder decoder({settings_, list.parameter, list.count, bytes_.data() + list.begin,
                                 bytes_.data() + list.end},
                                list.tail);
      std::uint32_t base = ~std::uint32_t{0};
      for (std::uint32_t i = 0; i < decoder.blocks(); ++i) {
        const std::size_t at = list.first_block + i;
        const BlockRef block{i, offsets_[at], codes_[at]};
        if (docids_) {
          decoder.decode_docids(block, base, last_[at], out.data());
          base = last_[at];
        } else {
          decoder.decode_values(block, out.data());
        }
        witness ^= out[0];
      }
    }
    return witness;
  }

 private:
  struct List {
    std::size_t begin;
    std::size_t end;
    std::size_t first_block;
    std::uint32_t count;
    std::uint32_t tail;
    std::uint8_t parameter;
  };

  EncodedValues encode_list(const ListSample& sample, std::size_t i) const {
    if (!docids_) return encode_values(settings_, sample.list(sample.frequencies, i));
    const auto list = sample.list(sample.docids, i);
    return encode_docids(settings_, list, bit_sets_ && list.size() >= kBlockSize);
  }

  void append(const ListSample& sample, std::size_t i, const EncodedValues& encoded) {
    const auto docids = sample.list(sample.docids, i);
    lists_.push_back({bytes_.size(), bytes_.size() + encoded.bytes.size(), codes_.size(),
                      static_cast<std::uint32_t>(docids.size()), encoded.offsets.back(),
                      encoded.parameter});
    bytes_.insert(bytes_.end(), encoded.bytes.begin(), encoded.bytes.end());
    codes_.insert(codes_.end(), encoded.codes.begin(), encoded.codes.end());
    offsets_.insert(offsets_.end(), encoded.offsets.begin(), encoded.offsets.end() - 1);
    if (!docids_) return;
    for (std::size_t end = kBlockSize; end < docids.size() + kBlockSize; end += kBlockSize) {
      last_.push_back(docids[std::min(end, docids.size()) - 1]);
    }
  }

  CodecSettings settings_;
  bool docids_;
  bool bit_sets_;
  std::size_t payload_ = 0;
  std::vector<List> lists_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> last_;
};

/// Seconds of this thread's processor time, which other programs on the machine do not take from.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Seconds that one decode_all takes.
double decode_seconds(const EncodedSample& sample) {
  // The sink keeps the decoding from being optimised away.
  volatile std::uint32_t sink = sample.decode_all();
  std::vector<double> units;
  int passes = 1;
  for (int unit = -1; unit < kTimedUnits; ++unit) {
    const double start = thread_seconds();
    for (int pass = 0; pass < passes; ++pass) sink = sink ^ sample.decode_all();
    const double seconds = thread_seconds() - start;
    if (unit < 0) {  // sets the number of passes in a unit
      passes = static_cast<int>(std::clamp(kUnitSeconds / std::max(seconds, 1e-9), 1.0, 1e6));
    } else {
      units.push_back(seconds / passes);
    }
  }
  return median(units);
}

CodecFigures measure(const ListSample& sample, const CodecSettings& codec,
                     const ComparisonSettings& settings) {
  const auto postings = static_cast<double>(sample.docids.size());
  CodecFigures figures;
  {
    EncodedSample docids(codec, true, settings.bit_sets);
    docids.encode(sample, settings.threads);
    figures.docid_bits = docids.bits() / postings;
    figures.docid_rate = postings / decode_seconds(docids) / 1e6;
  }
  EncodedSample frequencies(codec, false, false);
  frequencies.encode(sample, settings.threads);
  figures.frequency_bits = frequencies.bits() / postings;
  figures.frequency_rate = postings / decode_seconds(frequencies) / 1e6;
  return figures;
}

/// Sizes are averaged over postings; rates so that the times of all postings add up.
CodecFigures weigh(const std::vector<ComparedClass>& classes, std::size_t variant) {
  CodecFigures sum;
  double postings = 0;
  double docid_time = 0;
  double frequency_time = 0;
  for (const ComparedClass& one : classes) {
    const auto weight = static_cast<double>(one.postings);
    const CodecFigures& figures = one.figures[variant];
    postings += weight;
    sum.docid_bits += weight * figures.docid_bits;
    sum.frequency_bits += weight * figures.frequency_bits;
    docid_time += weight / figures.docid_rate;
    frequency_time += weight / figures.frequency_rate;
  }
  sum.docid_bits /= postings;
  sum.frequency_bits /= postings;
  sum.docid_rate = postings / docid_time;
  sum.frequency_rate = postings / frequency_time;
  return sum;
}

}  // namespace

std::vector<CodecVariant> codec_variants() {
  std::vector<CodecVariant> variants{{"rice", {CodecKind::kRice, 0}}};
  for (std::uint8_t levels = 0; levels <= kMaxPforLevels; ++levels) {
    variants.push_back({"pfor " + std::to_string(levels), {CodecKind::kPfor, levels}});
  }
  variants.push_back({"pfor-block", {CodecKind::kPforBlock, 0}});
  variants.push_back({"bitpack", {CodecKind::kBitpack, 0}});
  return variants;
}

Comparison compare_codecs(const Index& index, const ComparisonSettings& settings,
                          const std::function<void(const std::string&)>& on_step) {
  std::array<ComparedClass, kListClasses.size()> populations;
  index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
    ComparedClass& population = populations[list_class(entry.document_frequency)];
    ++population.lists;
    population.postings += entry.document_frequency;
  });
  Comparison comparison;
  comparison.variants = codec_variants();
  constexpr std::size_t kFirstEncoded = 1;  // class 0 is the lists of one posting
  for (std::size_t i = kFirstEncoded; i < kListClasses.size(); ++i) {
    ComparedClass compared = populations[i];
    if (compared.lists == 0) continue;
    compared.name = kListClasses[i].name;
    const std::uint64_t stride =
        (compared.postings + settings.postings_per_class - 1) / settings.postings_per_class;
    const ListSample sample = sample_class(index, i, stride);
    compared.sampled_lists = sample.lists();
    compared.sampled_postings = sample.docids.size();
    for (const CodecVariant& variant : comparison.variants) {
      on_step(compared.name + " postings in a list, " + variant.name);
      compared.figures.push_back(measure(sample, variant.settings, settings));
    }
    comparison.classes.push_back(std::move(compared));
  }
  if (comparison.classes.empty()) {
    throw InputError("the index has no list of two or more postings; there is nothing to compare");
  }
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    comparison.overall.push_back(weigh(comparison.classes, i));
  }
  return comparison;
}

}  // namespace warpdex::tools
