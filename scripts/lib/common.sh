# shellcheck shell=bash
# What every script needs: messages and paths.

root=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
export root

# A script's first comment says what the script does and how it is called.
case ${1:-} in
    -h | --help)
        sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0"
        exit
        ;;
esac

# Ends the script with a message and status 2, as rankfold does on bad input.
die() {
    echo "${0##*/}: $*" >&2
    exit 2
}

# Open MPI refuses to run as root unless two variables allow it. Root here is root of a namespace or
# a container.
if [ "$EUID" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# The oldest Rust that can build this project.
oldest_rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml")
export oldest_rust

# Right after its installation rustup is not in PATH before the next login.
command -v cargo > /dev/null || PATH=$PATH:$HOME/.cargo/bin
