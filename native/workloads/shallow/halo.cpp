#include "workloads/shallow/halo.hpp"

#include <algorithm>

namespace waywiser::shallow {
namespace {

constexpr int tag = 17;

}  // namespace

/// The parts of a message that a transfer contains.
struct Content {
    bool cells, edges;

    [[nodiscard]] Index rows(const Message& message) const {
        return (cells ? static_cast<Index>(message.cells.size()) : 0) +
               (edges ? static_cast<Index>(message.edges.size()) : 0);
    }
};

/// All messages of one direction, stored consecutively.
struct Buffer {
    Buffer(const std::vector<Message>& messages, Content content, Index levels) {
        int begin = 0;
        for (const Message& message : messages) {
            const auto count = static_cast<int>(content.rows(message) * levels);
            if (count == 0) continue;
            of.push_back(&message);
            ranks.push_back(message.rank);
            counts.push_back(count);
            begins.push_back(begin);
            begin += count;
        }
        values = Array<double>(static_cast<std::size_t>(begin));
    }

    [[nodiscard]] double* at(std::size_t i) { return values.data() + begins[i]; }

    std::vector<const Message*> of;
    std::vector<int> ranks, counts, begins;
    Array<double> values;
};

class Transfer {
public:
    Transfer(const Domain& domain, Content content, Index levels)
        : content_(content),
          levels_(levels),
          sent_(domain.sent(), content, levels),
          received_(domain.received(), content, levels) {}
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;
    virtual ~Transfer() = default;

    void pack(const State& state) {
        each_row(sent_, [&](double* packed, bool is_cell, Number row) {
            const double* values = (is_cell ? state.thickness : state.velocity).row(row);
            std::copy_n(values, levels_, packed);
        });
    }
    virtual void run() = 0;
    void unpack(State& state) {
        each_row(received_, [&](const double* packed, bool is_cell, Number row) {
            std::copy_n(packed, levels_, (is_cell ? state.thickness : state.velocity).row(row));
        });
    }

protected:
    Buffer& sent() { return sent_; }
    Buffer& received() { return received_; }

private:
    template <class Body>
    void each_row(Buffer& buffer, Body body) {
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < buffer.of.size(); ++i) {
            double* packed = buffer.at(i);
            const auto all = [&](const std::vector<Number>& some, bool is_cell) {
                for (const Number row : some) {
                    body(packed, is_cell, row);
                    packed += levels_;
                }
            };
            if (content_.cells) all(buffer.of[i]->cells, true);
            if (content_.edges) all(buffer.of[i]->edges, false);
        }
    }

    Content content_;
    Index levels_;
    Buffer sent_, received_;
};

namespace {

class Nonblocking : public Transfer {
public:
    Nonblocking(const Domain& domain, Content content, Index levels, MPI_Comm communicator)
        : Transfer(domain, content, levels), communicator_(communicator) {}

    void run() override {
        std::vector<MPI_Request> requests(received().of.size() + sent().of.size());
        MPI_Request* request = requests.data();
        for (std::size_t i = 0; i < received().of.size(); ++i) {
            MPI_Irecv(received().at(i), received().counts[i], MPI_DOUBLE, received().ranks[i], tag, communicator_,
                      request++);
        }
        for (std::size_t i = 0; i < sent().of.size(); ++i) {
            MPI_Isend(sent().at(i), sent().counts[i], MPI_DOUBLE, sent().ranks[i], tag, communicator_, request++);
        }
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

private:
    MPI_Comm communicator_;
};

class Persistent : public Transfer {
public:
    Persistent(const Domain& domain, Content content, Index levels, MPI_Comm communicator)
        : Transfer(domain, content, levels) {
        for (std::size_t i = 0; i < received().of.size(); ++i) {
            MPI_Recv_init(received().at(i), received().counts[i], MPI_DOUBLE, received().ranks[i], tag, communicator,
                          &requests_.emplace_back());
        }
        for (std::size_t i = 0; i < sent().of.size(); ++i) {
            MPI_Send_init(sent().at(i), sent().counts[i], MPI_DOUBLE, sent().ranks[i], tag, communicator,
                          &requests_.emplace_back());
        }
    }
    Persistent(const Persistent&) = delete;
    Persistent& operator=(const Persistent&) = delete;
    ~Persistent() override {
        for (MPI_Request& request : requests_) MPI_Request_free(&request);
    }

    void run() override {
        MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    }

private:
    std::vector<MPI_Request> requests_;
};

class Neighbourhood : public Transfer {
public:
    Neighbourhood(const Domain& domain, Content content, Index levels, MPI_Comm communicator)
        : Transfer(domain, content, levels) {
        const auto size = [](const Buffer& buffer) { return static_cast<int>(buffer.of.size()); };
        MPI_Dist_graph_create_adjacent(communicator, size(received()), received().ranks.data(), MPI_UNWEIGHTED,
                                       size(sent()), sent().ranks.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
    }
    Neighbourhood(const Neighbourhood&) = delete;
    Neighbourhood& operator=(const Neighbourhood&) = delete;
    ~Neighbourhood() override { MPI_Comm_free(&graph_); }

    void run() override {
        MPI_Neighbor_alltoallv(sent().values.data(), sent().counts.data(), sent().begins.data(), MPI_DOUBLE,
                               received().values.data(), received().counts.data(), received().begins.data(), MPI_DOUBLE,
                               graph_);
    }

private:
    MPI_Comm graph_ = MPI_COMM_NULL;
};

std::unique_ptr<Transfer> make_transfer(std::string_view method, const Domain& domain, Content content, Index levels,
                                        MPI_Comm communicator) {
    if (method == "persistent") return std::make_unique<Persistent>(domain, content, levels, communicator);
    if (method == "neighbourhood") return std::make_unique<Neighbourhood>(domain, content, levels, communicator);
    return std::make_unique<Nonblocking>(domain, content, levels, communicator);
}

}  // namespace

Halo::Halo(const Domain& domain, Index levels, std::string_view method, bool is_packed, MPI_Comm communicator) {
    const std::vector<Content> contents =
        is_packed ? std::vector<Content>{{true, true}} : std::vector<Content>{{true, false}, {false, true}};
    int ranks = 1;
    MPI_Comm_size(communicator, &ranks);
    if (ranks == 1) return;
    for (const Content content : contents) {
        transfers_.push_back(make_transfer(method, domain, content, levels, communicator));
    }
}

Halo::~Halo() = default;

void Halo::exchange(State& state) {
    watch_.lap_s();
    for (const std::unique_ptr<Transfer>& transfer : transfers_) {
        transfer->pack(state);
        times_.packing_s += watch_.lap_s();
        transfer->run();
        times_.waiting_s += watch_.lap_s();
        transfer->unpack(state);
        times_.packing_s += watch_.lap_s();
    }
}

}  // namespace waywiser::shallow
