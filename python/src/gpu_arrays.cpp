#include "gpu_arrays.hpp"

#include <cstdint>
#include <map>
#include <mutex>

#include "warpdex/gpu.hpp"

namespace warpdex::python {
namespace {

/// An array as DLPack describes it, of any device.
struct DlpackArray {
  nb::ndarray<nb::ro> array{};
};
std::string name_of_dtype(nb::dlpack::dtype type) {
  const std::string bits = std::to_string(type.bits);
  std::string name;
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Int: name = "int" + bits; break;
    case nb::dlpack::dtype_code::UInt: name = "uint" + bits; break;
    case nb::dlpack::dtype_code::Float: name = "float" + bits; break;
    case nb::dlpack::dtype_code::Bfloat: name = "bfloat" + bits; break;
    case nb::dlpack::dtype_code::Complex: name = "complex" + bits; break;
    case nb::dlpack::dtype_code::Bool: name = "bool"; break;
    default: name = "type " + std::to_string(type.code) + " of " + bits + " bits"; break;
  }
  return type.lanes == 1 ? name : name + " x " + std::to_string(type.lanes);
}

template <class Get>
nb::tuple numbers_of(std::size_t count, const Get& get) {
  nb::list numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.append(get(i));
  return nb::tuple(numbers);
}

/// GPU memory that Python owns. A child process after fork() leaves it alone.
class GpuBuffer {
 public:
  GpuBuffer(std::size_t bytes, int device)
      : memory_(std::make_unique<GpuMemory>(bytes, device)), device_(device) {}

  Address address() const { return reinterpret_cast<Address>(memory_->data()); }
  int device() const { return device_; }
  void* data() const { return memory_->data(); }

 private:
  Owned<GpuMemory> memory_;
  int device_;
};

/// The memory as an array with __dlpack__, which keeps it.
template <class T>
nb::object array_over(nb::handle_t<GpuBuffer> buffer, const std::vector<std::size_t>& shape) {
  const auto& memory = nb::cast<const GpuBuffer&>(buffer);
  using Array = nb::ndarray<nb::array_api, T, nb::device::cuda>;
  return nb::cast(Array(memory.data(), shape.size(), shape.data(), buffer, nullptr, nb::dtype<T>(),
                        nb::device::cuda::value, memory.device()));
}

bool is_there(int device) {
  try {
    check_gpu(device);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// A stream of each GPU that the work on callers' arrays is ordered before; null where there is no
/// such GPU. Streams are not destroyed: the driver may be gone when the process ends.
const GpuStream* stream_of(int device) {
  static std::mutex mutex;
  static auto& streams = *new std::map<int, GpuStream>;
  const std::lock_guard lock(mutex);
  const auto found = streams.find(device);
  if (found != streams.end()) return &found->second;
  if (!is_there(device)) return nullptr;
  return &streams.emplace(device, GpuStream(device)).first->second;
}

/// For __dlpack__(stream=...); -1, which orders nothing, where there is no such GPU.
std::int64_t stream_number(int device) {
  const GpuStream* const stream = stream_of(device);
  return stream == nullptr ? -1 : reinterpret_cast<std::intptr_t>(stream->handle());
}

void wait_for(Address stream, int device) {
  const nb::gil_scoped_release no_gil;
  wait_for_gpu(reinterpret_cast<void*>(stream), device);
}

int gpu_at(Address address) {
  return is_there(0) ? gpu_of(reinterpret_cast<const void*>(address)) : -1;
}

std::string problem_of_gpu() {
  try {
    check_gpu(0);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

void bind_gpu_arrays(nb::module_& module) {
  nb::class_<DlpackArray>(module, "DlpackArray")
      .def("__init__",
           [](DlpackArray* self, nb::handle capsule) {
             new (self) DlpackArray{nb::cast<nb::ndarray<nb::ro>>(capsule, false)};
           })
      .def_prop_ro("address",
                   [](const DlpackArray& of) { return reinterpret_cast<Address>(of.array.data()); })
      .def_prop_ro("shape",
                   [](const DlpackArray& of) {
                     return numbers_of(of.array.ndim(), [&](auto i) { return of.array.shape(i); });
                   })
      .def_prop_ro("strides",
                   [](const DlpackArray& of) {
                     return numbers_of(of.array.ndim(), [&](auto i) { return of.array.stride(i); });
                   })
      .def_prop_ro("dtype", [](const DlpackArray& of) { return name_of_dtype(of.array.dtype()); });
  nb::class_<GpuBuffer>(module, "GpuBuffer")
      .def(nb::init<std::size_t, int>(), nb::arg("bytes"), nb::arg("device"))
      .def_prop_ro("address", &GpuBuffer::address)
      .def_static("floats", &array_over<float>)
      .def_static("numbers", &array_over<std::int64_t>);
  module.def("gpu_stream", &stream_number);
  module.def("wait_for_stream", &wait_for);
  module.def("gpu_of", &gpu_at);
  module.def("gpu_problem", &problem_of_gpu);
}

}  // namespace warpdex::python
