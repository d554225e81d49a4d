#include "comm/mpi/message_copy.hpp"

namespace quartet::comm {

void set_message_copy(MessageCopy /*copy*/) {}

}  // namespace quartet::comm
