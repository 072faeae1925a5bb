//! Calls collectives with known data. Every rank checks the data that it gets.

use super::wrong_data::{UNTOUCHED, WrongData, value};
use rankfold_abi::loaded::{Share, World};
use rankfold_abi::mpi::Result;

/// A collective that is checked.
pub(super) struct Check {
    /// The MPI function.
    pub(super) name: &'static str,
    /// Whether the function has a root.
    pub(super) rooted: bool,
    call: fn(&Call) -> Result<Received>,
}

/// All collectives that are checked.
pub(super) const CHECKS: &[Check] = &[
    Check::rooted("MPI_Gather", gather),
    Check::rooted("MPI_Gatherv", gatherv),
    Check::rooted("MPI_Scatter", scatter),
    Check::rooted("MPI_Scatterv", scatterv),
    Check::rooted("MPI_Bcast", bcast),
    Check::rooted("MPI_Reduce", reduce),
    Check::rootless("MPI_Allgather", allgather),
    Check::rootless("MPI_Allgatherv", allgatherv),
    Check::rootless("MPI_Alltoall", alltoall),
    Check::rootless("MPI_Alltoallv", alltoallv),
    Check::rootless("MPI_Scan", scan),
];

/// One call of a collective.
struct Call<'a> {
    world: &'a World,
    root: usize,
    /// The length of the call, in integers a rank.
    length: usize,
}

/// The data that a rank has got, and the data that it should have got.
#[derive(Default)]
struct Received {
    data: Vec<i32>,
    expected: Vec<Expected>,
}

/// An expected integer: the value of one rank for another rank, or a number such as a sum.
#[derive(Clone, Copy)]
enum Expected {
    Of {
        from: usize,
        to: usize,
        place: usize,
    },
    Sum(i32),
    Untouched,
}

impl Expected {
    fn value(self) -> i32 {
        match self {
            Self::Of { from, to, place } => value(from, to, place),
            Self::Sum(sum) => sum,
            Self::Untouched => UNTOUCHED,
        }
    }
}

impl Check {
    const fn rooted(name: &'static str, call: fn(&Call) -> Result<Received>) -> Self {
        let rooted = true;
        Self { name, rooted, call }
    }

    const fn rootless(name: &'static str, call: fn(&Call) -> Result<Received>) -> Self {
        let rooted = false;
        Self { name, rooted, call }
    }

    /// Calls the collective, which all ranks have to do together. Returns the wrong data that this
    /// rank has got, if any.
    pub(super) fn run(
        &self,
        world: &World,
        root: usize,
        length: usize,
    ) -> Result<Option<WrongData>> {
        let call = Call {
            world,
            root,
            length,
        };
        let Received { data, expected } = (self.call)(&call)?;
        let is_wrong = |at: &usize| data[*at] != expected[*at].value();
        let wrong: Vec<usize> = (0..expected.len()).filter(is_wrong).collect();
        let Some(&first) = wrong.first() else {
            return Ok(None);
        };
        let (whose, found) = match expected[first] {
            Expected::Of { from, to, place } => {
                let matches = |&rank: &usize| value(rank, to, place) == data[first];
                (Some(from), (0..world.size()).find(matches))
            }
            _ => (None, None),
        };
        Ok(Some(WrongData {
            call: self.name.into(),
            root: self.rooted.then_some(root),
            at: world.rank(),
            length,
            wrong: wrong.len(),
            of: expected.len(),
            expected: whose,
            found,
        }))
    }
}

impl Call<'_> {
    fn is_root(&self) -> bool {
        self.world.rank() == self.root
    }

    /// The integers that rank `from` has for rank `to`.
    fn values(&self, from: usize, to: usize, length: usize) -> Vec<i32> {
        (0..length).map(|place| value(from, to, place)).collect()
    }

    /// The length of a rank's data in calls with different lengths, which vary by a few integers
    /// from rank to rank.
    fn length_of(&self, rank: usize) -> usize {
        self.length + rank % 3 - usize::from(self.length > 0 && rank % 5 == 4)
    }

    /// The shares of all ranks in a buffer, with a gap of one integer behind each share, and the
    /// length of the buffer.
    fn shares(&self, length: impl Fn(usize) -> usize) -> (Share, usize) {
        let mut end = 0;
        let share = Share::new((0..self.world.size()).map(|rank| {
            let place = end;
            end += length(rank) + 1;
            (length(rank), place)
        }));
        (share, end)
    }

    /// The integers that rank `to` expects in such a buffer.
    fn in_shares(&self, to: usize, length: impl Fn(usize) -> usize) -> Vec<Expected> {
        let of = |from| {
            let place = move |place| Expected::Of { from, to, place };
            (0..length(from)).map(place).chain([Expected::Untouched])
        };
        (0..self.world.size()).flat_map(of).collect()
    }

    /// Such a buffer with the integers that rank `from` has for all ranks.
    fn shared_out(&self, from: usize, length: impl Fn(usize) -> usize) -> Vec<i32> {
        let to = |to| [self.values(from, to, length(to)), vec![UNTOUCHED]].concat();
        (0..self.world.size()).flat_map(to).collect()
    }

    /// The integers that rank `to` expects in a buffer with equal parts for all ranks.
    fn in_order(&self, to: usize) -> Vec<Expected> {
        let of = |from| (0..self.length).map(move |place| Expected::Of { from, to, place });
        (0..self.world.size()).flat_map(of).collect()
    }

    /// The integers that rank `to` expects from rank `from` alone.
    fn parts_of(&self, from: usize, to: usize, length: usize) -> Vec<Expected> {
        let of = |place| Expected::Of { from, to, place };
        (0..length).map(of).collect()
    }

    /// The sums over the first `ranks` ranks of the integers that each has for the root.
    fn sums(&self, ranks: usize) -> Vec<Expected> {
        let at = |place| {
            (0..ranks).fold(0_i32, |sum, from| {
                sum.wrapping_add(value(from, self.root, place))
            })
        };
        (0..self.length)
            .map(|place| Expected::Sum(at(place)))
            .collect()
    }
}

/// A buffer of integers that mark untouched places.
fn room(length: usize) -> Vec<i32> {
    vec![UNTOUCHED; length]
}

fn gather(call: &Call) -> Result<Received> {
    let own = call.values(call.world.rank(), call.root, call.length);
    if !call.is_root() {
        call.world.gather(&own, &mut [], call.root)?;
        return Ok(Received::default());
    }
    let mut data = room(call.length * call.world.size());
    call.world.gather(&own, &mut data, call.root)?;
    let expected = call.in_order(call.root);
    Ok(Received { data, expected })
}

fn gatherv(call: &Call) -> Result<Received> {
    let rank = call.world.rank();
    let own = call.values(rank, call.root, call.length_of(rank));
    if !call.is_root() {
        let none = Share::default();
        call.world
            .gather_shares(&own, (&mut [], &none), call.root)?;
        return Ok(Received::default());
    }
    let (shares, length) = call.shares(|rank| call.length_of(rank));
    let mut data = room(length);
    call.world
        .gather_shares(&own, (&mut data, &shares), call.root)?;
    let expected = call.in_shares(call.root, |rank| call.length_of(rank));
    Ok(Received { data, expected })
}

fn scatter(call: &Call) -> Result<Received> {
    let all: Vec<i32> = if call.is_root() {
        let to = |to| call.values(call.root, to, call.length);
        (0..call.world.size()).flat_map(to).collect()
    } else {
        Vec::new()
    };
    let mut data = room(call.length);
    call.world.scatter(&all, &mut data, call.root)?;
    let expected = call.parts_of(call.root, call.world.rank(), call.length);
    Ok(Received { data, expected })
}

fn scatterv(call: &Call) -> Result<Received> {
    let (all, shares) = if call.is_root() {
        let (shares, _) = call.shares(|rank| call.length_of(rank));
        (
            call.shared_out(call.root, |rank| call.length_of(rank)),
            shares,
        )
    } else {
        Default::default()
    };
    let rank = call.world.rank();
    let mut data = room(call.length_of(rank));
    call.world
        .scatter_shares((&all, &shares), &mut data, call.root)?;
    let expected = call.parts_of(call.root, rank, call.length_of(rank));
    Ok(Received { data, expected })
}

fn bcast(call: &Call) -> Result<Received> {
    let mut data = if call.is_root() {
        call.values(call.root, call.root, call.length)
    } else {
        room(call.length)
    };
    call.world.broadcast(&mut data, call.root)?;
    let expected = call.parts_of(call.root, call.root, call.length);
    Ok(Received { data, expected })
}

fn reduce(call: &Call) -> Result<Received> {
    let own = call.values(call.world.rank(), call.root, call.length);
    if !call.is_root() {
        call.world.reduce(&own, &mut [], call.root)?;
        return Ok(Received::default());
    }
    let mut data = room(call.length);
    call.world.reduce(&own, &mut data, call.root)?;
    let expected = call.sums(call.world.size());
    Ok(Received { data, expected })
}

fn allgather(call: &Call) -> Result<Received> {
    let own = call.values(call.world.rank(), call.root, call.length);
    let mut data = room(call.length * call.world.size());
    call.world.gather_to_all(&own, &mut data)?;
    let expected = call.in_order(call.root);
    Ok(Received { data, expected })
}

fn allgatherv(call: &Call) -> Result<Received> {
    let rank = call.world.rank();
    let own = call.values(rank, call.root, call.length_of(rank));
    let (shares, length) = call.shares(|rank| call.length_of(rank));
    let mut data = room(length);
    call.world.gather_shares_to_all(&own, &mut data, &shares)?;
    let expected = call.in_shares(call.root, |rank| call.length_of(rank));
    Ok(Received { data, expected })
}

fn alltoall(call: &Call) -> Result<Received> {
    let rank = call.world.rank();
    let to = |to| call.values(rank, to, call.length);
    let from: Vec<i32> = (0..call.world.size()).flat_map(to).collect();
    let mut data = room(from.len());
    call.world.all_to_all(&from, &mut data)?;
    let expected = call.in_order(rank);
    Ok(Received { data, expected })
}

/// Every rank sends to every rank; the number of integers depends on both ranks.
fn alltoallv(call: &Call) -> Result<Received> {
    let rank = call.world.rank();
    let with = |other| call.length_of(rank + other);
    let (shares, length) = call.shares(with);
    let from = call.shared_out(rank, with);
    let mut data = room(length);
    call.world
        .all_to_all_shares((&from, &shares), (&mut data, &shares))?;
    let expected = call.in_shares(rank, with);
    Ok(Received { data, expected })
}

fn scan(call: &Call) -> Result<Received> {
    let own = call.values(call.world.rank(), call.root, call.length);
    let mut data = room(call.length);
    call.world.scan(&own, &mut data)?;
    let expected = call.sums(call.world.rank() + 1);
    Ok(Received { data, expected })
}
