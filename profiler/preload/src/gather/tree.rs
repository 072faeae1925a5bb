//! Gathers bytes from all ranks on rank 0, and spreads bytes from rank 0 to all ranks, along a
//! [`Tree`].
//!
//! A rank passes on the data of the ranks below it piece by piece: it holds one piece, and one that
//! has just arrived. Rank 0 receives from one branch after the other and passes each rank's bytes
//! to its caller at once. So the memory that a rank needs does not grow with the number of ranks. A
//! gather of n ranks takes n messages at most where each rank has less than a piece, in a tree
//! whose depth grows with log n.

use super::layout::{Branch, Tree};
use super::wait::{Result, Trouble};

/// Length in bytes from which a rank sends on what it has collected. Chosen by hand; not measured.
const PIECE: usize = 1 << 20;

/// Messages between ranks. They arrive in the order in which they were sent. `send` may wait until
/// its message is received.
pub(crate) trait Link {
    fn send(&self, to: u32, bytes: &[u8]) -> Result;
    fn receive(&self, from: u32) -> Result<Vec<u8>>;
    /// Receives, as `receive` does, from a rank that may have to wait for other ranks first.
    fn be_told(&self, by: u32) -> Result<Vec<u8>>;
}

/// Sends rank 0's bytes to every rank along the tree, and returns them. A rank that cannot be
/// reached does not keep the others from receiving them. Collective.
pub(crate) fn spread(link: &impl Link, tree: &Tree, own: Vec<u8>) -> Result<Vec<u8>> {
    let verdict = tree.above.map_or(Ok(own), |above| link.be_told(above));
    let bytes = verdict.as_deref().unwrap_or_default();
    for branch in &tree.below {
        // A rank that has ended was noticed already, or will be when its data is waited for.
        let _ = link.send(branch.first, bytes);
    }
    verdict
}

/// Passes the bytes of all ranks, in rank order, to `visit` on rank 0. On other ranks `visit` is
/// not called. Collective.
pub(crate) fn gather(
    link: &impl Link,
    tree: &Tree,
    own: &[u8],
    visit: &mut dyn FnMut(Vec<u8>),
) -> Result {
    let Some(above) = tree.above else {
        visit(own.to_vec());
        return listen(link, tree, &mut |piece| {
            let mut rest = piece;
            while let Some(bytes) = unpack(&mut rest) {
                visit(bytes.to_vec());
            }
            Ok(())
        });
    };
    let mut held = Vec::new();
    pack(own, &mut held);
    let listened = listen(link, tree, &mut |piece| {
        if held.len() + piece.len() > PIECE {
            link.send(above, &held)?;
            held.clear();
        }
        held.extend(piece);
        Ok(())
    });
    match listened {
        Ok(()) => link.send(above, &held),
        // An empty piece says that no more pieces will follow.
        Err(trouble) => link.send(above, &[]).and(Err(trouble)),
    }
}

/// Passes all pieces of the branches below to `hear`, in rank order.
fn listen(link: &impl Link, tree: &Tree, hear: &mut dyn FnMut(&[u8]) -> Result) -> Result {
    for &Branch { first, ranks, .. } in &tree.below {
        let mut due = ranks;
        while due > 0 {
            let piece = if ranks == 1 {
                link.receive(first)
            } else {
                link.be_told(first)
            }?;
            let mut rest = piece.as_slice();
            let mut count = 0;
            while unpack(&mut rest).is_some() {
                count += 1;
            }
            if count == 0 {
                return Err(Trouble::GivenUp);
            }
            hear(&piece)?;
            due = due.saturating_sub(count);
        }
    }
    Ok(())
}

/// Appends the length of `bytes` (8 bytes) and `bytes` to `piece`.
fn pack(bytes: &[u8], piece: &mut Vec<u8>) {
    piece.extend((bytes.len() as u64).to_le_bytes());
    piece.extend(bytes);
}

/// Takes the first bytes that were packed off a piece; `None` at the end of the piece.
fn unpack<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, behind) = rest.split_first_chunk()?;
    let (bytes, behind) = behind.split_at_checked(u64::from_le_bytes(*length) as usize)?;
    *rest = behind;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::layout::{first_of, members, runs};
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeMap;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// The bytes that rank `rank` sends: its number again and again, or nothing for every seventh
    /// rank.
    fn record_of(rank: u32, length: usize) -> Vec<u8> {
        let length = if rank % 7 == 3 { 0 } else { length };
        rank.to_le_bytes()
            .into_iter()
            .cycle()
            .take(length)
            .collect()
    }

    /// The position of a rank in a world with 48 ranks a host.
    fn place(rank: u32, ranks: u32) -> Tree {
        let first = first_of(rank);
        let hosts: Vec<u32> = (first..members(first, ranks).end)
            .map(|rank| rank / 48)
            .collect();
        let runs = runs(first, &hosts);
        if rank == first {
            return Tree::of_first(first, ranks, &runs);
        }
        let run = runs.into_iter().rfind(|run| run.first <= rank);
        Tree::of_member(rank, run.expect("a run"))
    }

    /// One rank of a world in which every rank is a thread.
    struct Thread {
        rank: u32,
        into: Vec<Sender<(u32, Vec<u8>)>>,
        from: Receiver<(u32, Vec<u8>)>,
        early: RefCell<Vec<(u32, Vec<u8>)>>,
    }

    impl Link for Thread {
        fn send(&self, to: u32, bytes: &[u8]) -> Result {
            let message = (self.rank, bytes.to_vec());
            self.into[to as usize].send(message).expect("a receiver");
            Ok(())
        }

        fn receive(&self, from: u32) -> Result<Vec<u8>> {
            let mut early = self.early.borrow_mut();
            if let Some(place) = early.iter().position(|(rank, _)| *rank == from) {
                return Ok(early.remove(place).1);
            }
            loop {
                let (rank, bytes) = self.from.recv().expect("a sender");
                if rank == from {
                    return Ok(bytes);
                }
                early.push((rank, bytes));
            }
        }

        fn be_told(&self, by: u32) -> Result<Vec<u8>> {
            self.receive(by)
        }
    }

    fn gathered(ranks: u32, length: usize) -> Vec<Vec<u8>> {
        let (into, from): (Vec<_>, Vec<_>) = (0..ranks).map(|_| channel()).unzip();
        let mut all = Vec::new();
        std::thread::scope(|scope| {
            let mut threads = (0..).zip(from).map(|(rank, from)| Thread {
                rank,
                into: into.clone(),
                from,
                early: RefCell::default(),
            });
            let root = threads.next().expect("a rank 0");
            for link in threads {
                scope.spawn(move || {
                    let own = record_of(link.rank, length);
                    let mut none = |_| panic!("only rank 0 is told");
                    gather(&link, &place(link.rank, ranks), &own, &mut none).expect("sent");
                });
            }
            let own = record_of(0, length);
            gather(&root, &place(0, ranks), &own, &mut |bytes| all.push(bytes)).expect("received");
        });
        all
    }

    #[test]
    fn everyones_bytes_arrive_in_rank_order() {
        for (ranks, length) in [
            (1, 24),
            (2, 24),
            (256, 9),
            (257, 9),
            (513, 9),
            (300, 100_000),
        ] {
            let expected: Vec<Vec<u8>> = (0..ranks).map(|rank| record_of(rank, length)).collect();
            assert!(gathered(ranks, length) == expected, "{ranks} ranks");
        }
    }

    const MILLION: u32 = 1_000_000;
    /// 26 neighbours of 24 bytes.
    const ROW: usize = 26 * 24;

    /// One rank of a world of a million ranks. The messages of other ranks are made when they are
    /// received.
    struct Alone {
        below: Vec<Branch>,
        /// Length of a row in bytes.
        row: usize,
        /// Number of rows that a branch has sent, by the first rank of the branch.
        sent: RefCell<BTreeMap<u32, u32>>,
        largest: Cell<usize>,
        passed: Cell<usize>,
    }

    impl Alone {
        fn new(rank: u32, row: usize) -> (Self, Tree) {
            let tree = place(rank, MILLION);
            let alone = Self {
                below: tree.below.clone(),
                row,
                sent: RefCell::default(),
                largest: Cell::new(0),
                passed: Cell::new(0),
            };
            (alone, tree)
        }
    }

    impl Link for Alone {
        fn send(&self, _: u32, bytes: &[u8]) -> Result {
            self.largest.set(self.largest.get().max(bytes.len()));
            self.passed.set(self.passed.get() + bytes.len());
            Ok(())
        }

        /// Returns pieces of at most a thousand rows.
        fn receive(&self, from: u32) -> Result<Vec<u8>> {
            let branch = self.below.iter().find(|branch| branch.first == from);
            let mut sent = self.sent.borrow_mut();
            let sent = sent.entry(from).or_default();
            let rows = (branch.expect("a branch").ranks - *sent).min(1000);
            *sent += rows;
            let mut piece = Vec::new();
            (0..rows).for_each(|_| pack(&vec![0; self.row], &mut piece));
            Ok(piece)
        }

        fn be_told(&self, by: u32) -> Result<Vec<u8>> {
            self.receive(by)
        }
    }

    #[test]
    fn of_a_million_ranks_rank_0_hears_fewer_than_a_hundred() {
        let (link, tree) = Alone::new(0, ROW);
        let mut rows = 0;
        let mut visit = |bytes: Vec<u8>| rows += u32::from(bytes.len() == ROW);
        gather(&link, &tree, &[0; ROW], &mut visit).expect("received");
        assert_eq!(rows, MILLION);
        // 47 ranks of its own host, 5 other hosts of its block, and 15 blocks on each of three
        // levels.
        assert_eq!(link.sent.borrow().len(), 47 + 5 + 3 * 15);
    }

    #[test]
    fn whoever_passes_on_holds_one_piece_however_much_comes() {
        // The first rank of 16 blocks.
        let (link, tree) = Alone::new(16 * 256, ROW);
        let mut none = |_| panic!("only rank 0 is told");
        gather(&link, &tree, &[0; ROW], &mut none).expect("passed on");
        assert!(link.largest.get() <= PIECE + 8);
        assert_eq!(link.passed.get(), 16 * 256 * (ROW + 8));
    }

    #[test]
    fn one_that_gives_up_is_passed_on() {
        struct Silent(Cell<usize>);
        impl Link for Silent {
            fn send(&self, _: u32, bytes: &[u8]) -> Result {
                assert!(bytes.is_empty());
                self.0.set(self.0.get() + 1);
                Ok(())
            }
            fn receive(&self, _: u32) -> Result<Vec<u8>> {
                Ok(Vec::new())
            }
            fn be_told(&self, by: u32) -> Result<Vec<u8>> {
                self.receive(by)
            }
        }
        let link = Silent(Cell::new(0));
        let mut none = |_| panic!("only rank 0 is told");
        let gathered = gather(&link, &place(256, MILLION), &[1], &mut none);
        assert!(matches!(gathered, Err(Trouble::GivenUp)));
        assert_eq!(link.0.get(), 1);
    }
}
