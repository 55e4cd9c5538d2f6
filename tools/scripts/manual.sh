#!/bin/sh
# Writes the manual's pages of a program from the output of --help: one of the program and one of each
# subcommand. A page also has the sections of man/PAGE.md, whose tables contain the library's lists.
#
#   manual.sh PROGRAM SUMMARY FURROW FOLDER
set -eu

program=$1 title=$2 furrow=$3 folder=$4
name=$(basename "$program")
sections=$(dirname "$0")/../man
# Each option or paragraph is one line of any length.
export ARGP_HELP_FMT=rmargin=100000,opt-doc-col=60,no-dup-args-note
version=$("$program" --version)

# Functions in awk for both kinds of input.
functions='
    function escape(text) {
        gsub(/\\/, "\\e", text)
        gsub(/-/, "\\-", text)
        sub(/^[.\47]/, "\\\\&&", text)
        return text
    }
    function trim(text) { gsub(/^ +| +$/, "", text); return text }
    # open_table(COLUMNS, FONT): opens a table whose first row or column is bold.
    function open_table(columns, font,    line, i) {
        for (i = 1; i < columns; i++)
            line = line (font == "row" || i == 1 ? "lb " : "l ")
        print ".PP\n.TS\nnokeep;"
        if (font == "row")
            print line "lbx\n" substr("l l l l l l l l ", 1, 2 * columns - 2) "lx."
        else
            print line "lx."
        table = 1
    }
    # row(CELLS): the last cell is a block of text.
    function row(cells,    cell, last, i) {
        last = split(cells, cell, "\t")
        for (i = 1; i < last; i++)
            printf "%s\t", escape(trim(cell[i]))
        print "T{\n" escape(trim(cell[last])) "\nT}"
    }
    function close_table() {
        if (table)
            print ".TE"
        table = 0
    }
'

# page NAME SUMMARY: makes the page from the help text on standard input.
page() {
    awk -v name="$1" -v summary="$2" -v version="$version" "$functions"'
    function head(title) { print ".SH " title }
    # "Usage: furrow solve [OPTION...] FILE": words in lower case are typed literally.
    function usage(text) {
        print (usages++ ? ".br\n" : "") ".B " escape(substr(text, 1, match(text, / [[A-Z]|$/) - 1))
        print escape(substr(text, RSTART + 1))
    }
    BEGIN {
        print "\47\\\" t"
        printf ".TH %s 1 \"\" \"%s\" \"Furrow\"\n.ad l\n.nh\n", toupper(escape(name)), version
        head("NAME")
        print escape(name) " \\- " escape(summary)
        head("SYNOPSIS")
    }
    /^Usage: / { usage(substr($0, 8)); part = "usage"; commands = / COMMAND /; next }
    /^  or:  / { usage(substr($0, 8)); next }
    part == "usage" && NF { head("DESCRIPTION"); part = "description" }
    /^ [^ ].*:$/ { options(); print ".SS " escape(substr($0, 2, length($0) - 2)); next }
    # A table, such as the suites of bench.
    /^  / && part == "notes" {
        cells = trim($0)
        columns = gsub(/  +/, "\t", cells) + 1
        if (!table)
            open_table(columns, "column")
        row(cells)
        next
    }
    # Help refers to this page.
    $0 ~ "^The manual page " name " " { next }
    /^  / {
        options()
        end = match(substr($0, 3) "  ", /[^ ]  +/) + 2
        print ".TP\n.B " escape(trim(substr($0, 1, end))) "\n" escape(trim(substr($0, end + 1)))
        next
    }
    !NF { close_table(); gap = 1; next }
    part == "options" { head("NOTES"); part = "notes"; gap = 0 }
    { print (gap ? ".PP\n" : "") escape($0); gap = 0 }
    function options() {
        if (part != "options")
            head(part == "description" && commands ? "COMMANDS AND OPTIONS" : "OPTIONS")
        part = "options"
        gap = 0
    }'
}

# tables PAGE: makes sections from the page's file: headings, paragraphs and tables. A line @LIST
# in a table becomes the rows of a list of `furrow kernels`.
tables() {
    [ -f "$sections/$1.md" ] || return 0
    { "$furrow" kernels && echo @@ && cat "$sections/$1.md"; } | awk "$functions"'
    # A list: its heading, a line for each name, and lines that begin with blanks about the name.
    !tabled && /^kernels for a matrix:/ { list = "kernels" }
    !tabled && /^methods of furrow solve:/ { list = "methods" }
    !tabled && /^methods of furrow reorder:/ { list = "orders" }
    !tabled && /^preconditioners/ { list = "preconditioners" }
    !tabled && /^kernels for .*stencil:/ { list = "" }
    /^@@/ { tabled = 1; next }
    !tabled && list && /^[a-z_0-9-]+  +/ {
        names[list, ++count[list]] = name = $1
        texts[list, count[list]] = trim(substr($0, length(name) + 1))
        about = "name"
    }
    !tabled && list && NF && substr($0, 1, 22) ~ /^ *$/ { # a text goes on
        continued = " " trim($0)
        if (about == "option")
            options[optioned] = options[optioned] continued
        else if (about == "source")
            sub(/\)$/, continued ")", texts[list, count[list]])
        else
            texts[list, count[list]] = texts[list, count[list]] continued
        next
    }
    !tabled && list && /^ / {
        about = list == "preconditioners" ? "option" : "source"
        if (list == "preconditioners")
            add_option(trim($0))
        else
            texts[list, count[list]] = texts[list, count[list]] " (" trim($0) ")"
    }
    !tabled { next }
    # "cycle=V|W|K  meaning": the first word is the default.
    function add_option(text,    place, words, others) {
        place = index(text, "  ")
        others = ""
        split(substr(text, 1, place - 1), words, "|")
        for (i = 2; i in words; i++)
            others = others (i == 2 ? "; also " : ", ") words[i]
        options[++optioned] = name "\t" words[1] "\t" trim(substr(text, place))
        also[optioned] = others
    }
    /^# / { close_table(); print ".SH " escape(substr($0, 3)); next }
    /^\|[-|]+$/ { next }
    /^\|/ {
        heads = !table
        cells = substr($0, 2, length($0) - 2)
        for (columns = 1; sub(/ \| /, "\t ", cells);) # "||b||" is no border
            columns++
        if (heads)
            open_table(columns, "row")
        row(cells)
        if (heads)
            print "_"
        next
    }
    /^@options/ {
        before = ""
        for (k = 1; k <= optioned; k++) {
            split(options[k], cell, "\t")
            row((cell[1] == before ? "" : cell[1]) "\t" cell[2] "\t" cell[3] also[k])
            before = cell[1]
        }
        next
    }
    /^@/ {
        list = substr($0, 2)
        for (k = 1; k <= count[list]; k++)
            row(names[list, k] "\t" texts[list, k])
        next
    }
    !NF { close_table(); gap = 1; next }
    { print (gap ? ".PP\n" : "") escape($0); gap = 0 }
    END { close_table() }'
}

# references PAGE...: makes the section of other pages.
references() {
    echo .SH SEE ALSO
    printf '%s\n' "$@" | awk "$functions"'{ printf "%s.BR %s (1)", (NR > 1 ? ",\n" : ""), escape($1) }
                                          END { print "" }'
}

mkdir -p "$folder"
commands=$("$program" --help | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1 \2/p')
{
    "$program" --help | page "$name" "$title"
    tables "$name"
    # shellcheck disable=SC2046 # a word for each page
    references $(echo "$commands" | sed "s/ .*//; s/^/$name-/")
} >"$folder/$name.1"
echo "$commands" | while read -r command summary; do
    {
        "$program" "$command" --help | page "$name-$command" "$summary"
        tables "$name-$command"
        printf '.SH EXIT STATUS\n0 success, 1 failure, 2 wrong usage.\n'
        references "$name"
    } >"$folder/$name-$command.1"
done
