# triton_library(NAME [MLIR] SOURCES … DEPENDS … [TABLEGEN …])   one folder, one static library
# triton_unit_test(NAME SOURCES … DEPENDS …)                      one GoogleTest binary, registered with ctest
#
# MLIR headers cost 15-25 s a file, and 1-3 s with a precompiled header: each library reuses one of two, `triton_pch_llvm` (LLVM's
# data structures) or `triton_pch_mlir` (MLIR as well). What a precompiled header needs defined must be the same everywhere,
# so all flags are set in CMakeLists.txt, none per library.

file(WRITE "${CMAKE_BINARY_DIR}/empty.cpp" "")
add_library(triton_pch_llvm OBJECT "${CMAKE_BINARY_DIR}/empty.cpp")
target_link_libraries(triton_pch_llvm PRIVATE triton_llvm)
target_precompile_headers(triton_pch_llvm PRIVATE "${PROJECT_SOURCE_DIR}/cmake/PrecompiledLlvm.h")
add_library(triton_pch_mlir OBJECT "${CMAKE_BINARY_DIR}/empty.cpp")
target_link_libraries(triton_pch_mlir PRIVATE triton_mlir)
target_precompile_headers(triton_pch_mlir PRIVATE "${PROJECT_SOURCE_DIR}/cmake/PrecompiledMlir.h")

function(triton_library name)
  cmake_parse_arguments(arg "MLIR" "" "SOURCES;DEPENDS;TABLEGEN" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PUBLIC ${arg_DEPENDS})
  if(arg_MLIR)
    target_link_libraries(${name} PUBLIC triton_mlir)
    target_precompile_headers(${name} REUSE_FROM triton_pch_mlir)
  else()
    target_link_libraries(${name} PUBLIC triton_llvm)
    target_precompile_headers(${name} REUSE_FROM triton_pch_llvm)
  endif()
  if(arg_TABLEGEN)
    add_dependencies(${name} ${arg_TABLEGEN})
  endif()
  set_property(GLOBAL APPEND PROPERTY TRITON_LIBRARIES ${name})
endfunction()

function(triton_unit_test name)
  cmake_parse_arguments(arg "MLIR" "" "SOURCES;DEPENDS" ${ARGN})
  if(NOT TRITON_BUILD_TESTS)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} GTest::gtest GTest::gtest_main)
  if(arg_MLIR)
    target_precompile_headers(${name} REUSE_FROM triton_pch_mlir)
  else()
    target_precompile_headers(${name} REUSE_FROM triton_pch_llvm)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/unit")
  add_test(NAME ${name} COMMAND ${name})
  add_dependencies(triton-unit-tests ${name})
endfunction()
