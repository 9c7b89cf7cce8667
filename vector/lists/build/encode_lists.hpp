// All rows of an inverted file to codes, group after group, by the GPU or by the CPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kmeans/parallel_parts.hpp"
#include "lists/build/encoded_block.hpp"
#include "lists/build/list_groups.hpp"
#include "lists/build/steps.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {

/// What stands beside a vector's code.
struct RowFacts {
  float term = 0;    ///< what its distance has beside its code and its list
  float factor = 0;  ///< of its correction
};

/// What the CPU makes of a row.
struct CodeForm {
  std::size_t code_bytes;
  bool has_terms;
  bool has_factors;
};

/// The codes of some groups on their way.
struct MadeCodes {
  std::vector<std::uint8_t> codes;
  std::vector<float> terms;
  std::vector<float> factors;
};

/// Encodes the groups [first, last), which begin at group `begin` of what is made. `encoder` is one
/// thread's.
template <class Encoder, class Quantizer>
void encode_groups_on_cpu(const VectorView& rows, const RulesOf<Quantizer>& rules,
                          const ListGroups& groups, const CodeForm& form, std::size_t first,
                          std::size_t last, std::size_t begin, Encoder encoder, MadeCodes& made) {
  const CodeGroups layout{form.code_bytes};
  std::vector<float> row(rows.dimension);
  std::vector<std::uint8_t> code(form.code_bytes);
  std::size_t current = rules.centroids.rows;
  groups.for_each(first, last, [&](std::size_t group, std::size_t list, auto members) {
    if (list != current) set_list(encoder, list, rules.centroids.row(list));
    current = list;
    const std::size_t own = begin + group - first;
    for (std::size_t i = 0; i < members.size(); ++i) {
      copy_row(rows, members[i], row.data());
      const RowFacts facts = encoder.encode(row, code.data());
      layout.write(code.data(), i, made.codes.data() + own * layout.group_bytes());
      if (form.has_terms) made.terms[own * kGroupVectors + i] = facts.term;
      if (form.has_factors) made.factors[own * kGroupVectors + i] = facts.factor;
    }
  });
}

/// Encodes all groups and hands them on in order, some thousands at a time. `make_encoder` gives a
/// thread its encoder: set_centroid(), and encode(row, code), which returns RowFacts. Throws what
/// `sink` and listeners throw. The bytes depend neither on the number of threads nor on the
/// processor that encodes.
template <class Quantizer, class MakeEncoder>
void encode_lists(const FlatVectors& rows, const RulesOf<Quantizer>& rules, const CodeForm& form,
                  const ListGroups& groups, std::size_t threads, BuildSteps& steps,
                  const MakeEncoder& make_encoder, const BlockSink& sink) {
  constexpr std::size_t kBlockGroups = 4096;  // that are encoded before they are handed on
  constexpr std::size_t kPartGroups = 16;     // of a thread's part
  const auto told_sink = [&](const EncodedBlock& block) {
    sink(block);
    steps.tell("encoding", block.first_group + block.groups, groups.count());
  };
  const auto on_cpu = [&] {
    MadeCodes made;
    for (std::size_t first = 0; first < groups.count(); first += kBlockGroups) {
      const std::size_t count = std::min(kBlockGroups, groups.count() - first);
      made.codes.assign(count * CodeGroups{form.code_bytes}.group_bytes(), 0);
      made.terms.assign(form.has_terms ? count * kGroupVectors : 0, 0);
      made.factors.assign(form.has_factors ? count * kGroupVectors : 0, 0);
      for_each_part(count, kPartGroups, threads, [&](std::size_t begin, std::size_t end) {
        encode_groups_on_cpu(rows.vectors, rules, groups, form, first + begin, first + end, begin,
                             make_encoder(), made);
      });
      told_sink({first, count, made.codes, made.terms, made.factors});
    }
  };
  steps.run(
      "encoding", [&](GpuSteps& gpu) { gpu.encode(rows.vectors, rules, groups, told_sink); },
      on_cpu);
}

}  // namespace warpdex::vector
