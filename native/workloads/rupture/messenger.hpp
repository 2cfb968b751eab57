/// Persistent requests in batches, progressed within calls or by a thread of its own.
///
/// Such a thread polls all active batches, as in SeisSol.
#pragma once

#include <mpi.h>

#include <atomic>
#include <deque>
#include <thread>
#include <vector>

namespace waywiser::rupture {

class Messenger {
public:
    /// \param own_thread  only this thread calls MPI from a batch's start on until all are finished, for which
    ///                    MPI_THREAD_SERIALIZED is enough
    explicit Messenger(bool own_thread);
    /// All batches must be finished.
    ~Messenger();
    Messenger(const Messenger&) = delete;
    Messenger& operator=(const Messenger&) = delete;

    /// Takes over the requests. Must be called before any start. \return the batch's number
    int add(std::vector<MPI_Request> requests);
    void start(int batch);
    /// Returns when the batch is complete; returns immediately if it was not started.
    void finish(int batch);
    void finish_all();

private:
    enum class State { idle, wanted, active };
    struct Batch {
        std::vector<MPI_Request> requests;
        std::atomic<State> state = State::idle;
    };

    void poll();
    void progress(Batch& batch);

    std::deque<Batch> batches_;
    std::atomic<int> open_ = 0;  ///< batches that are not idle; the thread sleeps while there are none
    std::atomic<bool> stop_ = false;
    std::thread thread_;
};

}  // namespace waywiser::rupture
