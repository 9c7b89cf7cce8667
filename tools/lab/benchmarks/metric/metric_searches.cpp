// The permutation index over words, on a GPU and on the CPU: recall and time of shares of objects,
// for some k and radii, beside scans of all objects. After Lopresti and others, section 5: 86,016
// English words under Levenshtein's distance, many queries at once, none of them among the words.
//
// Times are the host's, microseconds a query, medians, queries and answers in the host's memory.
// Recall is that of distances: of k answers, those no farther than the k-th exact one; within a
// radius, those found of all there are, over queries that have one. Every answer of the GPU is
// compared with the CPU's.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include "benchmarks/report.hpp"
#include "search/timing.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/metric/gpu_permutation_searcher.hpp"
#include "warpdex/vector/metric/objects.hpp"

namespace warpdex::tools {
namespace {

struct Settings {
  std::string words;
  std::size_t objects = 86'016;
  std::size_t queries = 1000;
  std::size_t batch = 80;
  std::size_t sequential = 160;
  std::vector<std::size_t> permutants{64, 128};
  std::vector<double> shares{0.01, 0.1, 0.2, 0.3};
  std::vector<std::size_t> ks{2, 4, 16};
  std::vector<float> radii{1, 2, 3};
  std::string compare = "footrule";
  std::size_t threads = 0;
  int repetitions = 7;
  std::uint64_t seed = 1;
  std::string json;
};

struct Kind {
  std::size_t k;  ///< 0: within the radius
  float radius;

  std::string name() const {
    if (k > 0) return "k " + std::to_string(k);
    std::string number = std::to_string(radius);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) number.pop_back();
    return "radius " + number;
  }
};

using Strings = std::vector<std::string>;

/// The word after an insertion, a deletion or a replacement of a letter.
std::string edited(std::string word, std::mt19937_64& random) {
  constexpr std::size_t kLetters = 26;
  const std::size_t kind = random() % 3;
  const auto letter = static_cast<char>('a' + random() % kLetters);
  if (kind == 0 || word.size() < 2) {
    word.insert(random() % (word.size() + 1), 1, letter);
  } else if (kind == 1) {
    word.erase(random() % word.size(), 1);
  } else {
    word[random() % word.size()] = letter;
  }
  return word;
}

/// The words of a file that have only small letters.
Strings read_words(const std::string& path) {
  Strings words = metric::read_lines(path);
  std::erase_if(words, [](const std::string& word) {
    return word.empty() ||
           !std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  });
  return words;
}

/// Half are words after one to three edits, half are words of the file that are no objects.
Strings make_queries(const Strings& words, std::size_t objects, std::size_t count,
                     std::mt19937_64& random) {
  if (words.size() < objects + count) {
    throw UsageError("--words has " + std::to_string(words.size()) +
                     " words; take fewer --objects");
  }
  const std::unordered_set<std::string> known(words.begin(),
                                              words.begin() + static_cast<std::ptrdiff_t>(objects));
  Strings queries;
  while (queries.size() < count) {
    std::string query;
    if (queries.size() % 2 == 0) {
      query = words[random() % objects];
      for (std::size_t edits = 1 + random() % 3; edits > 0; --edits) query = edited(query, random);
    } else {
      query = words[objects + random() % (words.size() - objects)];
    }
    if (!known.contains(query)) queries.push_back(query);
  }
  return queries;
}

class Benchmark {
 public:
  explicit Benchmark(const Settings& settings)
      : settings_(settings),
        report_("metric", {"permutants", "search", "share %", "recall", "cpu 1", "cpu", "gpu",
                           "cpu 1 / gpu", "cpu / gpu"}) {
    std::mt19937_64 random(settings.seed);
    Strings words = read_words(settings.words);
    queries_ = make_queries(words, settings.objects, settings.queries, random);
    words.resize(settings.objects);
    objects_.emplace(metric::ObjectSettings{}, words, settings.words);
    space_ = metric::make_space(objects_->view());
    search_.compare = metric::rank_distance_from_name(settings.compare);
    threads_ = settings.threads == 0 ? default_threads() : settings.threads;
  }

  void run() {
    report_.note("device", device_info(0).to_string());
    report_.note("objects", std::uint64_t{settings_.objects});
    report_.note("queries", std::uint64_t{settings_.queries});
    report_.note("queries at once", std::uint64_t{settings_.batch});
    report_.note("threads of cpu", std::uint64_t{threads_});
    report_.note("permutations by", settings_.compare);
    for (const std::size_t permutants : settings_.permutants) measure(permutants);
    report_.note("answers that differ", std::uint64_t{different_});
    report_.write(settings_.json);
  }

 private:
  void measure(std::size_t permutants) {
    const auto chosen = metric::choose_permutants(*space_, {.permutants = permutants});
    const auto ranks = metric::rank_permutants(*space_, chosen);
    const metric::Permutations permutations{settings_.objects, permutants, ranks.data()};
    cpu_.emplace(*space_, chosen, permutations);
    Resources resources;
    gpu_.emplace(objects_->view(), chosen, permutations, resources);
    std::vector<Kind> kinds;
    for (const std::size_t k : settings_.ks) kinds.push_back({k, 0});
    for (const float radius : settings_.radii) kinds.push_back({0, radius});
    for (const Kind& kind : kinds) {
      search_.share.reset();
      const metric::Matches exact = on_gpu(kind, queries_.size());
      add(permutants, kind, exact);
      for (const double share : settings_.shares) {
        search_.share = share;
        add(permutants, kind, exact);
      }
    }
    gpu_.reset();
  }

  void add(std::size_t permutants, const Kind& kind, const metric::Matches& exact) {
    const std::size_t all = queries_.size();
    const metric::Matches found = on_gpu(kind, all);
    compare(found, on_cpu(kind, all, threads_));
    const double gpu = time(all, [&] { on_gpu(kind, all); });
    const double cpu = time(all, [&] { on_cpu(kind, all, threads_); });
    const std::size_t some = std::min(all, settings_.sequential);
    const double one = time(some, [&] { on_cpu(kind, some, 1); });
    report_.add({std::uint64_t{permutants}, kind.name(), Cell(search_.share.value_or(1) * 100, 1),
                 Cell(recall(kind, found, exact), 4), Cell(one, 1), Cell(cpu, 1), Cell(gpu, 2),
                 Cell(one / gpu, 1), Cell(cpu / gpu, 1)});
  }

  /// The first queries, so many at once.
  metric::Matches in_batches(
      std::size_t count,
      const std::function<metric::Matches(std::size_t first, std::size_t some)>& search) const {
    metric::Matches all;
    for (std::size_t first = 0; first < count; first += settings_.batch) {
      metric::Matches some = search(first, std::min(settings_.batch, count - first));
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
  }

  metric::Matches on_gpu(const Kind& kind, std::size_t count) const {
    return in_batches(count, [&](std::size_t first, std::size_t some) {
      const auto begin = queries_.begin() + static_cast<std::ptrdiff_t>(first);
      const metric::QueryObjects queries{{begin, begin + static_cast<std::ptrdiff_t>(some)}, {}};
      return kind.k > 0 ? gpu_->nearest(queries, kind.k, search_)
                        : gpu_->within(queries, kind.radius, search_);
    });
  }

  metric::Matches on_cpu(const Kind& kind, std::size_t count, std::size_t threads) const {
    metric::MetricSearchSettings settings = search_;
    settings.threads = threads;
    return in_batches(count, [&](std::size_t first, std::size_t some) {
      const auto prepare = [&](std::size_t q) { return space_->from_text(queries_[first + q]); };
      return kind.k > 0 ? cpu_->nearest(some, prepare, kind.k, settings)
                        : cpu_->within(some, prepare, kind.radius, settings);
    });
  }

  void compare(const metric::Matches& found, const metric::Matches& expected) {
    for (std::size_t q = 0; q < expected.size(); ++q) {
      const bool is_same =
          std::equal(found[q].begin(), found[q].end(), expected[q].begin(), expected[q].end(),
                     [](const metric::Match& a, const metric::Match& b) {
                       return a.object == b.object && a.distance == b.distance;
                     });
      different_ += is_same ? 0 : 1;
    }
  }

  static double recall(const Kind& kind, const metric::Matches& found,
                       const metric::Matches& exact) {
    double sum = 0;
    std::size_t counted = 0;
    for (std::size_t q = 0; q < exact.size(); ++q) {
      if (exact[q].empty()) continue;
      const float limit = kind.k > 0 ? exact[q].back().distance : kind.radius;
      const auto right =
          std::count_if(found[q].begin(), found[q].end(),
                        [&](const metric::Match& match) { return match.distance <= limit; });
      sum += static_cast<double>(right) / static_cast<double>(exact[q].size());
      ++counted;
    }
    return counted == 0 ? 1 : sum / static_cast<double>(counted);
  }

  /// Microseconds a query.
  double time(std::size_t queries, const std::function<void()>& search) const {
    std::vector<double> times;
    for (int i = 0; i < settings_.repetitions; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      search();
      const std::chrono::duration<double, std::micro> passed =
          std::chrono::steady_clock::now() - begin;
      times.push_back(passed.count() / static_cast<double>(queries));
      if (passed.count() > 5e5) break;  // half a second is steady enough
    }
    return median(times);
  }

  Settings settings_;
  Report report_;
  Strings queries_;
  std::optional<metric::Objects> objects_;
  std::unique_ptr<metric::ObjectSpace> space_;
  metric::MetricSearchSettings search_;
  std::size_t threads_ = 0;
  std::optional<metric::PermutationSearcher> cpu_;
  std::optional<metric::GpuPermutationSearcher> gpu_;
  std::size_t different_ = 0;
};

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  using namespace warpdex::tools;
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options("The permutation index over words on the GPU. Options");
  options.add_options()  //
      ("words", po::value(&settings.words)->required(),
       "a file with a word a line; those of a to z alone count")  //
      ("objects", po::value(&settings.objects)->default_value(settings.objects),
       "of these, those that are searched; queries are made of them and of the others")     //
      ("queries", po::value(&settings.queries)->default_value(settings.queries), "in all")  //
      ("batch", po::value(&settings.batch)->default_value(settings.batch),
       "queries that are answered together")  //
      ("sequential", po::value(&settings.sequential)->default_value(settings.sequential),
       "queries that one thread of the CPU is measured by")                                    //
      ("permutants", po::value(&settings.permutants)->multitoken(), "instead of 64 and 128")   //
      ("shares", po::value(&settings.shares)->multitoken(), "instead of 0.01, 0.1, 0.2, 0.3")  //
      ("k,k", po::value(&settings.ks)->multitoken(), "objects, instead of 2, 4, 16")           //
      ("radii", po::value(&settings.radii)->multitoken(), "instead of 1, 2, 3")                //
      ("compare", po::value(&settings.compare)->default_value(settings.compare),
       "footrule, rho, tau or bits")  //
      ("threads", po::value(&settings.threads)->default_value(settings.threads),
       "of the CPU; 0: all")  //
      ("repetitions", po::value(&settings.repetitions)->default_value(settings.repetitions),
       "timed searches of each kind")                                                      //
      ("seed", po::value(&settings.seed)->default_value(settings.seed), "of the queries")  //
      ("json", po::value(&settings.json), "also write the results to this file");
  return run_benchmark(argc, argv, options, [&] { Benchmark(settings).run(); });
}
