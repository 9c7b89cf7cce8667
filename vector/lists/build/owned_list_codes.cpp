// Builds in memory what format/ writes to a disk.
#include <utility>

#include "binary/list_codes.hpp"
#include "binary/train.hpp"
#include "lists/build/owned_codes.hpp"
#include "warpdex/vector/lists/ivf_binary_builder.hpp"

namespace warpdex::vector {

Lists<BinaryCoding> OwnedIvfBinaryVectors::view() const {
  Lists<BinaryCoding> made;
  made.metric = vectors.metric;
  made.quantizer = {lists.dimension, bits, scale, is_corrected, {}, rotation};
  if (made.metric == Metric::kL2) made.quantizer.centre = vectors.centre;
  made.codes = codes;
  made.terms = terms;
  made.factors = factors;
  made.row_numbers = lists.row_numbers;
  made.begins = lists.begins;
  made.group_begins = group_begins;
  made.centroids = lists.centroid_view();
  made.vectors = vectors;
  return made;
}

OwnedIvfBinaryVectors build_ivf_binary(const FlatVectors& rows, const IvfSettings& settings,
                                       const BinarySettings& binary, const BuildProgress& progress,
                                       const BuildDevice& device) {
  check_binary(binary);
  const IvfSettings ivf = settled(settings, rows.vectors.rows);
  BuildSteps steps(progress, device);
  IvfLists lists = make_lists(rows, ivf, steps);
  BinaryTraining training = train_binary_codes(rows, lists, binary, steps);
  const BinaryQuantizer quantizer = training.quantizer(rows.vectors.dimension, binary.bits);
  const ListGroups groups(lists.members);
  OwnedIvfBinaryVectors built;
  built.bits = binary.bits;
  built.scale = training.scale;
  built.is_corrected = binary.is_corrected;
  built.vectors = rows;
  built.codes.reserve(groups.count() * CodeGroups{quantizer.code_bytes()}.group_bytes());
  const auto append = [&](const EncodedBlock& some, std::span<const float> all,
                          std::vector<float>& to) {
    for_each_piece(groups, some, all, [&](std::span<const float> piece) {
      to.insert(to.end(), piece.begin(), piece.end());
    });
  };
  encode_bits(rows, {quantizer, lists.centroids, rows.centre, rows.metric == Metric::kL2}, groups,
              ivf.threads, steps, [&](const EncodedBlock& some) {
                built.codes.insert(built.codes.end(), some.codes.begin(), some.codes.end());
                append(some, some.terms, built.terms);
                append(some, some.factors, built.factors);
              });
  built.rotation = std::move(training.rotation);
  built.group_begins = groups.begins();
  built.lists = own_lists(std::move(lists), rows.metric);
  return built;
}

}  // namespace warpdex::vector
