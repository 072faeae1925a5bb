# shellcheck shell=bash disable=SC2154 # root is common.sh's
# The peers that benchmarks run beside us.

python=$root/target/peers/bin/python

# install_peers PACKAGE==VERSION...: into a virtual environment with `python`; says which cannot be
# had, and Scotch too.
install_peers() {
    [ -x "$python" ] || python3 -m venv "$root/target/peers"
    local peer
    for peer in "$@"; do
        "$python" -m pip install --quiet --disable-pip-version-check "$peer" ||
            echo "NOT MEASURED HERE: ${peer%%=*} cannot be installed" >&2
    done
    command -v scotch_gmap > /dev/null ||
        echo "NOT MEASURED HERE: Scotch: scotch_gmap is not installed (Debian package scotch)" >&2
}
