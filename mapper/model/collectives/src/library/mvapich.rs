//! Model `mvapich`: the algorithms that MVAPICH 3 and 4 select.
//!
//! MVAPICH 4 is MPICH with tables of its own. The stages of a call on several hosts, control
//! variables and tuning files are those of the model `mpich`.
//!
//! Source: `maint/tuning/coll/mpir/mvp_generic.json` of MVAPICH 4.0, which is compiled in, for
//! blocking calls with built-in operators. The tables of MPICH stand in for other calls. MVAPICH
//! also has tables for named clusters. They are left out, since a profile does not name the cluster
//! that the program ran on. The model was not compared with a run: MVAPICH was not at hand.
//! MVAPICH2 selects by other tables, see the model `mvapich2`.

use super::LibraryModel;
use super::mpich::{self, Named};
use crate::library::hosts::Hosts;
use crate::{Call, Model, Sink};
use rankfold_wire::{Form, Operation};

/// The fewest members for which choices hold, ascending, and choices in ascending order of the size
/// from which on each is used.
type Rules = &'static [(usize, &'static [(u64, Algorithm)])];

/// The name of an algorithm in MPICH, and its radix.
type Algorithm = (&'static str, Option<usize>);

const BINOMIAL: Algorithm = ("binomial", None);
const TREE_2: Algorithm = ("tree", Some(2));
const TREE_4: Algorithm = ("tree", Some(4));
const SCATTER_DOUBLING: Algorithm = ("scatter_recursive_doubling_allgather", None);
const SCATTER_RING: Algorithm = ("scatter_ring_allgather", None);
const RABENSEIFNER: Algorithm = ("reduce_scatter_gather", None);
const RABENSEIFNER_ALL: Algorithm = ("reduce_scatter_allgather", None);
const DOUBLING: Algorithm = ("recursive_doubling", None);
const RING: Algorithm = ("ring", None);
const BRUCK: Algorithm = ("brucks", None);
const BRUCK_2: Algorithm = ("k_brucks", Some(2));
const BRUCK_4: Algorithm = ("k_brucks", Some(4));
const PAIRWISE: Algorithm = ("pairwise", None);
const DIRECT: Algorithm = ("osu_direct", None);

/// The model `mvapich`.
pub(crate) struct Mvapich;

impl LibraryModel for Mvapich {
    fn recognises(&self, version: &str) -> bool {
        version.starts_with("MVAPICH") && !version.starts_with("MVAPICH2")
    }
}

impl Model for Mvapich {
    fn name(&self) -> &'static str {
        "mvapich"
    }

    fn summary(&self) -> &'static str {
        "as the tables of MVAPICH 3 and 4 select algorithms"
    }

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        mpich::expand(call, by_table, sink);
    }

    fn is_dense(&self, call: &Call<'_>) -> bool {
        match (call.op, choice(call)) {
            (Operation::Alltoall, Some(algorithm)) => algorithm == PAIRWISE,
            _ => mpich::Mpich.is_dense(call),
        }
    }
}

/// Expands a call that neither a control variable nor a tuning file decides.
fn by_table(call: &Call<'_>, sink: Sink<'_>) {
    let is_expanded = choice(call).is_some_and(|(name, radix)| {
        let tree = None;
        mpich::expand_named(call, &Named { name, tree, radix }, sink)
    });
    if !is_expanded {
        mpich::by_table(call, sink);
    }
}

fn choice(call: &Call<'_>) -> Option<Algorithm> {
    if call.form != Form::default() {
        return None;
    }
    let all = u64::try_from(call.whole_size()).unwrap_or(u64::MAX);
    let (rules, size) = match call.op {
        Operation::Bcast if Hosts::of(call).have_two_levels() => (BCAST_BETWEEN_HOSTS, call.size()),
        Operation::Bcast => (BCAST, call.size()),
        Operation::Reduce => (REDUCE, call.size()),
        Operation::Allreduce => (ALLREDUCE, call.size()),
        Operation::Allgather if call.members.is_power_of_two() => (ALLGATHER, all),
        Operation::Allgather => (ALLGATHER_UNEVEN, all),
        Operation::Alltoall => (ALLTOALL, call.size()),
        Operation::Gather => (GATHER, all),
        Operation::Scatter => (SCATTER, all),
        // The tables for these are those of MPICH.
        _ => return None,
    };
    let (_, sizes) = rules
        .iter()
        .rev()
        .find(|(least, _)| call.members >= *least)?;
    let rule = sizes.iter().rev().find(|(from, _)| size >= *from)?;
    Some(rule.1)
}

/// Broadcasts on members of several hosts, by the bytes of the message.
#[rustfmt::skip]
const BCAST_BETWEEN_HOSTS: Rules = &[
    (2, &[(0, TREE_2), (512, TREE_4), (1024, BINOMIAL), (32768, TREE_2), (262144, BINOMIAL),
        (1048576, TREE_2)]),
    (4, &[(0, TREE_2), (64, BINOMIAL), (128, TREE_2), (2048, BINOMIAL), (1048576, TREE_2)]),
    (8, &[(0, BINOMIAL), (8, TREE_2), (64, TREE_4), (4096, TREE_2), (16384, BINOMIAL),
        (32768, SCATTER_DOUBLING), (524288, SCATTER_RING)]),
    (16, &[(0, BINOMIAL), (16384, SCATTER_DOUBLING), (1048576, SCATTER_RING)]),
    (32, &[(0, BINOMIAL), (12288, SCATTER_DOUBLING), (524288, SCATTER_RING)]),
    (64, &[(0, BINOMIAL), (12288, SCATTER_DOUBLING), (131072, SCATTER_RING)]),
    (128, &[(0, BINOMIAL), (2097152, SCATTER_RING)]),
    (256, &[(0, TREE_4), (16384, TREE_2), (32768, TREE_4)]),
    (1024, &[(0, TREE_4), (524288, SCATTER_DOUBLING)]),
    (2048, &[(0, TREE_4), (262144, SCATTER_DOUBLING)]),
    (4096, &[(0, TREE_4), (8192, TREE_2), (16384, BINOMIAL), (1048576, SCATTER_DOUBLING)]),
];

/// All other broadcasts, by the bytes of the message.
#[rustfmt::skip]
const BCAST: Rules = &[
    (2, &[(0, BINOMIAL), (1048576, TREE_2)]),
    (4, &[(0, BINOMIAL), (2197152, TREE_2)]),
    (8, &[(0, BINOMIAL), (16384, SCATTER_DOUBLING), (524288, SCATTER_RING)]),
    (16, &[(0, BINOMIAL), (16384, SCATTER_DOUBLING), (262144, SCATTER_RING)]),
    (32, &[(0, BINOMIAL), (16384, SCATTER_DOUBLING), (524288, SCATTER_RING)]),
    (64, &[(0, BINOMIAL), (12289, SCATTER_DOUBLING), (131072, SCATTER_RING)]),
    (128, &[(0, BINOMIAL), (16384, SCATTER_RING), (32768, SCATTER_DOUBLING),
        (65536, SCATTER_RING)]),
    (256, &[(0, BINOMIAL), (16384, SCATTER_DOUBLING), (524288, SCATTER_RING), (1048576, TREE_4)]),
    (1024, &[(0, TREE_4), (524288, SCATTER_DOUBLING)]),
    (2048, &[(0, TREE_4), (262144, SCATTER_DOUBLING)]),
    (4096, &[(0, TREE_4), (8192, TREE_2), (16384, TREE_4), (262144, SCATTER_DOUBLING)]),
];

/// By the bytes of the vector.
#[rustfmt::skip]
const REDUCE: Rules = &[
    (2, &[(0, RABENSEIFNER), (8, BINOMIAL)]),
    (4, &[(0, BINOMIAL)]),
];

/// By the bytes of the vector.
#[rustfmt::skip]
const ALLREDUCE: Rules = &[
    (2, &[(0, DOUBLING), (32768, RABENSEIFNER_ALL)]),
    (4, &[(0, DOUBLING), (8192, RABENSEIFNER_ALL)]),
    (32, &[(0, DOUBLING), (128, RABENSEIFNER_ALL)]),
    (64, &[(0, DOUBLING), (262144, RABENSEIFNER_ALL)]),
    (256, &[(0, DOUBLING), (4096, RABENSEIFNER_ALL)]),
    (512, &[(0, DOUBLING), (16384, RABENSEIFNER_ALL)]),
    (2048, &[(0, DOUBLING), (2048, RING), (4096, DOUBLING), (16384, RABENSEIFNER_ALL)]),
    (4096, &[(0, DOUBLING), (2048, RING), (16384, DOUBLING), (32768, RABENSEIFNER_ALL)]),
];

/// On members that are a power of two, by the bytes of all blocks.
#[rustfmt::skip]
const ALLGATHER: Rules = &[
    (2, &[(0, DOUBLING), (1048576, RING)]),
    (32, &[(0, DOUBLING), (524288, RING)]),
    (64, &[(0, DOUBLING), (131072, RING)]),
    (256, &[(0, DOUBLING), (32, BRUCK), (128, DOUBLING), (1024, RING)]),
    (512, &[(0, DOUBLING), (64, BRUCK), (256, DOUBLING), (2048, RING)]),
    (1024, &[(0, DOUBLING), (4, BRUCK), (8, DOUBLING), (16, BRUCK), (32, DOUBLING), (256, BRUCK),
        (512, DOUBLING), (4096, RING)]),
    (2048, &[(0, BRUCK), (32, DOUBLING), (128, BRUCK), (512, DOUBLING), (4096, RING)]),
    (4096, &[(0, DOUBLING), (2, BRUCK), (8, DOUBLING), (16, BRUCK), (512, DOUBLING),
        (4096, RING)]),
];

/// On other numbers of members, by the bytes of all blocks.
#[rustfmt::skip]
const ALLGATHER_UNEVEN: Rules = &[
    (2, &[(0, BRUCK), (1048576, RING)]),
    (32, &[(0, BRUCK), (524288, RING)]),
    (64, &[(0, BRUCK), (131072, RING)]),
    (256, &[(0, BRUCK), (1024, RING)]),
    (512, &[(0, BRUCK), (2048, RING)]),
    (1024, &[(0, BRUCK), (4096, RING)]),
];

/// By the bytes of a block.
#[rustfmt::skip]
const ALLTOALL: Rules = &[
    (2, &[(0, PAIRWISE)]),
    (4, &[(0, PAIRWISE)]),
    (8, &[(0, PAIRWISE)]),
    (16, &[(0, BRUCK_4), (512, PAIRWISE)]),
    (32, &[(0, BRUCK_4), (1024, PAIRWISE)]),
    (256, &[(0, BRUCK_4), (128, BRUCK_2), (1024, PAIRWISE)]),
    (512, &[(0, BRUCK_2), (512, PAIRWISE)]),
    (1024, &[(0, BRUCK_2), (512, PAIRWISE)]),
    (2048, &[(0, BRUCK_2), (1024, PAIRWISE)]),
    (4096, &[(0, BRUCK_2), (2048, PAIRWISE)]),
];

/// By the bytes of all blocks.
#[rustfmt::skip]
const GATHER: Rules = &[
    (2, &[(0, BINOMIAL)]),
    (256, &[(0, BINOMIAL), (2048, DIRECT), (8192, BINOMIAL)]),
    (512, &[(0, BINOMIAL)]),
];

/// By the bytes of all blocks.
#[rustfmt::skip]
const SCATTER: Rules = &[
    (2, &[(0, BINOMIAL)]),
    (4, &[(0, DIRECT)]),
    (16, &[(0, BINOMIAL), (1024, DIRECT)]),
    (32, &[(0, BINOMIAL), (131072, DIRECT)]),
    (64, &[(0, BINOMIAL), (262144, DIRECT)]),
    (128, &[(0, BINOMIAL), (131072, DIRECT)]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MpiLibrary;

    /// Pairs of a call on one host, in the order of the receivers.
    fn pairs(op: Operation, members: usize, bytes: u64) -> Vec<(usize, usize)> {
        let library = MpiLibrary::default();
        let mut pairs = Vec::new();
        let call = Call::new(op, members, bytes, &library);
        Mvapich.expand(&call, &mut |edge| pairs.push((edge.to, edge.from)));
        pairs.sort_unstable();
        pairs
    }

    // Derived by hand from the tables.
    #[test]
    fn a_rule_holds_from_its_members_and_bytes_on() {
        let binary_tree = [(1, 0), (2, 0), (3, 1)];
        let binomial = [(1, 0), (2, 0), (3, 2)];
        assert_eq!(pairs(Operation::Bcast, 4, 2_197_152), binary_tree);
        assert_eq!(pairs(Operation::Bcast, 4, 2_197_151), binomial);
        // Three members: the rules of two. The binary tree of three is a star.
        assert_eq!(pairs(Operation::Bcast, 3, 1 << 20), [(1, 0), (2, 0)]);
        let star: Vec<_> = (1..4).map(|to| (to, 0)).collect();
        assert_eq!(pairs(Operation::Scatter, 4, 8), star);
        assert_eq!(pairs(Operation::Gather, 4, 8), [(0, 1), (0, 2), (2, 3)]);
    }

    // With radix 4, sixteen members exchange with those at distances 1, 2, 3, 4, 8 and 12.
    #[test]
    fn a_short_alltoall_goes_by_bruck_with_radix_4() {
        let sent = pairs(Operation::Alltoall, 16, 8);
        let from_first: Vec<_> = sent.iter().filter(|(_, from)| *from == 0).collect();
        assert_eq!(
            from_first,
            [&(1, 0), &(2, 0), &(3, 0), &(4, 0), &(8, 0), &(12, 0)]
        );
        assert_eq!(pairs(Operation::Alltoall, 16, 512).len(), 16 * 15);
    }

    #[test]
    fn mvapich_2_is_another_library() {
        assert!(Mvapich.recognises("MVAPICH Version      :\t4.0"));
        assert!(!Mvapich.recognises("MVAPICH2 Version      :\t2.3.7"));
    }
}
