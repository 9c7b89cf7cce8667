// Turns CUDA's status codes into CudaError, with advice for the common ones.
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex {
namespace {

const char* advice(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "free GPU memory (other programs may hold it) or ask for less";
    case cudaErrorNoDevice: return "run it where there is an NVIDIA GPU, or use the CPU engine";
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceAlreadyInUse:
      return "another process has the GPU to itself: end it, or let processes share the GPU by "
             "'nvidia-smi -c DEFAULT'";
    case cudaErrorInvalidDevice: return "choose a device below warpdex::device_count()";
    case cudaErrorInsufficientDriver:
      return "install an NVIDIA driver for this CUDA version or a newer one, or use the CPU engine";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "build Warpdex for this GPU, with -DCMAKE_CUDA_ARCHITECTURES=native";
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidValue:
    case cudaErrorLaunchOutOfResources:
      return "this is a defect of the caller: the arguments are outside of what the GPU can do";
    default:
      return "the GPU context may be lost: start the program anew, under compute-sanitizer to find "
             "the cause";
  }
}

}  // namespace

void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw CudaError(std::string(call) + " failed: " + cudaGetErrorString(status) + " (" +
                      cudaGetErrorName(status) + "); " + advice(status),
                  static_cast<int>(status));
}

void check_cuda(cudaError_t status, const std::string& call) { check_cuda(status, call.c_str()); }

void check_launch(const char* kernel) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) check_cuda(status, "launch of kernel " + std::string(kernel));
}

CurrentDevice::CurrentDevice(int device) {
  check_cuda(cudaGetDevice(&previous_), "cudaGetDevice");
  if (device == previous_) return;
  check_cuda(cudaSetDevice(device), "cudaSetDevice to device " + std::to_string(device));
  changed_ = true;
}

CurrentDevice::~CurrentDevice() {
  if (changed_) cudaSetDevice(previous_);
}

}  // namespace warpdex
