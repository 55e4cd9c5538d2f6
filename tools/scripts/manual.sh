#!/bin/sh
# Writes the manual's pages from the output of --help: furrow.1 and a page for each subcommand.
#
#   manual.sh FURROW FOLDER
set -eu

furrow=$1 folder=$2
# Each option or paragraph is one line of any length.
export ARGP_HELP_FMT=rmargin=100000,opt-doc-col=60
version=$("$furrow" --version)

# page NAME SUMMARY TITLE: makes the page from the help text on standard input.
page() {
    awk -v name="$1" -v summary="$2" -v version="$version" '
    function escape(text) {
        gsub(/\\/, "\\e", text)
        gsub(/-/, "\\-", text)
        sub(/^[.\47]/, "\\\\&&", text)
        return text
    }
    function head(title) { print ".SH " title }
    # "Usage: furrow solve [OPTION...] FILE": words in lower case are typed literally.
    function usage(text) {
        print (usages++ ? ".br\n" : "") ".B " escape(substr(text, 1, match(text, / [[A-Z]|$/) - 1))
        print escape(substr(text, RSTART + 1))
    }
    BEGIN {
        printf ".TH %s 1 \"\" \"%s\" \"Furrow\"\n", toupper(escape(name)), version
        head("NAME")
        print escape(name) " \\- " escape(summary)
        head("SYNOPSIS")
    }
    /^Usage: / { usage(substr($0, 8)); part = "usage"; next }
    /^  or:  / { usage(substr($0, 8)); next }
    part == "usage" && NF { head("DESCRIPTION"); part = "description" }
    /^ [^ ].*:$/ { options(); print ".SS " escape(substr($0, 2, length($0) - 2)); next }
    /^  / {
        options()
        end = match(substr($0, 3) "  ", /[^ ]  +/) + 2
        print ".TP\n.B " escape(trim(substr($0, 1, end))) "\n" escape(trim(substr($0, end + 1)))
        next
    }
    !NF { gap = 1; next }
    part == "options" { head("NOTES"); part = "notes"; gap = 0 }
    { print (gap ? ".PP\n" : "") escape($0); gap = 0 }
    function trim(text) { gsub(/^ +| +$/, "", text); return text }
    function options() {
        if (part != "options")
            head(part == "description" && name == "furrow" ? "COMMANDS AND OPTIONS" : "OPTIONS")
        part = "options"
        gap = 0
    }'
}

mkdir -p "$folder"
commands=$("$furrow" --help | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1 \2/p')
{
    "$furrow" --help | page furrow "sparse matrices at memory speed"
    printf '.SH SEE ALSO\n'
    echo "$commands" | sed 's/ .*//; s/.*/.BR furrow\\-& (1)/; $!s/$/,/' | sed 's/(1),/(1),/'
} >"$folder/furrow.1"
echo "$commands" | while read -r command summary; do
    {
        "$furrow" "$command" --help | page "furrow-$command" "$summary"
        printf '.SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage.\n.SH SEE ALSO\n.BR furrow (1)\n'
    } >"$folder/furrow-$command.1"
done
