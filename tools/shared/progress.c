/* The progress line on standard error. */
#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

/* Columns of a line. It fits every terminal, so that a carriage return reaches its start. */
#define COLUMNS 76
#define BAR 30

#define SECONDS_BEFORE_FIRST 1.0
#define SECONDS_BETWEEN 0.2

progress progress_begin(bool quiet)
{
    progress line = {.enabled = !quiet && isatty(STDERR_FILENO),
                     .visible = false,
                     .next = fur_seconds() + SECONDS_BEFORE_FIRST};
    return line;
}

bool progress_due(progress *line)
{
    if (!line->enabled)
        return false;
    double now = fur_seconds();
    if (now < line->next)
        return false;
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

static void format_bar(char *out, size_t room, double part, double rate, double left)
{
    char bar[BAR + 1] = {0};
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(BAR * part));
    int64_t whole = (int64_t)left;
    snprintf(out, room, "reading [%s] %3.0f %%  %.0f MB/s  %lld:%02d left", bar, 100 * part, rate,
             (long long)(whole / 60), (int)(whole % 60));
}

/* If a file grows while it is read, the bar stays at the end. */
void progress_show_bytes(progress *line, int64_t done, int64_t total, double seconds)
{
    char text[COLUMNS + 1];
    double rate = (double)done / seconds;
    if (total > 0 && done > 0) {
        double rest = done < total ? (double)(total - done) : 0.0;
        format_bar(text, sizeof text, 1.0 - rest / (double)total, 1e-6 * rate, rest / rate);
    } else {
        snprintf(text, sizeof text, "reading %.0f MB  %.0f MB/s", 1e-6 * (double)done, 1e-6 * rate);
    }
    progress_show(line, text);
}

void progress_end(progress *line)
{
    if (line->visible) {
        fprintf(stderr, "\r%*s\r", COLUMNS, "");
        line->visible = false;
    }
}
