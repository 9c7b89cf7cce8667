// An index of text open for searching, and what it holds.
#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "answers.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex::python {

/// Ends a search from another thread.
class Stop {
 public:
  void request() { source_.request_stop(); }
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
};

/// Any thread. Functions without another word take the GIL and let it go while they work.
class TextSearcher {
 public:
  TextSearcher(const std::string& folder, const std::string& device, const std::vector<int>& gpus,
               std::uint64_t gpu_memory, std::size_t shards, std::size_t threads,
               bool document_blocks);

  /// `text` is a str, or None for a search by the vector alone. `vector` has one row, or is None.
  Hits search(nb::handle text, const std::optional<FloatRows>& vector, nb::handle k,
              const Stop* stop, const nb::dict& keywords) const;
  /// `texts` is a list of strs that nobody else changes, or None. `threads` of 0 are the
  /// searcher's own. `progress` is None or called with the number of queries answered since the
  /// last call.
  Batch search_batch(nb::handle texts, const std::optional<FloatRows>& vectors, nb::handle k,
                     std::size_t threads, nb::handle progress, const nb::dict& keywords);
  bool refresh();
  /// Another one of the same commit, which stays with it.
  std::unique_ptr<TextSearcher> at_this_commit() const;

  const Searcher& searcher() const { return searcher_.get(); }
  /// Of the commit that is searched.
  std::shared_ptr<const IndexReader> reader();

 private:
  TextSearcher(const TextSearcher& of, Searcher searcher);

  const std::string folder_;
  SearcherOptions options_;
  Owned<Searcher> searcher_;
  std::mutex mutex_;  ///< protects the next
  std::shared_ptr<const IndexReader> reader_;
};

void bind_searcher(nb::module_& module);

}  // namespace warpdex::python
