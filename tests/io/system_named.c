/* Linked into the command. It imitates a file system without nameless files that moves a few bytes
 * a call, so a signal can arrive in the middle of a file. */
#include "system_trial.h"

__attribute__((constructor)) static void begin(void)
{
    trial.no_nameless = true;
    trial.all_short = true;
}
