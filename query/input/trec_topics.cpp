// TREC topics: SGML whose closing tags are mostly left out, as NIST publishes it.
//
//   <top>
//   <num> Number: 701
//   <title> U.S. oil industry history
//   <desc> Description: ...
//   </top>
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "input/query_limits.hpp"
#include "input/query_list.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/html_text.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

/// `text` trimmed, and without the label that NIST repeats after some tags ("Number:").
std::string_view without_label(std::string_view text, std::string_view label) {
  text = trimmed(text);
  if (lower_case(text.substr(0, label.size())) != label) return text;
  return trimmed(text.substr(label.size()));
}

/// A tag in a line: its name in lower case, with a leading slash if it closes.
struct Tag {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string name;
};

/// Whether the tag belongs to topics wherever it stands; others only count at a line's start.
bool is_topic_tag(std::string_view name) {
  if (name.starts_with('/')) name.remove_prefix(1);
  return name == "top" || name == "num" || name == "title" || name == "desc" || name == "narr";
}

/// Finds the tags of a line: <name>, </name>, <name a="b">. Linear in the line, whatever it holds.
class TagFinder {
 public:
  explicit TagFinder(std::string_view line)
      : line_(line), text_begin_(line.find_first_not_of(" \t\n\v\f\r")) {}

  /// The first tag at or after `from`, which must not be less than in the call before.
  std::optional<Tag> next(std::size_t from) {
    for (std::size_t at = line_.find('<', from); at != line_.npos; at = line_.find('<', at + 1)) {
      std::optional<Tag> tag = tag_at(at);
      if (tag && (is_topic_tag(tag->name) || at == text_begin_)) return tag;
    }
    return std::nullopt;
  }

 private:
  /// The tag that starts at `begin`, where a '<' stands, if one does.
  std::optional<Tag> tag_at(std::size_t begin) {
    std::size_t name_end = begin + 1;
    if (name_end < line_.size() && line_[name_end] == '/') ++name_end;
    const std::size_t letters = name_end;
    while (name_end < line_.size() && is_letter(line_[name_end])) ++name_end;
    const std::size_t close = close_after(name_end);
    if (name_end == letters || close == line_.size()) return std::nullopt;
    if (close != name_end && line_[name_end] != ' ' && line_[name_end] != '\t') return std::nullopt;
    return Tag{begin, close + 1, lower_case(line_.substr(begin + 1, name_end - begin - 1))};
  }

  /// The first '>' at or after `at`, or the line's size. Not searched again before the last one
  /// found: many a '<' may share it.
  std::size_t close_after(std::size_t at) {
    if (close_ < at) close_ = std::min(line_.find('>', at), line_.size());
    return close_;
  }

  std::string_view line_;
  std::size_t text_begin_;  // the first byte that is not white space
  std::size_t close_ = 0;
};

/// A field that text may be made of: its tag, and the label that NIST repeats behind it.
struct FieldName {
  TopicField field;
  const char* tag;
  const char* label;
};
constexpr std::array kFieldNames{FieldName{TopicField::kTitle, "title", "topic:"},
                                 FieldName{TopicField::kDescription, "desc", "description:"},
                                 FieldName{TopicField::kNarrative, "narr", "narrative:"}};

class TopicReader final : public QueryLines {
 public:
  TopicReader(const std::vector<TopicField>& fields, std::size_t max_bytes)
      : wanted_(fields), max_bytes_(max_bytes) {
    if (fields.empty()) throw UsageError("no field of the topics is named; take title, for one");
    for (auto field = fields.begin(); field != fields.end(); ++field) {
      if (std::find(fields.begin(), field, *field) == field) continue;
      throw UsageError("a field of the topics is named twice; name each once");
    }
  }

  void read(const std::string& line, std::uint64_t number, QueryList& queries) override {
    if (first_text_line_ == 0 && !trimmed(line).empty()) first_text_line_ = number;
    line_ = number;
    read_line(line, queries);
  }

  /// The topic around the line goes with it.
  void refuse(std::uint64_t number, const std::string& problem, QueryList& queries) override {
    queries.refuse(number, problem);
    topic_.is_refused = true;
  }

  void finish(QueryList& queries) override {
    end_topic(queries);
    if (queries.was_empty() && first_text_line_ != 0) {
      queries.fail(first_text_line_,
                   "does not start TREC topics, and no <top> follows; give a file of <top>, <num> "
                   "and <title>, or choose another query format");
    }
  }

 private:
  struct Field {
    bool present = false;
    bool is_cut = false;  // it was too long to be kept
    std::string text;
  };
  struct Topic {
    std::uint64_t line = 0;  // of its <top>; 0: outside of topics
    Field number;
    std::array<Field, kFieldNames.size()> fields;
    bool is_refused = false;
  };

  void read_line(std::string_view line, QueryList& queries) {
    TagFinder tags(line);
    std::size_t from = 0;
    while (const std::optional<Tag> tag = tags.next(from)) {
      add_text(line.substr(from, tag->begin - from));
      handle(tag->name, queries);
      from = tag->end;
    }
    add_text(line.substr(from));
    add_text(" ");  // the line's end
  }

  void add_text(std::string_view text) {
    if (field_ == nullptr) return;
    if (field_->text.size() <= max_bytes_) {
      append_decoded(field_->text, text);
    } else if (!trimmed(text).empty()) {
      field_->is_cut = true;
    }
  }

  void handle(std::string_view tag, QueryList& queries) {
    field_ = nullptr;
    if (tag == "top" || tag == "/top") {
      end_topic(queries);
      if (tag == "top") topic_.line = line_;
    } else if (tag == "num") {
      start_field("num", topic_.number, queries);
    }
    for (std::size_t i = 0; i < kFieldNames.size(); ++i) {
      const FieldName& name = kFieldNames[i];
      if (tag == name.tag && is_wanted(name.field)) {
        start_field(name.tag, topic_.fields[i], queries);
      }
    }
  }

  bool is_wanted(TopicField field) const {
    return std::find(wanted_.begin(), wanted_.end(), field) != wanted_.end();
  }

  void start_field(const std::string& name, Field& field, QueryList& queries) {
    if (topic_.is_refused) return;
    if (topic_.line == 0) {
      queries.refuse(line_, "has a <" + name + "> outside of <top>; add the <top>");
      return;
    }
    if (field.present) {
      queries.refuse(line_,
                     "has a second <" + name + "> in one topic; start each topic with <top>");
      topic_.is_refused = true;
      return;
    }
    field.present = true;
    field_ = &field;
  }

  void end_topic(QueryList& queries) {
    field_ = nullptr;
    const Topic topic = std::exchange(topic_, Topic{});
    if (topic.line == 0 || topic.is_refused) return;
    if (!topic.number.present) {
      queries.refuse(topic.line, "starts a topic without a <num>; add one");
      return;
    }
    std::string text;
    for (const TopicField& wanted : wanted_) {
      const auto place = static_cast<std::size_t>(wanted);
      const FieldName& name = kFieldNames[place];
      const Field& field = topic.fields[place];
      if (!field.present) {
        queries.refuse(topic.line,
                       "starts a topic without a <" + std::string(name.tag) + ">; add one");
        return;
      }
      if (field.is_cut || topic.number.is_cut) {
        queries.refuse(topic.line, query_bytes_problem(max_bytes_ + 1, {.bytes = max_bytes_}));
        return;
      }
      if (&wanted != wanted_.data()) text += ' ';
      text += without_label(field.text, name.label);
    }
    queries.add({.id = std::string(without_label(topic.number.text, "number:")), .text = text},
                topic.line);
  }

  std::vector<TopicField> wanted_;
  std::size_t max_bytes_;
  Topic topic_;
  Field* field_ = nullptr;  // of topic_, that text belongs to
  std::uint64_t line_ = 0;
  std::uint64_t first_text_line_ = 0;
};

}  // namespace

std::unique_ptr<QueryLines> trec_topics(const std::vector<TopicField>& fields,
                                        std::size_t max_bytes) {
  return std::make_unique<TopicReader>(fields, max_bytes);
}

}  // namespace warpdex
