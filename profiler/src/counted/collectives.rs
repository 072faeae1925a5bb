//! From the arguments of a collective to a row of calls, and of an exchange to pairs as well.

use super::block::Block;
use super::increments::Increments;
use super::lookup;
use crate::objects::collective_group::CollectiveGroup;
use crate::objects::ranks::Ranks;
use crate::thread;
use libc::c_int;
use rankfold_abi::{self as abi, Abi, Address, Handle};
use rankfold_profile::Operation;
use rankfold_profile::journal::Key;

/// A collective, as one member described it.
pub(crate) struct Call {
    op: Operation,
    comm: Handle,
    root: Option<c_int>,
    /// Whether the program passed `MPI_IN_PLACE`: what is sent lies where it is received.
    in_place: bool,
    send: Block,
    receive: Block,
}

/// How one call looks from this member.
struct View<'a> {
    abi: &'a Abi,
    ranks: &'a Ranks,
    group: &'a CollectiveGroup,
    /// Number of the communicator, seen from the side of the root where there is one.
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

    /// Where this member's data are; `MPI_IN_PLACE` says that they lie where it receives.
    pub(crate) fn from(self, buffer: Address) -> Self {
        let in_place = abi::get().is_some_and(|abi| buffer.addr() == abi.in_place);
        Self { in_place, ..self }
    }

    /// `None` for a member that has no part: one in the group of the root of an intercommunicator
    /// that is not the root.
    fn view<'a>(
        &self,
        abi: &'a Abi,
        ranks: &'a Ranks,
        group: &'a CollectiveGroup,
    ) -> Option<View<'a>> {
        let own = u32::try_from(group.rank).ok()?;
        let (comm, root, at_root) = match (self.root, group.remote) {
            (None, _) => (group.local, None, false),
            (Some(root), None) => (
                group.local,
                Some(u32::try_from(root).ok()?),
                root == group.rank,
            ),
            (Some(root), Some(_)) if root == abi.root => (group.local, Some(own), true),
            (Some(root), Some(remote)) => (remote, Some(u32::try_from(root).ok()?), false),
        };
        Some(View {
            abi,
            ranks,
            group,
            comm,
            root,
            at_root,
        })
    }

    /// The row, with bytes as [`rankfold_profile::Collective`] says.
    fn row(&self, view: &View, tell: &mut dyn FnMut(Key, u64)) {
        let View {
            abi, ranks, group, ..
        } = *view;
        let inter = group.remote.is_some();
        let one = |block: &Block| block.bytes(0, abi);
        let mut comm = view.comm;
        let bytes = match self.op {
            Operation::Gather if view.at_root => one(&self.receive),
            Operation::Scatter if !view.at_root => one(&self.receive),
            // With `MPI_IN_PLACE` the arguments of what is sent mean nothing; those of what is
            // received say the same.
            Operation::Allgather | Operation::Alltoall if !inter => one(&self.receive),
            // A member names the blocks it receives, those of the remote group on an
            // intercommunicator: the row is that of what the remote group contributes.
            Operation::Allgatherv => {
                comm = group.remote.unwrap_or(comm);
                self.receive.total(ranks.size(), abi)
            }
            Operation::ReduceScatter | Operation::ReduceScatterBlock => {
                self.send.total(group.size, abi)
            }
            _ => one(&self.send),
        };
        tell(self.key(view, comm, bytes), bytes);
    }

    /// Every pair, and the row.
    fn exchange(&self, view: &View, tell: &mut dyn FnMut(Key, u64)) {
        let View {
            abi, ranks, group, ..
        } = *view;
        let mut all = 0_u64;
        let mut give = |receiver: c_int, bytes: u64| {
            if let Some(place) = ranks.place(receiver).filter(|_| bytes > 0) {
                all = all.wrapping_add(bytes);
                tell(place.key(Key::Exchanged), bytes);
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
            (Operation::Gatherv, _) if group.remote.is_none() => {
                let own = group.rank.unsigned_abs() as usize;
                give(group.rank, self.receive.bytes(own, abi));
            }
            (Operation::Scatterv, _) if view.at_root => give_each(&self.send, &mut give),
            (Operation::Gatherv | Operation::Scatterv, _) => {}
            _ if self.in_place => give_each(&self.receive, &mut give),
            _ => give_each(&self.send, &mut give),
        }
        tell(self.key(view, view.comm, 0), all);
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

impl Increments for Call {
    fn each(&self, tell: &mut dyn FnMut(Key, u64)) {
        let Some(abi) = abi::get() else {
            return;
        };
        thread::this().catch_up();
        let comm = self.comm & abi.mask;
        let view = lookup::communicator(comm)
            .and_then(|known| self.view(abi, &known.ranks, known.collective_group(comm)?));
        match view {
            Some(view) if self.op.is_exchange() => self.exchange(&view, tell),
            Some(view) => self.row(&view, tell),
            None => {}
        }
    }
}
