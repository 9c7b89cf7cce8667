// Tables of figures, each row a figure, and each column a collection.
#include "collections/collection_report.hpp"

#include <vector>

#include "output/table.hpp"
#include "output/text.hpp"

namespace warpdex::tools {
namespace {

std::string percent(double share, int decimals = 1) { return fixed(100 * share, decimals) + " %"; }

/// Rows of one figure of both collections.
class Rows {
 public:
  Rows(const std::string& title, const NamedFigures& own, const NamedFigures& other)
      : own_(own.figures),
        other_(other.figures),
        table_({{title, Table::Align::kLeft}, {own.name}, {other.name}}) {}

  template <class Text>
  void add(const std::string& name, const Text& text) {
    table_.add({name, text(own_), text(other_)});
  }
  void print(std::ostream& out) const { table_.print(out); }

 private:
  const CollectionFigures& own_;
  const CollectionFigures& other_;
  Table table_;
};

void print_collections(const NamedFigures& own, const NamedFigures& other, std::ostream& out) {
  Rows rows("documents and queries", own, other);
  using Figures = CollectionFigures;
  const auto whole = [](double number) { return grouped(static_cast<std::uint64_t>(number)); };
  rows.add("documents", [&](const Figures& f) { return whole(f.documents); });
  rows.add("mean length", [](const Figures& f) { return fixed(f.mean_length, 1); });
  for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
    rows.add("length, percentile " + std::to_string(kPercentiles[i]),
             [&](const Figures& f) { return whole(f.lengths[i]); });
  }
  rows.add("queries", [&](const Figures& f) { return whole(f.queries); });
  rows.add("distinct among terms", [](const Figures& f) { return percent(f.distinct_terms); });
  rows.add("unknown terms", [](const Figures& f) { return percent(f.unknown_terms); });
  for (std::size_t i = 0; i < kTermCounts; ++i) {
    const std::string more = i + 1 == kTermCounts ? " and more" : "";
    rows.add("queries of " + std::to_string(i) + more + " terms",
             [&](const Figures& f) { return percent(f.term_counts[i]); });
  }
  rows.add("postings a query over documents, mean",
           [](const Figures& f) { return fixed(f.mean_postings, 4); });
  for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
    rows.add("percentile " + std::to_string(kPercentiles[i]),
             [&](const Figures& f) { return fixed(f.postings[i], 4); });
  }
  rows.add("ANDs that match", [](const Figures& f) { return percent(f.nonempty_ands); });
  rows.add("matches of AND over documents, mean",
           [](const Figures& f) { return fixed(f.mean_matches, 5); });
  rows.add("matches over those by chance, 2 terms",
           [](const Figures& f) { return fixed(f.co_occurrence_of_2, 2); });
  rows.add("3 terms", [](const Figures& f) { return fixed(f.co_occurrence_of_3, 2); });
  rows.add("2 and more terms", [](const Figures& f) { return fixed(f.co_occurrence, 2); });
  rows.print(out);
}

/// Both collections' figures of each class of lists.
template <class Text>
void print_by_class(const std::string& title, const NamedFigures& own, const NamedFigures& other,
                    const Text& text, std::ostream& out) {
  std::vector<Table::Column> columns{{title, Table::Align::kLeft}};
  for (const DensityClass& one : kDensityClasses) columns.push_back({one.name});
  columns.push_back({"all"});
  Table table(columns);
  for (const NamedFigures* collection : {&own, &other}) {
    std::vector<std::string> row{collection->name};
    for (const ListFigures& lists : collection->figures.classes) {
      row.push_back(lists.postings == 0 ? "-" : text(lists));
    }
    row.push_back(text(collection->figures.all));
    table.add(row);
  }
  out << "\n";
  table.print(out);
}

void print_frequencies(const NamedFigures& own, const NamedFigures& other, std::ostream& out) {
  for (std::size_t i = 0; i < kFrequencyRanges.size(); ++i) {
    print_by_class(
        std::string("frequency ") + kFrequencyRanges[i], own, other,
        [&](const ListFigures& f) { return percent(f.frequency_shares[i]); }, out);
  }
}

template <std::size_t kCount>
void write_percentiles(std::string_view name, const std::array<double, kCount>& values,
                       JsonWriter& json) {
  json.begin_object(name);
  for (std::size_t i = 0; i < kCount; ++i) {
    json.member("p" + std::to_string(kPercentiles[i]), values[i]);
  }
  json.end_object();
}

/// A count, which the figures hold as a double.
void write_count(std::string_view name, double count, JsonWriter& json) {
  json.member(name, static_cast<std::uint64_t>(count));
}

void write_lists(std::string_view name, const ListFigures& lists, JsonWriter& json) {
  json.begin_object(name);
  write_count("uses", lists.uses, json);
  write_count("postings", lists.postings, json);
  json.member("gap_bits", lists.gap_bits);
  json.member("random_bits", lists.random_bits);
  json.member("dense_blocks", lists.dense_blocks);
  json.member("frequency_bits", lists.frequency_bits);
  json.member("mean_frequency", lists.mean_frequency);
  json.begin_object("frequency_shares");
  for (std::size_t i = 0; i < kFrequencyRanges.size(); ++i) {
    json.member(kFrequencyRanges[i], lists.frequency_shares[i]);
  }
  json.end_object();
  json.end_object();
}

}  // namespace

void print_comparison(const NamedFigures& own, const NamedFigures& other, std::ostream& out) {
  print_collections(own, other, out);
  out << "\nlists by the share of the documents that they hold, weighed as queries use them\n";
  const auto both = [&](const std::string& title, const auto& text) {
    print_by_class(title, own, other, text, out);
  };
  both("lists used by queries",
       [&](const ListFigures& f) { return grouped(static_cast<std::uint64_t>(f.uses)); });
  both("bits a gap", [](const ListFigures& f) { return fixed(f.gap_bits, 2); });
  both("of those of random docIDs", [](const ListFigures& f) {
    return percent(f.random_bits == 0 ? 0 : f.gap_bits / f.random_bits, 0);
  });
  both("dense blocks", [](const ListFigures& f) { return percent(f.dense_blocks); });
  both("bits a frequency", [](const ListFigures& f) { return fixed(f.frequency_bits, 2); });
  both("mean frequency", [](const ListFigures& f) { return fixed(f.mean_frequency, 2); });
  print_frequencies(own, other, out);
}

void write_figures(std::string_view name, const CollectionFigures& figures, JsonWriter& json) {
  json.begin_object(name);
  write_count("documents", figures.documents, json);
  json.member("mean_length", figures.mean_length);
  write_percentiles("lengths", figures.lengths, json);
  json.begin_object("lists");
  for (std::size_t i = 0; i < kDensityClasses.size(); ++i) {
    write_lists(kDensityClasses[i].name, figures.classes[i], json);
  }
  write_lists("all", figures.all, json);
  json.end_object();
  write_count("queries", figures.queries, json);
  json.member("distinct_terms", figures.distinct_terms);
  json.member("unknown_terms", figures.unknown_terms);
  json.begin_object("term_counts");
  for (std::size_t i = 0; i < kTermCounts; ++i) {
    json.member(std::to_string(i), figures.term_counts[i]);
  }
  json.end_object();
  json.member("mean_postings", figures.mean_postings);
  write_percentiles("postings", figures.postings, json);
  json.member("nonempty_ands", figures.nonempty_ands);
  json.member("mean_matches", figures.mean_matches);
  json.member("co_occurrence_of_2", figures.co_occurrence_of_2);
  json.member("co_occurrence_of_3", figures.co_occurrence_of_3);
  json.member("co_occurrence", figures.co_occurrence);
  json.end_object();
}

}  // namespace warpdex::tools
