// The forms in which neighbours are written.
#include "output/neighbor_output.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "output/json.hpp"
#include "output/output_file.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/number_text.hpp"
#include "warpdex/vector/data/vector_writer.hpp"

namespace warpdex::tools {
namespace {

using vector::Element;

class Lines : public NeighborOutput {
 public:
  Lines(const std::string& target, const VectorIndex& index) : output_(target), index_(index) {}

  void add(const QueryNeighbors& answer) override {
    const std::vector<std::string> ids = index_.ids(answer.rows);
    for (std::size_t i = 0; i < ids.size() && answer.rows[i] >= 0; ++i) {
      output_.stream() << answer.query << '\t' << ids[i] << '\t' << shortest(answer.distances[i])
                       << '\n';
    }
  }
  void write_through() override { output_.write_through(); }
  void finish() override { output_.commit(); }

 private:
  OutputFile output_;
  const VectorIndex& index_;
};

class Json : public NeighborOutput {
 public:
  Json(const std::string& target, const VectorIndex& index, bool has_estimates)
      : output_(target),
        index_(index),
        has_ids_(index.id_kind() != vector::IdKind::kRows),
        distance_is_(has_estimates ? "estimate" : "exact") {}

  /// A line a query, so that nothing has to be held.
  void add(const QueryNeighbors& answer) override {
    json_.begin_object();
    json_.member("query", answer.query);
    json_.member("distance_is", distance_is_);
    json_.begin_array("neighbors");
    std::vector<std::string> ids;
    if (has_ids_) ids = index_.ids(answer.rows);
    for (std::size_t i = 0; i < answer.rows.size() && answer.rows[i] >= 0; ++i) {
      json_.begin_object();
      json_.member("row", static_cast<std::uint64_t>(answer.rows[i]));
      if (has_ids_) json_.member("id", ids[i]);
      if (std::isfinite(answer.distances[i])) {
        json_.member("distance", answer.distances[i]);
      } else {
        json_.null_member("distance");  // past the range of floats
      }
      json_.end_object();
    }
    json_.end_array();
    json_.end_object();
    output_.stream() << json_.take() << '\n';
  }
  void write_through() override { output_.write_through(); }
  void finish() override { output_.commit(); }

 private:
  OutputFile output_;
  const VectorIndex& index_;
  bool has_ids_;
  std::string distance_is_;
  JsonWriter json_;
};

class RowFile : public NeighborOutput {
 public:
  RowFile(const std::string& target, std::uint64_t queries, std::size_t k)
      : writer_(vector::create_vectors(target, Element::kInt32, k, queries,
                                       vector::Role::kNeighbors)) {}
  void add(const QueryNeighbors& answer) override {
    row_.assign(answer.rows.begin(), answer.rows.end());
    row_.resize(writer_->dimension(), -1);
    writer_->write_raw(1, row_.data());
  }
  void write_through() override { writer_->write_through(); }
  void finish() override { writer_->finish(); }

 private:
  std::unique_ptr<vector::VectorWriter> writer_;
  std::vector<std::int32_t> row_;
};

class DistanceFile : public NeighborOutput {
 public:
  DistanceFile(const std::string& target, std::uint64_t queries, std::size_t k, float worst)
      : writer_(vector::create_vectors(target, Element::kFloat32, k, queries,
                                       vector::Role::kDistances)),
        worst_(worst) {}
  void add(const QueryNeighbors& answer) override {
    row_.assign(answer.distances.begin(), answer.distances.end());
    row_.resize(writer_->dimension(), worst_);
    writer_->write_raw(1, row_.data());
  }
  void write_through() override { writer_->write_through(); }
  void finish() override { writer_->finish(); }

 private:
  std::unique_ptr<vector::VectorWriter> writer_;
  float worst_;
  std::vector<float> row_;
};

class All : public NeighborOutput {
 public:
  explicit All(std::vector<std::unique_ptr<NeighborOutput>> parts) : parts_(std::move(parts)) {}
  void add(const QueryNeighbors& answer) override {
    for (const auto& part : parts_) part->add(answer);
  }
  void write_through() override {
    for (const auto& part : parts_) part->write_through();
  }
  /// All are written before the first appears.
  void finish() override {
    write_through();
    for (const auto& part : parts_) part->finish();
  }

 private:
  std::vector<std::unique_ptr<NeighborOutput>> parts_;
};

bool is_lines(const std::string& target) {
  return target.empty() || target == "-" || target.ends_with(".tsv") || target.ends_with(".txt");
}

bool is_hdf5(const std::string& path) {
  return path.find(".hdf5") != path.npos || path.find(".h5") != path.npos;
}

void check_places(const NeighborTargets& targets) {
  const std::array<std::pair<const char*, std::string>, 3> written{
      {{"--output", targets.output}, {"--distances", targets.distances}, {"--json", targets.json}}};
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (std::size_t j = i + 1; j < written.size(); ++j) {
      const std::string& place = written[i].second;
      // One HDF5 file holds several datasets.
      if (place.empty() || place != written[j].second || is_hdf5(place)) continue;
      throw UsageError(std::string(written[i].first) + " and " + written[j].first +
                       " both go to '" + place + "'; give each a file of its own");
    }
  }
}

/// Among the suffixes of the formats, those of lines are missing.
void check_format(const std::string& target) {
  try {
    const auto element = vector::element_of_format(target);
    if (!element || *element == Element::kInt32) return;
  } catch (const UsageError&) {
  }
  throw UsageError("--output '" + target + "' cannot hold answers; " +
                   vector::advice_to_write(Element::kInt32) + ", or in .tsv for lines");
}

std::size_t fixed_length(std::optional<std::size_t> k, const std::string& target) {
  if (k) return *k;
  throw UsageError("the answers of --radius have differing lengths, which '" + target +
                   "' cannot hold; write a .tsv file or --json");
}

}  // namespace

std::unique_ptr<NeighborOutput> make_neighbor_output(const NeighborTargets& targets,
                                                     const VectorIndex& index,
                                                     const NeighborShape& shape) {
  check_places(targets);
  std::vector<std::unique_ptr<NeighborOutput>> parts;
  const bool is_quiet =
      targets.output.empty() && !(targets.json.empty() && targets.distances.empty());
  if (!is_quiet && is_lines(targets.output)) {
    parts.push_back(std::make_unique<Lines>(targets.output, index));
  } else if (!is_quiet) {
    check_format(targets.output);
    parts.push_back(std::make_unique<RowFile>(targets.output, shape.queries,
                                              fixed_length(shape.places, targets.output)));
  }
  if (!targets.distances.empty()) {
    parts.push_back(std::make_unique<DistanceFile>(targets.distances, shape.queries,
                                                   fixed_length(shape.places, targets.distances),
                                                   vector::worst_distance(index.metric())));
  }
  if (!targets.json.empty())
    parts.push_back(std::make_unique<Json>(targets.json, index, shape.has_estimates));
  return std::make_unique<All>(std::move(parts));
}

}  // namespace warpdex::tools
