/* The progress line on standard error. */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "command.h"

/* Of a line: short enough for every terminal, so that a carriage return gets back to its start. */
enum { COLUMNS = 76 };

static const double SECONDS_BEFORE_FIRST = 1.0;
static const double SECONDS_BETWEEN = 0.2;

progress progress_begin(bool quiet)
{
    const progress line = {.enabled = !quiet && isatty(STDERR_FILENO),
                           .visible = false,
                           .next = command_seconds() + SECONDS_BEFORE_FIRST};
    return line;
}

bool progress_due(progress *line)
{
    if (!line->enabled) {
        return false;
    }
    const double now = command_seconds();
    if (now < line->next) {
        return false;
    }
    line->next = now + SECONDS_BETWEEN;
    return true;
}

void progress_show(progress *line, const char *text)
{
    if (line->enabled) {
        fprintf(stderr, "\r%-*.*s", COLUMNS, COLUMNS, text);
        line->visible = true;
    }
}

void progress_end(progress *line)
{
    if (line->visible) {
        fprintf(stderr, "\r%*s\r", COLUMNS, "");
        line->visible = false;
    }
}
