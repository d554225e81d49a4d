// Included by each unit of a simulation's build, after SimGrid's own header. That replaces
// functions of the C library by macros, which std::exit() and members of these names are in the way
// of. Its clocks stay.
#pragma once

#undef exit
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef getopt
#undef getopt_long
#undef getopt_long_only
