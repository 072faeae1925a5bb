//! The communication partners of every rank, with the bytes of both directions side by side.

use rankfold_base::Csr;
use rankfold_graph::CommGraph;

/// A communication partner of a rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    pub(crate) rank: u32,
    /// Bytes that the rank sends to this peer.
    pub(crate) sent: u64,
    /// Bytes that the rank receives from this peer.
    pub(crate) received: u64,
}

/// The ranks that each rank sends to or receives from, ascending.
pub(crate) fn peers(graph: &CommGraph) -> Csr<Peer> {
    let mut lists: Vec<Vec<Peer>> = vec![Vec::new(); graph.ranks()];
    for m in graph.messages() {
        for (rank, other, sent, received) in
            [(m.from, m.to, m.bytes, 0), (m.to, m.from, 0, m.bytes)]
        {
            lists[rank.index()].push(Peer {
                rank: other.0,
                sent,
                received,
            });
        }
    }
    for list in &mut lists {
        list.sort_unstable_by_key(|peer| peer.rank);
        list.dedup_by(|next, kept| {
            let same = next.rank == kept.rank;
            if same {
                kept.sent += next.sent;
                kept.received += next.received;
            }
            same
        });
    }
    lists.into_iter().collect()
}
