/* This file is linked into the command. It imitates a file system without nameless files, in which
 * each call moves a few bytes. So a signal can arrive in the middle of a file. */
#include "system_trial.h"

__attribute__((constructor)) static void begin(void)
{
    trial.no_nameless = true;
    trial.all_short = true;
}
