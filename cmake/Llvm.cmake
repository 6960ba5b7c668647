# LLVM and MLIR 22, linked statically.
#
# Debian's CMake exports name the shared library `LLVM` as a dependency of every MLIR archive. Taken as it is, that would
# put a second copy of LLVM beside the static one, so it is removed here and `triton_llvm` names the LLVM archives instead.
# Gives: the interface targets `triton_llvm` (LLVM archives, system libraries) and `triton_mlir` (the same, and MLIR's headers).

find_package(MLIR CONFIG QUIET HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT MLIR_FOUND OR NOT LLVM_PACKAGE_VERSION MATCHES "^22\\.")
  message(FATAL_ERROR "LLVM/MLIR 22 not found. On Debian: apt-get install llvm-22-dev libmlir-22-dev mlir-22-tools "
                      "(or run scripts/setup); elsewhere pass -DMLIR_DIR=<prefix>/lib/cmake/mlir")
endif()
message(STATUS "LLVM/MLIR ${LLVM_PACKAGE_VERSION} from ${MLIR_DIR}")
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
set(MLIR_MAIN_SRC_DIR "${MLIR_INCLUDE_DIRS}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

get_property(mlir_targets GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(target IN LISTS MLIR_EXPORTED_TARGETS mlir_targets)
  if(TARGET ${target})
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(REMOVE_ITEM links LLVM)
      list(APPEND links triton_llvm) # behind the archives that need it: GNU ld reads archives once, in order
      set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
    endif()
  endif()
endforeach()

# Which processors kernels of the CPU target can be compiled for. This machine's must be among them to run any.
set(TRITON_PROCESSORS "X86;AArch64" CACHE STRING "X86, AArch64 or both")
set(triton_processor_definitions "")
foreach(processor IN LISTS TRITON_PROCESSORS)
  string(TOUPPER "TRITON_HAS_${processor}" definition)
  list(APPEND triton_processor_definitions ${definition})
endforeach()
llvm_map_components_to_libnames(llvm_archives
  core support analysis passes irreader bitreader bitwriter linker target targetparser mc codegen selectiondag asmprinter
  orcjit jitlink ${TRITON_PROCESSORS} NVPTX AMDGPU ipo transformutils instcombine scalaropts vectorize objcarcopts aggressiveinstcombine
  orctargetprocess frontendopenmp plugins)
list(FILTER llvm_archives EXCLUDE REGEX "WindowsManifest")

find_library(triton_zlib NAMES libz.a z REQUIRED)
find_library(triton_zstd NAMES libzstd.a zstd REQUIRED)

add_library(triton_llvm INTERFACE)
target_include_directories(triton_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(triton_llvm INTERFACE ${llvm_archives} ${triton_zlib} ${triton_zstd}
  # A relocatable link takes archives whole: the C library stays for the final link to find.
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:TRITON_RELOCATABLE>>>:dl>
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:TRITON_RELOCATABLE>>>:m>
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:TRITON_RELOCATABLE>>>:pthread>)
# The archives' own lists name libraries of the system that nothing here reaches (libxml2 by the Windows manifest tool, z3).
foreach(target IN LISTS LLVM_AVAILABLE_LIBS)
  if(TARGET ${target})
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(FILTER links EXCLUDE REGEX "(LibXml2|libxml2|xml2|z3|Z3|zstd|ZLIB|WindowsManifest|^(-l)?(m|dl|rt|pthread)$)")
      set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
    endif()
  endif()
endforeach()

add_library(triton_mlir INTERFACE)
target_include_directories(triton_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS})
target_link_libraries(triton_mlir INTERFACE triton_llvm)
