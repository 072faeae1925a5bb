# shellcheck shell=bash disable=SC2154 # dir, hosts, sizes and rates are cluster-build's
# A torus or mesh of any number of dimensions. Hosts are numbered lexicographically, the last
# dimension fastest, and forward packets for each other. Dimension 0 is routed first. On a torus
# packets take the shorter way round, and half-way ties go upwards.

# next_hop KIND FROM TO: sets `hop` and the port to leave by.
next_hop() {
    local kind=$1 from=$2 to=$3 stride=$hosts d size at distance upwards
    for ((d = 0; d < ${#sizes[@]}; d++)); do
        size=${sizes[d]}
        stride=$((stride / size))
        at=$((from / stride % size))
        distance=$(((to / stride % size - at + size) % size))
        [ "$distance" -gt 0 ] || continue
        # On a mesh a distance that leads past the end means the other direction.
        if [ "$kind" = mesh ]; then upwards=$((at + distance < size)); else upwards=$((2 * distance <= size)); fi
        if [ "$upwards" -eq 1 ]; then
            hop=$((from + ((at + 1) % size - at) * stride))
            port=up$d
        else
            hop=$((from + ((at + size - 1) % size - at) * stride))
            port=down$d
        fi
        return
    done
}

# The links have no addresses. A veth pair inside the host has the host's address, since that pair
# is always up.
new_router() {
    local name=$1 address=$2
    new_uts "$name"
    new_net "$name"
    in_net "$name" ip -batch - <<- COMMANDS
		link add fabric0 type veth peer name fabric1
		link set fabric1 up
		link set fabric0 up
		address add $address/16 dev fabric0
	COMMANDS
    # shellcheck disable=SC2016 # expanded by the inner shell
    in_net "$name" sh -c 'cd /proc/sys/net/ipv4 && echo 1 > ip_forward &&
        for f in conf/all/rp_filter conf/default/rp_filter conf/all/send_redirects; do echo 0 > $f; done'
}

# Adds one static route for each destination, so that every packet takes exactly the modelled path.
add_routes() {
    local kind=$1 from=$2 to hop port
    for ((to = 0; to < hosts; to++)); do
        [ "$to" -ne "$from" ] || continue
        next_hop "$kind" "$from" "$to"
        echo "route add $(fabric_address "$to")/32 via $(fabric_address "$hop") dev $port onlink" \
            "src $(fabric_address "$from")"
    done | in_net "$(host_name "$from")" ip -batch -
}

# build_grid torus|mesh SIZES@RATES
build_grid() {
    local kind=$1
    split_sizes "$2"
    name_hosts
    new_launch_network
    local i d size stride=$hosts at
    for ((i = 0; i < hosts; i++)); do
        new_router "$(host_name "$i")" "$(fabric_address "$i")"
        join_launch_network "$(host_name "$i")" "$i"
    done
    for ((d = 0; d < ${#sizes[@]}; d++)); do
        size=${sizes[d]}
        stride=$((stride / size))
        [ "$size" -gt 1 ] || continue
        for ((i = 0; i < hosts; i++)); do
            at=$((i / stride % size))
            [ "$kind" = torus ] || [ $((at + 1)) -lt "$size" ] || continue
            cable "$(host_name "$i")" "up$d" "$(host_name $((i + ((at + 1) % size - at) * stride)))" "down$d" \
                "${rates[d]}"
        done
    done
    for ((i = 0; i < hosts; i++)); do add_routes "$kind" "$i"; done
    echo "launch0 fabric0" > "$dir/networks"
}
