/// Batches of persistent requests, which are progressed within calls or by a dedicated thread.
///
/// The dedicated thread polls all active batches, as in SeisSol.
#pragma once

#include <mpi.h>

#include <atomic>
#include <deque>
#include <thread>
#include <vector>

namespace waywiser::rupture {

class Messenger {
public:
    /// \param own_thread  true: a dedicated thread. From the start of a batch until all batches are finished, only this
    ///                    thread calls MPI, so that MPI_THREAD_SERIALIZED suffices
    explicit Messenger(bool own_thread);
    /// All batches must be finished.
    ~Messenger();
    Messenger(const Messenger&) = delete;
    Messenger& operator=(const Messenger&) = delete;

    /// Takes ownership of the requests. Must be called before any start. \return the batch's number
    int add(std::vector<MPI_Request> requests);
    void start(int batch);
    /// Returns when the batch is complete, or immediately if the batch was not started.
    void finish(int batch);
    void finish_all();

private:
    enum class State { idle, requested, active };
    struct Batch {
        std::vector<MPI_Request> requests;
        std::atomic<State> state = State::idle;
    };

    void poll();
    void progress(Batch& batch);

    std::deque<Batch> batches_;
    std::atomic<int> open_ = 0;  ///< number of batches that are not idle; the thread sleeps while this number is 0
    std::atomic<bool> stop_ = false;
    std::thread thread_;
};

}  // namespace waywiser::rupture
