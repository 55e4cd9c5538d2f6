# shellcheck shell=bash
# Completion of furrow for bash. It asks the command for its subcommands, their options and their
# arguments, so that nothing is listed twice.

_furrow() {
    local words option='' at=$COMP_CWORD
    local word=${COMP_WORDS[at]} before=${COMP_WORDS[at - 1]}
    local furrow=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
    # Bash splits --name=value at the sign.
    if [ "$word" = = ]; then
        option=$before word=
    elif [ "$before" = = ]; then
        option=${COMP_WORDS[at - 2]}
    elif [[ $before == --* && $word != -* ]]; then
        option=$before
    fi
    if [ "$at" -eq 1 ]; then
        words="help --help --version $("$furrow" --help 2>/dev/null |
            sed -nE 's/^  ([a-z]+) .*/\1/p')"
    elif [ -n "$option" ]; then
        words=$("$furrow" "$command" "$option" '' 2>&1 </dev/null |
            sed -nE "s/.*$option takes (.* or [A-Za-z0-9:]+), not ''.*/\\1/p")
        words=${words//, / }
        words=${words/ or / }
    elif [[ $word == -* ]]; then
        words=$("$furrow" "$command" --help 2>/dev/null |
            sed -nE 's/^ +(-., )?(--[a-z0-9-]+).*/\2/p')
    fi
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -o filenames -F _furrow furrow
