// Functions for the host and for the GPU. Internal.
#pragma once

#ifdef __CUDACC__
#define WARPDEX_HOST_DEVICE __host__ __device__
#else
#define WARPDEX_HOST_DEVICE
#endif
