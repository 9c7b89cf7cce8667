// Keyword arguments to the library's options.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "support.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/search_options.hpp"
#include "warpdex/vector/rows/row_settings.hpp"

namespace warpdex::python {

inline constexpr std::uint64_t kMostDocuments = 10'000;  ///< of an answer

/// Each of these, with one account, however often it is there. `memory` of each: as Gpu's.
std::vector<Gpu> open_gpus(const std::vector<int>& numbers, std::uint64_t memory);

/// Rules of synonyms, which searches with the same object analyse once.
struct Synonyms {
  std::shared_ptr<const SynonymRules> rules{};
};

/// Keyword arguments of a call, read by name.
class Keywords {
 public:
  /// What is done with an argument's value.
  using Read = std::function<void(nb::handle)>;

  using Known = std::pair<std::string_view, Read>;

  explicit Keywords(const nb::dict& given) : given_(given) {}

  /// Calls the function of each argument that is there. Throws TypeError for an argument that is
  /// not among `known`.
  void read(std::initializer_list<Known> known) const {
    read(std::span(known.begin(), known.size()));
  }
  void read(std::span<const Known> known) const;

 private:
  nb::dict given_;
};

// Throw TypeError, and UsageError for numbers out of range; messages call the value `what`.
bool flag_of(nb::handle value, std::string_view what);
double number_of(nb::handle value, std::string_view what);
std::uint64_t whole_of(nb::handle value, std::string_view what, std::uint64_t least = 0,
                       std::uint64_t most = ~std::uint64_t{0});

/// The options of a search, as warpdex.SearchOptions names them.
SearchOptions search_options(std::uint64_t k, const nb::dict& keywords);

/// A kind of index, or a dict that has one and its settings.
vector::RowIndexSettings vector_index_of(nb::handle value);

/// For SearchOptions::on_progress, which is called without the GIL: looks for signals, and tells
/// `progress`, unless it is None, how many queries were answered. Without it, short searches never
/// wait for the GIL.
std::function<void(std::size_t)> search_watch(nb::handle progress);

}  // namespace warpdex::python
