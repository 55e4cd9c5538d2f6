/* Reads collected malformed files and compares the outcome with the verdict in a list.
 *
 *     check_verdicts MANIFEST FOLDER
 *
 * A line of the list is tab-separated: the name first, a note in column 10. If a note begins with
 * "reject" or "ambiguous", an error is expected. The ambiguous files have values that contradict
 * their banner, and a reader could only drop these values. "odd" files are vectors, and reading
 * must succeed. Exit status 77, skipped, if the list or the folder is missing. */
#include <furrow/furrow.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SKIPPED 77
#define NOTE_COLUMN 9
#define PREFIX "malformed/"

/* Returns the text of a tab-separated line from the field number `column` on. */
static const char *field(const char *line, int column)
{
    while (line && column-- > 0) {
        line = strchr(line, '\t');
        line += line != NULL;
    }
    return line ? line : "";
}

static bool starts_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Returns whether the file has the outcome that the note expects. */
static bool check_file(fur_context *context, const char *folder, const char *line)
{
    char path[2048];
    const char *name = line + strlen(PREFIX);
    const char *note = field(line, NOTE_COLUMN);
    note += *note == '"';
    snprintf(path, sizeof path, "%s/%.*s.mtx", folder, (int)strcspn(name, "\t"), name);
    fur_csr *matrix = NULL;
    fur_status status = fur_mtx_read_csr(context, path, NULL, &matrix);
    fur_csr_destroy(matrix);
    bool known = true;
    bool wanted = status == FUR_OK;
    if (starts_with(note, "reject") || starts_with(note, "ambiguous"))
        wanted = status == FUR_MALFORMED || status == FUR_OVERFLOW;
    else
        known = starts_with(note, "odd");
    printf("%s%s\n", known && wanted ? "" : "WRONG ",
           status == FUR_OK ? path : fur_context_error(context));
    return known && wanted;
}

int main(int count, char **arguments)
{
    char line[8192];
    fur_context *context;
    int files = 0, wrong = 0;
    FILE *manifest = count == 3 ? fopen(arguments[1], "r") : NULL;
    if (!manifest || access(arguments[2], R_OK) != 0) {
        printf("SKIPPED: there is no such list or folder\n");
        return SKIPPED;
    }
    if (fur_context_create(NULL, &context) != FUR_OK)
        return 2;
    while (fgets(line, sizeof line, manifest))
        if (starts_with(line, PREFIX)) {
            files++;
            wrong += !check_file(context, arguments[2], line);
        }
    fclose(manifest);
    fur_context_destroy(context);
    printf("%d files, %d with another outcome than the list wants\n", files, wrong);
    return wrong > 0 || files == 0;
}
