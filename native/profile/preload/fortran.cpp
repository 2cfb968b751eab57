#include "profile/preload/fortran.hpp"

#include <cctype>
#include <cstring>

namespace waywiser::profile {

constinit Fortran fortran;

namespace {

constexpr std::size_t kLongestName = 64;

constinit const void* open_mpi_in_place = nullptr;

void take_conversion(Fortran::FromFortran& function, const char* name) {
    if (void* conversion = next_definition(name)) function = reinterpret_cast<Fortran::FromFortran>(conversion);
}

void take_in_place() {
    // Open MPI was built for a compiler whose names have one of these forms.
    for (const char* name :
         {"mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"}) {
        if (const void* sentinel = variable(name)) {
            open_mpi_in_place = sentinel;
            fortran.in_place = &open_mpi_in_place;
            return;
        }
    }
    fortran.in_place = static_cast<const void* const*>(variable("MPIR_F_MPI_IN_PLACE"));
}

void take_ignored_statuses() {
    std::size_t i = 0;
    for (const char* name :
         {"mpi_fortran_status_ignore_", "mpi_fortran_statuses_ignore_", "mpi_fortran_status_ignore",
          "mpi_fortran_statuses_ignore", "mpi_fortran_status_ignore__", "mpi_fortran_statuses_ignore__",
          "MPI_FORTRAN_STATUS_IGNORE", "MPI_FORTRAN_STATUSES_IGNORE", "MPIR_F08_MPI_STATUS_IGNORE_OBJ",
          "MPIR_F08_MPI_STATUSES_IGNORE_OBJ"})
        fortran.ignored_statuses[i++] = variable(name);
    fortran.ignored_statuses_at[0] = static_cast<const void* const*>(variable("MPI_F_STATUS_IGNORE"));
    fortran.ignored_statuses_at[1] = static_cast<const void* const*>(variable("MPI_F_STATUSES_IGNORE"));
}

void take_conversions() {
    take_in_place();
    take_ignored_statuses();
    take_conversion(fortran.comm_f2c, "PMPI_Comm_f2c");
    take_conversion(fortran.file_f2c, "PMPI_File_f2c");
    take_conversion(fortran.group_f2c, "PMPI_Group_f2c");
    take_conversion(fortran.message_f2c, "PMPI_Message_f2c");
    take_conversion(fortran.op_f2c, "PMPI_Op_f2c");
    take_conversion(fortran.request_f2c, "PMPI_Request_f2c");
    take_conversion(fortran.session_f2c, "PMPI_Session_f2c");
    take_conversion(fortran.type_f2c, "PMPI_Type_f2c");
    take_conversion(fortran.win_f2c, "PMPI_Win_f2c");
}

}  // namespace

void NextFortran::resolve() {
    take_conversions();
    address_ = next_definition(name_);
    if (address_ != nullptr) return;
    // Some libraries are built for compilers with other names: mpi_x, mpi_x__, MPI_X.
    char variant[kLongestName];
    const std::size_t length = std::strlen(name_);
    if (length + 2 > sizeof variant) return;
    std::memcpy(variant, name_, length + 1);
    std::strcpy(variant + length, "_");
    address_ = next_definition(variant);
    variant[length - 1] = '\0';
    if (address_ == nullptr) address_ = next_definition(variant);
    for (char* c = variant; *c != '\0'; ++c) *c = static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
    if (address_ == nullptr) address_ = next_definition(variant);
}

}  // namespace waywiser::profile
