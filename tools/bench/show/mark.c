/* Marks and their meanings. */
#include "mark.h"

#include "chart.h"
#include "page_style.h"
#include "words.h"

const char mark_style[] =
    ".kernel,.auto{fill:" PAGE_NEW ";stroke:" PAGE_NEW "}\n"
    ".peer{fill:none;stroke:" PAGE_SOFT ";stroke-width:1.5}\n"
    ".taken{fill:" PAGE_WARM "}\n"
    ".point{fill-opacity:.5}\n"
    ".even{stroke:" PAGE_SOFT ";stroke-dasharray:3 3}\n"
    "svg .bold{font-weight:700}\n"
    "@media(prefers-color-scheme:dark){.kernel,.auto{fill:" PAGE_NEW_DARK ";stroke:" PAGE_NEW_DARK
    "}.peer,.even{stroke:" PAGE_SOFT_DARK "}.taken{fill:" PAGE_WARM_DARK "}}\n";

void mark_put(FILE *stream, double x, double y, race_role role, const char *title)
{
    static const char *const elements[] = {"circle", "path", "rect"};
    if (role == RACE_AUTO)
        fprintf(stream, "<path class=\"taken\" d=\"M%.1f %.1fl6 6l-6 6l-6 -6z\">", x, y - 6);
    else if (role == RACE_PEER)
        fprintf(stream, "<rect class=\"peer\" x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\">",
                x - 4, y - 4);
    else
        fprintf(stream, "<circle class=\"kernel point\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\">", x, y);
    fputs("<title>", stream);
    words_put(stream, title);
    fprintf(stream, "</title></%s>\n", elements[role]);
}

void mark_legend(FILE *stream, double x, double y)
{
    static const struct {
        const char *meaning;
        double width;
    } parts[] = {{"furrow", 80}, {"what auto took", 130}, {"what they are compared with", 200}};
    for (int role = RACE_KERNEL; role <= RACE_PEER; role++) {
        mark_put(stream, x + 6, y - 4.5, (race_role)role, parts[role].meaning);
        chart_text(stream, x + 18, y, "start", "soft", parts[role].meaning);
        x += parts[role].width;
    }
}
