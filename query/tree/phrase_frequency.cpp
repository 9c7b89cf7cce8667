#include "tree/phrase_frequency.hpp"

#include <algorithm>
#include <limits>

namespace warpdex {
namespace {

bool share_a_word(const PhrasePlace& a, const PhrasePlace& b) {
  return std::ranges::any_of(a.words, [&](std::uint32_t word) {
    return std::ranges::find(b.words, word) != b.words.end();
  });
}

}  // namespace

void PhraseStarts::begin(std::span<const std::uint32_t> positions, std::uint32_t offset) {
  starts_.clear();
  for (const std::uint32_t position : positions) {
    if (position >= offset) starts_.push_back(position - offset);
  }
}

void PhraseStarts::narrow(std::span<const std::uint32_t> positions, std::uint32_t offset) {
  auto next = positions.begin();
  std::size_t kept = 0;
  for (const std::uint32_t start : starts_) {
    const std::uint64_t wanted = std::uint64_t{start} + offset;
    while (next != positions.end() && *next < wanted) ++next;
    if (next == positions.end()) break;
    if (*next == wanted) starts_[kept++] = start;
  }
  starts_.resize(kept);
}

SloppyCounter::SloppyCounter(std::span<const PhrasePlace> places, std::uint32_t slop)
    : slop_(slop), walks_(places.size()) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    walks_[i].offset = places[i].offset;
  }
  find_groups(places);
}

void SloppyCounter::find_groups(std::span<const PhrasePlace> places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::vector<std::size_t> group;
    std::vector<std::size_t> open{i};
    while (!open.empty()) {
      const std::size_t one = open.back();
      open.pop_back();
      if (walks_[one].group != kNone) continue;
      walks_[one].group = groups_.size();
      group.push_back(one);
      for (std::size_t other = 0; other < places.size(); ++other) {
        if (share_a_word(places[one], places[other])) open.push_back(other);
      }
    }
    if (group.size() > 1) {
      std::ranges::sort(group);
      for (const std::size_t one : group) {
        have_several_ = have_several_ || places[one].words.size() > 1;
      }
      groups_.push_back(std::move(group));
    } else if (!group.empty()) {
      walks_[i].group = kNone;
    }
  }
}

float SloppyCounter::count(std::span<const PhrasePlace> places) {
  if (!start(places)) return 0;
  float count = 0;
  while (next_match()) count += 1.0F / (1.0F + static_cast<float>(match_length_));
  return count;
}

/// Each place at its first position, those of a group at different ones.
bool SloppyCounter::start(std::span<const PhrasePlace> places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    walks_[i].next = places[i].positions.data();
    walks_[i].end = walks_[i].next + places[i].positions.size();
    walks_[i].is_queued = true;
    if (!walks_[i].advance()) return false;
  }
  end_ = std::numeric_limits<std::int64_t>::min();
  for (const auto& group : groups_) {
    if (!(have_several_ ? part_group_of_several(group) : part_group(group))) return false;
  }
  for (const Walk& walk : walks_) end_ = std::max(end_, walk.position);
  is_over_ = false;
  return true;
}

/// The places of a group have one word: the second takes its second position, and so on.
bool SloppyCounter::part_group(const std::vector<std::size_t>& group) {
  for (std::size_t i = 1; i < group.size(); ++i) {
    for (std::size_t step = 0; step < i; ++step) {
      if (!walks_[group[i]].advance()) return false;
    }
  }
  return true;
}

bool SloppyCounter::part_group_of_several(const std::vector<std::size_t>& group) {
  for (std::size_t i = 0; i < group.size();) {
    bool goes_on = true;
    for (std::size_t other = colliding(group[i]); goes_on && other != kNone;) {
      const std::size_t moved = lesser(group[i], other);
      if (!advance(moved)) return false;
      goes_on = moved >= group[i];  // else begin again with this one
      if (goes_on) other = colliding(group[i]);
    }
    if (goes_on) ++i;
  }
  return true;
}

/// The next match that is short enough: the first place moves on as long as it stays the first.
bool SloppyCounter::next_match() {
  if (is_over_) return false;
  std::size_t walk = first_queued();
  walks_[walk].is_queued = false;
  match_length_ = end_ - walks_[walk].position;
  std::int64_t next = walks_[first_queued()].position;
  while (advance(walk)) {
    if (!part_from_group(walk)) break;
    if (walks_[walk].position <= next) {
      match_length_ = std::min(match_length_, end_ - walks_[walk].position);
      continue;
    }
    walks_[walk].is_queued = true;
    if (match_length_ <= std::int64_t{slop_}) return true;
    walk = first_queued();
    walks_[walk].is_queued = false;
    next = walks_[first_queued()].position;
    match_length_ = end_ - walks_[walk].position;
  }
  is_over_ = true;
  return match_length_ <= std::int64_t{slop_};
}

bool SloppyCounter::advance(std::size_t walk) {
  if (!walks_[walk].advance()) return false;
  end_ = std::max(end_, walks_[walk].position);
  return true;
}

/// Moves places of its group on until no two stand at one position.
bool SloppyCounter::part_from_group(std::size_t walk) {
  if (walks_[walk].group == kNone) return true;
  for (std::size_t other = colliding(walk); other != kNone; other = colliding(walk)) {
    walk = lesser(walk, other);
    if (!advance(walk)) return false;
  }
  return true;
}

std::size_t SloppyCounter::colliding(std::size_t walk) const {
  for (const std::size_t other : groups_[walks_[walk].group]) {
    if (other != walk && walks_[other].place() == walks_[walk].place()) return other;
  }
  return kNone;
}

std::size_t SloppyCounter::lesser(std::size_t a, std::size_t b) const {
  if (walks_[a].position != walks_[b].position) {
    return walks_[a].position < walks_[b].position ? a : b;
  }
  return walks_[a].offset < walks_[b].offset ? a : b;
}

/// Equal ones by their places in the phrase.
std::size_t SloppyCounter::first_queued() const {
  std::size_t first = kNone;
  for (std::size_t i = 0; i < walks_.size(); ++i) {
    if (!walks_[i].is_queued) continue;
    if (first == kNone || walks_[i].position < walks_[first].position) first = i;
  }
  return first;
}

}  // namespace warpdex
