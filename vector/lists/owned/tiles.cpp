// Tiles are encoded one by one, with the centroids and codebooks of a sample, and joined.
#include <numeric>
#include <string>
#include <utility>

#include "kmeans/parallel_parts.hpp"
#include "lists/owned/owned_lists.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/lists/owned/list_builder.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kTilePartLists = 16;

/// A tile's lists; its rows are numbered from 0.
struct Tile {
  ClusterMembers members;
  OwnedCodeLists<PqCoding> codes;  ///< codes, terms and group_begins
};

/// Where the vectors of a list go.
struct JoinedList {
  std::uint64_t position;
  std::uint64_t group;
};

/// Copies what a tile has of a list behind what is there already.
void append(const Tile& tile, std::size_t list, std::size_t first_row, const CodeGroups& layout,
            JoinedList& at, std::uint64_t& count, OwnedCodeLists<PqCoding>& joined) {
  std::vector<std::uint8_t> code(layout.code_bytes);
  const std::uint64_t begin = tile.members.begins[list];
  const std::span<const std::uint32_t> rows = tile.members.of(list);
  for (std::size_t i = 0; i < rows.size(); ++i, ++count) {
    const std::size_t to = at.position + count;
    joined.lists.row_numbers[to] = static_cast<std::uint32_t>(first_row + rows[i]);
    joined.terms[to] = tile.codes.terms[begin + i];
    const std::size_t from_group = tile.codes.group_begins[list] + i / kGroupVectors;
    const std::size_t to_group = at.group + count / kGroupVectors;
    layout.read(tile.codes.codes.data() + from_group * layout.group_bytes(), i % kGroupVectors,
                code.data());
    layout.write(code.data(), count % kGroupVectors,
                 joined.codes.data() + to_group * layout.group_bytes());
  }
}

}  // namespace

struct IvfPqTiles::State {
  State(const BuildProgress& progress, const BuildDevice& device) : steps(progress, device) {}

  /// Where each of `count` lists begins in all tiles together.
  void set_begins(std::size_t count, OwnedCodeLists<PqCoding>& joined) const;

  BuildSteps steps;
  Metric metric = Metric::kL2;
  IvfSettings ivf;
  PqSettings pq;
  std::vector<float> centre;
  Matrix<float> centroids;
  TrainedCodes trained;
  std::vector<Tile> tiles;
  std::vector<std::size_t> first_rows{0};  ///< of each tile, and the end
};

IvfPqTiles::IvfPqTiles(const FlatVectors& sample, const IvfSettings& settings, const PqSettings& pq,
                       const BuildProgress& progress, const BuildDevice& device)
    : state_(std::make_unique<State>(progress, device)) {
  state_->metric = sample.metric;
  state_->ivf = settled(settings, sample.vectors.rows);
  state_->pq = pq;
  settle_codes(sample.vectors.dimension, state_->pq);
  state_->centre.assign(sample.centre.begin(), sample.centre.end());
  IvfLists lists =
      make_lists(sample, state_->ivf, has_spherical_lists<PqCoding>(sample.metric), state_->steps);
  state_->trained = train_codes(sample, lists, state_->ivf, state_->pq, state_->steps);
  state_->centroids = std::move(lists.centroids);
}

IvfPqTiles::~IvfPqTiles() = default;

void IvfPqTiles::add(const VectorView& tile) {
  State& own = *state_;
  if (tile.dimension != own.centroids.columns) {
    throw UsageError("the tile has vectors of " + std::to_string(tile.dimension) +
                     " components; the sample had " + std::to_string(own.centroids.columns));
  }
  if (tile.rows > kMaxRows - own.first_rows.back()) {
    throw UsageError("row numbers have 31 bits; build two indexes");
  }
  if (tile.rows == 0) return;
  const FlatVectors rows{own.metric, tile, own.centre, {}};
  IvfLists lists = assign_to_lists(rows, own.centroids, own.ivf.threads, own.steps);
  Tile made;
  encode_into(rows, lists, own.trained, own.ivf.threads, own.steps, made.codes);
  made.members = std::move(lists.members);
  own.tiles.push_back(std::move(made));
  own.first_rows.push_back(own.first_rows.back() + tile.rows);
}

void IvfPqTiles::State::set_begins(std::size_t count, OwnedCodeLists<PqCoding>& joined) const {
  joined.lists.begins.assign(1, 0);
  joined.group_begins.assign(1, 0);
  for (std::size_t list = 0; list < count; ++list) {
    const std::size_t size = std::accumulate(
        tiles.begin(), tiles.end(), std::size_t{0},
        [&](std::size_t sum, const Tile& tile) { return sum + tile.members.size(list); });
    joined.lists.begins.push_back(joined.lists.begins.back() + size);
    joined.group_begins.push_back(joined.group_begins.back() + groups_of(size));
  }
}

OwnedCodeLists<PqCoding> IvfPqTiles::finish() {
  State& own = *state_;
  OwnedCodeLists<PqCoding> joined;
  joined.metric = own.metric;
  joined.centre = std::move(own.centre);
  joined.trained = std::move(own.trained);
  const std::size_t count = own.centroids.rows;
  IvfLists lists;
  lists.centroids = std::move(own.centroids);
  joined.lists = own_lists(std::move(lists), own.metric);
  own.set_begins(count, joined);
  const CodeGroups layout{own.pq.bytes};
  joined.lists.row_numbers.resize(own.first_rows.back());
  joined.terms.resize(own.first_rows.back());
  joined.codes.resize(joined.group_begins.back() * layout.group_bytes());
  own.steps.run_on_cpu("joining", [&] {
    for_each_part(count, kTilePartLists, own.ivf.threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t list = first; list < last; ++list) {
        JoinedList at{joined.lists.begins[list], joined.group_begins[list]};
        std::uint64_t done = 0;
        for (std::size_t t = 0; t < own.tiles.size(); ++t) {
          append(own.tiles[t], list, own.first_rows[t], layout, at, done, joined);
        }
      }
    });
  });
  own.tiles.clear();
  return joined;
}

}  // namespace warpdex::vector
