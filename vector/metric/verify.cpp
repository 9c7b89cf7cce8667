// Checks what opening a permutation index does not.
#include <algorithm>
#include <cmath>

#include "metric/spaces.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/check_sections.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/vector/metric/metric_index.hpp"

namespace warpdex::metric {
namespace {

template <class Rank>
void check_ranks(const Permutations& permutations) {
  std::vector<std::size_t> seen_by(permutations.permutants);
  for (std::size_t i = 0; i < permutations.objects; ++i) {
    const Rank* const row =
        static_cast<const Rank*>(permutations.ranks) + i * rank_stride(permutations.permutants);
    for (std::size_t p = 0; p < rank_stride(permutations.permutants); ++p) {
      const std::size_t rank = row[p];
      const bool is_right = p < permutations.permutants
                                ? rank < permutations.permutants && seen_by[rank] != i + 1
                                : rank == 0;
      if (!is_right) {
        throw FormatError("the ranks of object " + std::to_string(i) + " are no permutation");
      }
      if (p < permutations.permutants) seen_by[rank] = i + 1;
    }
  }
}

void check_objects(const ObjectsView& objects) {
  if (!std::all_of(objects.vectors.begin(), objects.vectors.end(),
                   [](float value) { return std::isfinite(value); })) {
    throw FormatError("a vector has a component that is not finite");
  }
  for (std::size_t i = 0; i < objects.texts.size(); ++i) {
    const std::string_view text = objects.texts.text(i);
    const ObjectSettings& settings = objects.settings;
    const std::string name = "text " + std::to_string(i);
    if (settings.distance == DistanceKind::kHamming &&
        text.size() != objects.texts.text(0).size()) {
      throw FormatError(name + " has another length than the first");
    }
    if (settings.unit == TextUnit::kCodePoints && !is_utf8(text)) {
      throw FormatError(name + " is not UTF-8");
    }
    if (settings.distance != DistanceKind::kJaccard) continue;
    const std::vector<std::string_view> words = words_of(text);
    const std::uint64_t begin = objects.set_begins[i];
    const auto numbers = objects.set_words.subspan(begin, objects.set_begins[i + 1] - begin);
    if (!std::equal(words.begin(), words.end(), numbers.begin(), numbers.end(),
                    [&](std::string_view word, std::uint32_t number) {
                      return number < objects.words.size() && objects.words.text(number) == word;
                    })) {
      throw FormatError("the set of " + name + " is not that of its words");
    }
  }
  for (std::size_t i = 1; i < objects.words.size(); ++i) {
    if (objects.words.text(i - 1) >= objects.words.text(i)) {
      throw FormatError("the words do not ascend");
    }
  }
}

}  // namespace

MetricVerifyReport verify_metric(const std::filesystem::path& folder,
                                 const std::function<void(double)>& progress) {
  MetricVerifyReport report;
  try {
    const MetricIndex index = MetricIndex::open(folder);
    check_sections(index, report, progress);
    report.objects = index.objects().objects;
    if (!report.ok()) return report;
    if (rank_bytes(index.permutants().size()) == 1) {
      check_ranks<std::uint8_t>(index.permutations());
    } else {
      check_ranks<std::uint16_t>(index.permutations());
    }
    check_objects(index.objects());
    if (progress) progress(1);
  } catch (const FormatError& error) {
    report.problems.emplace_back(error.what());
  }
  return report;
}

void check_before_upload(const MetricIndex& index) {
  warpdex::check_before_upload(index, [](std::string_view) { return true; });
}

bool is_metric_index(const std::filesystem::path& folder) {
  return is_of_kind(folder, kMetricKind);
}

}  // namespace warpdex::metric
