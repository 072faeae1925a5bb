//! Parameters and files of a run that choose other algorithms than the library does by itself.

/// Algorithms that Open MPI's fixed rules do not select: a broadcast along a chain, a reduction
/// along a binomial tree, an allreduce around a ring, an alltoall by Bruck and an allgather among
/// neighbours. The last two depend on the blocks of all ranks together: with 64 bytes each, these
/// are not below 256.
pub(super) const RULE_FILE: &str = "5\n\
    7\n1\n1 2\n0 3 0 0\n1024 0 0 0\n\
    11\n1\n1 1\n0 5 0 0\n\
    2\n1\n1 1\n0 4 0 0\n\
    3\n1\n1 2\n0 1 0 0\n256 3 0 0\n\
    0\n1\n1 2\n0 4 0 0\n256 5 0 0\n";

/// Components and algorithms that `han` of Open MPI does not choose by itself. The last operation
/// is an allreduce in segments.
pub(super) const HAN_RULE_FILE: &str = "6 # collectives\n\
    bcast 2\n\
    global_communicator 1\n1 2\n0 han @simple\n1024 basic\n\
    inter_node 1\n1 1\n0 adapt\n\
    reduce 2\n\
    global_communicator 1\n1 1\n0 han @simple\n\
    1 1\n1 1\n0 basic\n\
    allgather 1\n\
    inter_node 2\n1 1\n0 tuned\n3 2\n0 tuned\n1024 basic\n\
    allgatherv 1\n\
    global_communicator 1\n1 2\n0 basic\n1024 tuned\n\
    scatter 1\n\
    global_communicator 2\n1 1\n0 tuned\n6 1\n0 basic [ 1024 ]\n\
    allreduce 1\n\
    global_communicator 1\n1 2\n0 basic\n1024 han\n";
/// Non-blocking stages of the allreduce by the component `adapt`, along chains.
pub(super) const HAN: &[(&str, &str)] = &[
    ("OMPI_MCA_coll_han_use_dynamic_file_rules", "1"),
    ("OMPI_MCA_coll_han_allreduce_up_module", "1"),
    ("OMPI_MCA_coll_han_allreduce_segsize", "4096"),
    ("OMPI_MCA_coll_adapt_priority", "20"),
    ("OMPI_MCA_coll_adapt_bcast_algorithm", "4"),
    ("OMPI_MCA_coll_adapt_reduce_algorithm", "4"),
];

/// Algorithms that MPICH's table selects for none or only some of the calls here.
pub(super) const FORCED: &[(&str, &str)] = &[
    ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "scatter_ring_allgather"),
    ("MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "binomial"),
    ("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "recursive_doubling"),
    ("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "ring"),
    // Six ranks are no power of two, so that the table decides.
    ("MPIR_CVAR_ALLGATHERV_INTRA_ALGORITHM", "recursive_doubling"),
    ("MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "brucks"),
    ("MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM", "pairwise"),
    ("MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM", "pairwise"),
];

/// Blocking operations as non-blocking ones: by MPICH's table, or with algorithms of radix 3, of
/// which the six ranks are no power.
pub(super) const NONBLOCKING: &[(&str, &str)] = &[
    ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "nb"),
    ("MPIR_CVAR_IBCAST_INTRA_ALGORITHM", "tsp_tree"),
    ("MPIR_CVAR_IBCAST_TREE_TYPE", "knomial_2"),
    ("MPIR_CVAR_IBCAST_TREE_KVAL", "3"),
    ("MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "nb"),
    ("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "nb"),
    (
        "MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM",
        "tsp_recexch_single_buffer",
    ),
    ("MPIR_CVAR_IALLREDUCE_RECEXCH_KVAL", "3"),
    ("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "nb"),
    (
        "MPIR_CVAR_IALLGATHER_INTRA_ALGORITHM",
        "tsp_recexch_doubling",
    ),
    ("MPIR_CVAR_IALLGATHER_RECEXCH_KVAL", "3"),
    ("MPIR_CVAR_ALLGATHERV_INTRA_ALGORITHM", "nb"),
    ("MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "nb"),
    ("MPIR_CVAR_IALLTOALL_INTRA_ALGORITHM", "sched_brucks"),
    ("MPIR_CVAR_SCATTER_INTRA_ALGORITHM", "nb"),
    ("MPIR_CVAR_ISCATTER_INTRA_ALGORITHM", "tsp_tree"),
    ("MPIR_CVAR_ISCATTER_TREE_KVAL", "3"),
    ("MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM", "nb"),
    ("MPIR_CVAR_SCAN_INTRA_ALGORITHM", "nb"),
];

/// Algorithms that MPICH 5 alone has, of radix 3 and 4.
pub(super) const OF_RADIX: &[&[(&str, &str)]] = &[
    &[
        (
            "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
            "recursive_multiplying",
        ),
        ("MPIR_CVAR_ALLREDUCE_RECURSIVE_MULTIPLYING_KVAL", "4"),
        ("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "recexch_halving"),
        ("MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "k_brucks"),
        ("MPIR_CVAR_ALLTOALL_BRUCKS_KVAL", "3"),
    ],
    &[
        (
            "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
            "k_reduce_scatter_allgather",
        ),
        ("MPIR_CVAR_ALLREDUCE_RECEXCH_KVAL", "3"),
        ("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "k_brucks"),
        ("MPIR_CVAR_ALLGATHER_BRUCKS_KVAL", "4"),
    ],
];

/// Algorithms that a tuning file of MPICH selects by size and number of ranks. A tuning file has to
/// have an algorithm for every operation that the run calls, also where no condition holds.
pub(super) const TUNING_FILE: &str = r#"{
    "collective=bcast": { "comm_type=intra": {
        "comm_size=pow2": { "algorithm=MPIR_Bcast_intra_binomial": {} },
        "comm_size=any": {
            "avg_msg_size<=64": { "algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {} },
            "avg_msg_size=any": { "algorithm=MPIR_Bcast_intra_binomial": {} } } } },
    "collective=allreduce": { "comm_type=intra": {
        "is_commutative=yes": { "algorithm=MPIR_Allreduce_intra_recursive_doubling": {} },
        "is_commutative=no": { "algorithm=MPIR_Allreduce_intra_recursive_doubling": {} } } },
    "collective=reduce": { "comm_type=intra": {
        "avg_msg_size<64": { "algorithm=MPIR_Reduce_intra_reduce_scatter_gather": {} },
        "avg_msg_size=any": {
            "count<pow2": { "algorithm=MPIR_Reduce_intra_binomial": {} },
            "count=any": { "algorithm=MPIR_Reduce_intra_reduce_scatter_gather": {} } } } },
    "collective=allgather": { "comm_type=intra": {
        "total_msg_size<=384": { "algorithm=MPIR_Allgather_intra_ring": {} },
        "total_msg_size=any": { "algorithm=MPIR_Allgather_intra_brucks": {} } } },
    "collective=alltoall": { "comm_type=intra": {
        "comm_size<=6": { "algorithm=MPIR_Alltoall_intra_brucks": {} },
        "comm_size=any": { "algorithm=MPIR_Alltoall_intra_pairwise": {} } } },
    "collective=reduce_scatter_block": { "comm_type=intra": {
        "algorithm=MPIR_Reduce_scatter_block_intra_pairwise": {} } },
    "collective=barrier": { "algorithm=MPIR_Barrier_allcomm_nb": {} },
    "collective=ibarrier": { "algorithm=MPIR_Ibarrier_intra_sched_recursive_doubling": {} },
    "collective=gather": { "algorithm=MPIR_Gather_intra_binomial": {} },
    "collective=scatter": { "algorithm=MPIR_Scatter_intra_binomial": {} },
    "collective=gatherv": { "algorithm=MPIR_Gatherv_allcomm_linear": {} },
    "collective=scatterv": { "algorithm=MPIR_Scatterv_allcomm_linear": {} },
    "collective=allgatherv": { "algorithm=MPIR_Allgatherv_intra_ring": {} },
    "collective=alltoallv": { "algorithm=MPIR_Alltoallv_intra_scattered": {} },
    "collective=alltoallw": { "algorithm=MPIR_Alltoallw_intra_scattered": {} },
    "collective=reduce_scatter": { "algorithm=MPIR_Reduce_scatter_intra_recursive_halving": {} },
    "collective=scan": { "algorithm=MPIR_Scan_intra_recursive_doubling": {} },
    "collective=exscan": { "algorithm=MPIR_Exscan_intra_recursive_doubling": {} }
}"#;
