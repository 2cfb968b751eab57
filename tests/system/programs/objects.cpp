// MPI from C++: the calls of C, and the bindings that MPI-3.0 removed and these libraries still have.
#include <mpi.h>

#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

int main() {
    MPI::Init();
    const int rank = MPI::COMM_WORLD.Get_rank();
    const int size = MPI::COMM_WORLD.Get_size();
    const int right = (rank + 1) % size;
    const int left = (rank + size - 1) % size;
    std::vector<int> in(100);
    std::vector<int> out(100);
    std::iota(out.begin(), out.end(), 100 * rank);

    MPI::Request request = MPI::COMM_WORLD.Isend(out.data(), 10 + rank, MPI::INT, right, 0);
    MPI::COMM_WORLD.Recv(in.data(), 20, MPI::INT, left, 0);
    request.Wait();
    bool right_so_far = in[9 + left] == 100 * left + 9 + left;

    int sum = rank;
    MPI::COMM_WORLD.Allreduce(MPI::IN_PLACE, &sum, 1, MPI::INT, MPI::SUM);
    right_so_far = right_so_far && sum == size * (size - 1) / 2;

    MPI_Sendrecv(out.data(), 30, MPI_INT, right, 1, in.data(), 31, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    right_so_far = right_so_far && in[29] == 100 * left + 29;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (!right_so_far) MPI::COMM_WORLD.Abort(1);
    MPI::Finalize();
}
