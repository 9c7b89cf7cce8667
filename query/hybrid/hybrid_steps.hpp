// Steps that several searches of words and vectors take. Internal.
#pragma once

#include <span>
#include <typeinfo>
#include <utility>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex {

inline vector::RowFilter documents_of(std::span<const Hit> hits, const Snapshot& snapshot) {
  vector::RowFilter documents(snapshot.docid_end());
  for (const Hit& hit : hits) documents.add(hit.document);
  return documents;
}

inline SearchResult result_of(std::vector<Hit> hits) {
  SearchResult result;
  result.hits = std::move(hits);
  result.matches = result.hits.size();
  return result;
}

/// What on_gpu() returns or, where the GPU cannot or its memory does not suffice, on_cpu().
template <class OnGpu, class OnCpu>
auto search_on(bool is_on_gpu, const OnGpu& on_gpu, const OnCpu& on_cpu) {
  if (is_on_gpu) {
    try {
      return on_gpu();
    } catch (const Error& error) {
      if (typeid(error) != typeid(Error)) throw;  // an Error of no other type: too little memory
    }
  }
  return on_cpu();
}

}  // namespace warpdex
