// The attributes of functions that use instructions of AVX2 or AVX-512. Internal.
#pragma once

#define WARPDEX_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define WARPDEX_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,popcnt")))
