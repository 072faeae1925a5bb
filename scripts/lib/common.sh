# shellcheck shell=bash
# What every script shares: messages, and where things are.

root=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
export root

# Ends the script with a message and status 2, as rankfold does on bad input.
die() {
    echo "${0##*/}: $*" >&2
    exit 2
}

# Open MPI asks root for a second thought; here root is a guest in a namespace or a container.
if [ "$EUID" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# A fresh rustup is not in PATH before the next login.
command -v cargo > /dev/null || PATH=$PATH:$HOME/.cargo/bin
