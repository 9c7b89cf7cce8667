// CIFF files and binary collections, written and read byte by byte: without protobuf, and without
// any of the code under test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/indexer/build_support.hpp"
#include "tests/support.hpp"

namespace warpdex::test::foreign {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 127; value /= 128) bytes += static_cast<char>(128 + value % 128);
  return bytes + static_cast<char>(value);
}

/// A field of wire type 0, written even where it is 0.
inline std::string number(unsigned field, std::int64_t value) {
  return varint(field * 8) + varint(static_cast<std::uint64_t>(value));
}

/// A field of wire type 2.
inline std::string text(unsigned field, const std::string& value) {
  return varint(field * 8 + 2) + varint(value.size()) + value;
}

/// A field of wire type 1.
inline std::string real(unsigned field, double value) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &value, 8);
  return varint(field * 8 + 1) + bytes;
}

inline std::string delimited(const std::string& message) {
  return varint(message.size()) + message;
}

struct Header {
  std::int64_t version = 1;
  std::int64_t lists = 0;
  std::int64_t documents = 0;
  std::int64_t total_lists = 0;
  std::int64_t total_documents = 0;
  std::int64_t tokens = 0;
  double average = 0;
  std::string description;

  std::string message() const {
    return number(1, version) + number(2, lists) + number(3, documents) + number(4, total_lists) +
           number(5, total_documents) + number(6, tokens) + real(7, average) + text(8, description);
  }
};

/// A posting as a field of its list.
inline std::string posting(std::int64_t gap, std::int64_t tf) {
  std::string message;
  if (gap != 0) message += number(1, gap);  // proto3 leaves zeros out
  if (tf != 0) message += number(2, tf);
  return text(4, message);
}

/// A PostingsList of postings that posting() made.
inline std::string list(const std::string& term, std::int64_t df, std::int64_t cf,
                        const std::string& postings) {
  return text(1, term) + number(2, df) + number(3, cf) + postings;
}

inline std::string document(std::int64_t docid, const std::string& name, std::int64_t length) {
  return (docid == 0 ? "" : number(1, docid)) + text(2, name) + number(3, length);
}

/// A CIFF file whose messages can be tampered with before it is put together.
struct Ciff {
  Header header;
  std::vector<std::string> lists;
  std::vector<std::string> documents;

  std::string bytes() const {
    std::string all = delimited(header.message());
    for (const std::string& message : lists) all += delimited(message);
    for (const std::string& message : documents) all += delimited(message);
    return all;
  }
};

inline Ciff ciff_of(const Collection& collection) {
  Ciff ciff;
  for (const auto& [term, postings] : collection.lists) {
    std::string bytes;
    std::int64_t cf = 0;
    std::int64_t before = 0;
    for (const auto& [docid, frequency] : postings) {
      bytes += posting(docid - before, frequency);
      before = docid;
      cf += frequency;
    }
    ciff.lists.push_back(list(term, static_cast<std::int64_t>(postings.size()), cf, bytes));
  }
  for (std::size_t i = 0; i < collection.names.size(); ++i) {
    ciff.documents.push_back(
        document(static_cast<std::int64_t>(i), collection.names[i], collection.lengths[i]));
    ciff.header.tokens += collection.lengths[i];
  }
  ciff.header.lists = ciff.header.total_lists = static_cast<std::int64_t>(ciff.lists.size());
  ciff.header.documents = ciff.header.total_documents =
      static_cast<std::int64_t>(ciff.documents.size());
  return ciff;
}

/// A message of a CIFF file, taken apart: its numbers and texts by their fields, in order.
struct Message {
  struct Field {
    unsigned field = 0;
    std::uint64_t value = 0;
    std::string text;
  };
  std::vector<Field> fields;

  std::uint64_t value(unsigned field) const {
    for (const Field& one : fields) {
      if (one.field == field) return one.value;
    }
    return 0;
  }
  std::string text_of(unsigned field) const {
    for (const Field& one : fields) {
      if (one.field == field) return one.text;
    }
    return {};
  }
};

inline std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(0));
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 127U} << shift;
    if (byte < 128) return value;
  }
}

inline std::string take(std::string_view& bytes, std::size_t size) {
  if (size > bytes.size()) throw std::out_of_range("a message is cut short");
  const std::string taken(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return taken;
}

inline Message parse(std::string_view bytes) {
  Message message;
  while (!bytes.empty()) {
    const std::uint64_t tag = take_varint(bytes);
    Message::Field field{static_cast<unsigned>(tag / 8), 0, {}};
    if (tag % 8 == 0) field.value = take_varint(bytes);
    if (tag % 8 == 1) std::memcpy(&field.value, take(bytes, 8).data(), 8);
    if (tag % 8 == 2) field.text = take(bytes, take_varint(bytes));
    if (tag % 8 > 2) throw std::out_of_range("a wire type that CIFF does not have");
    message.fields.push_back(field);
  }
  return message;
}

/// All that a CIFF file holds.
struct ParsedCiff {
  Message header;
  std::vector<std::string> terms;  ///< in the order of the file
  std::vector<std::uint64_t> dfs;
  std::vector<std::uint64_t> cfs;
  Collection collection;
};

inline ParsedCiff parse_ciff(std::string_view bytes) {
  ParsedCiff ciff;
  const auto next = [&] { return parse(take(bytes, take_varint(bytes))); };
  ciff.header = next();
  for (std::uint64_t i = 0; i < ciff.header.value(2); ++i) {
    const Message list = next();
    ciff.terms.push_back(list.text_of(1));
    ciff.dfs.push_back(list.value(2));
    ciff.cfs.push_back(list.value(3));
    std::uint64_t docid = 0;
    for (const Message::Field& field : list.fields) {
      if (field.field != 4) continue;
      const Message posting = parse(field.text);
      docid += posting.value(1);
      ciff.collection.lists[ciff.terms.back()][static_cast<std::uint32_t>(docid)] =
          static_cast<std::uint32_t>(posting.value(2));
    }
  }
  for (std::uint64_t i = 0; i < ciff.header.value(3); ++i) {
    const Message record = next();
    if (record.value(1) != i) throw std::out_of_range("documents are not in order");
    ciff.collection.names.push_back(record.text_of(2));
    ciff.collection.lengths.push_back(static_cast<std::uint32_t>(record.value(3)));
  }
  if (!bytes.empty()) throw std::out_of_range("bytes follow");
  return ciff;
}

inline std::string word(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
  return bytes;
}

/// The files of a binary collection, by their endings.
using Ds2i = std::map<std::string, std::string>;

inline Ds2i ds2i_of(const Collection& collection) {
  Ds2i files{{"docs", word(1) + word(collection.names.size())},
             {"freqs", ""},
             {"sizes", word(collection.lengths.size())},
             {"terms", ""},
             {"documents", ""}};
  for (const std::uint32_t length : collection.lengths) files["sizes"] += word(length);
  for (const std::string& name : collection.names) files["documents"] += name + "\n";
  for (const auto& [term, postings] : collection.lists) {
    files["terms"] += term + "\n";
    files["docs"] += word(postings.size());
    files["freqs"] += word(postings.size());
    for (const auto& [docid, frequency] : postings) {
      files["docs"] += word(docid);
      files["freqs"] += word(frequency);
    }
  }
  return files;
}

inline void write_ds2i(const Ds2i& files, const std::filesystem::path& prefix) {
  for (const auto& [ending, bytes] : files) write_file(prefix.string() + "." + ending, bytes);
}

inline Ds2i read_ds2i(const std::filesystem::path& prefix) {
  Ds2i files;
  for (const char* ending : {"docs", "freqs", "sizes", "terms", "documents"}) {
    files[ending] = read_file(prefix.string() + "." + ending);
  }
  return files;
}

}  // namespace warpdex::test::foreign
