// Runs, qrels, names of measures, and evaluation. The input is a line of measures, a run, a line
// "--", and qrels.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/evaluation/evaluation.hpp"
#include "warpdex/query/evaluation/trec_run.hpp"

namespace warpdex::fuzz {
namespace {

/// Cuts `text` before and after the first `separator`; all of it stands before where there is none.
std::string_view cut(std::string_view& text, std::string_view separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view before = text.substr(0, end);
  text.remove_prefix(std::min(end + separator.size(), text.size()));
  return before;
}

/// What `read` reads of a file of these bytes; nothing if it is refused.
template <class Read>
auto read_bytes(std::string_view bytes, const Read& read) {
  const std::filesystem::path file = write_file(work_folder() / "lines", bytes);
  std::optional<decltype(read(file))> result;
  try {
    result = read(file);
  } catch (const InputError& error) {
    require(std::string_view(error.what()).find(file.string()) != std::string_view::npos,
            "the message of a file that cannot be read names it");
  }
  return result;
}

/// The run as Warpdex writes it: scores become floats.
std::string written(const TrecRun& run) {
  std::ostringstream out;
  TrecRunWriter writer(out, run.tag.empty() ? "empty" : run.tag);
  for (const RunQuery& query : run.queries) {
    std::vector<NamedHit> hits;
    for (const RunDocument& document : query.documents) {
      hits.push_back({document.name, static_cast<float>(document.score)});
    }
    writer.write({.id = query.id, .hits = hits});
  }
  writer.finish();
  return out.str();
}

bool is_same(const RunDocument& a, const RunDocument& b) {
  return a.name == b.name && static_cast<float>(a.score) == static_cast<float>(b.score);
}

void check_round_trip(const TrecRun& run) {
  // Byte order marks at the start of a line are dropped: no id begins with one then.
  const auto begins_with_mark = [](const RunQuery& one) {
    return one.id.starts_with("\xEF\xBB\xBF");
  };
  if (std::any_of(run.queries.begin(), run.queries.end(), begins_with_mark)) return;
  // A blank line first: an id may start as packed files do.
  const std::optional<TrecRun> again = read_bytes("\n" + written(run), read_run);
  require(again.has_value() && again->queries.size() == run.queries.size(),
          "a run that is written is read again");
  for (std::size_t i = 0; i < run.queries.size(); ++i) {
    const RunQuery& before = run.queries[i];
    const RunQuery& after = again->queries[i];
    require(before.id == after.id &&
                std::equal(before.documents.begin(), before.documents.end(),
                           after.documents.begin(), after.documents.end(), is_same),
            "a run that is written and read holds the same queries");
  }
}

std::vector<Measure> read_measures(std::string_view list) {
  try {
    const std::vector<Measure> measures = measures_from_names(list);
    for (const Measure& measure : measures) {
      require(measure_from_name(measure.name()) == measure, "a measure's name names it");
    }
    return measures;
  } catch (const UsageError&) {
    return official_measures();
  }
}

void check_evaluation(const TrecRun& run, const Qrels& qrels, const std::vector<Measure>& measures,
                      const EvaluationOptions& options) {
  try {
    const Evaluation evaluation = evaluate(run, qrels, measures, options);
    for (std::size_t i = 0; i < measures.size(); ++i) {
      for (const QueryEvaluation& query : evaluation.queries) {
        const double value = query.values[i];
        require(value >= 0 && (measure_is_count(measures[i]) || value <= 1.0 + 1e-9),
                "a measure is from 0 to 1, or a number of documents");
      }
      require(std::isfinite(evaluation.summary[i]), "a measure's summary is a number");
    }
    std::ostringstream out;
    write_evaluation(out, evaluation, true);
  } catch (const InputError&) {  // no query is judged
  }
}

void run(std::string_view input) {
  const std::vector<Measure> measures = read_measures(cut(input, "\n"));
  const std::optional<TrecRun> run = read_bytes(cut(input, "--\n"), read_run);
  const std::optional<Qrels> qrels = read_bytes(input, read_qrels);
  if (run) check_round_trip(*run);
  if (!run || !qrels) return;
  check_evaluation(*run, *qrels, measures, {});
  check_evaluation(*run, *qrels, measures, {.all_judged_queries = true, .relevance_level = 2});
}

}  // namespace
}  // namespace warpdex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpdex::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
