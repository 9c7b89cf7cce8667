// The names of kinds, and what settings of each may be.
#include <string>
#include <vector>

#include "format/segments/codings.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

struct NamedKind {
  std::string_view name;
  VectorKind kind;
};

std::vector<NamedKind> named_kinds() {
  std::vector<NamedKind> named;
  for (std::size_t i = 0; i < std::tuple_size_v<Codings>; ++i) {
    const auto coding = static_cast<CodingKind>(i);
    with_coding(coding, [&]<class Coding>(Coding) {
      using Format = CodingFormat<Coding>;
      if (!Format::kAll.empty()) named.push_back({Format::kAll, {false, coding}});
      if (!Format::kLists.empty()) named.push_back({Format::kLists, {true, coding}});
    });
  }
  return named;
}

}  // namespace

VectorIndexSettings checked_settings(const VectorIndexSettings& settings) {
  if (settings.dimension == 0 || settings.dimension > kMaxDimension) {
    throw UsageError("vectors have from 1 to " + std::to_string(kMaxDimension) +
                     " components, not " + std::to_string(settings.dimension));
  }
  VectorIndexSettings settled = settings;
  settled.has_product_terms = true;
  vector_kind_name(settings.index);  // throws for a kind that there is not
  with_coding(settings.index.coding,
              [&]<class Coding>(Coding) { CodingFormat<Coding>::check(settled); });
  return settled;
}

bool stores_lists(const VectorKind& kind) {
  bool is_one_list = false;
  with_coding(kind.coding, [&]<class Coding>(Coding) {
    is_one_list = requires { CodingFormat<Coding>::kAllAreOneList; };
  });
  return kind.in_lists || is_one_list;
}

std::string_view vector_kind_name(const VectorKind& kind) {
  std::string_view name;
  with_coding(kind.coding, [&]<class Coding>(Coding) {
    using Format = CodingFormat<Coding>;
    name = kind.in_lists ? Format::kLists : Format::kAll;
    if constexpr (requires { Format::kWithoutLists; }) {
      if (!kind.in_lists) throw UsageError(Format::kWithoutLists);
    }
  });
  return name;
}

VectorKind vector_kind(std::string_view name) {
  const std::vector<NamedKind> named = named_kinds();
  std::string names;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (named[i].name == name) return named[i].kind;
    const bool is_last = i + 1 == named.size();
    names += (i == 0 ? "" : is_last ? " or " : ", ") + std::string(named[i].name);
  }
  throw UsageError("there is no type of index '" + std::string(name) + "'; choose " + names);
}

}  // namespace warpdex::vector
