# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# The libraries perp rests on, as imported targets. Used by perp's own build and, installed beside perpConfig.cmake, by
# programs that link a static perp.
#
#   KLU        sparse LU with pivoting, of SuiteSparse
#   AMD        fill-reducing order, of SuiteSparse
#   METIS      fill-reducing order of large graphs
#   qhull      convex hulls, the reentrant library
#   libyaml    scene files; PERP_WITH_YAML, ON unless it is set to OFF
#   expat      robot models (MJCF, URDF, SDF) and COLLADA meshes; PERP_WITH_EXPAT, likewise
#   HDF5       recordings; the serial library; PERP_WITH_HDF5, likewise
#   NLopt      minimisers, optional: PERP_WITH_NLOPT is AUTO (used if it is found), ON (it must be found) or OFF
#   Ipopt      optional, PERP_WITH_IPOPT: estimation as an MPEC (perp/mpec.h). Only its headers are used here: the library is loaded
#              when it is first called, so that programs which never call it load neither Ipopt nor the BLAS it brings
foreach(switch YAML EXPAT HDF5)
  if(NOT DEFINED PERP_WITH_${switch})
    set(PERP_WITH_${switch} ON)
  endif()
endforeach()
foreach(dependency klu amd metis qhull_r yaml expat hdf5)
  string(TOUPPER ${dependency} switch)
  if(DEFINED PERP_WITH_${switch} AND NOT PERP_WITH_${switch})
    if(NOT TARGET perp::${dependency}) # a stand-in for its header: files that need the library are refused
      add_library(perp::${dependency} INTERFACE IMPORTED)
      if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/without) # as long as perp itself is compiled
        set_target_properties(perp::${dependency} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_LIST_DIR}/without/${dependency})
      endif()
    endif()
    continue()
  endif()
  if(dependency STREQUAL "klu")
    set(names klu)
    set(header klu.h)
  elseif(dependency STREQUAL "amd")
    set(names amd)
    set(header amd.h)
  elseif(dependency STREQUAL "metis")
    set(names metis)
    set(header metis.h)
  elseif(dependency STREQUAL "qhull_r")
    set(names qhull_r)
    set(header libqhull_r/libqhull_r.h)
  elseif(dependency STREQUAL "yaml")
    set(names yaml)
    set(header yaml.h)
  elseif(dependency STREQUAL "expat")
    set(names expat)
    set(header expat.h)
  else()
    set(names hdf5_serial hdf5)
    set(header hdf5.h)
  endif()
  find_library(PERP_${dependency}_LIBRARY NAMES ${names})
  find_path(PERP_${dependency}_INCLUDE ${header} PATH_SUFFIXES suitesparse hdf5/serial)
  mark_as_advanced(PERP_${dependency}_LIBRARY PERP_${dependency}_INCLUDE)
  if(NOT PERP_${dependency}_LIBRARY OR NOT PERP_${dependency}_INCLUDE)
    message(FATAL_ERROR "perp needs the library ${dependency} and its headers, which were not found. "
                        "On Debian and Ubuntu run tools/setup; elsewhere install it or set PERP_${dependency}_LIBRARY"
                        " and PERP_${dependency}_INCLUDE. HDF5, libyaml and expat can be left out: PERP_WITH_HDF5=OFF, PERP_WITH_YAML=OFF, PERP_WITH_EXPAT=OFF.")
  endif()
  if(NOT TARGET perp::${dependency})
    add_library(perp::${dependency} UNKNOWN IMPORTED)
    set_target_properties(perp::${dependency} PROPERTIES IMPORTED_LOCATION "${PERP_${dependency}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${PERP_${dependency}_INCLUDE}")
  endif()
endforeach()
unset(names)
unset(header)
unset(switch)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
set(PERP_DEPENDENCIES perp::klu perp::amd perp::metis perp::qhull_r perp::yaml perp::expat perp::hdf5 Threads::Threads m)

if(NOT DEFINED PERP_WITH_NLOPT)
  set(PERP_WITH_NLOPT AUTO)
endif()
set(PERP_HAVE_NLOPT OFF)
if(PERP_WITH_NLOPT)
  find_library(PERP_nlopt_LIBRARY nlopt)
  find_path(PERP_nlopt_INCLUDE nlopt.h)
  mark_as_advanced(PERP_nlopt_LIBRARY PERP_nlopt_INCLUDE)
  if(PERP_nlopt_LIBRARY AND PERP_nlopt_INCLUDE)
    set(PERP_HAVE_NLOPT ON)
    if(NOT TARGET perp::nlopt)
      add_library(perp::nlopt UNKNOWN IMPORTED)
      set_target_properties(perp::nlopt PROPERTIES IMPORTED_LOCATION "${PERP_nlopt_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${PERP_nlopt_INCLUDE}" INTERFACE_COMPILE_DEFINITIONS PERP_HAVE_NLOPT)
    endif()
    list(APPEND PERP_DEPENDENCIES perp::nlopt)
  elseif(NOT PERP_WITH_NLOPT STREQUAL "AUTO")
    message(FATAL_ERROR "PERP_WITH_NLOPT is ON, but NLopt and its header were not found. On Debian and Ubuntu install libnlopt-dev.")
  else()
    message(STATUS "NLopt was not found: perp_search has its own methods only. On Debian and Ubuntu install libnlopt-dev.")
  endif()
endif()

# AUTO: used if its headers are there. Ipopt is under the Eclipse Public License; Debian has it as coinor-libipopt-dev.
if(NOT DEFINED PERP_WITH_IPOPT) # perpConfig.cmake sets it to OFF: who links a static perp needs no Ipopt
  set(PERP_WITH_IPOPT AUTO CACHE STRING "Ipopt for perp_mpec_solve(): AUTO, ON or OFF")
  set_property(CACHE PERP_WITH_IPOPT PROPERTY STRINGS AUTO ON OFF)
endif()
set(PERP_HAVE_IPOPT OFF)
set(PERP_HEADERS_OF "")
if(PERP_WITH_IPOPT)
  find_library(PERP_ipopt_LIBRARY NAMES ipopt)
  find_path(PERP_ipopt_INCLUDE coin/IpStdCInterface.h)
  mark_as_advanced(PERP_ipopt_LIBRARY PERP_ipopt_INCLUDE)
  if(PERP_ipopt_LIBRARY AND PERP_ipopt_INCLUDE)
    set(PERP_HAVE_IPOPT ON)
    # The name under which the loader finds it (libipopt.so.1): a package with the bare libipopt.so is for compiling only.
    get_filename_component(PERP_IPOPT_FILE "${PERP_ipopt_LIBRARY}" NAME)
    if(CMAKE_OBJDUMP)
      execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${PERP_ipopt_LIBRARY} OUTPUT_VARIABLE PERP_IPOPT_SECTIONS ERROR_QUIET)
      if(PERP_IPOPT_SECTIONS MATCHES "SONAME +([^ \n]+)")
        set(PERP_IPOPT_FILE "${CMAKE_MATCH_1}")
      endif()
      unset(PERP_IPOPT_SECTIONS)
    endif()
    if(NOT TARGET perp::ipopt)
      add_library(perp::ipopt INTERFACE IMPORTED)
      set_target_properties(perp::ipopt PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${PERP_ipopt_INCLUDE}"
        INTERFACE_COMPILE_DEFINITIONS PERP_HAVE_IPOPT)
    endif()
    set(PERP_HEADERS_OF perp::ipopt) # for those who compile perp's sources: not linked, and not needed by who links perp
    list(APPEND PERP_DEPENDENCIES ${CMAKE_DL_LIBS})
  elseif(NOT PERP_WITH_IPOPT STREQUAL "AUTO")
    message(FATAL_ERROR "PERP_WITH_IPOPT is ${PERP_WITH_IPOPT}, but Ipopt was not found. On Debian and Ubuntu install the package "
                        "coinor-libipopt-dev, or set PERP_WITH_IPOPT to OFF.")
  endif()
endif()
