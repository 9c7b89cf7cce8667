// Reads each used list once, then answers every query as AND with an exact count.
#include "collections/collection_figures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>

#include "warpdex/core/parallel.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"

namespace warpdex::tools {
namespace {

/// A list that queries use.
struct UsedList {
  PostingsEntry entry;
  double uses = 0;
};

/// Sums over one list's or many lists' postings.
struct Sums {
  double uses = 0;
  double postings = 0;
  double gap_bits = 0;
  double random_bits = 0;
  double frequency_bits = 0;
  double occurrences = 0;
  std::array<double, kFrequencyRanges.size()> ranges{};
  double blocks = 0;
  double dense_blocks = 0;

  void add(const Sums& other, double times) {
    uses += times;
    postings += times * other.postings;
    gap_bits += times * other.gap_bits;
    random_bits += times * other.random_bits;
    frequency_bits += times * other.frequency_bits;
    occurrences += times * other.occurrences;
    for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i] += times * other.ranges[i];
    blocks += times * other.blocks;
    dense_blocks += times * other.dense_blocks;
  }

  ListFigures figures() const {
    const auto per = [](double sum, double count) { return count == 0 ? 0 : sum / count; };
    ListFigures result;
    result.uses = uses;
    result.postings = postings;
    result.gap_bits = per(gap_bits, postings);
    result.random_bits = per(random_bits, postings);
    result.frequency_bits = per(frequency_bits, postings);
    result.mean_frequency = per(occurrences, postings);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      result.frequency_shares[i] = per(ranges[i], postings);
    }
    result.dense_blocks = per(dense_blocks, blocks);
    return result;
  }
};

/// Bits of an ideal code for values counted in `histogram`, all together.
template <class Histogram>
double ideal_bits(const Histogram& histogram, double total) {
  double bits = 0;
  for (const std::uint32_t count : histogram) {
    if (count > 0) bits += count * std::log2(total / count);
  }
  return bits;
}

/// The entropy of which documents are in a list, if all sets of that size were alike.
double random_bits(double postings, double documents) {
  const double rest = documents - postings;
  const double bits = postings * std::log2(documents / postings);
  return rest <= 0 ? bits : bits + rest * std::log2(documents / rest);
}

void add_gaps(const std::vector<std::uint32_t>& docids, Sums& sums) {
  std::array<std::uint32_t, 33> widths{};
  std::uint32_t next = 0;
  for (const std::uint32_t document : docids) {
    const int width = std::bit_width(document - next + 1);  // of the gap from 1 on
    ++widths[width];
    sums.gap_bits += width - 1;
    next = document + 1;
  }
  sums.gap_bits += ideal_bits(widths, static_cast<double>(docids.size()));
  for (std::size_t end = kBlockSize; end <= docids.size(); end += kBlockSize) {
    sums.blocks += 1;
    sums.dense_blocks += docids[end - 1] - docids[end - kBlockSize] < kDenseSpan ? 1 : 0;
  }
}

void add_frequencies(const std::vector<std::uint32_t>& frequencies, Sums& sums) {
  std::array<std::uint32_t, 256> counts{};
  for (const std::uint32_t frequency : frequencies) {
    ++counts[std::min<std::uint32_t>(frequency, counts.size() - 1)];
    sums.occurrences += frequency;
    ++sums.ranges[std::min<std::size_t>(std::bit_width(frequency - 1), sums.ranges.size() - 1)];
  }
  sums.frequency_bits += ideal_bits(counts, static_cast<double>(frequencies.size()));
}

Sums measure_list(const Index& index, const PostingsEntry& entry) {
  const Postings postings = read_postings(index, entry);
  Sums sums;
  sums.postings = static_cast<double>(postings.docids.size());
  sums.random_bits = random_bits(sums.postings, static_cast<double>(index.counts().documents));
  add_gaps(postings.docids, sums);
  add_frequencies(postings.frequencies, sums);
  return sums;
}

std::size_t density_class(double density) {
  std::size_t found = 0;
  while (density < kDensityClasses[found].min) ++found;
  return found;
}

template <class Value>
std::array<double, kPercentiles.size()> percentiles(std::vector<Value> values) {
  std::array<double, kPercentiles.size()> result{};
  if (values.empty()) return result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t place = (values.size() - 1) * kPercentiles[i] / 100;
    std::nth_element(values.begin(), values.begin() + place, values.end());
    result[i] = static_cast<double>(values[place]);
  }
  return result;
}

double median(const std::vector<double>& values) { return percentiles(values)[3]; }

/// The distinct terms of a query, and what the index has of them.
struct QueryLists {
  std::vector<std::string> terms;
  std::vector<std::uint32_t> document_frequencies;  ///< of the known ones
  double postings() const {
    double sum = 0;
    for (const std::uint32_t df : document_frequencies) sum += df;
    return sum;
  }
};

class CollectionMeasurement {
 public:
  CollectionMeasurement(const Index& index, const std::vector<Query>& queries, std::size_t threads)
      : index_(index), queries_(queries), threads_(threads) {}

  CollectionFigures take() {
    figures_.documents = static_cast<double>(index_.counts().documents);
    figures_.queries = static_cast<double>(queries_.size());
    if (figures_.documents == 0 || queries_.empty()) return figures_;
    figures_.mean_length = static_cast<double>(index_.counts().tokens) / figures_.documents;
    const std::span<const std::uint32_t> lengths = index_.lengths();
    figures_.lengths = percentiles(std::vector<std::uint32_t>(lengths.begin(), lengths.end()));
    look_up();
    measure_lists();
    measure_log();
    measure_matches();
    return figures_;
  }

 private:
  void look_up() {
    for (const Query& query : queries_) {
      QueryLists& own = lists_of_query_.emplace_back();
      for (const QueryTerm& term : query.terms) own.terms.push_back(term.term);
      std::sort(own.terms.begin(), own.terms.end());
      own.terms.erase(std::unique(own.terms.begin(), own.terms.end()), own.terms.end());
      for (const std::string& term : own.terms) {
        const auto entry = index_.find(term);
        UsedList& list = lists_[term];
        list.uses += 1;
        if (!entry) continue;
        list.entry = *entry;
        own.document_frequencies.push_back(entry->document_frequency);
      }
    }
  }

  void measure_lists() {
    std::vector<const UsedList*> lists;
    for (const auto& [term, list] : lists_) {
      if (list.entry.document_frequency > 0) lists.push_back(&list);
    }
    std::vector<Sums> measured(lists.size());
    parallel_for(threads_, lists.size(), [&](std::size_t, std::size_t i) {
      measured[i] = measure_list(index_, lists[i]->entry);
    });
    std::array<Sums, kDensityClasses.size()> classes;
    Sums all;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const double density = lists[i]->entry.document_frequency / figures_.documents;
      classes[density_class(density)].add(measured[i], lists[i]->uses);
      all.add(measured[i], lists[i]->uses);
    }
    for (std::size_t i = 0; i < classes.size(); ++i) figures_.classes[i] = classes[i].figures();
    figures_.all = all.figures();
  }

  void measure_log() {
    double terms = 0;
    double unknown = 0;
    std::vector<double> postings;
    for (const QueryLists& query : lists_of_query_) {
      terms += static_cast<double>(query.terms.size());
      unknown += static_cast<double>(query.terms.size() - query.document_frequencies.size());
      figures_.term_counts[std::min(query.terms.size(), kTermCounts - 1)] += 1 / figures_.queries;
      postings.push_back(query.postings() / figures_.documents);
      figures_.mean_postings += postings.back() / figures_.queries;
    }
    if (terms > 0) {
      figures_.distinct_terms = static_cast<double>(lists_.size()) / terms;
      figures_.unknown_terms = unknown / terms;
    }
    figures_.postings = percentiles(std::move(postings));
  }

  void measure_matches() {
    SearchSettings settings;
    settings.mode = QueryMode::kAnd;
    settings.k = 1;
    settings.count = true;
    std::vector<PlannedQuery> plans;
    for (const Query& query : queries_) plans.push_back(plan_query(index_, query));
    CpuEngine engine(index_, {.threads = threads_});
    const BatchAnswers results = engine.run(plans, settings);
    std::array<std::vector<double>, kTermCounts> ratios;
    std::vector<double> all_ratios;
    for (std::size_t i = 0; i < queries_.size(); ++i) {
      const auto matches = static_cast<double>(results[i].matches);
      figures_.nonempty_ands += (matches > 0 ? 1 : 0) / figures_.queries;
      figures_.mean_matches += matches / figures_.documents / figures_.queries;
      const QueryLists& query = lists_of_query_[i];
      if (query.terms.size() < 2 || query.document_frequencies.size() < query.terms.size())
        continue;
      double expected = figures_.documents;
      for (const std::uint32_t df : query.document_frequencies) expected *= df / figures_.documents;
      if (expected < 1) continue;
      ratios[std::min(query.terms.size(), kTermCounts - 1)].push_back(matches / expected);
      all_ratios.push_back(matches / expected);
    }
    figures_.co_occurrence_of_2 = median(ratios[2]);
    figures_.co_occurrence_of_3 = median(ratios[3]);
    figures_.co_occurrence = median(all_ratios);
  }

  const Index& index_;
  const std::vector<Query>& queries_;
  std::size_t threads_;
  CollectionFigures figures_;
  std::map<std::string, UsedList> lists_;
  std::vector<QueryLists> lists_of_query_;
};

}  // namespace

CollectionFigures measure_collection(const Index& index, const std::vector<Query>& queries,
                                     std::size_t threads) {
  return CollectionMeasurement(index, queries, threads).take();
}

}  // namespace warpdex::tools
