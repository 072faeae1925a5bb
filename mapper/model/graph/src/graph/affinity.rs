//! The undirected view of a communication graph.

use crate::CommGraph;
use crate::rows::{Rows, merged, row, rows};
use rankfold_base::Rank;
use sprs::CsMatI;

/// Symmetric bytes between ranks, both directions added. Hop-bytes depend on nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Affinity {
    both: Rows,
}

impl Affinity {
    /// World size.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.both.rows()
    }

    /// Number of partners of `rank`.
    #[must_use]
    pub fn degree(&self, rank: Rank) -> usize {
        self.both.indptr().nnz_in_outer_sz(rank.index())
    }

    /// Partners of `rank` in ascending order, with the bytes of both directions.
    pub fn partners(&self, rank: Rank) -> impl Iterator<Item = (Rank, u64)> + '_ {
        row(&self.both, rank.index()).map(|(to, bytes)| (Rank(to), bytes))
    }

    /// Bytes of both directions between two ranks; `None` if they exchange nothing.
    #[must_use]
    pub fn bytes_between(&self, a: Rank, b: Rank) -> Option<u64> {
        self.both.get(a.index(), b.index()).copied()
    }

    /// The matrix itself.
    #[must_use]
    pub fn matrix(&self) -> &Rows {
        &self.both
    }
}

impl CommGraph {
    /// The undirected view: `a(u, v) = w(u, v) + w(v, u)`.
    #[must_use]
    pub fn affinity(&self) -> Affinity {
        if let Some(both) = self.answered() {
            return Affinity { both };
        }
        let received: Rows = self.sent.transpose_view().to_csr();
        Affinity {
            both: rows(
                self.ranks(),
                |rank| {
                    let both = merged(row(&self.sent, rank), row(&received, rank));
                    both.count()
                },
                |rank, entries| {
                    let both = merged(row(&self.sent, rank), row(&received, rank));
                    entries.fill(both);
                },
            ),
        }
    }

    /// The undirected view where every pair exchanges bytes in both directions; `None` otherwise.
    /// Avoids a transposed copy of the matrix.
    fn answered(&self) -> Option<Rows> {
        let (columns, bytes) = (self.sent.indices(), self.sent.data());
        let range = |rank: usize| self.sent.indptr().outer_inds_sz(rank);
        let mut both = bytes.to_vec();
        // Ranks are visited in order, so each row meets its transposed entries in order too.
        let mut next: Vec<usize> = (0..self.ranks()).map(|rank| range(rank).start).collect();
        for rank in 0..self.ranks() {
            for place in range(rank) {
                let to = columns[place] as usize;
                let answer = next[to];
                if answer == range(to).end || columns[answer] as usize != rank {
                    return None;
                }
                next[to] += 1;
                both[place] += bytes[answer];
            }
        }
        let starts = self.sent.indptr().raw_storage().to_vec();
        let shape = (self.ranks(), self.ranks());
        Some(CsMatI::new(shape, starts, columns.to_vec(), both))
    }
}
