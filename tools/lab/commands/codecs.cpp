// warpdex-lab codecs: every codec on an index's own lists, as Ding et al. compare them: sizes
// (Figure 3), decode rates (Table 1) and rates by list length (Figure 4).
#include <iostream>

#include "collections/codec_comparison.hpp"
#include "commands/commands.hpp"
#include "options/options.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/plot.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/core/cpu_features.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Encodes the lists of an index with every codec, and with pfor for 0 to 4 levels of "
    "recursion.\n"
    "Reports bits per docID and per frequency, and decoding rates, by the lengths of lists.";

constexpr const char* kNotes =
    "Sizes are those of the payloads, with the width that each list (rice, pfor) or block (the\n"
    "others) stores. Block metadata is the same for all codecs; 'warpdex stats' shows it. Lists "
    "of\n"
    "one posting are left out, since the lexicon holds them. Rates are those of one thread by its\n"
    "processor time, with warm caches: blocks are decoded one by one into a buffer, and gaps are\n"
    "added up to docIDs. Each is the median of 7 timed units of passes. If a class has more "
    "postings\n"
    "than --postings, every n-th list of it is measured.";

struct Arguments {
  std::string index;
  std::int64_t postings = 4'000'000;
  std::int64_t threads = 0;
  bool no_bit_sets = false;
  std::string json;
  std::string plot;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()(
      "postings", po::value(&given.postings)->value_name("N")->default_value(given.postings),
      "postings to measure with, for each class of list lengths (at least one list)")(
      "no-bit-sets", po::bool_switch(&given.no_bit_sets),
      "encode dense blocks with the codec, too, as in the paper")(
      "threads", po::value(&given.threads)->value_name("N")->default_value(given.threads),
      "threads to encode with; 0: all. Decoding is measured on one thread")(
      "plot", output_value(&given.plot)->value_name("FILE.svg"),
      "also draw sizes and rates there. Default: none");
  add_json_option(group, "figures", &given.json);
  command.add(group);
}

void print_sizes(const Comparison& comparison, std::ostream& out) {
  Table table({{"all lists of 2 postings and more", Table::Align::kLeft},
               {"bits per docID"},
               {"bits per frequency"},
               {"docIDs, M/s"},
               {"frequencies, M/s"}});
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    const CodecFigures& figures = comparison.overall[i];
    table.add({comparison.variants[i].name, fixed(figures.docid_bits, 3),
               fixed(figures.frequency_bits, 3), fixed(figures.docid_rate, 0),
               fixed(figures.frequency_rate, 0)});
  }
  table.print(out);
}

/// One figure of all codecs and classes.
void print_by_class(const Comparison& comparison, const std::string& title,
                    double CodecFigures::*figure, int decimals, std::ostream& out) {
  out << "\n";
  std::vector<Table::Column> columns{{title, Table::Align::kLeft}};
  for (const ComparedClass& one : comparison.classes) columns.push_back({one.name});
  Table table(columns);
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    std::vector<std::string> row{comparison.variants[i].name};
    for (const ComparedClass& one : comparison.classes) {
      row.push_back(fixed(one.figures[i].*figure, decimals));
    }
    table.add(row);
  }
  table.print(out);
}

void print_classes(const Comparison& comparison, std::ostream& out) {
  out << "\n";
  Table table({{"postings in a list", Table::Align::kLeft},
               {"lists"},
               {"postings"},
               {"measured lists"},
               {"measured postings"}});
  for (const ComparedClass& one : comparison.classes) {
    table.add({one.name, grouped(one.lists), grouped(one.postings), grouped(one.sampled_lists),
               grouped(one.sampled_postings)});
  }
  table.print(out);
}

void print(const Comparison& comparison, const Arguments& given, std::ostream& out) {
  out << given.index << ", " << isa_name(isa()) << ", dense blocks "
      << (given.no_bit_sets ? "by the codec" : "as bit sets") << "\n\n";
  print_sizes(comparison, out);
  print_by_class(comparison, "bits per docID by list length", &CodecFigures::docid_bits, 3, out);
  print_by_class(comparison, "bits per frequency", &CodecFigures::frequency_bits, 3, out);
  print_by_class(comparison, "docIDs decoded, M/s", &CodecFigures::docid_rate, 0, out);
  print_by_class(comparison, "frequencies decoded, M/s", &CodecFigures::frequency_rate, 0, out);
  print_classes(comparison, out);
}

void write_figures(const CodecFigures& figures, JsonWriter& json) {
  json.member("bits_per_docid", figures.docid_bits);
  json.member("bits_per_frequency", figures.frequency_bits);
  json.member("docids_per_second", figures.docid_rate * 1e6);
  json.member("frequencies_per_second", figures.frequency_rate * 1e6);
}

std::string to_json(const Comparison& comparison, const Arguments& given) {
  JsonWriter json;
  json.begin_object();
  json.member("index", given.index);
  json.member("isa", isa_name(isa()));
  json.member("bit_sets", !given.no_bit_sets);
  json.begin_array("classes");
  for (const ComparedClass& one : comparison.classes) {
    json.begin_object();
    json.member("postings_in_list", one.name);
    json.member("lists", one.lists);
    json.member("postings", one.postings);
    json.member("measured_lists", one.sampled_lists);
    json.member("measured_postings", one.sampled_postings);
    json.end_object();
  }
  json.end_array();
  json.begin_array("codecs");
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    const CodecVariant& variant = comparison.variants[i];
    json.begin_object();
    json.member("codec", codec_name(variant.settings.kind));
    if (variant.settings.kind == CodecKind::kPfor) {
      json.member("pfor_levels", std::uint64_t{variant.settings.pfor_levels});
    }
    write_figures(comparison.overall[i], json);
    json.begin_object("by_list_length");
    for (const ComparedClass& one : comparison.classes) {
      json.begin_object(one.name);
      write_figures(one.figures[i], json);
      json.end_object();
    }
    json.end_object();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

std::string draw(const Comparison& comparison) {
  PlotPanel sizes;
  sizes.kind = PlotPanel::Kind::kStackedBars;
  sizes.title = "Size, all lists of 2 postings and more";
  sizes.x_label = "codec";
  sizes.y_label = "bits per posting";
  sizes.series = {{"docIDs", {}}, {"frequencies", {}}};
  PlotPanel rates;
  rates.title = "Decode rate of docIDs, one thread";
  rates.x_label = "postings in a list";
  rates.y_label = "million docIDs per second";
  for (const ComparedClass& one : comparison.classes) rates.categories.push_back(one.name);
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    sizes.categories.push_back(comparison.variants[i].name);
    sizes.series[0].values.push_back(comparison.overall[i].docid_bits);
    sizes.series[1].values.push_back(comparison.overall[i].frequency_bits);
    PlotSeries series{comparison.variants[i].name, {}};
    for (const ComparedClass& one : comparison.classes) {
      series.values.push_back(one.figures[i].docid_rate);
    }
    rates.series.push_back(std::move(series));
  }
  return to_svg({sizes, rates});
}

}  // namespace

int run_codecs(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("codecs", "INDEX [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  check_shared_stream("standard output", {{"--json", given.json}, {"--plot", given.plot}});
  ComparisonSettings settings;
  settings.postings_per_class = checked_number("--postings", given.postings, 1);
  settings.bit_sets = !given.no_bit_sets;
  settings.threads = checked_threads(given.threads);
  const Index index = Index::open(given.index);
  Progress progress = Progress::to_standard_error();
  const Comparison comparison = compare_codecs(index, settings, [&](const std::string& step) {
    progress.update("measuring", step, 0, 0, Progress::Unit::kSteps);
  });
  progress.clear();
  if (given.json != "-") print(comparison, given, std::cout);
  if (!given.json.empty()) write_output(given.json, to_json(comparison, given));
  if (!given.plot.empty()) write_output(given.plot, draw(comparison));
  return 0;
}

}  // namespace warpdex::tools
