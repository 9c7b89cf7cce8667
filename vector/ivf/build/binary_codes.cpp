// Residuals to codes on the CPU.
#include "ivf/build/binary_codes.hpp"

#include <algorithm>

#include "kmeans/parallel_parts.hpp"
#include "pq/code_groups.hpp"
#include "xfbq/rotated.hpp"

namespace warpdex::vector {
namespace {

/// Groups that are encoded before they are handed on, and those of a thread's part.
constexpr std::size_t kBlockGroups = 4096;
constexpr std::size_t kPartGroups = 16;

/// What the codes of a block are put together from: room for 32 numbers a group.
struct BlockRoom {
  std::vector<std::uint8_t> codes;
  std::vector<ResidualBits> bits;
};

void encode_part(const VectorView& rows, const Matrix<float>& centroids, const ListGroups& groups,
                 const CodeGroups& layout, std::size_t first, std::size_t begin, std::size_t end,
                 ResidualBitEncoder& encoder, BlockRoom& room) {
  std::vector<float> row(rows.dimension);
  std::vector<std::uint32_t> code(layout.code_bytes / sizeof(std::uint32_t));
  groups.for_each(first + begin, first + end,
                  [&](std::size_t group, std::size_t list, auto members) {
                    encoder.set_centroid(centroids.row(list));
                    const std::size_t own = group - first;
                    for (std::size_t i = 0; i < members.size(); ++i) {
                      copy_row(rows, members[i], row.data());
                      room.bits[own * kGroupVectors + i] = encoder.encode(row, code.data());
                      layout.write(reinterpret_cast<const std::uint8_t*>(code.data()), i,
                                   room.codes.data() + own * layout.group_bytes());
                    }
                  });
}

}  // namespace

XfbqTraining train_binary_codes(const FlatVectors& rows, const IvfLists& lists,
                                const XfbqSettings& settings, BuildSteps& steps) {
  XfbqTraining training;
  steps.run_on_cpu("scale", [&] {
    training = train_scale(rows.vectors, settings, [&](std::size_t number, float* row) {
      copy_row(rows.vectors, number, row);
      const std::span<const float> centroid = lists.centroids.row(lists.of_row[number]);
      for (std::size_t c = 0; c < centroid.size(); ++c) row[c] -= centroid[c];
    });
  });
  return training;
}

ResidualBitEncoder::ResidualBitEncoder(const XfbqQuantizer& quantizer,
                                       std::span<const float> centre, bool has_terms)
    : quantizer_(quantizer),
      centre_(centre),
      has_terms_(has_terms),
      residual_(padded(quantizer.dimension)),
      rotated_(residual_.size()) {}

ResidualBits ResidualBitEncoder::encode(std::span<const float> row, std::uint32_t* code) {
  ResidualBits bits;
  double term = 0;
  for (std::size_t c = 0; c < row.size(); ++c) {
    residual_[c] = row[c] - centroid_[c];
    const double middle = centre_.empty() ? 0 : double{centre_[c]};
    term += double{residual_[c]} * (double{residual_[c]} + 2 * (double{centroid_[c]} - middle));
  }
  if (has_terms_) bits.term = static_cast<float>(term);
  bits.factor = vector::encode(quantizer_, residual_.data(), rotated_.data(), code).factor;
  return bits;
}

void encode_bits(const FlatVectors& rows, const Matrix<float>& centroids,
                 const XfbqQuantizer& quantizer, const ListGroups& groups, std::size_t threads,
                 BuildSteps& steps, const std::function<void(const EncodedBits&)>& sink) {
  const CodeGroups layout{quantizer.code_bytes()};
  const bool has_terms = rows.metric == Metric::kL2;
  steps.run_on_cpu("encoding", [&] {
    BlockRoom room;
    for (std::size_t first = 0; first < groups.count(); first += kBlockGroups) {
      const std::size_t count = std::min(kBlockGroups, groups.count() - first);
      room.codes.assign(count * layout.group_bytes(), 0);
      room.bits.resize(count * kGroupVectors);
      for_each_part(count, kPartGroups, threads, [&](std::size_t begin, std::size_t end) {
        ResidualBitEncoder encoder(quantizer, rows.centre, has_terms);
        encode_part(rows.vectors, centroids, groups, layout, first, begin, end, encoder, room);
      });
      EncodedBits made{first, count, room.codes, {}, {}};
      groups.for_each(first, first + count, [&](std::size_t group, std::size_t, auto members) {
        for (std::size_t i = 0; i < members.size(); ++i) {
          const ResidualBits& own = room.bits[(group - first) * kGroupVectors + i];
          if (has_terms) made.terms.push_back(own.term);
          if (quantizer.is_corrected) made.factors.push_back(own.factor);
        }
      });
      sink(made);
      steps.tell("encoding", first + count, groups.count());
    }
  });
}

}  // namespace warpdex::vector
