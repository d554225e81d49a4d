#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <list>
#include <thread>

#include "comm/mpi/mpi_session.hpp"
#include "comm/transport/operations_internal.hpp"
#include "core/check.hpp"
#include "core/environment.hpp"
#include "system/memory/page.hpp"

namespace quartet::comm {

namespace {

constexpr TransportTraits rma_traits{
    .name = "rma", .memory = TransportMemory::host, .additions = Additions::by_transport};

// MPI itself would wait for ever for a missing folder, and for missing space. The environment names
// the folders in which Open MPI may keep windows, else /dev/shm; the one-sided component that it
// selects decides which one counts.
std::optional<std::string> why_no_space(Bytes of_node) {
    for (const char* variable :
         {"OMPI_MCA_osc_sm_backing_directory", "OMPI_MCA_osc_rdma_backing_directory"}) {
        const std::string folder = Environment().get(variable).value_or("/dev/shm");
        struct statvfs space {};
        std::error_code ignored;
        if (folder != "/dev/shm" && !std::filesystem::is_directory(folder, ignored)) {
            return fmt::format(
                "windows cannot lie in {} (it is not a folder): correct "
                "OMPI_MCA_osc_sm_backing_directory and OMPI_MCA_osc_rdma_backing_directory",
                quotation(folder));
        }
        if (::statvfs(folder.c_str(), &space) != 0) {
            continue;
        }
        const Bytes available = static_cast<std::int64_t>(space.f_bavail) *
                                Bytes{static_cast<std::int64_t>(space.f_frsize)};
        if (of_node > available) {
            return fmt::format(
                "windows of {} do not fit {} ({} are free): enlarge it (docker run --shm-size), or "
                "use another --transport",
                to_string(of_node), folder, to_string(available));
        }
    }
    return std::nullopt;
}

/// Memory in an MPI-3 window, in a passive epoch to all ranks from beginning to end.
class Window {
  public:
    /// Collective; throws Failure, on all ranks alike, or Unavailable if there is no space.
    Window(std::int64_t number, Bytes size, const Communicator& ranks)
        : number_(number), size_(size), exceptions_(std::uncaught_exceptions()) {
        const std::int64_t page = system::page_bytes();
        const std::int64_t whole = system::whole_pages(size.value, page) + page;
        const Communicator node = ranks.split_by_node();
        Bytes of_node = kibibytes(64);  // what MPI itself writes there
        for (const std::int64_t part : node.gather(whole)) {
            of_node = of_node + Bytes{part} + kibibytes(16);
        }
        if (const auto problem = ranks.first(why_no_space(of_node))) {
            throw Unavailable(*problem);
        }
        MPI_Info info = MPI_INFO_NULL;
        check_mpi(MPI_Info_create(&info));
        MPI_Info_set(info, "same_disp_unit", "true");
        MPI_Info_set(info, "accumulate_ops", "same_op_no_op");
        const int code = MPI_Win_allocate(whole, 1, info, ranks.handle(), &base_, &handle_);
        MPI_Info_free(&info);
        agree(ranks, [&] { check_mpi(code); });
        check_mpi(MPI_Win_set_errhandler(handle_, MPI_ERRORS_RETURN));
        const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base_));
        data_ = base_ + (system::whole_pages(begin, page) - begin);
        // If a page had no memory, a signal would end the process later. (Linux before 5.14 cannot
        // tell.)
        constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, which older headers do not name
        const bool populated =
            size.value == 0 ||
            ::madvise(data_, static_cast<std::size_t>(whole - page), populate_write) == 0 ||
            errno == EINVAL;
        if (!ranks.all(populated)) {
            MPI_Win_free(&handle_);
            throw Failure(fmt::format(
                "the system has no memory for a window of {}: enlarge /dev/shm (docker run "
                "--shm-size), or use another --transport",
                to_string(size)));
        }
        std::memset(data_, 0, static_cast<std::size_t>(size.value));
        check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, handle_));
        ranks.barrier();
    }
    /// Collective, except while an exception unwinds: then the window is left to the job's end,
    /// since freeing it would wait for ranks that never come.
    ~Window() {
        if (std::uncaught_exceptions() <= exceptions_) {
            MPI_Win_unlock_all(handle_);
            MPI_Win_free(&handle_);
        }
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    [[nodiscard]] MPI_Win handle() const { return handle_; }
    [[nodiscard]] std::int64_t number() const { return number_; }
    [[nodiscard]] std::byte* data() const { return data_; }
    /// The distance of `place` from the window's beginning, for one-sided operations.
    [[nodiscard]] MPI_Aint displacement_of(const std::byte* place) const { return place - base_; }
    [[nodiscard]] bool contains(device::View<const std::byte> part) const {
        return part.data() >= data_ && part.size() <= size_.value &&
               part.data() - data_ <= size_.value - part.size();
    }

  private:
    MPI_Win handle_ = MPI_WIN_NULL;
    std::int64_t number_;
    Bytes size_;
    std::byte* base_ = nullptr;  ///< as MPI gave it
    std::byte* data_ = nullptr;  ///< on the page boundary
    int exceptions_;
};

/// One-sided operations. One side says by a short message where its data lies in a window. The
/// other side moves the data and replies by another message: receivers get, or senders add.
class RmaTransport final : public Transport {
  public:
    explicit RmaTransport(const TransportContext& context)
        : Transport(context, rma_traits), control_(comm().duplicate()) {}

    [[nodiscard]] std::string description() const override {
        return "within a node the sender's core adds, not the receiver's";
    }

    device::Allocation allocate(Bytes size, Place /*place*/) override {
        windows_.emplace_back(next_window_, size, comm());
        ++next_window_;
        const auto window = std::prev(windows_.end());
        return {{window->data(), [this, window](std::byte*) { windows_.erase(window); }},
                size,
                device::MemoryKind::host};
    }
    Ticket start(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                 device::Stream& stream) override {
        stream.synchronize();
        const Ticket ticket = take_slot(slots_);
        UnderWay& slot = slots_[index(ticket.slot)];
        slot.messages.resize(incoming.size() + outgoing.size());
        slot.requests.assign(2 * slot.messages.size(), MPI_REQUEST_NULL);
        std::size_t next = 0;
        // Sends the address of the data, or begins to receive the peer's.
        const auto add = [&](int peer, int lane, bool moves, int additions,
                             device::View<const std::byte> data) {
            MPI_Request* const requests = &slot.requests[2 * next];
            Message& message = slot.messages[next++];
            message = {.peer = peer,
                       .moves = moves,
                       .additions = additions,
                       .data = const_cast<std::byte*>(data.data()),
                       .here = {.size = data.size()},
                       .there = {}};
            const int tag = lane + (additions > 0 ? first_addition : 0);
            if (moves) {
                check_mpi(MPI_Irecv(&message.there, sizeof(Address), MPI_BYTE, peer, tag,
                                    control_.handle(), requests));
                return;
            }
            message.window = &window_of(data);
            check_mpi(MPI_Win_sync(message.window->handle()));
            message.here.window = message.window->number();
            message.here.displacement = message.window->displacement_of(message.data);
            message.here.reply = first_reply + next_reply_++ % replies;
            check_mpi(MPI_Isend(&message.here, sizeof(Address), MPI_BYTE, peer, tag,
                                control_.handle(), requests));
            check_mpi(MPI_Irecv(&message.there.size, 1, MPI_INT64_T, peer, message.here.reply,
                                control_.handle(), requests + 1));
        };
        for (const Incoming& one : incoming) {
            add(one.from, one.lane, one.additions == 0, one.additions, one.data);
        }
        for (const Outgoing& one : outgoing) {
            add(one.to, one.lane, one.additions > 0, one.additions, one.data);
        }
        return ticket;
    }

  private:
    static constexpr int first_addition = 8192;  // tags: above the lanes
    static constexpr int first_reply = 16384;
    static constexpr int replies = 16384;

    struct Address {
        std::int64_t window = 0;
        MPI_Aint displacement = 0;
        std::int64_t size = 0;
        int reply = 0;  ///< its tag: data of one lane may be moved in any order
    };
    struct Message {
        int peer = 0;
        bool moves = false;  ///< this rank moves the data
        bool moved = false;
        int additions = 0;
        std::byte* data = nullptr;
        Window* window = nullptr;  ///< where the data lies, if the peer moves it
        Address here;
        Address there;
    };
    struct UnderWay {
        bool busy = false;
        std::vector<Message> messages;
        std::vector<MPI_Request> requests;  ///< two for each message: address, reply
    };

    // A rank that waits also moves the data of its other tickets: a peer may wait for that first.
    void finish(int slot, device::Stream& /*user*/) override {
        constexpr int spins_before_yield = 1000;
        UnderWay& mine = slots_[index(slot)];
        int done = 0;
        for (int spin = 0; done == 0; ++spin) {
            move_what_can_be();
            if (std::ranges::all_of(mine.messages,
                                    [](const Message& one) { return !one.moves || one.moved; })) {
                check_mpi(MPI_Testall(static_cast<int>(mine.requests.size()), mine.requests.data(),
                                      &done, MPI_STATUSES_IGNORE));
            }
            if (done == 0 && spin > spins_before_yield) {
                std::this_thread::yield();
            }
        }
        bool whole = true;
        for (const Message& message : mine.messages) {
            whole = whole && message.there.size == message.here.size;
            if (message.window != nullptr) {
                check_mpi(MPI_Win_sync(message.window->handle()));
            }
        }
        mine.busy = false;
        check(whole, "a message has another size than its receiver expects");
    }
    void move(Message& message) {
        const auto window = std::ranges::find(windows_, message.there.window, &Window::number);
        check(window != windows_.end(), "a window that has been freed");
        const std::int64_t size = message.there.size == message.here.size ? message.here.size : 0;
        constexpr std::int64_t largest = std::int64_t{1} << 28;
        for (int time = 0; time < std::max(message.additions, 1); ++time) {
            for (std::int64_t first = 0; first < size; first += largest) {
                const auto bytes = static_cast<int>(std::min(largest, size - first));
                const MPI_Aint place = message.there.displacement + first;
                std::byte* const data = message.data + first;
                if (message.additions > 0) {
                    constexpr int element = sizeof(float);
                    check_mpi(MPI_Accumulate(data, bytes / element, MPI_FLOAT, message.peer, place,
                                             bytes / element, MPI_FLOAT, MPI_SUM,
                                             window->handle()));
                } else {
                    check_mpi(MPI_Get(data, bytes, MPI_BYTE, message.peer, place, bytes, MPI_BYTE,
                                      window->handle()));
                }
            }
            check_mpi(MPI_Win_flush(message.peer, window->handle()));
        }
        check_mpi(MPI_Send(&message.here.size, 1, MPI_INT64_T, message.peer, message.there.reply,
                           control_.handle()));
        message.moved = true;
    }
    void move_what_can_be() {
        for (UnderWay& slot : slots_) {
            for (std::size_t place = 0; slot.busy && place < slot.messages.size(); ++place) {
                Message& message = slot.messages[place];
                int came = 0;
                if (message.moves && !message.moved) {
                    check_mpi(MPI_Test(&slot.requests[2 * place], &came, MPI_STATUS_IGNORE));
                }
                if (came != 0) {
                    move(message);
                }
            }
        }
    }
    Window& window_of(device::View<const std::byte> data) {
        const auto window =
            std::ranges::find_if(windows_, [&](const Window& one) { return one.contains(data); });
        check(window != windows_.end(), "memory that this transport did not allocate");
        return *window;
    }

    Communicator control_;
    std::list<Window> windows_;
    std::int64_t next_window_ = 0;
    int next_reply_ = 0;
    std::vector<UnderWay> slots_;
};

// Some MPI set-ups cannot create windows, or fail at the first operation: try before promising.
std::optional<std::string> why_no_rma(const TransportContext& context) {
    const Communicator& world = context.world;
    std::optional<std::string> problem;
    try {
        const Window window(0, bytes_of<float>(1), world);
        const auto displacements =
            world.gather(std::int64_t{window.displacement_of(window.data())});
        // The ranks agree before the window is freed, which is collective.
        problem = first_problem(world, [&] {
            const int neighbour = (world.rank() + 1) % world.size();
            const float one = 1;
            check_mpi(MPI_Accumulate(&one, 1, MPI_FLOAT, neighbour,
                                     displacements[static_cast<std::size_t>(neighbour)], 1,
                                     MPI_FLOAT, MPI_SUM, window.handle()));
            check_mpi(MPI_Win_flush(neighbour, window.handle()));
        });
    } catch (const Failure& failure) {  // of the window itself, on all ranks
        problem = failure.what();
    } catch (const Unavailable& unavailable) {  // likewise
        return "transport rma: " + std::string(unavailable.what());
    }
    if (!problem) {
        return std::nullopt;
    }
    return fmt::format(
        "transport rma needs MPI windows ({}): try another one-sided component, such as "
        "OMPI_MCA_osc=pt2pt with Open MPI 4",
        *problem);
}

}  // namespace

TransportKind rma_transport() {
    return {rma_traits, why_no_rma, make_transport<RmaTransport>};
}

}  // namespace quartet::comm
