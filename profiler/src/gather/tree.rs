//! The bytes of every rank to rank 0, along a tree of two levels whose memory does not grow with the world.
//!
//! ```text
//! ranks 1 .. 255 ──────────────────────────> rank 0
//! ranks 257 .. 511 ──> rank 256 ──pieces──> rank 0
//! ranks 513 .. 767 ──> rank 512 ──pieces──> rank 0
//! ```
//!
//! The first of a block passes on what its members send as it comes, a piece at a time: it holds one piece and one
//! member's bytes. Rank 0 asks the blocks one after the other and hands each rank's bytes on at once.

use super::wait::{Result, Trouble};
use std::ops::Range;

/// Ranks of a block. A million ranks are 4096 blocks: rank 0 hears of no more than that many others.
pub(super) const BLOCK: u32 = 256;

/// Bytes after which the first of a block sends on what it has.
const PIECE: usize = 1 << 20;

/// Messages between ranks, which arrive in the order in which they were sent; `send` may wait until they are received.
pub(crate) trait Link {
    fn send(&self, to: u32, bytes: &[u8]) -> Result;
    fn receive(&self, from: u32) -> Result<Vec<u8>>;
    /// As `receive`, from a rank that may wait for others first.
    fn be_told(&self, by: u32) -> Result<Vec<u8>>;
}

/// The first rank of the block of `rank`.
pub(super) fn first_of(rank: u32) -> u32 {
    rank - rank % BLOCK
}

/// The ranks of the block that begins with `first`, without it.
pub(super) fn members(first: u32, ranks: u32) -> Range<u32> {
    first + 1..ranks.min(first + BLOCK)
}

/// The first ranks of the blocks behind the first one.
pub(super) fn firsts(ranks: u32) -> impl Iterator<Item = u32> {
    (BLOCK..ranks).step_by(BLOCK as usize)
}

/// Rank 0's bytes, on every rank, along the same tree. Nobody who cannot be reached keeps the others from being told.
/// Collective.
pub(crate) fn spread(link: &impl Link, rank: u32, ranks: u32, own: Vec<u8>) -> Result<Vec<u8>> {
    let first = first_of(rank);
    let told = match rank {
        0 => Ok(own),
        _ if rank == first => link.be_told(0),
        _ => link.be_told(first),
    };
    if rank == first {
        let bytes = told.as_deref().unwrap_or_default();
        let others = firsts(ranks).filter(|_| rank == 0);
        for other in others.chain(members(first, ranks)) {
            // One that is gone has been noticed, or will be, where it is waited for.
            let _ = link.send(other, bytes);
        }
    }
    told
}

/// Hands the bytes of all ranks, in rank order, to `visit` on rank 0; it is called nowhere else. Collective.
pub(crate) fn gather(
    link: &impl Link,
    rank: u32,
    ranks: u32,
    own: &[u8],
    visit: &mut dyn FnMut(Vec<u8>),
) -> Result {
    let first = first_of(rank);
    if rank == 0 {
        receive(link, ranks, own, visit)
    } else if rank == first {
        pass_on(link, members(rank, ranks), own)
    } else {
        link.send(first, own)
    }
}

fn receive(link: &impl Link, ranks: u32, own: &[u8], visit: &mut dyn FnMut(Vec<u8>)) -> Result {
    visit(own.to_vec());
    for member in members(0, ranks) {
        visit(link.receive(member)?);
    }
    for first in firsts(ranks) {
        let mut due = BLOCK.min(ranks - first);
        while due > 0 {
            let piece = link.be_told(first)?;
            if piece.is_empty() {
                return Err(Trouble::GivenUp);
            }
            let mut rest = piece.as_slice();
            while let Some(bytes) = unpack(&mut rest) {
                visit(bytes.to_vec());
                due -= 1;
            }
        }
    }
    Ok(())
}

fn pass_on(link: &impl Link, members: Range<u32>, own: &[u8]) -> Result {
    let mut piece = Vec::new();
    pack(own, &mut piece);
    for member in members {
        let bytes = link.receive(member).or_else(|trouble| {
            // A piece of nothing says that there will be no more.
            link.send(0, &[]).and(Err(trouble))
        })?;
        if piece.len() + bytes.len() > PIECE {
            link.send(0, &piece)?;
            piece.clear();
        }
        pack(&bytes, &mut piece);
    }
    link.send(0, &piece)
}

/// Puts length (8) and bytes behind a piece.
fn pack(bytes: &[u8], piece: &mut Vec<u8>) {
    piece.extend((bytes.len() as u64).to_le_bytes());
    piece.extend(bytes);
}

/// Takes the first bytes off a piece; `None` at its end.
fn unpack<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, behind) = rest.split_first_chunk()?;
    let (bytes, behind) = behind.split_at_checked(u64::from_le_bytes(*length) as usize)?;
    *rest = behind;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeSet;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// What rank `rank` has to tell: bytes of its own, none at all for every seventh.
    fn told(rank: u32, length: usize) -> Vec<u8> {
        let length = if rank % 7 == 3 { 0 } else { length };
        rank.to_le_bytes()
            .into_iter()
            .cycle()
            .take(length)
            .collect()
    }

    /// One rank of a world of threads.
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
                    let own = told(link.rank, length);
                    let mut none = |_| panic!("only rank 0 is told");
                    gather(&link, link.rank, ranks, &own, &mut none).expect("sent");
                });
            }
            let own = told(0, length);
            gather(&root, 0, ranks, &own, &mut |bytes| all.push(bytes)).expect("received");
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
            let expected: Vec<Vec<u8>> = (0..ranks).map(|rank| told(rank, length)).collect();
            assert!(gathered(ranks, length) == expected, "{ranks} ranks");
        }
    }

    const MILLION: u32 = 1_000_000;
    /// 26 neighbours of 24 bytes.
    const ROW: usize = 26 * 24;

    /// A rank of a world of a million, the others made up as they are heard of.
    #[derive(Default)]
    struct Alone {
        largest: Cell<usize>,
        heard: RefCell<BTreeSet<u32>>,
        passed: Cell<usize>,
        pieces: RefCell<Vec<Vec<u8>>>,
    }

    impl Link for Alone {
        fn send(&self, to: u32, bytes: &[u8]) -> Result {
            assert_eq!(to, 0);
            self.largest.set(self.largest.get().max(bytes.len()));
            self.passed.set(self.passed.get() + bytes.len());
            Ok(())
        }

        fn receive(&self, from: u32) -> Result<Vec<u8>> {
            self.heard.borrow_mut().insert(from);
            if from < BLOCK {
                return Ok(vec![0; ROW]);
            }
            // The whole block in pieces of three rows.
            let mut pieces = self.pieces.borrow_mut();
            if pieces.is_empty() {
                let rows: Vec<u32> = (from..MILLION.min(from + BLOCK)).collect();
                pieces.extend(rows.chunks(3).map(|rows| {
                    let mut piece = Vec::new();
                    rows.iter().for_each(|_| pack(&[0; ROW], &mut piece));
                    piece
                }));
            }
            Ok(pieces.pop().expect("a piece"))
        }

        fn be_told(&self, by: u32) -> Result<Vec<u8>> {
            self.receive(by)
        }
    }

    #[test]
    fn of_a_million_ranks_rank_0_hears_a_few_thousand_and_each_block_holds_a_piece() {
        let link = Alone::default();
        let mut rows = 0;
        let mut visit = |bytes: Vec<u8>| rows += u32::from(bytes.len() == ROW);
        gather(&link, 0, MILLION, &[0; ROW], &mut visit).expect("received");
        assert_eq!(rows, MILLION);
        let blocks = MILLION.div_ceil(BLOCK) as usize;
        assert_eq!(link.heard.borrow().len(), BLOCK as usize - 1 + blocks - 1);
    }

    /// Members whose rows are far larger than a piece.
    struct Large(Alone);

    impl Link for Large {
        fn send(&self, to: u32, bytes: &[u8]) -> Result {
            self.0.send(to, bytes)
        }

        fn receive(&self, _: u32) -> Result<Vec<u8>> {
            Ok(vec![0; PIECE / 3])
        }

        fn be_told(&self, by: u32) -> Result<Vec<u8>> {
            self.receive(by)
        }
    }

    #[test]
    fn the_first_of_a_block_holds_one_piece_however_much_its_members_send() {
        let link = Large(Alone::default());
        let mut none = |_| panic!("only rank 0 is told");
        gather(&link, BLOCK, MILLION, &[0; ROW], &mut none).expect("passed on");
        assert!(link.0.largest.get() <= PIECE + 8 * BLOCK as usize);
        let sent = (BLOCK as usize - 1) * (PIECE / 3) + ROW + 8 * BLOCK as usize;
        assert_eq!(link.0.passed.get(), sent);
    }
}
