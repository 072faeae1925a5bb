//! Compact lists of the nodes of all ranks, as repeated blocks: `ranks` ranks on each of `nodes`
//! nodes starting at `first`, all of it `repeat` times.
//!
//! Task maps of Flux (RFC 34) and of MPICH's process managers have this form.

use super::MAX_RANKS;

/// One block of a task map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) first: usize,
    pub(super) nodes: usize,
    pub(super) ranks: usize,
    pub(super) repeat: usize,
}

/// Compresses the nodes of all ranks into blocks. Every block takes as many ranks as it can.
pub(super) fn compress(nodes: &[usize]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for run in nodes.chunk_by(|a, b| a == b) {
        match blocks.last_mut() {
            Some(last) if last.ranks == run.len() && last.first + last.nodes == run[0] => {
                last.nodes += 1;
            }
            _ => blocks.push(Block {
                first: run[0],
                nodes: 1,
                ranks: run.len(),
                repeat: 1,
            }),
        }
    }
    blocks.dedup_by(|next, last| {
        let same = Block {
            repeat: next.repeat,
            ..*last
        } == *next;
        if same {
            last.repeat += next.repeat;
        }
        same
    });
    blocks
}

/// The node of every rank.
pub(super) fn expand(blocks: &[Block]) -> Result<Vec<usize>, String> {
    let mut of_rank = Vec::new();
    for block in blocks {
        let once = block.nodes.checked_mul(block.ranks);
        let all = once.and_then(|once| once.checked_mul(block.repeat));
        let all = all.and_then(|all| all.checked_add(of_rank.len()));
        if all.is_none_or(|all| all > MAX_RANKS) || block.first > MAX_RANKS {
            return Err("more ranks than any job has".into());
        }
        for _ in 0..block.repeat {
            for node in block.first..block.first + block.nodes {
                of_rank.extend(std::iter::repeat_n(node, block.ranks));
            }
        }
    }
    Ok(of_rank)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(first: usize, nodes: usize, ranks: usize, repeat: usize) -> Block {
        Block {
            first,
            nodes,
            ranks,
            repeat,
        }
    }

    #[test]
    fn block_cyclic_and_mixed_orders_take_one_block_each() {
        assert_eq!(compress(&[0, 0, 1, 1]), [block(0, 2, 2, 1)]);
        assert_eq!(compress(&[0, 1, 0, 1]), [block(0, 2, 1, 2)]);
        let mixed = [1, 1, 2, 2, 3, 3, 0, 1, 2];
        assert_eq!(compress(&mixed), [block(1, 3, 2, 1), block(0, 3, 1, 1)]);
        assert_eq!(compress(&[]), []);
    }

    #[test]
    fn a_block_of_more_ranks_than_any_job_has_is_refused_at_once() {
        for huge in [
            block(0, usize::MAX, 2, 1),
            block(0, 1, 1, MAX_RANKS + 1),
            block(usize::MAX, 1, 1, 1),
        ] {
            assert!(expand(&[huge]).is_err(), "{huge:?}");
        }
    }

    proptest! {
        #[test]
        fn blocks_expand_to_what_they_were_made_of(nodes in prop::collection::vec(0usize..4, 0..40)) {
            prop_assert_eq!(expand(&compress(&nodes)).unwrap(), nodes);
        }
    }
}
