# Libraries from the system's packages; tools/install-packages lists the packages by name. What the
# installed libraries need is looked for once more by warpdexConfig.cmake.in.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(ICU 67 REQUIRED COMPONENTS uc)
find_package(ZLIB REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(Stemmer REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/reader.h REQUIRED)
if(WARPDEX_CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()

# As targets and by their older variable names alike.
set(STEMMER_LIBRARY Stemmer::stemmer)
set(STEMMER_INCLUDE_DIR ${Stemmer_INCLUDE_DIR})
