// The recursion: large parts by all threads together, small ones by a thread each.
#include "reorder/bisection.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "reorder/splitter.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::reorder {
namespace {

// A part that is this share of all postings is small, however many postings that are.
constexpr std::uint64_t kMaxTasks = 256;
// A task holds its part, and in the recursion the halves of it, of the halves, and so on.
constexpr std::uint64_t kTaskCopies = 3;
constexpr std::uint64_t kTermBytes = 16;      // of a splitter
constexpr std::uint64_t kDocumentBytes = 25;  // offset, place in the order, and a splitter's keys

/// Adds up what is done, and tells it a few times a second.
class Ticker {
 public:
  Ticker(const std::function<void(double)>& progress, double total)
      : progress_(progress), total_(total) {}

  void add(double work) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    done_ += work;
    const Clock::time_point now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    progress_(total_ > 0 ? std::min(1.0, done_ / total_) : 1.0);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const std::function<void(double)>& progress_;
  double total_;
  double done_ = 0;
  std::mutex mutex_;
  Clock::time_point last_ = Clock::now();
};

/// How often so many documents are divided in two.
double levels_of(std::size_t documents, std::uint32_t leaf) {
  double levels = 0;
  for (; documents > leaf; documents = left_half(documents)) ++levels;
  return levels;
}

/// Documents with rows of their own, in term numbers of their own: those of terms that two or more
/// of them have, and not all, since other terms do not influence how they are divided.
struct Part {
  std::vector<std::uint32_t> documents;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> terms;
  std::uint32_t term_count = 0;

  Rows rows() const { return {offsets.data(), terms.data(), {}, documents.size()}; }
};

/// Copies some rows; keeps 4 bytes a term.
class Copier {
 public:
  /// The rows `chosen` of `rows`, of documents with these names.
  Part copy(const Rows& rows, std::uint32_t terms, std::span<const std::uint32_t> chosen,
            std::span<const std::uint32_t> documents) {
    numbers_.assign(terms, 0);
    for (const std::uint32_t i : chosen) {
      for (const std::uint32_t term : rows[i]) ++numbers_[term];
    }
    Part part;
    std::uint64_t postings = 0;
    for (std::uint32_t& number : numbers_) {
      const bool counts = number > 1 && number < chosen.size();
      postings += counts ? number : 0;
      number = counts ? part.term_count++ : kLeftOut;
    }
    part.terms.reserve(postings);
    part.documents.reserve(chosen.size());
    part.offsets.reserve(chosen.size() + 1);
    part.offsets.push_back(0);
    for (const std::uint32_t i : chosen) {
      for (const std::uint32_t term : rows[i]) {
        if (numbers_[term] != kLeftOut) part.terms.push_back(numbers_[term]);
      }
      part.offsets.push_back(part.terms.size());
      part.documents.push_back(documents[i]);
    }
    return part;
  }

 private:
  static constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> numbers_;  ///< by term: rows with it, then its number in the part
};

/// Orders a part on one thread.
class Task {
 public:
  Task(const BisectionSettings& settings, Ticker& ticker)
      : settings_(settings),
        ticker_(ticker),
        splitter_(1, settings.iterations, [&ticker] { ticker.add(0); }) {}

  /// Orders `documents` of the forward index, in place.
  void run(const ForwardIndex& forward, std::span<std::uint32_t> documents) {
    const Rows rows{forward.offsets.data(), forward.terms.data(), documents, documents.size()};
    std::vector<std::uint32_t> all(documents.size());
    std::iota(all.begin(), all.end(), 0U);
    order(copier_.copy(rows, forward.term_count, all, documents), documents);
  }

 private:
  void order(Part part, std::span<std::uint32_t> out) {
    const std::size_t count = part.documents.size();
    if (count <= settings_.leaf || part.terms.empty()) {
      std::copy(part.documents.begin(), part.documents.end(), out.begin());
      ticker_.add(static_cast<double>(count) * levels_of(count, settings_.leaf));
      return;
    }
    const std::span<const std::uint8_t> is_right = splitter_.split(part.rows(), part.term_count);
    std::array<std::vector<std::uint32_t>, 2> chosen;
    for (std::uint32_t i = 0; i < count; ++i) chosen[is_right[i]].push_back(i);
    std::array<Part, 2> halves;
    for (std::size_t half = 0; half < 2; ++half) {
      halves[half] = copier_.copy(part.rows(), part.term_count, chosen[half], part.documents);
      chosen[half] = {};
    }
    part = {};
    ticker_.add(static_cast<double>(count));
    const std::size_t middle = left_half(count);
    order(std::move(halves[0]), out.first(middle));
    order(std::move(halves[1]), out.subspan(middle));
  }

  const BisectionSettings& settings_;
  Ticker& ticker_;
  Splitter splitter_;
  Copier copier_;
};

class Bisection {
 public:
  Bisection(const ForwardIndex& forward, const BisectionSettings& settings, Ticker& ticker)
      : forward_(forward),
        settings_(settings),
        ticker_(ticker),
        task_postings_(std::max(settings.task_postings, forward.terms.size() / kMaxTasks)) {}

  void order(std::span<std::uint32_t> documents) {
    {
      Splitter splitter(settings_.threads, settings_.iterations, [this] { ticker_.add(0); });
      part(documents, splitter);
    }
    // The largest first, so that no thread is left with one at the end.
    std::stable_sort(tasks_.begin(), tasks_.end(),
                     [](const auto& a, const auto& b) { return a.postings > b.postings; });
    std::vector<std::unique_ptr<Task>> runners(threads_for_tasks());
    parallel_for(runners.size(), tasks_.size(), [&](std::size_t thread, std::size_t i) {
      if (!runners[thread]) runners[thread] = std::make_unique<Task>(settings_, ticker_);
      runners[thread]->run(forward_, tasks_[i].documents);
    });
  }

 private:
  struct Small {
    std::span<std::uint32_t> documents;
    std::uint64_t postings;
  };

  /// Divides documents on all threads until the parts are small.
  void part(std::span<std::uint32_t> documents, Splitter& splitter) {
    std::uint64_t postings = 0;
    for (const std::uint32_t document : documents) postings += forward_.row(document).size();
    if (postings <= task_postings_ || documents.size() <= std::max(2U, settings_.leaf)) {
      tasks_.push_back({documents, postings});
      return;
    }
    const Rows rows{forward_.offsets.data(), forward_.terms.data(), documents, documents.size()};
    const std::span<const std::uint8_t> is_right = splitter.split(rows, forward_.term_count);
    std::vector<std::uint32_t> right;
    right.reserve(documents.size() / 2);
    std::size_t left = 0;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      is_right[i] != 0 ? right.push_back(documents[i]) : void(documents[left++] = documents[i]);
    }
    std::copy(right.begin(), right.end(), documents.begin() + static_cast<std::ptrdiff_t>(left));
    ticker_.add(static_cast<double>(documents.size()));
    part(documents.first(left), splitter);
    part(documents.subspan(left), splitter);
  }

  std::size_t threads_for_tasks() const {
    const std::uint64_t largest = tasks_.empty() ? 0 : tasks_.front().postings;
    const std::uint64_t each = std::uint64_t{forward_.term_count} * sizeof(std::uint32_t) +
                               kTaskCopies * largest * sizeof(std::uint32_t);
    const std::uint64_t held =
        forward_.terms.size() * sizeof(std::uint32_t) + forward_.documents() * kDocumentBytes;
    const std::uint64_t left = settings_.memory - std::min(settings_.memory, held);
    return std::clamp<std::uint64_t>(left / std::max<std::uint64_t>(each, 1), 1,
                                     std::max<std::size_t>(1, settings_.threads));
  }

  const ForwardIndex& forward_;
  const BisectionSettings& settings_;
  Ticker& ticker_;
  std::uint64_t task_postings_;
  std::vector<Small> tasks_;
};

}  // namespace

std::uint64_t bisection_memory(std::uint64_t documents, std::uint64_t postings,
                               std::uint64_t terms) {
  const std::uint64_t task =
      kTaskCopies *
      std::max(std::min(postings, BisectionSettings{}.task_postings), postings / kMaxTasks);
  return documents * kDocumentBytes + (postings + task) * sizeof(std::uint32_t) +
         terms * kTermBytes;
}

std::vector<std::uint32_t> bisect(const ForwardIndex& forward, const BisectionSettings& settings,
                                  const std::function<void(double)>& progress) {
  std::vector<std::uint32_t> order(forward.documents());
  std::iota(order.begin(), order.end(), 0U);
  const auto end = std::stable_partition(order.begin(), order.end(), [&](std::uint32_t document) {
    return !forward.row(document).empty();
  });
  const auto count = static_cast<std::size_t>(end - order.begin());
  Ticker ticker(progress, static_cast<double>(count) * levels_of(count, settings.leaf));
  if (count > 0) Bisection(forward, settings, ticker).order(std::span(order).first(count));
  return order;
}

}  // namespace warpdex::reorder
