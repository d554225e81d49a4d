#pragma once

namespace quartet::comm {

/// Whose core copies a long message between two ranks of a node.
enum class MessageCopy {
    as_configured,  ///< as the MPI library is set up: the receiver's, with Open MPI
    by_sender,      ///< the sender's: for senders that have nothing else to do
};

/// Tells the MPI library, as far as it can be told, by variables of the process's environment.
/// Nothing that is set there already is changed; who has set one of them decides alone. Local,
/// before MPI is initialised and threads are started.
void set_message_copy(MessageCopy copy);

}  // namespace quartet::comm
