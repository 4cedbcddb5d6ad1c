# The libraries perp rests on, as imported targets. Used by perp's own build and, installed beside perpConfig.cmake, by
# programs that link a static perp.
#
#   OpenBLAS   BLAS and LAPACK, Fortran interface
#   CHOLMOD    sparse Cholesky, of SuiteSparse
#   KLU        sparse LU with pivoting, of SuiteSparse
#   AMD        fill-reducing order, of SuiteSparse
#   qhull      convex hulls, the reentrant library
#   libyaml    scene files
#   HDF5       recordings; the serial library
foreach(dependency openblas cholmod klu amd qhull_r yaml hdf5)
  if(dependency STREQUAL "openblas")
    set(names openblas openblaso openblasp)
    set(header "")
  elseif(dependency STREQUAL "cholmod")
    set(names cholmod)
    set(header cholmod.h)
  elseif(dependency STREQUAL "klu")
    set(names klu)
    set(header klu.h)
  elseif(dependency STREQUAL "amd")
    set(names amd)
    set(header amd.h)
  elseif(dependency STREQUAL "qhull_r")
    set(names qhull_r)
    set(header libqhull_r/libqhull_r.h)
  elseif(dependency STREQUAL "yaml")
    set(names yaml)
    set(header yaml.h)
  else()
    set(names hdf5_serial hdf5)
    set(header hdf5.h)
  endif()
  find_library(PERP_${dependency}_LIBRARY NAMES ${names} PATH_SUFFIXES openblas openblas-pthread)
  mark_as_advanced(PERP_${dependency}_LIBRARY)
  if(header)
    find_path(PERP_${dependency}_INCLUDE ${header} PATH_SUFFIXES suitesparse hdf5/serial)
    mark_as_advanced(PERP_${dependency}_INCLUDE)
  endif()
  if(NOT PERP_${dependency}_LIBRARY OR (header AND NOT PERP_${dependency}_INCLUDE))
    message(FATAL_ERROR "perp needs the library ${dependency} and its headers, which were not found. "
                        "On Debian and Ubuntu run tools/setup; elsewhere install it or set PERP_${dependency}_LIBRARY"
                        " and PERP_${dependency}_INCLUDE.")
  endif()
  if(NOT TARGET perp::${dependency})
    add_library(perp::${dependency} UNKNOWN IMPORTED)
    set_target_properties(perp::${dependency} PROPERTIES IMPORTED_LOCATION "${PERP_${dependency}_LIBRARY}")
    if(header)
      set_target_properties(perp::${dependency} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${PERP_${dependency}_INCLUDE}")
    endif()
  endif()
endforeach()
unset(names)
unset(header)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
set(PERP_DEPENDENCIES perp::klu perp::cholmod perp::amd perp::openblas perp::qhull_r perp::yaml perp::hdf5 Threads::Threads m)
