#include "clustering.hpp"

#include "gpu_arrays.hpp"
#include "options.hpp"
#include "warpdex/rows.hpp"

namespace warpdex::python {
namespace {

nb::tuple run_kmeans(const FloatRows& points, nb::handle clusters, nb::handle iterations,
                     bool spherical, bool balanced, std::uint64_t seed, const std::string& device,
                     int gpu, std::size_t threads, nb::handle progress) {
  check_finite(points, "the points");
  vector::KmeansSettings settings;
  settings.clusters = whole_of(clusters, "clusters", 1);
  settings.iterations = whole_of(iterations, "iterations", 1);
  settings.is_spherical = spherical;
  settings.is_balanced = balanced;
  settings.seed = seed;
  settings.threads = threads;
  settings.on_iteration = [&](const vector::KmeansIteration& now) {
    const nb::gil_scoped_acquire gil;
    check_signals();
    if (!progress.is_none()) progress(now.number, now.objective);
  };
  vector::KmeansResult found;
  {
    const nb::gil_scoped_release no_gil;
    std::vector<Gpu> gpus;
    if (device_from_name(device) == Device::kGpu) {
      check_gpu(gpu);
      gpus.emplace_back(gpu);
    }
    found = kmeans(components(points), points.shape(1), settings, gpus);
  }
  const std::size_t rows = found.clusters.size();
  return nb::make_tuple(
      to_array(std::move(found.centroids.values), {settings.clusters, points.shape(1)}),
      to_array(std::move(found.clusters), {rows}), found.objective, found.iterations);
}

nb::tuple select(const FloatRows& values, nb::handle k, bool largest) {
  const std::size_t count = whole_of(k, "k", 1);
  Selection found;
  {
    const nb::gil_scoped_release no_gil;
    found = select_k(components(values), values.shape(1), count, largest);
  }
  const std::vector<std::size_t> shape{values.shape(0), count};
  return nb::make_tuple(to_array(std::move(found.values), shape),
                        to_array(std::move(found.ids), shape));
}

void select_on_gpu(Address values, std::size_t rows, std::size_t columns, std::size_t k,
                   bool largest, int device, Address values_out, Address columns_out) {
  const nb::gil_scoped_release no_gil;
  select_k(Gpu(device), reinterpret_cast<const float*>(values), rows, columns, k, largest,
           reinterpret_cast<float*>(values_out), reinterpret_cast<std::int64_t*>(columns_out));
}

}  // namespace

void bind_clustering(nb::module_& module) {
  module.def("kmeans", &run_kmeans, nb::arg("points").noconvert(), nb::arg("clusters"),
             nb::arg("iterations"), nb::arg("spherical"), nb::arg("balanced"), nb::arg("seed"),
             nb::arg("device"), nb::arg("gpu"), nb::arg("threads"), nb::arg("progress").none());
  module.def("select_k", &select, nb::arg("values").noconvert(), nb::arg("k"), nb::arg("largest"));
  module.def("select_k_on_gpu", &select_on_gpu);
}

}  // namespace warpdex::python
