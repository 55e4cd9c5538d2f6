/* Tests of output files: when they appear, which properties they inherit from the file they
 * replace, and where they are written. */
#include "scratch.h"
#include "system_trial.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#define FILE_NAME "a.txt"
#define NEW "new text\n"
#define OLD "old\n"

static fur_context *context;

/* Record of the watcher's first calls: 'n' for a call with a name, '0' for one without. */
static char told[20];
static bool was_there; /* at the last '0', no file had the last name */

static void watch(void *user, int directory, const char *name)
{
    (void)user;
    static char last[NAME_MAX + 1];
    struct stat status;
    size_t count = strlen(told);
    if (count + 1 < sizeof told)
        told[count] = name ? 'n' : '0';
    if (name)
        snprintf(last, sizeof last, "%s", name);
    else
        was_there = fstatat(directory, last, &status, 0) != 0;
}

static void begin(void)
{
    const fur_context_options options = {
        .size = sizeof options, .threads = 1, .watcher = {.watch = watch}};
    scratch_empty(); /* files of a test that failed */
    trial = (system_trial){0};
    memset(told, 0, sizeof told);
    ck_ok(NULL, fur_context_create(&options, &context));
}

static void end(void)
{
    trial = (system_trial){0};
    fur_context_destroy(context);
    scratch_empty();
}

/* The two kinds of unfinished files: without a name, and with a name. */
enum { NAMELESS, NAMED, KINDS };

static fur_output *start(const char *path, int kind)
{
    fur_output *output = NULL;
    trial.no_nameless = kind == NAMED;
    ck_ok(context, fur_output_create(context, path, &output));
    ck_ok(context, fur_output_write(output, NEW, strlen(NEW)));
    return output;
}

static void write_new(const char *path, int kind)
{
    ck_ok(context, fur_output_commit(start(path, kind), 0));
}

static void check_text(const char *path, const char *expected)
{
    char *text = scratch_read(path);
    ck_assert_str_eq(text, expected);
    free(text);
}

static struct stat look_at(const char *path)
{
    struct stat status;
    ck_assert_msg(lstat(path, &status) == 0, "%s is not there", path);
    return status;
}

static int mode_of(const char *path)
{
    return look_at(path).st_mode & 0777;
}

START_TEST(file_appears_when_it_is_complete)
{
    fur_output *output = start(FILE_NAME, _i);
    ck_assert_int_ne(access(FILE_NAME, F_OK), 0);
    ck_assert_int_eq(scratch_count(), _i == NAMED);
    ck_ok(context, fur_output_commit(output, 0));
    check_text(FILE_NAME, NEW);
    ck_assert_int_eq(scratch_count(), 1);
}
END_TEST

START_TEST(what_is_given_up_leaves_nothing)
{
    fur_output_abandon(start(FILE_NAME, _i));
    ck_assert_int_eq(scratch_count(), 0);
    scratch_write(FILE_NAME, OLD);
    fur_output_abandon(start(FILE_NAME, _i));
    check_text(FILE_NAME, OLD);
    ck_assert_int_eq(scratch_count(), 1);
    fur_output_abandon(NULL);
}
END_TEST

/* The watcher is told a name before the file has it. It is told the end only after no file has the
 * name. */
START_TEST(temporary_names_are_told)
{
    write_new(FILE_NAME, _i);
    ck_assert_str_eq(told, _i == NAMED ? "n0" : "");
    write_new(FILE_NAME, _i);
    ck_assert_str_eq(told, _i == NAMED ? "n0n0" : "n0");
    ck_assert(was_there);
}
END_TEST

START_TEST(umask_holds_for_new_files)
{
    mode_t before = umask(027);
    write_new(FILE_NAME, _i);
    umask(before);
    ck_assert_int_eq(mode_of(FILE_NAME), 0640);
}
END_TEST

/* Checks that only the owner may open the unfinished files. */
static void check_closed(void)
{
    DIR *folder = opendir(".");
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (entry->d_name[0] != '.' || entry->d_name[1] == 'f')
            ck_assert_msg((mode_of(entry->d_name) & 077) == 0, "%s is open", entry->d_name);
    closedir(folder);
}

START_TEST(file_in_place_of_a_closed_one_is_never_open)
{
    mode_t before = umask(0);
    scratch_write(FILE_NAME, OLD);
    ck_assert_int_eq(chmod(FILE_NAME, 0600), 0);
    trial.look = check_closed;
    write_new(FILE_NAME, _i);
    umask(before);
    ck_assert_int_eq(mode_of(FILE_NAME), 0600);
    check_text(FILE_NAME, NEW);
}
END_TEST

START_TEST(root_keeps_the_owner)
{
    if (geteuid() != 0) {
        printf("SKIPPED root_keeps_the_owner: not root\n");
        return;
    }
    scratch_write(FILE_NAME, OLD);
    ck_assert_int_eq(chown(FILE_NAME, 1234, 5678) | chmod(FILE_NAME, 0640), 0);
    write_new(FILE_NAME, _i);
    ck_assert_int_eq(look_at(FILE_NAME).st_uid, 1234);
    ck_assert_int_eq(look_at(FILE_NAME).st_gid, 5678);
    ck_assert_int_eq(mode_of(FILE_NAME), 0640);
}
END_TEST

/* If the new file cannot have the old group, its own group gets no more rights than everybody
 * had. */
static const struct {
    int before;
    int after;
} strangers[] = {{0640, 0600}, {0664, 0644}, {0644, 0644}, {0660, 0600}, {0666, 0666}};

START_TEST(another_group_may_what_everybody_may)
{
    trial.no_chown = true;
    scratch_write(FILE_NAME, OLD);
    ck_assert_int_eq(chmod(FILE_NAME, (mode_t)strangers[_i].before), 0);
    write_new(FILE_NAME, NAMELESS);
    ck_assert_int_eq(mode_of(FILE_NAME), strangers[_i].after);
}
END_TEST

START_TEST(links_are_followed)
{
    char folder[PATH_MAX], absolute[PATH_MAX + 20];
    ck_assert_ptr_nonnull(getcwd(folder, sizeof folder));
    snprintf(absolute, sizeof absolute, "%s/second", folder);
    ck_assert_int_eq(mkdir("sub", 0777), 0);
    ck_assert_int_eq(symlink("../sub/first", "sub/link"), 0);
    ck_assert_int_eq(symlink(absolute, "sub/first"), 0);
    ck_assert_int_eq(symlink("sub/target", "second"), 0);
    for (int round = 0; round < 2; round++) { /* in the first round the last link has no target */
        write_new("sub/link", _i);
        check_text("sub/target", NEW);
        ck_assert(S_ISLNK(look_at("sub/link").st_mode));
        ck_assert(S_ISLNK(look_at("sub/first").st_mode));
        ck_assert(S_ISLNK(look_at("second").st_mode));
        ck_assert(S_ISREG(look_at("sub/target").st_mode));
        scratch_write("sub/target", OLD);
    }
    ck_assert_int_eq(unlink("sub/target") | unlink("sub/first") | unlink("sub/link"), 0);
    ck_assert_int_eq(rmdir("sub"), 0);
}
END_TEST

START_TEST(places_without_a_file_are_named)
{
    fur_output *output = NULL;
    ck_assert_int_eq(symlink("b", "a") | symlink("a", "b") | symlink("none/c", "d"), 0);
    ck_fails(context, FUR_IO_ERROR, "a: cannot write: Too many levels of symbolic links",
             fur_output_create(context, "a", &output));
    ck_fails(context, FUR_IO_ERROR, "d: cannot write: No such file or directory",
             fur_output_create(context, "d", &output));
    ck_fails(context, FUR_IO_ERROR, ": cannot write: No such file or directory",
             fur_output_create(context, "", &output));
    ck_fails(context, FUR_IO_ERROR, "new/: cannot write: Is a directory",
             fur_output_create(context, "new/", &output));
    ck_fails(context, FUR_IO_ERROR, "/dev/fd/99: cannot write: Bad file descriptor",
             fur_output_create(context, "/dev/fd/99", &output));
    ck_assert_ptr_null(output);
}
END_TEST

START_TEST(long_names_are_written)
{
    char name[NAME_MAX + 1], path[PATH_MAX] = "";
    memset(name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    write_new(name, _i);
    write_new(name, _i);
    check_text(name, NEW);
    ck_assert_int_eq(scratch_count(), 1);
    while (strlen(path) + 2 * sizeof name < PATH_MAX) {
        strcat(strcat(path, name), "/");
        path[0] = 'd';
        ck_assert_int_eq(mkdir(path, 0777), 0);
    }
    size_t length = strlen(path);
    memset(path + length, 'f', NAME_MAX);
    path[length + NAME_MAX < PATH_MAX ? length + NAME_MAX : PATH_MAX - 1] = '\0';
    write_new(path, _i);
    write_new(path, _i);
    check_text(path, NEW);
    ck_assert_int_eq(system("rm -rf d*"), 0);
}
END_TEST

START_TEST(taken_names_are_passed_over)
{
    fur_output *output = NULL;
    scratch_write(FILE_NAME, OLD);
    trial.taken = 5;
    write_new(FILE_NAME, _i);
    check_text(FILE_NAME, NEW);
    ck_assert_int_eq(scratch_count(), 1);
    output = start(FILE_NAME, NAMELESS);
    trial.taken = INT_MAX;
    ck_fails(context, FUR_IO_ERROR, FILE_NAME ": cannot write: File exists",
             fur_output_commit(output, 0));
    ck_assert_int_eq(scratch_count(), 1);
}
END_TEST

START_TEST(file_that_came_meanwhile_is_replaced)
{
    fur_output *output = start(FILE_NAME, _i);
    scratch_write(FILE_NAME, OLD);
    ck_ok(context, fur_output_commit(output, 1));
    check_text(FILE_NAME, NEW);
    ck_assert_int_eq(scratch_count(), 1);
}
END_TEST

START_TEST(without_proc_files_have_names)
{
    trial.no_proc = true;
    write_new(FILE_NAME, NAMELESS);
    ck_assert_str_eq(told, "n0");
    check_text(FILE_NAME, NEW);
    ck_assert_int_eq(scratch_count(), 1);
}
END_TEST

/* Output to /dev/fd/N is written to the open file itself, at its current offset. */
START_TEST(descriptors_are_written_in_place)
{
    char path[32];
    int file = open(FILE_NAME, O_WRONLY | O_CREAT, 0666);
    ck_assert_int_eq(write(file, "before\n", 7), 7);
    snprintf(path, sizeof path, "/dev/fd/%d", file);
    write_new(path, NAMELESS);
    ck_assert_int_eq(write(file, "behind\n", 7), 7);
    check_text(FILE_NAME, "before\n" NEW "behind\n");
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    ck_assert_int_ge(dup2(file, STDOUT_FILENO), 0);
    printf("printed\n");
    write_new("/dev/stdout", NAMELESS);
    write_new("-", NAMELESS);
    ck_assert_int_ge(dup2(kept, STDOUT_FILENO), 0);
    close(kept);
    close(file);
    check_text(FILE_NAME, "before\n" NEW "behind\nprinted\n" NEW NEW);
}
END_TEST

START_TEST(failed_write_is_remembered)
{
    fur_output *output = NULL;
    ck_ok(context, fur_output_create(context, "/dev/full", &output));
    for (int i = 0; i < 2; i++)
        ck_fails(context, FUR_IO_ERROR, "/dev/full: cannot write: No space left on device",
                 fur_output_write(output, NEW, strlen(NEW)));
    ck_fails(context, FUR_IO_ERROR, "/dev/full: cannot write: No space left on device",
             fur_output_commit(output, 0));
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_loop_test(tests, file_appears_when_it_is_complete, 0, KINDS);
    tcase_add_loop_test(tests, what_is_given_up_leaves_nothing, 0, KINDS);
    tcase_add_loop_test(tests, temporary_names_are_told, 0, KINDS);
    tcase_add_loop_test(tests, umask_holds_for_new_files, 0, KINDS);
    tcase_add_loop_test(tests, file_in_place_of_a_closed_one_is_never_open, 0, KINDS);
    tcase_add_loop_test(tests, root_keeps_the_owner, 0, KINDS);
    tcase_add_loop_test(tests, another_group_may_what_everybody_may, 0, COUNT_OF(strangers));
    tcase_add_loop_test(tests, links_are_followed, 0, KINDS);
    tcase_add_test(tests, places_without_a_file_are_named);
    tcase_add_loop_test(tests, long_names_are_written, 0, KINDS);
    tcase_add_loop_test(tests, taken_names_are_passed_over, 0, KINDS);
    tcase_add_loop_test(tests, file_that_came_meanwhile_is_replaced, 0, KINDS);
    tcase_add_test(tests, without_proc_files_have_names);
    tcase_add_test(tests, descriptors_are_written_in_place);
    tcase_add_test(tests, failed_write_is_remembered);
}

int main(void)
{
    return scratch_run("output", add);
}
