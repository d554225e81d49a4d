#include "comm/message_copy.hpp"

namespace quartet::comm {

void choose(MessageCopy /*copy*/) {}

}  // namespace quartet::comm
