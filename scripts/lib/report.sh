# shellcheck shell=bash
# How the demo speaks: titles, commands, quoted output, a table. Colours on a terminal only.

bold='' dim='' green='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' plain=$'\e[0m'
fi

no_color() { bold='' dim='' green='' plain=''; }

title() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
say() { printf '  %s\n' "$1"; }
good() { printf '  %s%s%s\n' "$green" "$1" "$plain"; }
prompt() { printf '  %s$%s %s\n' "$dim" "$plain" "$1"; }
quote() { sed 's/^/    /' "$1"; }

header() { printf '  %s%-34s %12s %12s %8s%s\n' "$dim" "" "$@" "$plain"; }

# row LABEL BEFORE AFTER FACTOR: both numbers times an arithmetic factor, and how many times less.
row() {
    awk -v label="$1" -v before="$2" -v after="$3" \
        "BEGIN { f = $4; printf \"  %-34s %12.1f %12.1f %7.1fx\\n\", label, before * f, after * f, before / after }"
}
