// Random changes of an index of vectors, against a plain list of vectors.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/vector/format/vector_index_change.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/search/index_searcher.hpp"
#include "warpdex/vector/search/stored_rows.hpp"

namespace warpdex::vector {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChangedDimension = 5;

/// A vector of the plain list.
struct Entry {
  std::size_t row;
  std::string id;
  std::vector<float> vector;  ///< as it is stored
};

/// What an index should hold, and the index.
class Checked {
 public:
  Checked(const fs::path& folder, const VectorIndexSettings& settings, IdKind ids,
          std::uint64_t stream)
      : folder_(folder), settings_(settings), ids_(ids), random_(test::generator(stream)) {
    VectorIndexWriter writer(folder, settings);
    const std::vector<std::string> names = new_ids(60);
    const std::vector<float> rows = draw_rows(60);
    writer.add(rows);
    writer.commit(make_ids(names));
    remember(names, rows);
  }

  VectorIndexSettings settings() const { return settings_; }
  std::size_t live() const { return entries_.size(); }
  const std::vector<Entry>& entries() const { return entries_; }

  void add(std::size_t count) {
    const std::vector<std::string> names = new_ids(count);
    const std::vector<float> rows = draw_rows(count);
    VectorIndexChange change(folder_);
    if (ids_ != IdKind::kRows) change.set_ids(make_ids(names), KnownIds::kRefuse);
    for (std::size_t i = 0; i < count; i += 3) {  // in pieces
      change.add(std::span(rows).subspan(i * kChangedDimension,
                                         std::min(count - i, std::size_t{3}) * kChangedDimension));
    }
    EXPECT_EQ(change.added(), count);
    change.commit();
    remember(names, rows);
  }

  /// Some vectors in the place of others, and some new ones.
  void update(std::size_t known, std::size_t fresh) {
    std::vector<std::string> names = take_ids(known);
    const std::set<std::string> replaced(names.begin(), names.end());
    for (const std::string& name : new_ids(fresh)) names.push_back(name);
    const std::vector<float> rows = draw_rows(names.size());
    VectorIndexChange change(folder_);
    change.add(rows);
    change.set_ids(make_ids(names), KnownIds::kReplace);
    EXPECT_EQ(change.removed(), replaced.size());
    change.commit();
    forget(replaced);
    remember(names, rows);
  }

  /// Some vectors, and others added in the same commit.
  void remove(std::size_t count, std::size_t added) {
    const std::vector<std::string> names = take_ids(count);
    const std::vector<std::string> fresh = new_ids(added);
    const std::vector<float> rows = draw_rows(added);
    VectorIndexChange change(folder_);
    change.remove(make_ids(names));
    if (ids_ != IdKind::kRows) change.set_ids(make_ids(fresh), KnownIds::kRefuse);
    change.add(rows);
    change.commit();
    forget({names.begin(), names.end()});
    remember(fresh, rows);
  }

  void merge() {
    const VectorIndex before = VectorIndex::open(folder_);
    const bool is_needed =
        before.segments().size() > 1 || before.live_rows() < before.segments().front().rows;
    EXPECT_EQ(merge_vector_index(folder_).is_changed, is_needed);
    if (ids_ == IdKind::kRows) return;
    next_row_ = 0;
    for (Entry& one : entries_) one.row = next_row_++;
  }

  /// Searches, ids, filters and counts of an index opened now or earlier.
  void expect_right(const VectorIndex& index, const std::vector<Entry>& entries,
                    std::size_t refine);
  void expect_right() {
    expect_right(VectorIndex::open(folder_), entries_, settings_.index.has_codes() ? kMaxRows : 0);
  }

  std::size_t draw(std::size_t count) { return random_() % count; }

 private:
  std::vector<float> draw_rows(std::size_t count) {
    std::vector<float> rows = test::draw(random_, count * kChangedDimension);
    for (float& value : rows) value = std::round(value * 2) / 2;  // so that there are ties
    for (std::size_t i = 0; i < count; ++i) rows[i * kChangedDimension] += 0.25F;  // none is zero
    return rows;
  }

  std::vector<std::string> new_ids(std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
      if (ids_ == IdKind::kRows) {
        names.push_back(std::to_string(next_row_ + i));
      } else {
        names.push_back((ids_ == IdKind::kTexts ? "name " : "") + std::to_string(next_id_ += 3));
      }
    }
    return names;
  }

  /// Ids of vectors that there are, each once.
  std::vector<std::string> take_ids(std::size_t count) {
    std::set<std::string> taken;
    while (taken.size() < std::min(count, entries_.size())) {
      taken.insert(entries_[random_() % entries_.size()].id);
    }
    return {taken.begin(), taken.end()};
  }

  VectorIds make_ids(const std::vector<std::string>& names) const {
    if (ids_ == IdKind::kTexts) return VectorIds(names);
    std::vector<std::int64_t> numbers;
    for (const std::string& name : names) numbers.push_back(std::stoll(name));
    return ids_ == IdKind::kRows && is_building() ? VectorIds() : VectorIds(numbers);
  }
  bool is_building() const { return next_row_ == 0; }

  void remember(const std::vector<std::string>& names, const std::vector<float>& rows) {
    const Collection stored(settings_.metric, settings_.store, kChangedDimension, rows);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto begin = stored.rows.begin() + static_cast<std::ptrdiff_t>(i * kChangedDimension);
      entries_.push_back({next_row_++, names[i], {begin, begin + kChangedDimension}});
    }
  }

  void forget(const std::set<std::string>& names) {
    std::erase_if(entries_, [&](const Entry& one) { return names.contains(one.id); });
  }

  fs::path folder_;
  VectorIndexSettings settings_;
  IdKind ids_;
  std::mt19937_64 random_;
  std::vector<Entry> entries_;
  std::size_t next_row_ = 0;
  std::int64_t next_id_ = -50;
};

std::vector<reference::Answer> rank(const std::vector<Entry>& entries, Metric metric,
                                    std::vector<float> query, const RowFilter* filter) {
  if (metric == Metric::kCosine) normalize(query);
  std::vector<reference::Answer> all;
  for (const Entry& one : entries) {
    if (filter != nullptr && !filter->contains(one.row)) continue;
    all.push_back({reference::distance(metric, query, one.vector), one.row});
  }
  reference::rank(metric, all);
  return all;
}

void Checked::expect_right(const VectorIndex& index, const std::vector<Entry>& entries,
                           std::size_t refine) {
  ASSERT_EQ(index.live_rows(), entries.size());
  std::map<std::size_t, const Entry*> by_row;
  for (const Entry& one : entries) by_row[one.row] = &one;
  const StoredRows stored(index);
  std::vector<float> components(kChangedDimension);
  for (std::size_t row = 0; row < index.rows() + 2; ++row) {
    ASSERT_EQ(index.is_live(row), by_row.contains(row)) << row;
    ASSERT_EQ(stored.is_live(row), by_row.contains(row)) << row;
    if (!by_row.contains(row)) continue;
    ASSERT_EQ(index.id(row), by_row[row]->id);
    stored.copy(row, components.data());
    ASSERT_EQ(components, by_row[row]->vector) << row;
  }
  if (index.rows() == 0) return;
  RowFilter filter(index.rows());
  for (std::size_t row = 0; row < index.rows(); row += 1 + random_() % 3) filter.add(row);
  const SearchOptions depth{.probes = settings_.index.in_lists ? index.settings().ivf.lists : 1,
                            .refine = refine};
  const auto searcher = search_index_on_cpu(index, 1 + random_() % 2);
  const std::size_t count = random_() % 4 == 0 ? 25 : 2;
  const std::vector<float> queries = draw_rows(count);
  const std::size_t k = 1 + random_() % index.rows();
  for (const RowFilter* const allowed :
       {static_cast<const RowFilter*>(nullptr), &std::as_const(filter)}) {
    const Neighbors found = searcher->nearest(queries, k, depth.among(allowed));
    ASSERT_EQ(found.rows.size(), count * k);
    for (std::size_t q = 0; q < count; ++q) {
      const auto begin = queries.begin() + static_cast<std::ptrdiff_t>(q * kChangedDimension);
      const std::vector<reference::Answer> all =
          rank(entries, settings_.metric, {begin, begin + kChangedDimension}, allowed);
      for (std::size_t i = 0; i < k; ++i) {
        const std::int32_t row = found.rows[q * k + i];
        if (i >= all.size()) {
          ASSERT_EQ(row, -1) << "place " << i;
          continue;
        }
        ASSERT_EQ(row, static_cast<std::int32_t>(all[i].row)) << "place " << i << " of " << k;
        ASSERT_EQ(found.distances[q * k + i], all[i].distance);
      }
      if (all.empty()) continue;
      const float radius = all[random_() % all.size()].distance;
      const RangeNeighbors range =
          searcher->within(std::span(queries).subspan(q * kChangedDimension, kChangedDimension),
                           radius, depth.among(allowed));
      std::size_t within = 0;
      while (within < all.size() &&
             (larger_is_nearer(settings_.metric) ? all[within].distance >= radius
                                                 : all[within].distance <= radius)) {
        ASSERT_LT(within, range.rows.size());
        ASSERT_EQ(range.rows[within], static_cast<std::int32_t>(all[within].row));
        ++within;
      }
      ASSERT_EQ(range.rows.size(), within);
    }
  }
}

struct ChangedForm {
  VectorKind index;
  IdKind ids;
  Metric metric;
  Store store;
};

class VectorIndexChanges : public testing::TestWithParam<ChangedForm> {};

TEST_P(VectorIndexChanges, RandomOnesLeaveWhatAPlainListHas) {
  const ChangedForm& form = GetParam();
  const test::TemporaryFolder folder(test::place_in_memory());
  Checked checked(folder / "index",
                  {.metric = form.metric,
                   .store = form.store,
                   .dimension = kChangedDimension,
                   .index = form.index,
                   .ivf = {.lists = form.index.in_lists ? std::size_t{7} : 0},
                   .pq = {.bytes = 3,
                          .is_rotated = form.metric == Metric::kL2,
                          .rotated_dimension = form.metric == Metric::kCosine ? 4U : 0U},
                   .binary = {.bits = 3,
                              .is_rotated = form.metric == Metric::kL2,
                              .is_corrected = form.metric == Metric::kCosine}},
                  form.ids,
                  (static_cast<std::uint64_t>(form.index.coding) * 2 + form.index.in_lists) * 100 +
                      static_cast<std::uint64_t>(form.ids));
  constexpr int kChanges = 125;  // of each form: 1,000 in all
  for (int i = 0; i < kChanges; ++i) {
    SCOPED_TRACE("change " + std::to_string(i));
    const std::size_t kind = checked.draw(10);
    if (kind < 4 || checked.live() < 10) {
      checked.add(1 + checked.draw(9));
    } else if (kind < 6) {
      checked.remove(1 + checked.draw(12), 0);
    } else if (kind == 6) {
      checked.remove(checked.draw(4), checked.draw(4));
    } else if (kind < 9 && form.ids != IdKind::kRows) {
      checked.update(1 + checked.draw(5), checked.draw(3));
    } else {
      checked.merge();
    }
    checked.expect_right();
    if (i % 20 == 0) {
      ASSERT_THAT(verify_vectors(folder / "index").problems, testing::IsEmpty());
    }
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
  // All of it, and from nothing again.
  checked.remove(checked.live(), 0);
  checked.expect_right();
  checked.merge();
  checked.expect_right();
  checked.add(3);
  checked.expect_right();
  checked.merge();
  checked.expect_right();
  EXPECT_THAT(verify_vectors(folder / "index").problems, testing::IsEmpty());
}

std::string changed_form_name(const testing::TestParamInfo<ChangedForm>& form) {
  std::string kind(vector_kind_name(form.param.index));
  std::replace(kind.begin(), kind.end(), '-', '_');
  constexpr const char* kIds[] = {"rows", "numbers", "texts"};
  return kind + "_" + kIds[static_cast<std::size_t>(form.param.ids)];
}

INSTANTIATE_TEST_SUITE_P(
    Forms, VectorIndexChanges,
    testing::Values(
        ChangedForm{vector_kind("flat"), IdKind::kRows, Metric::kL2, Store::kFloat},
        ChangedForm{vector_kind("flat"), IdKind::kNumbers, Metric::kCosine, Store::kHalf},
        ChangedForm{vector_kind("flat"), IdKind::kTexts, Metric::kInnerProduct, Store::kFloat},
        ChangedForm{vector_kind("ivf-flat"), IdKind::kRows, Metric::kCosine, Store::kFloat},
        ChangedForm{vector_kind("ivf-flat"), IdKind::kNumbers, Metric::kL2, Store::kFloat},
        ChangedForm{vector_kind("ivf-flat"), IdKind::kTexts, Metric::kInnerProduct, Store::kHalf},
        ChangedForm{vector_kind("ivf-pq"), IdKind::kNumbers, Metric::kL2, Store::kFloat},
        ChangedForm{vector_kind("ivf-pq"), IdKind::kRows, Metric::kInnerProduct, Store::kFloat},
        ChangedForm{vector_kind("xfbq"), IdKind::kTexts, Metric::kL2, Store::kHalf},
        ChangedForm{vector_kind("xfbq"), IdKind::kRows, Metric::kCosine, Store::kFloat},
        ChangedForm{vector_kind("ivf-xfbq"), IdKind::kTexts, Metric::kL2, Store::kFloat},
        ChangedForm{vector_kind("ivf-xfbq"), IdKind::kRows, Metric::kCosine, Store::kHalf},
        ChangedForm{vector_kind("sq8"), IdKind::kTexts, Metric::kL2, Store::kHalf},
        ChangedForm{vector_kind("sq8"), IdKind::kRows, Metric::kCosine, Store::kFloat},
        ChangedForm{vector_kind("ivf-sq8"), IdKind::kNumbers, Metric::kL2, Store::kFloat},
        ChangedForm{vector_kind("ivf-sq8"), IdKind::kRows, Metric::kInnerProduct, Store::kHalf}),
    changed_form_name);

TEST(VectorIndexSnapshots, ReadersKeepWhatTheyOpened) {
  const test::TemporaryFolder folder(test::place_in_memory());
  Checked checked(folder / "index", {.metric = Metric::kL2, .dimension = kChangedDimension},
                  IdKind::kNumbers, 902);
  std::vector<std::pair<VectorIndex, std::vector<Entry>>> opened;
  for (int i = 0; i < 12; ++i) {
    opened.emplace_back(VectorIndex::open(folder / "index"), checked.entries());
    if (i % 4 == 3) checked.merge();
    checked.update(5, 4);
    checked.remove(3, 0);
  }
  for (const auto& [index, entries] : opened) checked.expect_right(index, entries, 0);
}

}  // namespace
}  // namespace warpdex::vector
