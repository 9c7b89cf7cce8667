#include "options.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "worker.hpp"

namespace warpdex::python {
namespace {

constexpr double kForever = 1e9;  ///< seconds

[[noreturn]] void fail_type(std::string_view what, const char* wanted, nb::handle value) {
  throw nb::type_error(
      (std::string(what) + " must be " + wanted + ", not " + name_of_type(value)).c_str());
}

std::chrono::microseconds duration_of(nb::handle seconds) {
  if (seconds.is_none()) return std::chrono::microseconds::max();
  const double given = number_of(seconds, "timeout");
  if (!(given >= 0)) throw UsageError("the timeout is negative; give seconds of 0 or more");
  if (given > kForever) return std::chrono::microseconds::max();
  return std::chrono::microseconds(std::llround(given * 1e6));
}

/// The settings of scorers, numbers first.
std::vector<Keywords::Known> scorer_keywords(ScorerSettings& settings) {
  std::vector<Keywords::Known> known;
  for (const ScorerOption& option : scorer_options()) {
    if (option.number == nullptr) continue;
    known.emplace_back(option.name, [&settings, &option](nb::handle value) {
      settings.*option.number = static_cast<float>(number_of(value, option.name));
    });
  }
  known.emplace_back("bm25_form", [&settings](nb::handle value) {
    settings.form = bm25_form_from_name(text_of(value, "bm25_form"));
  });
  return known;
}

}  // namespace

std::vector<Gpu> open_gpus(const std::vector<int>& numbers, std::uint64_t memory) {
  std::map<int, Gpu> by_number;
  std::vector<Gpu> gpus;
  for (const int number : numbers) {
    gpus.push_back(by_number.try_emplace(number, number, memory).first->second);
  }
  return gpus;
}

void Keywords::read(std::span<const Known> known) const {
  for (const auto [key, value] : given_) {
    const std::string_view name = text_of(key, "the name of an argument");
    const auto found = std::ranges::find(known, name, &Known::first);
    if (found == known.end()) {
      std::string names;
      for (const auto& each : known) (names += names.empty() ? "" : ", ") += each.first;
      throw nb::type_error(
          ("there is no option '" + std::string(name) + "'; there are " + names).c_str());
    }
    found->second(value);
  }
}

bool flag_of(nb::handle value, std::string_view what) {
  if (!PyBool_Check(value.ptr())) fail_type(what, "True or False", value);
  return value.ptr() == Py_True;
}

double number_of(nb::handle value, std::string_view what) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number != -1 || PyErr_Occurred() == nullptr) return number;
  PyErr_Clear();
  fail_type(what, "a number", value);
}

std::uint64_t whole_of(nb::handle value, std::string_view what, std::uint64_t least,
                       std::uint64_t most) {
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index) {
    PyErr_Clear();
    fail_type(what, "an int", value);
  }
  const std::uint64_t number = PyLong_AsUnsignedLongLong(index.ptr());
  const bool is_out = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (!is_out && number >= least && number <= most) return number;
  throw UsageError(std::string(what) + " is " + nb::cast<std::string>(nb::str(value)) +
                   "; give a whole number " +
                   (most == ~std::uint64_t{0}
                        ? "of " + std::to_string(least) + " or more"
                        : "from " + std::to_string(least) + " to " + std::to_string(most)));
}

SearchOptions search_options(std::uint64_t k, const nb::dict& keywords) {
  SearchOptions options;
  options.k = static_cast<std::uint32_t>(k);
  options.fusion.depth = std::max(options.fusion.depth, options.k);
  if (keywords.size() == 0) return options;
  const auto real = [](float& into, const char* what) {
    return [&into, what](nb::handle value) { into = static_cast<float>(number_of(value, what)); };
  };
  const auto flag = [](bool& into, const char* what) {
    return [&into, what](nb::handle value) { into = flag_of(value, what); };
  };
  const auto text = [](std::string& into, const char* what) {
    return [&into, what](nb::handle value) { into = text_of(value, what); };
  };
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  std::vector<Keywords::Known> known{
      {"mode", [&](auto v) { options.mode = query_mode_from_name(text_of(v, "mode")); }},
      {"and_or_min",
       [&](auto v) {
         options.and_or_min = static_cast<std::uint32_t>(whole_of(v, "and_or_min", 1, kMost));
       }},
      {"syntax", [&](auto v) { options.syntax = query_syntax_from_name(text_of(v, "syntax")); }},
      {"scorer", [&](auto v) { options.scorer.kind = scorer_from_name(text_of(v, "scorer")); }},
      {"fusion", [&](auto v) { options.fusion.fusion = fusion_from_name(text_of(v, "fusion")); }},
      {"weight", real(options.fusion.weight, "weight")},
      {"depth",
       [&](auto v) {
         options.fusion.depth = static_cast<std::uint32_t>(whole_of(v, "depth", 1, kMost));
       }},
      {"vector_field", text(options.vector_field, "vector_field")},
      {"probes", [&](auto v) { options.fusion.probes = whole_of(v, "probes", 1); }},
      {"refine", [&](auto v) { options.fusion.refine = whole_of(v, "refine"); }},
      {"filter", text(options.filter, "filter")},
      {"query_fields",
       [&](auto v) {
         options.searched.fields = parse_searched_fields(text_of(v, "query_fields"));
       }},
      {"fields_type",
       [&](auto v) { options.searched.type = fields_type_from_name(text_of(v, "fields_type")); }},
      {"synonyms",
       [&](auto v) {
         options.searched.synonyms = nb::isinstance<Synonyms>(v)
                                         ? nb::cast<const Synonyms&>(v).rules
                                         : parse_synonyms(text_of(v, "synonyms"), "synonyms");
       }},
      {"sort", [&](auto v) { options.sort = parse_sort(text_of(v, "sort")); }},
      {"search_after", text(options.search_after, "search_after")},
      {"facets", [&](auto v) { options.facets = parse_facets(texts_of(v, "a name of facets")); }},
      {"count", flag(options.count, "count")},
      {"fields", [&](auto v) { options.fields = texts_of(v, "a name of fields"); }},
      {"snippets", flag(options.snippets, "snippets")},
      {"snippet_bytes",
       [&](auto v) { options.snippet.max_bytes = whole_of(v, "snippet_bytes", 1); }},
      {"snippet_fragments",
       [&](auto v) {
         options.snippet.fragments = whole_of(v, "snippet_fragments", 1, kMaxFragments);
       }},
      {"before", text(options.snippet.before, "before")},
      {"after", text(options.snippet.after, "after")},
      {"html", flag(options.snippet.is_html, "html")},
      {"timeout", [&](auto v) { options.deadline = duration_of(v); }},
  };
  const auto behind_scorer = std::ranges::find(known, "scorer", &Keywords::Known::first) + 1;
  const std::vector<Keywords::Known> settings = scorer_keywords(options.scorer);
  known.insert(behind_scorer, settings.begin(), settings.end());
  Keywords(keywords).read(known);
  return options;
}

vector::RowIndexSettings vector_index_of(nb::handle value) {
  vector::RowIndexSettings index;
  if (PyUnicode_Check(value.ptr())) {
    index.kind = text_of(value, "vector_index");
    return index;
  }
  if (!PyDict_Check(value.ptr())) fail_type("vector_index", "a str or a dict", value);
  Keywords(nb::borrow<nb::dict>(value))
      .read({
          {"kind", [&](auto v) { index.kind = text_of(v, "kind"); }},
          {"lists", [&](auto v) { index.lists = whole_of(v, "lists", 0, vector::kMaxRows); }},
          {"train", [&](auto v) { index.train = whole_of(v, "train", 0, vector::kMaxRows); }},
          {"pq_bytes",
           [&](auto v) { index.pq_bytes = whole_of(v, "pq_bytes", 0, vector::kMaxDimension); }},
          {"pq_bits", [&](auto v) { index.pq_bits = whole_of(v, "pq_bits", 4, 8); }},
          {"bits", [&](auto v) { index.binary_bits = whole_of(v, "bits", 1, 8); }},
          {"rotated", [&](auto v) { index.is_rotated = flag_of(v, "rotated"); }},
          {"corrected", [&](auto v) { index.is_corrected = flag_of(v, "corrected"); }},
          {"seed", [&](auto v) { index.seed = whole_of(v, "seed"); }},
      });
  return index;
}

std::function<void(std::size_t)> search_watch(nb::handle progress) {
  using Clock = std::chrono::steady_clock;
  return [progress, last = Clock::now()](std::size_t answered) mutable {
    const auto now = Clock::now();
    if (progress.is_none() && now - last < kSignalInterval) return;
    last = now;
    const nb::gil_scoped_acquire gil;
    check_signals();
    if (!progress.is_none()) progress(answered);
  };
}

}  // namespace warpdex::python
