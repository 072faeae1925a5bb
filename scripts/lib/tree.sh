# shellcheck shell=bash disable=SC2154 # dir, hosts, sizes and rates are cluster-build's
# A tree of two levels: hosts at leaf switches, and leaf switches at one root switch. All switches
# are bridges.

new_switch() {
    new_net "$1"
    in_net "$1" ip link add bridge0 type bridge
    in_net "$1" ip link set bridge0 up
}

plug_in() { in_net "$1" ip link set "$2" master bridge0; }

build_tree() {
    split_sizes "$1"
    [ "${#sizes[@]}" -eq 2 ] || bad_spec "a tree here has two levels"
    name_hosts
    new_launch_network
    local i leaf name
    new_switch root
    for ((leaf = 0; leaf < sizes[0]; leaf++)); do
        new_switch "leaf$leaf"
        # A port cannot be called "up", which is a word of `ip link`.
        cable "leaf$leaf" uplink "root" "leaf$leaf" "${rates[0]}"
        plug_in "leaf$leaf" uplink
        plug_in root "leaf$leaf"
    done
    for ((i = 0; i < hosts; i++)); do
        name=$(host_name "$i")
        leaf=leaf$((i / sizes[1]))
        new_uts "$name"
        new_net "$name"
        join_launch_network "$name" "$i"
        cable "$name" fabric0 "$leaf" "$name" "${rates[1]}"
        plug_in "$leaf" "$name"
        in_net "$name" ip address add "$(fabric_address "$i")/16" dev fabric0
    done
    echo "launch0 fabric0" > "$dir/networks"
}
