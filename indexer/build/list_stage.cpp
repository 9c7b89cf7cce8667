// Reads merged postings batch by batch, encodes them side by side, writes them in order.
#include "build/list_stage.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "build/allowance.hpp"
#include "build/weights.hpp"
#include "warpdex/indexer/build/ordered_pipeline.hpp"

namespace warpdex::build {
namespace {

// Memory of a list beside its postings and its name: vectors, and what the allocator adds to them.
constexpr std::uint64_t kListBytes = 600;
// What a byte of a name costs: a group's names are gathered in a string that doubles as it grows.
constexpr std::uint64_t kNameFactor = 2;
constexpr std::uint64_t kMinGroup = std::uint64_t{64} << 10;
constexpr std::uint64_t kMaxGroup = std::uint64_t{4} << 20;

// Some terms that follow each other, on their way to the index.
struct Group {
  struct Term {
    std::size_t name_end;
    std::size_t bytes_end;
    std::size_t pieces_end;
  };
  std::vector<Term> terms;
  std::string names;
  std::vector<std::uint8_t> bytes;
  PieceSizes pieces;
  std::vector<EncodedPostings> encoded;
  std::uint64_t postings = 0;
  std::uint64_t raised = 0;  // weights
  Held held;

  void clear(std::size_t bound) {
    terms.clear();
    names.clear();
    if (names.capacity() > bound) std::string().swap(names);
    bytes.clear();
    if (bytes.capacity() > bound) std::vector<std::uint8_t>().swap(bytes);
    pieces.clear();
    encoded.clear();
    postings = 0;
    raised = 0;
    held.release();
  }
};

class ListStage {
 public:
  ListStage(TermMerger& terms, const ListEncoder& encoder, const ImpactSettings* weights,
            std::size_t threads, std::uint64_t memory, IndexWriter& writer, Progress& progress,
            BuildReport& report)
      : terms_(terms),
        encoder_(encoder),
        weights_(weights),
        threads_(threads),
        group_bytes_(std::clamp(memory / (2 * threads), kMinGroup, kMaxGroup)),
        allowance_(std::max(memory, threads * group_bytes_)),
        writer_(writer),
        progress_(progress),
        report_(report),
        mergers_(threads) {}

  void run() {
    more_ = terms_.next();
    progress_.counts().stage = "writing";
    OrderedPipeline<Group>(threads_).run(
        [this](Group& group) { return take(group); },
        [this](std::size_t thread, Group& group) { encode(mergers_[thread], group); },
        [this](Group& group) { add(group); },
        [this](std::size_t, Group& group) { group.clear(group_bytes_); });
    progress_.report(true);
  }

 private:
  bool take(Group& group) {
    if (!more_) return false;
    std::uint64_t cost = term_cost();
    group.held.acquire(allowance_, std::max(cost, group_bytes_));
    do {
      group.names += terms_.term();
      terms_.take(group.bytes, group.pieces);
      group.terms.push_back({group.names.size(), group.bytes.size(), group.pieces.size()});
      more_ = terms_.next();
      if (more_) cost += term_cost();
    } while (more_ && cost <= group_bytes_);
    return true;
  }

  std::uint64_t term_cost() const {
    return kListBytes + kNameFactor * terms_.term().size() + kListBytesPerPosting * terms_.bytes();
  }

  static void append_steps(const PostingCursor& posting, std::vector<std::uint32_t>& steps) {
    steps.resize(steps.size() + posting.frequency);
    std::uint32_t* to = steps.data() + steps.size() - posting.frequency;
    for (const std::uint8_t* next = posting.steps; next != posting.next;) {
      std::uint64_t step = 0;
      next = read_varint(next, step);
      *to++ = static_cast<std::uint32_t>(step);
    }
  }

  void encode(PostingMerger& merger, Group& group) const {
    std::vector<std::uint32_t> docids;
    std::vector<std::uint32_t> frequencies;
    std::vector<std::uint32_t> steps;
    group.encoded.reserve(group.terms.size());
    Group::Term start{};
    for (const Group::Term& term : group.terms) {
      docids.clear();
      frequencies.clear();
      steps.clear();
      docids.reserve(term.bytes_end - start.bytes_end);  // a byte a posting at least
      frequencies.reserve(term.bytes_end - start.bytes_end);
      const std::string_view name =
          std::string_view(group.names).substr(start.name_end, term.name_end - start.name_end);
      const std::size_t field = encoder_.field_of(name);
      const bool have_positions = encoder_.has_positions(field);
      if (have_positions) steps.reserve(term.bytes_end - start.bytes_end);
      merger.start(
          group.bytes.data() + start.bytes_end,
          std::span(group.pieces).subspan(start.pieces_end, term.pieces_end - start.pieces_end),
          have_positions);
      merger.for_each([&](const PostingCursor& posting) {
        docids.push_back(posting.document);
        frequencies.push_back(posting.frequency);
        if (have_positions) append_steps(posting, steps);
      });
      if (weights_ != nullptr) group.raised += weights_to_impacts(*weights_, frequencies);
      group.encoded.push_back(encoder_.encode(docids, frequencies, steps, field));
      group.postings += docids.size();
      start = term;
    }
  }

  void add(const Group& group) {
    std::size_t start = 0;
    for (std::size_t i = 0; i < group.terms.size(); ++i) {
      const std::size_t end = group.terms[i].name_end;
      writer_.add_list(std::string_view(group.names).substr(start, end - start), group.encoded[i]);
      start = end;
    }
    report_.terms += group.terms.size();
    report_.postings += group.postings;
    report_.raised_weights += group.raised;
    progress_.counts().terms_written = report_.terms;
    progress_.counts().postings_written = report_.postings;
    progress_.report();
  }

  TermMerger& terms_;
  const ListEncoder& encoder_;
  const ImpactSettings* weights_;
  std::size_t threads_;
  std::uint64_t group_bytes_;
  Allowance allowance_;
  IndexWriter& writer_;
  Progress& progress_;
  BuildReport& report_;
  std::vector<PostingMerger> mergers_;
  bool more_ = false;
};

}  // namespace

void write_lists(TermMerger& terms, const ListEncoder& encoder, const ImpactSettings* weights,
                 std::size_t threads, std::uint64_t memory, IndexWriter& writer, Progress& progress,
                 BuildReport& report) {
  ListStage(terms, encoder, weights, threads, memory, writer, progress, report).run();
}

}  // namespace warpdex::build
