//! What a collective counts: a row of calls, and for exchanges with varying block sizes also pairs
//! of ranks.

use super::block::Block;
use super::increments::Increments;
use super::lookup;
use crate::objects::collective_group::CollectiveGroup;
use crate::objects::ranks::Ranks;
use crate::{epoch, thread, turns};
use libc::c_int;
use rankfold_abi::{self as abi, Abi, Address, Handle, mpi};
use rankfold_wire::journal::Key;
use rankfold_wire::{Form, Operation, Operator, size_bits};

/// The arguments of a collective, as one member passed them.
pub(crate) struct Call {
    op: Operation,
    comm: Handle,
    root: Option<c_int>,
    /// Whether the program passed `MPI_IN_PLACE`: then the data to be sent are in the receive
    /// buffer.
    in_place: bool,
    /// Whether the call is nonblocking or persistent.
    nonblocking: bool,
    /// The operator of a reduction or scan.
    operator: Option<Handle>,
    send: Block,
    receive: Block,
}

/// A collective, as this member sees it.
struct View<'a> {
    abi: &'a Abi,
    ranks: &'a Ranks,
    group: &'a CollectiveGroup,
    /// Number of the communicator. On an intercommunicator with a root, its number as seen from the
    /// root's side.
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
            nonblocking: false,
            operator: None,
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

    /// Adds the operator of a reduction or scan.
    pub(crate) fn operator(self, operator: Handle) -> Self {
        Self {
            operator: Some(operator),
            ..self
        }
    }

    /// Adds the block that this member sends to each other, or to all of them.
    pub(crate) fn send(self, send: Block) -> Self {
        Self { send, ..self }
    }

    /// Adds the block that this member receives from each other.
    pub(crate) fn receive(self, receive: Block) -> Self {
        Self { receive, ..self }
    }

    /// Adds the send buffer. `MPI_IN_PLACE` says that the data are in the receive buffer.
    pub(crate) fn from(self, buffer: Address) -> Self {
        let in_place = abi::get().is_some_and(|abi| buffer.addr() == abi.in_place);
        Self { in_place, ..self }
    }

    /// `None` for a member that takes no part: on an intercommunicator, a member of the root's
    /// group that is not the root.
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

    /// The row of calls, with bytes as [`rankfold_wire::Collective`] defines them. If the
    /// members have blocks of different sizes, also the block of this member.
    fn row(&self, view: &View, tell: &mut dyn FnMut(Key, u64)) {
        let View {
            abi, ranks, group, ..
        } = *view;
        let inter = group.remote.is_some();
        let one = |block: &Block| block.bytes(0, abi);
        let own = |block: &Block| block.bytes(group.rank.unsigned_abs() as usize, abi);
        let mut uneven = None;
        let mut comm = view.comm;
        let bytes = match self.op {
            Operation::Gather if view.at_root => one(&self.receive),
            Operation::Scatter if !view.at_root => one(&self.receive),
            // With `MPI_IN_PLACE` the arguments of the send block have no meaning. The receive
            // block has the same length.
            Operation::Allgather | Operation::Alltoall if !inter => one(&self.receive),
            // The program passes the lengths of the received blocks. On an intercommunicator these
            // come from the remote group, so the row is that of the remote group's contribution.
            Operation::Allgatherv => {
                comm = group.remote.unwrap_or(comm);
                let total = self.receive.total(ranks.size(), abi);
                uneven = (total.uneven && !inter).then(|| own(&self.receive));
                total.bytes
            }
            Operation::ReduceScatter | Operation::ReduceScatterBlock => {
                let total = self.send.total(group.size, abi);
                uneven = (total.uneven && !inter).then(|| own(&self.send));
                total.bytes
            }
            _ => one(&self.send),
        };
        let form = self.form(abi);
        tell(self.key(view, comm, bytes, form), bytes);
        if let Some(own) = uneven {
            let block = Key::Block {
                comm,
                op: self.op,
                class: size_bits(bytes) as u8,
                form,
            };
            tell(block, own);
        }
    }

    /// The bytes of every pair of ranks, and the row of calls.
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
            // On an intercommunicator the root sends nothing.
            (Operation::Gatherv, _) if group.remote.is_none() => {
                let own = group.rank.unsigned_abs() as usize;
                give(group.rank, self.receive.bytes(own, abi));
            }
            (Operation::Scatterv, _) if view.at_root => give_each(&self.send, &mut give),
            (Operation::Gatherv | Operation::Scatterv, _) => {}
            _ if self.in_place => give_each(&self.receive, &mut give),
            _ => give_each(&self.send, &mut give),
        }
        tell(self.key(view, view.comm, 0, self.form(abi)), all);
    }

    fn form(&self, abi: &Abi) -> Form {
        let all_agree = matches!(self.op, Operation::Allreduce | Operation::Alltoall);
        Form {
            nonblocking: self.nonblocking,
            in_place: self.in_place && all_agree,
            operator: self
                .operator
                .map_or(Operator::BuiltIn, |operator| kind_of(operator, abi)),
        }
    }

    fn key(&self, view: &View, comm: u32, bytes: u64, form: Form) -> Key {
        Key::Collective {
            comm,
            op: self.op,
            root: view.root,
            class: size_bits(bytes) as u8,
            form,
        }
    }
}

/// The kind of an operator with which the program has just called a reduction or scan. MPI is asked
/// in every such call, since the handle of a freed operator may be given to another one.
fn kind_of(operator: Handle, abi: &Abi) -> Operator {
    if abi.defines(operator) {
        return Operator::BuiltIn;
    }
    let mut commutes = 1;
    // SAFETY: MPI has accepted the call of the program with this operator. The program gets the
    // chance to free the operator when this function has returned.
    match unsafe { mpi::op_commutative(operator, &raw mut commutes) } {
        Ok(()) if commutes == 0 => Operator::Ordered,
        _ => Operator::Commutative,
    }
}

impl Call {
    /// Whether the call ends in no member before all members have begun it, and these are all ranks
    /// of the world.
    fn lets_all_meet(&self) -> bool {
        let waits_for_all = matches!(
            self.op,
            Operation::Barrier
                | Operation::Allgather
                | Operation::Allgatherv
                | Operation::Allreduce
                | Operation::Alltoall
                | Operation::Alltoallv
                | Operation::Alltoallw
                | Operation::ReduceScatter
                | Operation::ReduceScatterBlock
        );
        let known = || lookup::communicator(self.comm & abi::get()?.mask);
        waits_for_all && !self.nonblocking && known().is_some_and(|known| known.ranks.are_world())
    }
}

impl Increments for Call {
    fn count(&self) {
        if !epoch::counting() {
            return;
        }
        let thread = thread::this();
        self.each(&mut |key, bytes| thread.count(key, bytes));
        if epoch::watching() && self.lets_all_meet() {
            turns::meet();
        }
    }

    fn nonblocking(self) -> Self {
        Self {
            nonblocking: true,
            ..self
        }
    }

    fn each(&self, tell: &mut dyn FnMut(Key, u64)) {
        let Some(abi) = abi::get() else {
            return;
        };
        thread::this().catch_up();
        let comm = self.comm & abi.mask;
        let Some(known) = lookup::communicator(comm) else {
            return;
        };
        let Some(group) = known.collective_group(comm) else {
            // There is no memory for the members.
            return tell(Key::Others, self.send.bytes(0, abi));
        };
        match self.view(abi, &known.ranks, group) {
            Some(view) if self.op.is_exchange() => self.exchange(&view, tell),
            Some(view) => self.row(&view, tell),
            None => {}
        }
    }
}
