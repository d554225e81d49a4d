#pragma once

namespace quartet::comm {

/// Whose core copies a long message between two ranks of a node.
enum class MessageCopy {
    as_configured,  ///< as the MPI library is set up: the receiver's, with Open MPI
    by_sender,      ///< the sender's: for senders that have nothing else to do
};

/// Asks the MPI library for it by environment variables, where the library has such. A user who
/// has set any of them decides alone: nothing is then changed. Local; call before MPI is
/// initialised and before threads are started.
void set_message_copy(MessageCopy copy);

}  // namespace quartet::comm
