// What a Writer holds: the index, the documents that wait for analysis, and the journal. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {

struct Writer::State {
  State(const std::filesystem::path& given, const WriterOptions& wanted);

  /// Opens the index, and takes in the changes of its journal.
  void open(const std::filesystem::path& place);
  /// Before a change: throws IoError where documents were lost, and takes the journal in again
  /// where the index lacks some of it.
  void make_ready();
  /// Takes in the changes of the journal. Returns how many there are.
  std::uint64_t take_journal();
  void take_put(Document&& document);
  void take_remove(std::string_view id);

  void take(NewDocument&& given, bool is_update);
  /// Puts a document among those that wait.
  void put(Document&& document);
  bool remove(std::string_view id);
  Document document_of(NewDocument&& given) const;
  FieldValues values_of(const std::string& id,
                        std::map<std::string, std::vector<FieldValue>>&& given) const;
  void check(const Document& document) const;
  void check_values(const Document& document, const std::string& called) const;
  std::vector<std::vector<float>> vectors_of(
      const std::string& id, std::map<std::string, std::vector<float>>&& given) const;
  void check_vectors(const Document& document, const std::string& called) const;
  static void check_vector(std::span<const float> vector, const VectorSet& set,
                           const std::string& called);
  void check_weights(const Document& document, const std::string& called) const;
  /// What only analysis would find, which is too late for a document that was taken.
  void check_terms(const Document& document, const std::string& called) const;
  /// Hands what waits to the index. `check` as of Writer::commit().
  void flush(const std::function<void()>& check = {});
  void flush_much();
  void forget();
  void sync();
  CommitReport commit(const std::function<void()>& check);
  void rollback();

  BuildOptions build_options() const;
  const IndexSettings& settings() const { return index->settings(); }
  bool is_weighted() const { return index->settings().impacts.has_value(); }

  const std::filesystem::path folder;  ///< as it was given
  const std::filesystem::path target;
  const WriterOptions options;
  std::optional<LivingIndex> index;
  std::vector<Field> columns;              ///< of its schema
  std::unique_ptr<ChangeJournal> journal;  ///< if the options say so, and a change came
  std::uint64_t recovered = 0;             ///< changes that were in the journal at first
  bool has_found = false;                  ///< a journal, of which no commit has the changes
  std::vector<std::string> notes;          ///< for the next commit
  std::vector<Document> waiting;
  std::unordered_map<std::string, std::size_t> places;  ///< in `waiting`, by id
  std::uint64_t waiting_bytes = 0;
  bool has_lost = false;   ///< documents that are nowhere else, as the index could not be written
  bool is_behind = false;  ///< of the journal: the index is to go back, and to take it in again
};

}  // namespace warpdex
