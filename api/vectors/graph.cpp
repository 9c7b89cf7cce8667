// Searches for each row of an index, and for ways from row to row.
#include "warpdex/vector_graph.hpp"

#include <algorithm>
#include <utility>

#include "usable_gpu.hpp"
#include "vectors/stored_vectors.hpp"
#include "warpdex/vector/graph/knn_graph.hpp"
#include "warpdex/vector/graph/smooth_path.hpp"
#include "warpdex/vector/graph/symmetric_graph.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kMaxPartRows = 4096;
constexpr std::size_t kGpuMaxPartRows = 65'536;
/// Answers of a part, which are held in memory.
constexpr std::size_t kPartAnswers = std::size_t{1} << 22;
/// Of an exact search, products of components of a part: seconds, so that the caller hears of it.
constexpr double kPartProducts = 1e12;
constexpr double kGpuPartProducts = 1e14;

/// How many rows are searched for at a time.
std::size_t part_rows_of(const OpenVectors& open, std::size_t k) {
  const vector::VectorIndex& index = open.index();
  const std::size_t max_rows = open.is_on_gpu() ? kGpuMaxPartRows : kMaxPartRows;
  const std::size_t rows = std::clamp<std::size_t>(kPartAnswers / (k + 1), 1, max_rows);
  if (index.settings().index.in_lists) return rows;
  const double products =
      static_cast<double>(index.live_rows()) * static_cast<double>(index.settings().dimension);
  const double wanted = open.is_on_gpu() ? kGpuPartProducts : kPartProducts;
  const auto by_work = static_cast<std::size_t>(std::min(1e9, wanted / (products + 1)));
  return std::clamp<std::size_t>(by_work, std::min<std::size_t>(rows, 64), rows);
}

/// A search for rows, by the GPUs until the CPU takes over.
OpenVectors open_rows(const std::shared_ptr<const StoredVectors>& stored,
                      const VectorIndexOptions& options) {
  VectorIndexOptions cpu = options;
  cpu.device = Device::kCpu;
  cpu.gpus.clear();
  if (options.device != Device::kCpu) {
    try {
      OpenVectors open = OpenVectors::of_rows(stored, with_usable_gpus(options));
      open.searcher();
      return open;
    } catch (const Error& error) {
      if (options.device == Device::kGpu || !is_of_gpu(error)) throw;
      if (options.on_cpu) options.on_cpu(error);
    }
  }
  return OpenVectors::of_rows(stored, std::move(cpu));
}

vector::Neighbors nearest_rows(OpenVectors& open, std::span<const float> rows, std::size_t k) {
  if (open.is_on_gpu()) {
    try {
      return open.searcher().nearest(rows, k, open.depth());
    } catch (const Error& error) {
      let_cpu_take_over(open.options(), error);
    }
    open = open.on_cpu();
  }
  return open.searcher().nearest(rows, k, open.depth());
}

void append_lists(const vector::Neighbors& lists, vector::Neighbors& all) {
  all.rows.insert(all.rows.end(), lists.rows.begin(), lists.rows.end());
  all.distances.insert(all.distances.end(), lists.distances.begin(), lists.distances.end());
}

/// All that search() below needs to know.
class GraphBuild {
 public:
  GraphBuild(const VectorIndex& index, const KnnGraphOptions& options)
      : options_(options),
        open_(open_rows(index.stored(), options.search ? *options.search : index.options())),
        settings_{.k = options.k, .part_rows = part_rows_of(open_, options.k)} {}

  KnnGraphReport run(const TakeGraphLists& take) {
    if (!options_.is_symmetric) {
      find(take);
      return {settings_.k, 0};
    }
    const vector::SymmetricGraph graph = symmetric();
    const std::size_t rows = open_.index().rows();
    for (std::size_t first = 0; first < rows; first += settings_.part_rows) {
      check_stop(options_.work.stop);
      take(first, graph.lists(first, std::min(settings_.part_rows, rows - first)));
    }
    return {graph.longest(), graph.shortened()};
  }

 private:
  void find(const TakeGraphLists& take) {
    const vector::BuildProgress progress = progress_of(options_.work);
    vector::build_knn_graph(
        vector::StoredRows(open_.index()), settings_,
        [this](std::span<const float> rows, std::size_t k) { return nearest_rows(open_, rows, k); },
        [&](std::size_t first, const vector::Neighbors& lists) {
          take(first, lists);
          progress("searching", first + lists.queries, open_.index().rows());
        });
  }

  vector::SymmetricGraph symmetric() {
    vector::Neighbors all{open_.index().rows(), settings_.k, {}, {}};
    all.rows.reserve(all.queries * all.k);
    all.distances.reserve(all.queries * all.k);
    find([&](std::size_t /*first*/, const vector::Neighbors& lists) { append_lists(lists, all); });
    return {open_.index().settings().metric, all};
  }

  const KnnGraphOptions& options_;
  OpenVectors open_;
  vector::KnnGraphSettings settings_;
};

}  // namespace

KnnGraphReport knn_graph(const VectorIndex& index, const KnnGraphOptions& options,
                         const TakeGraphLists& take) {
  return GraphBuild(index, options).run(take);
}

vector::Neighbors knn_graph(const VectorIndex& index, const KnnGraphOptions& options) {
  vector::Neighbors graph;
  const KnnGraphReport report =
      knn_graph(index, options, [&](std::size_t /*first*/, const vector::Neighbors& lists) {
        graph.queries += lists.queries;
        append_lists(lists, graph);
      });
  graph.k = report.places;
  return graph;
}

std::optional<SmoothPath> smooth_path(const VectorIndex& index,
                                      const vector::Matrix<std::int32_t>& graph, std::size_t from,
                                      std::size_t to) {
  const std::shared_ptr<const StoredVectors> stored = index.stored();
  std::optional<vector::SmoothPath> path =
      vector::find_smooth_path(vector::StoredRows(stored->index), graph, from, to);
  if (!path) return std::nullopt;
  return SmoothPath{std::move(path->rows), std::move(path->steps)};
}

}  // namespace warpdex
