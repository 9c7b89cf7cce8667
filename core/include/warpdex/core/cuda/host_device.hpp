// Functions that both the host and kernels call.
#pragma once

#ifdef __CUDACC__
#define WARPDEX_HOST_DEVICE __host__ __device__
#else
#define WARPDEX_HOST_DEVICE
#endif
