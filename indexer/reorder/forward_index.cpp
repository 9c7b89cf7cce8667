// Two passes over the lists: one counts the terms of each document, one fills them in.
#include "reorder/forward_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "warpdex/codecs/block.hpp"
#include "warpdex/indexer/format/postings.hpp"

namespace warpdex::reorder {
namespace {

constexpr std::uint64_t kTermsPerCheck = 1024;

/// Lists counted by their lengths, in classes at most an eighth wide.
class LengthClasses {
 public:
  static constexpr std::size_t kClasses = 8 * 32;
  struct Class {
    std::uint64_t terms = 0;
    std::uint64_t postings = 0;
  };

  /// Of a length of 1 or more.
  static std::size_t class_of(std::uint32_t length) {
    const int bits = std::bit_width(length);
    if (bits <= 3) return length;
    return static_cast<std::size_t>(8 * (bits - 3)) + (length >> (bits - 4) & 7);
  }

  /// The shortest length of a class that has one.
  static std::uint32_t min_length_of(std::size_t of) {
    if (of < 8) return static_cast<std::uint32_t>(of);
    return static_cast<std::uint32_t>((8 + of % 8) << (of / 8 - 1));
  }

  void add(std::uint32_t length) {
    Class& to = classes_[class_of(length)];
    to.terms += 1;
    to.postings += length;
  }

  const Class& operator[](std::size_t i) const { return classes_[i]; }

 private:
  std::array<Class, kClasses> classes_{};
};

template <class Visit>
void for_each_docid(const Index& index, const PostingsEntry& entry, const Visit& visit) {
  std::array<std::uint32_t, kBlockSize> docids{};
  std::array<std::uint32_t, kBlockSize> frequencies{};
  const std::uint64_t documents = index.counts().documents;
  if (entry.is_short()) {
    read_short_list(index.settings().codec, index.sections(), entry, documents, docids.data(),
                    frequencies.data());
    for (std::uint32_t i = 0; i < entry.document_frequency; ++i) visit(docids[i]);
    return;
  }
  const PostingsView view(index.settings().codec, index.sections(), entry, documents);
  for (std::uint32_t block = 0; block < view.blocks(); ++block) {
    view.read_docids(block, docids.data());
    const std::uint32_t count = view.block_count(block);
    for (std::uint32_t i = 0; i < count; ++i) visit(docids[i]);
  }
}

/// Calls visit(number, entry) for the lists of the plan, numbered from 0 on, in lexicon order.
template <class Visit>
void for_each_list(const Index& index, const ForwardPlan& plan, const Visit& visit) {
  std::uint32_t number = 0;
  index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
    if (entry.document_frequency >= plan.min_list) visit(number++, entry);
  });
}

/// The place of each list among all by length, longest first.
std::vector<std::uint32_t> rank_by_length(const std::vector<std::uint32_t>& lengths) {
  std::vector<std::uint32_t> by_length(lengths.size());
  std::iota(by_length.begin(), by_length.end(), 0U);
  std::stable_sort(by_length.begin(), by_length.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::uint32_t> ranks(lengths.size());
  for (std::uint32_t rank = 0; rank < by_length.size(); ++rank) ranks[by_length[rank]] = rank;
  return ranks;
}

}  // namespace

ForwardPlan plan_forward_index(const Index& index, std::uint32_t min_list, std::uint64_t memory,
                               const std::function<void()>& check) {
  const std::uint64_t documents = index.counts().documents;
  LengthClasses classes;
  ForwardPlan plan;
  plan.min_list = min_list;
  std::uint64_t seen = 0;
  index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
    if (seen++ % kTermsPerCheck == 0) check();
    if (entry.document_frequency < min_list) return;
    classes.add(entry.document_frequency);
    plan.terms += 1;
    plan.postings += entry.document_frequency;
  });
  plan.memory = bisection_memory(documents, plan.postings, plan.terms);
  plan.wished_memory = plan.memory;
  for (std::size_t i = LengthClasses::class_of(std::max(1U, min_list));
       plan.memory > memory && i + 1 < LengthClasses::kClasses; ++i) {
    plan.terms -= classes[i].terms;
    plan.postings -= classes[i].postings;
    plan.min_list = LengthClasses::min_length_of(i + 1);
    plan.memory = bisection_memory(documents, plan.postings, plan.terms);
  }
  return plan;
}

ForwardIndex read_forward_index(const Index& index, const ForwardPlan& plan,
                                const std::function<void(double)>& progress) {
  const auto total = static_cast<double>(2 * std::max<std::uint64_t>(plan.postings, 1));
  std::uint64_t done = 0;
  const auto tell = [&](const PostingsEntry& entry) {
    if (progress) progress(static_cast<double>(done) / total);
    done += entry.document_frequency;
  };
  ForwardIndex forward;
  forward.offsets.assign(index.counts().documents + 1, 0);
  std::vector<std::uint32_t> lengths;
  lengths.reserve(plan.terms);
  for_each_list(index, plan, [&](std::uint32_t, const PostingsEntry& entry) {
    tell(entry);
    lengths.push_back(entry.document_frequency);
    for_each_docid(index, entry, [&](std::uint32_t document) { ++forward.offsets[document]; });
  });
  // Each offset at first is where its document ends; filling moves it down to where that starts.
  std::partial_sum(forward.offsets.begin(), forward.offsets.end(), forward.offsets.begin());
  forward.terms.resize(forward.offsets.back());
  forward.term_count = static_cast<std::uint32_t>(lengths.size());
  const std::vector<std::uint32_t> ranks = rank_by_length(lengths);
  for_each_list(index, plan, [&](std::uint32_t number, const PostingsEntry& entry) {
    tell(entry);
    for_each_docid(index, entry, [&](std::uint32_t document) {
      forward.terms[--forward.offsets[document]] = ranks[number];
    });
  });
  return forward;
}

}  // namespace warpdex::reorder
