#include "workloads/rupture/messenger.hpp"

#include "workloads/common/binding.hpp"

namespace waywiser::rupture {

Messenger::Messenger(bool own_thread) {
    if (!own_thread) return;
    const std::vector<int> cpus = unused_cpus();
    thread_ = std::thread([this, cpus] {
        bind_this_thread(cpus);
        poll();
    });
}

Messenger::~Messenger() {
    if (thread_.joinable()) {
        stop_ = true;
        ++open_;
        open_.notify_one();
        thread_.join();
    }
    for (Batch& batch : batches_) {
        for (MPI_Request& request : batch.requests) MPI_Request_free(&request);
    }
}

int Messenger::add(std::vector<MPI_Request> requests) {
    batches_.emplace_back().requests = std::move(requests);
    return static_cast<int>(batches_.size()) - 1;
}

void Messenger::start(int number) {
    Batch& batch = batches_[static_cast<std::size_t>(number)];
    if (batch.requests.empty()) return;  // Open MPI rejects an empty list of requests.
    if (!thread_.joinable()) {
        MPI_Startall(static_cast<int>(batch.requests.size()), batch.requests.data());
        batch.state = State::active;
        return;
    }
    batch.state = State::requested;
    if (open_++ == 0) open_.notify_one();
}

void Messenger::finish(int number) {
    Batch& batch = batches_[static_cast<std::size_t>(number)];
    if (!thread_.joinable() && batch.state != State::idle) {
        MPI_Waitall(static_cast<int>(batch.requests.size()), batch.requests.data(), MPI_STATUSES_IGNORE);
        batch.state = State::idle;
    }
    while (batch.state != State::idle) std::this_thread::yield();
}

void Messenger::finish_all() {
    for (int batch = 0; batch < static_cast<int>(batches_.size()); ++batch) finish(batch);
}

void Messenger::poll() {
    while (true) {
        open_.wait(0);
        if (stop_) return;
        for (Batch& batch : batches_) progress(batch);
    }
}

void Messenger::progress(Batch& batch) {
    if (batch.state == State::idle) return;
    if (batch.state == State::requested) {
        MPI_Startall(static_cast<int>(batch.requests.size()), batch.requests.data());
        batch.state = State::active;
    }
    bool complete = true;
    for (MPI_Request& request : batch.requests) {
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        complete = complete && done != 0;
    }
    if (!complete) return;
    --open_;
    batch.state = State::idle;
}

}  // namespace waywiser::rupture
