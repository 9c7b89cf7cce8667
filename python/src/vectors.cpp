#include "vectors.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>

#include "gpu_arrays.hpp"
#include "options.hpp"
#include "warpdex/vector_graph.hpp"
#include "warpdex/vector_index.hpp"
#include "worker.hpp"

namespace warpdex::python {
namespace {

/// Numbers, one a row.
using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Rows that may be answers: True or False for each.
using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

vector::VectorIds vector_ids(nb::handle ids) {
  if (ids.is_none()) return {};
  Numbers numbers;
  if (nb::try_cast(ids, numbers, false)) {
    return vector::VectorIds(
        std::vector<std::int64_t>(numbers.data(), numbers.data() + numbers.size()));
  }
  return vector::VectorIds(texts_of(ids, "an id"));
}

std::optional<vector::RowFilter> filter_of(nb::handle filter, std::size_t rows) {
  if (filter.is_none()) return std::nullopt;
  Mask mask;
  if (nb::try_cast(filter, mask, false)) {
    if (mask.size() != rows) {
      throw UsageError("the filter is of " + std::to_string(mask.size()) +
                       " rows, and the index has " + std::to_string(rows));
    }
    vector::RowFilter allowed(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      if (mask.data()[row]) allowed.add(row);
    }
    return allowed;
  }
  const auto numbers = nb::cast<Numbers>(filter, false);
  std::vector<std::uint32_t> listed;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t row = numbers.data()[i];
    if (row < 0 || static_cast<std::size_t>(row) >= rows) {
      throw UsageError("the filter names row " + std::to_string(row) + ", and the index has " +
                       std::to_string(rows) + " rows");
    }
    listed.push_back(static_cast<std::uint32_t>(row));
  }
  return vector::RowFilter::of_rows(listed, rows);
}

VectorIndexOptions vector_options(const std::string& device, const std::vector<int>& gpus,
                                  std::uint64_t gpu_memory, std::size_t shards, std::size_t threads,
                                  const VectorDepth& depth) {
  VectorIndexOptions options;
  options.device = device_from_name(device);
  if (options.device == Device::kGpu) options.gpus = open_gpus(gpus, gpu_memory);
  options.shards = shards;
  options.threads = threads;
  options.depth = depth;
  return options;
}

/// Runs work that a stop token ends, so that Ctrl-C comes through; without the GIL. `progress` is
/// None or called with a stage, what is done of it and of how much.
class LongWork {
 public:
  explicit LongWork(nb::handle progress = nb::none()) : progress_(progress) {}

  std::stop_token stop() const { return source_.get_token(); }
  VectorWork work() {
    return {.progress =
                [this](const char* stage, std::uint64_t done, std::uint64_t total) {
                  const std::lock_guard lock(mutex_);
                  last_ = {stage, done, total};
                },
            .stop = stop()};
  }
  void run(std::function<void()> work) {
    Worker(std::move(work)).run([] {}, [this] { tell(); }, [this] { source_.request_stop(); });
    tell();
  }

 private:
  struct Step {
    std::string stage{};
    std::uint64_t done = 0;
    std::uint64_t total = 0;
  };

  void tell() {
    if (progress_.is_none()) return;
    Step now;
    {
      const std::lock_guard lock(mutex_);
      now = last_;
    }
    if (now.total > 0) progress_(now.stage, now.done, now.total);
  }

  nb::handle progress_;
  std::stop_source source_;
  std::mutex mutex_;
  Step last_;
};

VectorCoding coding_of(std::string_view name) {
  if (name == "rows") return VectorCoding::kRows;
  if (name == "pq") return VectorCoding::kPq;
  if (name == "binary") return VectorCoding::kBinary;
  if (name == "sq8") return VectorCoding::kSq8;
  throw UsageError("there is no coding '" + std::string(name) +
                   "'; there are rows, pq, binary and sq8");
}

NewVectorIndex new_index(const nb::dict& keywords) {
  NewVectorIndex made;
  Keywords(keywords).read({
      {"metric", [&](auto v) { made.metric = vector::metric_from_name(text_of(v, "metric")); }},
      {"store", [&](auto v) { made.store = vector::store_from_name(text_of(v, "store")); }},
      {"coding", [&](auto v) { made.coding = coding_of(text_of(v, "coding")); }},
      {"lists",
       [&](auto v) {
         made.lists = PyUnicode_Check(v.ptr()) && text_of(v, "lists") == "auto"
                          ? kAutoLists
                          : whole_of(v, "lists", 0, vector::kMaxRows);
       }},
      {"train", [&](auto v) { made.train = whole_of(v, "train"); }},
      {"pq_bits", [&](auto v) { made.pq_bits = whole_of(v, "pq_bits", 4, 8); }},
      {"pq_bytes",
       [&](auto v) { made.pq_bytes = whole_of(v, "pq_bytes", 0, vector::kMaxDimension); }},
      {"bits", [&](auto v) { made.binary_bits = whole_of(v, "bits", 1, 8); }},
      {"rotated", [&](auto v) { made.is_rotated = flag_of(v, "rotated"); }},
      {"rotated_dimension",
       [&](auto v) {
         made.rotated_dimension = whole_of(v, "rotated_dimension", 0, vector::kMaxDimension);
       }},
      {"corrected", [&](auto v) { made.is_corrected = flag_of(v, "corrected"); }},
      {"keep_vectors", [&](auto v) { made.keeps_vectors = flag_of(v, "keep_vectors"); }},
      {"seed", [&](auto v) { made.seed = whole_of(v, "seed"); }},
  });
  return made;
}

void build_index_of(const std::string& path, const FloatRows& rows, nb::handle ids,
                    const std::string& device, int gpu, std::uint64_t gpu_memory,
                    std::size_t threads, nb::handle progress, const nb::dict& keywords) {
  check_finite(rows, "the vectors");
  NewVectorIndex settings = new_index(keywords);
  settings.dimension = rows.shape(1);
  const vector::VectorIds named = vector_ids(ids);
  VectorBuildOptions options;
  options.device = device_from_name(device);
  if (options.device == Device::kGpu) options.gpu.emplace(gpu, gpu_memory);
  options.threads = threads;
  LongWork work(progress);
  options.work = work.work();
  work.run([&] { VectorIndex::build(path, settings, components(rows), named, options); });
}

/// int64, as numpy's other indices.
nb::object rows_array(const std::vector<std::int32_t>& rows,
                      const std::vector<std::size_t>& shape) {
  return to_array(std::vector<std::int64_t>(rows.begin(), rows.end()), shape);
}

nb::tuple to_arrays(vector::Neighbors&& found) {
  const std::vector<std::size_t> shape{found.queries, found.k};
  nb::object rows = rows_array(found.rows, shape);
  return nb::make_tuple(to_array(std::move(found.distances), shape), rows);
}

class Vectors {
 public:
  Vectors(const std::string& path, const std::string& device, const std::vector<int>& gpus,
          std::uint64_t gpu_memory, std::size_t shards, std::size_t threads,
          const VectorDepth& depth)
      : index_([&] {
          const nb::gil_scoped_release no_gil;
          return std::make_unique<VectorIndex>(
              path, vector_options(device, gpus, gpu_memory, shards, threads, depth));
        }()) {}

  nb::tuple search(const FloatRows& queries, std::size_t k, nb::handle filter) const;
  void search_on_gpu(Address queries, std::size_t count, std::size_t k, Address distances,
                     Address rows) const;
  nb::tuple range_search(const FloatRows& queries, float radius, nb::handle filter) const;
  nb::tuple knn_graph(std::size_t k, nb::handle progress) const {
    LongWork work(progress);
    KnnGraphOptions options{.k = k};
    options.work = work.work();
    vector::Neighbors graph;
    const VectorIndex& index = index_.get();
    work.run([&] { graph = warpdex::knn_graph(index, options); });
    return to_arrays(std::move(graph));
  }
  std::uint64_t add(const FloatRows& rows, nb::handle ids, bool replace) {
    check_rows(rows);
    vector::VectorIds named = vector_ids(ids);
    return change([&](VectorIndex& index, const VectorWork& work) {
      return index.add(components(rows), std::move(named), replace, work);
    });
  }
  std::uint64_t remove(nb::handle ids) {
    const vector::VectorIds named = vector_ids(ids);
    return change(
        [&](VectorIndex& index, const VectorWork& work) { return index.remove(named, work); });
  }
  std::uint64_t merge() {
    return change([](VectorIndex& index, const VectorWork& work) { return index.merge(work); });
  }
  bool refresh() {
    const nb::gil_scoped_release no_gil;
    return index_->refresh();
  }
  void set_depth(const VectorDepth& depth) {
    const nb::gil_scoped_release no_gil;
    VectorIndexOptions options = index_->options();
    options.depth = depth;
    index_->set_options(options);
  }
  nb::list ids(const Numbers& rows) const {
    nb::list all;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t row = rows.data()[i];
      all.append(row < 0 ? nb::object(nb::none())
                         : nb::object(to_str(index_->id(static_cast<std::size_t>(row)))));
    }
    return all;
  }
  const VectorIndex& get() const { return index_.get(); }

 private:
  template <class Change>
  std::uint64_t change(const Change& make) {
    LongWork work;
    VectorIndex& index = index_.get();
    std::uint64_t number = 0;
    work.run([&] { number = make(index, work.work()).number; });
    return number;
  }
  /// `search` gets the options of a search, on a thread of its own where it may take long.
  void run(const FloatRows& queries, nb::handle filter,
           const std::function<void(const VectorIndex&, const VectorSearchOptions&)>& search) const;
  void check_rows(const FloatRows& rows) const {
    if (rows.shape(1) != index_->dimension()) {
      throw UsageError("the rows have " + std::to_string(rows.shape(1)) +
                       " components, and those of the index have " +
                       std::to_string(index_->dimension()));
    }
    check_finite(rows, "the rows");
  }

  Owned<VectorIndex> index_;
};

void Vectors::run(
    const FloatRows& queries, nb::handle filter,
    const std::function<void(const VectorIndex&, const VectorSearchOptions&)>& search) const {
  // Components to compare in some hundredths of a second.
  constexpr double kShortOnCpu = 1e8;
  constexpr double kShortOnGpu = 1e12;
  check_rows(queries);
  const VectorIndex& index = index_.get();
  const auto allowed = filter_of(filter, index.rows());
  VectorSearchOptions options;
  if (allowed) options.filter = &*allowed;
  const double most = index.device() == Device::kCpu ? kShortOnCpu : kShortOnGpu;
  if (static_cast<double>(queries.size()) * static_cast<double>(index.rows()) < most) {
    const nb::gil_scoped_release no_gil;
    search(index, options);
    return;
  }
  LongWork work;
  options.stop = work.stop();
  work.run([&] { search(index, options); });
}

nb::tuple Vectors::search(const FloatRows& queries, std::size_t k, nb::handle filter) const {
  vector::Neighbors found;
  run(queries, filter, [&](const VectorIndex& index, const VectorSearchOptions& options) {
    found = index.search(components(queries), k, options);
  });
  return to_arrays(std::move(found));
}

/// Queries and answers are addresses in GPU memory. Between parts of the queries it looks for
/// signals.
void Vectors::search_on_gpu(Address queries, std::size_t count, std::size_t k, Address distances,
                            Address rows) const {
  constexpr std::size_t kPairs = std::size_t{1} << 38;  // of a query and a row: at most a second
  const VectorIndex& index = index_.get();
  const std::size_t part = std::max<std::size_t>(1024, kPairs / (1 + index.rows()));
  for (std::size_t first = 0; first < count; first += part) {
    if (first > 0) check_signals();
    const nb::gil_scoped_release no_gil;
    index.search_on_gpu(reinterpret_cast<const float*>(queries) + first * index.dimension(),
                        std::min(part, count - first), k,
                        reinterpret_cast<std::int64_t*>(rows) + first * k,
                        reinterpret_cast<float*>(distances) + first * k);
  }
}

nb::tuple Vectors::range_search(const FloatRows& queries, float radius, nb::handle filter) const {
  vector::RangeNeighbors found;
  run(queries, filter, [&](const VectorIndex& index, const VectorSearchOptions& options) {
    found = index.search_radius(components(queries), radius, options);
  });
  const std::size_t size = found.rows.size();
  const std::size_t ends = found.offsets.size();
  nb::object limits =
      to_array(std::vector<std::int64_t>(found.offsets.begin(), found.offsets.end()), {ends});
  nb::object rows = rows_array(found.rows, {size});
  return nb::make_tuple(limits, to_array(std::move(found.distances), {size}), rows);
}

}  // namespace

void bind_vectors(nb::module_& module) {
  nb::class_<VectorDepth>(module, "VectorDepth")
      .def("__init__",
           [](VectorDepth* self, std::size_t probes, std::size_t refine, std::size_t query_bits) {
             new (self) VectorDepth{probes, refine, query_bits};
           });
  nb::class_<Vectors>(module, "VectorIndex")
      .def(nb::init<const std::string&, const std::string&, const std::vector<int>&, std::uint64_t,
                    std::size_t, std::size_t, const VectorDepth&>())
      .def("search", &Vectors::search, nb::arg("queries").noconvert(), nb::arg("k"),
           nb::arg("filter").none())
      .def("search_on_gpu", &Vectors::search_on_gpu)
      .def("range_search", &Vectors::range_search, nb::arg("queries").noconvert(),
           nb::arg("radius"), nb::arg("filter").none())
      .def("knn_graph", &Vectors::knn_graph, nb::arg("k"), nb::arg("progress").none())
      .def("add", &Vectors::add, nb::arg("rows").noconvert(), nb::arg("ids").none(),
           nb::arg("replace"))
      .def("remove", &Vectors::remove)
      .def("merge", &Vectors::merge)
      .def("refresh", &Vectors::refresh)
      .def("set_depth", &Vectors::set_depth)
      .def("ids", &Vectors::ids)
      .def_prop_ro("dimension", [](const Vectors& of) { return of.get().dimension(); })
      .def_prop_ro("metric",
                   [](const Vectors& of) { return to_str(vector::metric_name(of.get().metric())); })
      .def_prop_ro("rows", [](const Vectors& of) { return of.get().rows(); })
      .def_prop_ro("live_rows", [](const Vectors& of) { return of.get().live_rows(); })
      .def_prop_ro("lists", [](const Vectors& of) { return of.get().lists(); })
      .def_prop_ro("commit", [](const Vectors& of) { return of.get().commit(); })
      .def_prop_ro("gpu", [](const Vectors& of) -> std::optional<int> {
        const std::vector<Gpu> gpus = of.get().options().gpus;
        if (gpus.empty()) return std::nullopt;
        return gpus.front().device();
      });
  module.def("build_vectors", &build_index_of, nb::arg("path"), nb::arg("rows").noconvert(),
             nb::arg("ids").none(), nb::arg("device"), nb::arg("gpu"), nb::arg("gpu_memory"),
             nb::arg("threads"), nb::arg("progress").none(), nb::arg("options"));
}

}  // namespace warpdex::python
