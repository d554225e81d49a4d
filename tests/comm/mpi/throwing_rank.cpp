#include <iostream>
#include <stdexcept>
#include <string_view>

#include "comm/mpi/communicator.hpp"
#include "comm/mpi/control_channel.hpp"
#include "comm/mpi/mpi_session.hpp"
#include "comm/topology/topology.hpp"

// Rank 1 throws while the others wait for it for ever. The argument says who catches: "outside"
// nobody does while MPI lives, so that the session's destructor ends the job; "inside" rank 1
// itself, which calls abort.
int main(int argc, char** argv) {
    using namespace quartet::comm;
    const bool inside = argc > 1 && std::string_view(argv[1]) == "inside";
    try {
        const MpiSession mpi(argc, argv);
        try {
            const auto world = Communicator::world();
            const Topology topology(world);
            ControlChannel channel(world);
            channel.send(0, 1);
            if (world.rank() == 1) {
                throw std::runtime_error("thrown by rank 1");
            }
            world.barrier();
        } catch (const std::exception& error) {
            if (!inside) {
                throw;
            }
            std::cout << error.what();  // without a newline: abort has to flush it
            MpiSession::abort(quartet::ExitCode::failed);
        }
    } catch (const std::exception&) {
        return 9;  // not reached: the session has ended the job
    }
    return 0;
}
