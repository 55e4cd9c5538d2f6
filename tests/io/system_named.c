/* Linked into the command: a file system that has no files without a name, and that takes a few
 * bytes at a time, so that a signal meets a file in the middle. */
#include "system_trial.h"

__attribute__((constructor)) static void begin(void)
{
    trial.no_nameless = true;
    trial.all_short = true;
}
