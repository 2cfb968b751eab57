# Compiles for aarch64 elsewhere (docs/aarch64.md): with Debian's cross compiler, and with the file system of the machine
# that it is for, WAYWISER_TREE, of which Python's headers and the MPI library are taken.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(WAYWISER_TREE "" CACHE PATH "File system of the machine that is compiled for")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WAYWISER_TREE)
set(CMAKE_SYSROOT ${WAYWISER_TREE})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

# The interpreter is this machine's; its headers, and the name of the module that it imports, are not.
file(GLOB Python_INCLUDE_DIR ${WAYWISER_TREE}/usr/include/python3.*)
string(REGEX REPLACE ".*/python3\\." "cpython-3" SKBUILD_SOABI "${Python_INCLUDE_DIR}-aarch64-linux-gnu")

# Open MPI's compiler wrappers there are programs for aarch64, and pkg-config tells of this machine's library.
set(MPI_SKIP_COMPILER_WRAPPER ON)
set(CMAKE_DISABLE_FIND_PACKAGE_PkgConfig ON)
set(WAYWISER_OPEN_MPI ${WAYWISER_TREE}/usr/lib/aarch64-linux-gnu/openmpi)
set(MPI_CXX_HEADER_DIR ${WAYWISER_OPEN_MPI}/include CACHE PATH "")
set(MPI_CXX_COMPILE_DEFINITIONS OMPI_SKIP_MPICXX CACHE STRING "")
set(MPI_CXX_LIB_NAMES mpi CACHE STRING "")
set(MPI_mpi_LIBRARY ${WAYWISER_OPEN_MPI}/lib/libmpi.so CACHE FILEPATH "")
