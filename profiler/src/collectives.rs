//! From the arguments of a collective to a row of calls, and of an exchange to pairs as well.

use crate::block::Block;
use crate::ranks::Ranks;
use crate::shares::Shares;
use crate::team::Team;
use crate::{attached, epoch, thread};
use libc::c_int;
use rankfold_abi::{self as abi, Abi};
use rankfold_abi::{Address, Handle};
use rankfold_profile::Operation;
use rankfold_profile::journal::Key;

/// A collective, as one member described it.
pub(crate) struct Call {
    op: Operation,
    comm: Handle,
    root: Option<c_int>,
    /// Whether what is sent is where it is received.
    in_place: bool,
    send: Block,
    receive: Block,
}

/// How one call looks from this member.
struct View<'a> {
    abi: &'a Abi,
    ranks: &'a Ranks,
    team: &'a Team,
    /// Number of the communicator, its members being the root's side.
    comm: u32,
    root: Option<u32>,
    at_root: bool,
}

impl Call {
    pub(crate) fn new(op: Operation, comm: Handle) -> Self {
        Self {
            op,
            comm,
            root: None,
            in_place: false,
            send: Block::Nothing,
            receive: Block::Nothing,
        }
    }

    pub(crate) fn root(self, root: c_int) -> Self {
        Self {
            root: Some(root),
            ..self
        }
    }

    /// What this member gives to each other, or to all.
    pub(crate) fn send(self, send: Block) -> Self {
        Self { send, ..self }
    }

    /// What it gets from each other.
    pub(crate) fn receive(self, receive: Block) -> Self {
        Self { receive, ..self }
    }

    /// Looks whether `buffer` says that nothing is given but what is there.
    pub(crate) fn from(self, buffer: Address) -> Self {
        let in_place = abi::get().is_some_and(|abi| buffer.addr() == abi.in_place);
        Self { in_place, ..self }
    }

    /// `None` for a member that has no part: beside the root of an intercommunicator.
    fn view<'a>(&self, abi: &'a Abi, ranks: &'a Ranks, team: &'a Team) -> Option<View<'a>> {
        let own = u32::try_from(team.rank).ok()?;
        let (comm, root, at_root) = match (self.root, team.theirs) {
            (None, _) => (team.ours, None, false),
            (Some(root), None) => (
                team.ours,
                Some(u32::try_from(root).ok()?),
                root == team.rank,
            ),
            (Some(root), Some(_)) if root == abi.root => (team.ours, Some(own), true),
            (Some(root), Some(theirs)) => (theirs, Some(u32::try_from(root).ok()?), false),
        };
        Some(View {
            abi,
            ranks,
            team,
            comm,
            root,
            at_root,
        })
    }

    /// The row, with bytes as [`rankfold_profile::Collective`] says.
    fn row(&self, view: &View, count: &mut dyn FnMut(Key, u64)) {
        let View {
            abi, ranks, team, ..
        } = *view;
        let inter = team.theirs.is_some();
        let one = |block: &Block| block.bytes(0, abi);
        let mut comm = view.comm;
        let bytes = match self.op {
            Operation::Gather if view.at_root => one(&self.receive),
            Operation::Scatter if !view.at_root => one(&self.receive),
            // In place, only what is received is said.
            Operation::Allgather | Operation::Alltoall if !inter => one(&self.receive),
            // Nobody says how much its own side gives; the other side is heard instead.
            Operation::Allgatherv => {
                comm = team.theirs.unwrap_or(comm);
                self.receive.total(ranks.size(), abi)
            }
            Operation::ReduceScatter | Operation::ReduceScatterBlock => {
                self.send.total(team.size, abi)
            }
            _ => one(&self.send),
        };
        count(self.key(view, comm, bytes), bytes);
    }

    /// Every pair, and the row.
    fn exchange(&self, view: &View, count: &mut dyn FnMut(Key, u64)) {
        let View {
            abi, ranks, team, ..
        } = *view;
        let mut all = 0_u64;
        let mut give = |receiver: c_int, bytes: u64| {
            if let Some(place) = ranks.place(receiver).filter(|_| bytes > 0) {
                all = all.wrapping_add(bytes);
                count(place.key(Key::Exchanged), bytes);
            }
        };
        let give_each = |blocks: &Block, give: &mut dyn FnMut(c_int, u64)| {
            for receiver in 0..ranks.size() {
                give(receiver.cast_signed(), blocks.bytes(receiver as usize, abi));
            }
        };
        match (self.op, self.root) {
            (Operation::Gatherv, Some(root)) if !view.at_root => {
                give(root, self.send.bytes(0, abi));
            }
            // Across an intercommunicator the root gives nothing.
            (Operation::Gatherv, _) if team.theirs.is_none() => {
                let own = team.rank.unsigned_abs() as usize;
                give(team.rank, self.receive.bytes(own, abi));
            }
            (Operation::Scatterv, _) if view.at_root => give_each(&self.send, &mut give),
            (Operation::Gatherv | Operation::Scatterv, _) => {}
            _ if self.in_place => give_each(&self.receive, &mut give),
            _ => give_each(&self.send, &mut give),
        }
        count(self.key(view, view.comm, 0), all);
    }

    fn key(&self, view: &View, comm: u32, bytes: u64) -> Key {
        Key::Collective {
            comm,
            op: self.op,
            root: view.root,
            class: (u64::BITS - bytes.leading_zeros()) as u8,
        }
    }
}

impl Shares for Call {
    fn each(&self, count: &mut dyn FnMut(Key, u64)) {
        let Some(abi) = abi::get().filter(|_| epoch::counting()) else {
            return;
        };
        thread::this().catch_up();
        let comm = self.comm & abi.mask;
        let view = attached::communicator(comm).and_then(|ranks| {
            let team = ranks.team(|| Team::of(comm, ranks))?;
            self.view(abi, ranks, team)
        });
        match view {
            Some(view) if self.op.is_exchange() => self.exchange(&view, count),
            Some(view) => self.row(&view, count),
            None => {}
        }
    }
}
