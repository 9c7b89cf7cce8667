// Parts of lists that are built in memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "binary/lists/list_codes.hpp"
#include "lists/build/lists.hpp"
#include "lists/build/steps.hpp"
#include "pq/lists/list_codes.hpp"
#include "warpdex/vector/lists/owned/list_builder.hpp"

namespace warpdex::vector {

/// Takes centroids and members over, and computes the centroids' norms.
OwnedLists own_lists(IvfLists&& lists, Metric metric);

/// Encodes rows that are in their lists; sets codes, terms, factors and group_begins.
template <class Coding>
void encode_into(const FlatVectors& rows, const IvfLists& lists,
                 const typename Coding::Trained& trained, std::size_t threads, BuildSteps& steps,
                 OwnedCodeLists<Coding>& built) {
  const ListGroups groups(lists.members);
  const auto quantizer = trained.quantizer(rows.vectors.dimension);
  const bool has_terms = rows.metric == Metric::kL2 || HasProductTerms<Coding>;
  built.codes.reserve(groups.count() * CodeGroups{quantizer.code_bytes()}.group_bytes());
  if (has_terms) built.terms.reserve(rows.vectors.rows);
  const auto append = [&](const EncodedBlock& block, std::span<const float> all,
                          std::vector<float>& to) {
    for_each_piece(groups, block, all, [&](std::span<const float> piece) {
      to.insert(to.end(), piece.begin(), piece.end());
    });
  };
  encode_list_codes(
      rows,
      {quantizer, lists.centroids, centre_of_terms(quantizer, rows.centre), has_terms, rows.metric},
      groups, threads, steps, [&](const EncodedBlock& block) {
        built.codes.insert(built.codes.end(), block.codes.begin(), block.codes.end());
        append(block, block.terms, built.terms);
        append(block, block.factors, built.factors);
      });
  built.group_begins = groups.begins();
}

}  // namespace warpdex::vector
