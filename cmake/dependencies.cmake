# Libraries from the system's packages; tools/install-packages lists the packages by name. What the
# installed libraries need is looked for once more by warpdexConfig.cmake.in.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(ICU 67 REQUIRED COMPONENTS uc)
find_package(ZLIB REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/reader.h REQUIRED)
if(WARPDEX_CUDA)
  find_package(CUDAToolkit REQUIRED)
  find_package(TBB 2021 QUIET CONFIG COMPONENTS tbb)  # threads that prepare batches for the GPU
  if(NOT TBB_FOUND)
    message(FATAL_ERROR "The GPU parts need oneTBB 2021 or later: install the package libtbb-dev, or "
                        "build without them by -DWARPDEX_CUDA=OFF.")
  endif()
endif()
