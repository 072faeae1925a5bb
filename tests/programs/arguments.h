/* Reading of the command line, the same in every test program: whole numbers by position. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <stdlib.h>

/* The number at `position` (1 is the first), or `fallback` where the command line ends before
 * it. */
static int argument(int argc, char **argv, int position, int fallback)
{
    return position < argc ? atoi(argv[position]) : fallback;
}

#endif
