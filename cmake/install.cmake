# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# cmake --install: headers, library, pkg-config file, CMake package; cli/CMakeLists.txt has the program. The two components become two packages
# (package.cmake). perp_installed builds all that is installed, and nothing else.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
add_custom_target(perp_installed)
add_dependencies(perp_installed perp)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS # whatever the umask
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

install(TARGETS perp EXPORT perpTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PERP_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perp)
# Debian's name for the file with the licence, one in the documentation of each package
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libperp-dev RENAME copyright)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/perp)
install(EXPORT perpTargets NAMESPACE perp:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/perpConfig.cmake.in ${PROJECT_BINARY_DIR}/perpConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/perpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/perpConfig.cmake ${PROJECT_BINARY_DIR}/perpConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/perp-dependencies.cmake DESTINATION ${package_dir})

# A static library cannot name what it needs itself, so everybody who links it must; a shared one can.
set(PERP_PC_NEEDS "-lklu -lamd -lmetis -lqhull_r")
if(PERP_WITH_YAML)
  string(APPEND PERP_PC_NEEDS " -lyaml")
endif()
if(PERP_WITH_EXPAT)
  string(APPEND PERP_PC_NEEDS " -lexpat")
endif()
if(PERP_WITH_HDF5)
  get_filename_component(hdf5_name ${PERP_hdf5_LIBRARY} NAME_WE) # libhdf5, or libhdf5_serial where there is a parallel one too
  string(REGEX REPLACE "^lib" "-l" hdf5_name ${hdf5_name})
  string(APPEND PERP_PC_NEEDS " ${hdf5_name}")
endif()
string(APPEND PERP_PC_NEEDS " -lm -pthread")
if(PERP_HAVE_NLOPT)
  string(PREPEND PERP_PC_NEEDS "-lnlopt ")
endif()
if(PERP_HAVE_IPOPT)
  foreach(library IN LISTS CMAKE_DL_LIBS)
    string(APPEND PERP_PC_NEEDS " -l${library}")
  endforeach()
endif()
if(BUILD_SHARED_LIBS)
  set(PERP_PC_PUBLIC "")
  set(PERP_PC_PRIVATE "${PERP_PC_NEEDS}")
else()
  set(PERP_PC_PUBLIC " ${PERP_PC_NEEDS}")
  set(PERP_PC_PRIVATE "")
endif()
# Where the file lands is known, so prefix is found from it and the tree may be moved or installed with another --prefix.
file(RELATIVE_PATH PERP_PC_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file(${PROJECT_SOURCE_DIR}/cmake/perp.pc.in ${PROJECT_BINARY_DIR}/perp.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/perp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
unset(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME)
