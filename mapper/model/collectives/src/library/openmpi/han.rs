//! Open MPI's component `han`: a collective on several hosts in stages, among the members of each
//! host and among one member of every host.
//!
//! Source: `ompi/mca/coll/han/` of Open MPI 5.0.10. The component takes part where the members are
//! on several hosts and at least two of them share a host. All but allreduces also need equally
//! many members on every host; otherwise the component `tuned` carries them out, and so it does
//! where an operator does not commute. Since Open MPI 5.0, the priority of `han` is above that of
//! `tuned` by default.
//!
//! In the stage between hosts, the members take part that have the same place on their hosts as the
//! root has on its own, or the first place where an operation has no root.
//!
//! | operation | stages |
//! |---|---|
//! | Bcast | between hosts, inside; in segments |
//! | Reduce | inside, between hosts; in segments |
//! | Allreduce | reduction inside, then between hosts, broadcast back the same way; in segments |
//! | Gather, Scatter | inside, between hosts; or the other way round |
//! | Allgather | gather inside, allgather between hosts, broadcast inside |
//!
//! The component `tuned` carries out the stages, except that segments pass between hosts in
//! [`nonblocking`] operations. The algorithm `simple` has no segments and blocks in every stage.
//! Parameters of the run and [rule files](rule_file) give stages, or whole calls, to other
//! [`components`].

mod components;
mod names;
mod rule_file;

use super::{adapt, basic, is_true, nonblocking, priority, tuned};
use crate::library::hosts::{Hosts, Stage};
use crate::{Call, Sink};
use components::Carriers;
use names::Level;
use rankfold_wire::Operation;
use std::ops::Range;

/// Priority by default in Open MPI 4.1, where the component is only used if asked for.
const PRIORITY_4: i64 = 0;
/// Priority by default from Open MPI 5.0 on.
const PRIORITY_5: i64 = 35;
/// Bytes of a segment by default.
const SEGMENT: u64 = 64 << 10;

/// Expands a call that `han` decides on. Returns whether it is one.
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) -> bool {
    let Some(name) = name(call.op) else {
        return false;
    };
    let hosts = Hosts::of(call);
    if !hosts.have_two_levels() || !is_preferred(call) {
        return false;
    }
    if components::expand_whole(call, sink) {
        return true;
    }
    let algorithm = algorithm(call, name);
    if call.op == Operation::Allgatherv
        || call.form.is_ordered()
        || algorithm == Algorithm::Reproducible
        || !(hosts.are_even() || call.op == Operation::Allreduce)
    {
        return false;
    }
    in_stages(call, name, algorithm, &hosts, sink);
    true
}

/// Expands a call that `han` carries out itself.
fn in_stages(call: &Call<'_>, name: &str, algorithm: Algorithm, hosts: &Hosts, sink: Sink<'_>) {
    let (host, place) = match call.op {
        Operation::Bcast | Operation::Reduce | Operation::Gather | Operation::Scatter => hosts
            .place(call.root)
            .map_or((1, 0), |(host, place)| (host.len(), place)),
        _ => (1, 0),
    };
    let is_simple = algorithm == Algorithm::Simple;
    let levels = Levels {
        call,
        hosts,
        between: hosts.at(place),
        place,
        carriers: if is_simple || call.op == Operation::Allgather {
            Carriers::ByLevel
        } else {
            Carriers::of_segments(call, name)
        },
    };
    let segments = if is_simple {
        Segments::one(call)
    } else {
        Segments::of(call, &format!("coll_han_{name}_segsize"))
    };
    let block = u128::from(call.bytes);
    match call.op {
        Operation::Bcast => levels.bcast(&segments, sink),
        Operation::Reduce => levels.reduce(&segments, algorithm, sink),
        Operation::Allreduce => levels.allreduce(&segments, algorithm, sink),
        Operation::Gather => {
            levels.inside(Stage::once(Operation::Gather, block), sink);
            levels.between(Stage::once(Operation::Gather, block * host as u128), sink);
        }
        Operation::Scatter => {
            levels.between(Stage::once(Operation::Scatter, block * host as u128), sink);
            levels.inside(Stage::once(Operation::Scatter, block), sink);
        }
        _ => levels.allgather(sink),
    }
}

/// The name that parameters have for an operation. `None` for operations that `han` leaves to
/// others.
fn name(op: Operation) -> Option<&'static str> {
    match op {
        Operation::Bcast => Some("bcast"),
        Operation::Reduce => Some("reduce"),
        Operation::Allreduce => Some("allreduce"),
        Operation::Gather => Some("gather"),
        Operation::Scatter => Some("scatter"),
        Operation::Allgather => Some("allgather"),
        Operation::Allgatherv => Some("allgatherv"),
        _ => None,
    }
}

/// Whether `han` goes before `tuned` in this run.
fn is_preferred(call: &Call<'_>) -> bool {
    let is_old = super::major(call) < Some(5);
    let own = priority(call, "han", if is_old { PRIORITY_4 } else { PRIORITY_5 });
    own > priority(call, "tuned", super::PRIORITY)
}

/// How `han` carries an operation out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    /// In segments: one is under way between hosts while another one is inside a host.
    Segmented,
    /// Every stage moves the whole message.
    Simple,
    /// `tuned` carries the operation out.
    Reproducible,
}

fn algorithm(call: &Call<'_>, name: &str) -> Algorithm {
    let parameters = &call.library.parameters;
    let is_on = |parameter: &str| {
        let value = parameters.get(parameter);
        value.is_some_and(|value| is_true(value))
    };
    if matches!(call.op, Operation::Reduce | Operation::Allreduce) && is_on("coll_han_reproducible")
    {
        return Algorithm::Reproducible;
    }
    let set = parameters.get(&format!("coll_han_use_{name}_algorithm"));
    let chosen = match set.map(|value| value.trim()) {
        Some("1" | "intra") => Some(Algorithm::Segmented),
        Some("2" | "simple") => Some(Algorithm::Simple),
        Some("3" | "reproducible") => Some(Algorithm::Reproducible),
        Some(_) => None,
        None => components::rule(call, Level::Whole).and_then(|rule| rule.algorithm),
    };
    let simple = format!("coll_han_use_simple_{name}");
    let is_simple = if parameters.contains_key(&simple) {
        is_on(&simple)
    } else {
        call.op == Operation::Gather
    };
    chosen.unwrap_or(if is_simple {
        Algorithm::Simple
    } else {
        Algorithm::Segmented
    })
}

/// The members of a call on two levels: those of one host, and those between hosts.
struct Levels<'a> {
    call: &'a Call<'a>,
    hosts: &'a Hosts,
    /// The ranks that take part between hosts.
    between: Vec<usize>,
    /// The place of these ranks on their hosts.
    place: usize,
    carriers: Carriers,
}

impl Levels<'_> {
    fn bcast(&self, segments: &Segments, sink: Sink<'_>) {
        for stage in segments.stages(Operation::Bcast, 0..1) {
            self.between(stage, sink);
        }
        for stage in segments.stages(Operation::Bcast, 1..segments.number) {
            self.between_nonblocking(stage, sink);
        }
        for stage in segments.all(Operation::Bcast) {
            self.inside(stage, sink);
        }
    }

    fn reduce(&self, segments: &Segments, algorithm: Algorithm, sink: Sink<'_>) {
        for stage in segments.all(Operation::Reduce) {
            self.inside(stage, sink);
            match algorithm {
                Algorithm::Simple => self.between(stage, sink),
                _ => self.between_nonblocking(stage, sink),
            }
        }
    }

    fn allreduce(&self, segments: &Segments, algorithm: Algorithm, sink: Sink<'_>) {
        let is_segmented = algorithm == Algorithm::Segmented;
        for stage in segments.all(Operation::Reduce) {
            self.inside(stage, sink);
            if is_segmented {
                self.between_nonblocking(stage, sink);
            }
        }
        if !is_segmented {
            let whole = Stage::once(Operation::Allreduce, self.call.whole());
            self.between(whole, sink);
        }
        for stage in segments.all(Operation::Bcast) {
            if is_segmented {
                self.between_nonblocking(stage, sink);
            }
            self.inside(stage, sink);
        }
    }

    fn allgather(&self, sink: Sink<'_>) {
        let block = u128::from(self.call.bytes);
        let of_host = block * (self.call.members / self.between.len()) as u128;
        self.inside(Stage::once(Operation::Gather, block), sink);
        self.between(Stage::once(Operation::Allgather, of_host), sink);
        self.inside(Stage::once(Operation::Bcast, self.call.whole()), sink);
    }

    /// A stage on the ranks between hosts.
    fn between(&self, stage: Stage, sink: Sink<'_>) {
        let carry = |part: &Call<'_>, sink: Sink<'_>| {
            self.carriers.expand(part, Level::InterNode, sink);
        };
        stage.among(self.call, &self.between, self.call.root, carry, sink);
    }

    /// A non-blocking stage on the ranks between hosts.
    fn between_nonblocking(&self, stage: Stage, sink: Sink<'_>) {
        let carry = |part: &Call<'_>, sink: Sink<'_>| self.carriers.expand_nonblocking(part, sink);
        stage.among(self.call, &self.between, self.call.root, carry, sink);
    }

    /// A stage on each host. Its root is the rank that takes part between hosts.
    fn inside(&self, stage: Stage, sink: Sink<'_>) {
        let carry = |part: &Call<'_>, sink: Sink<'_>| {
            self.carriers.expand(part, Level::IntraNode, sink);
        };
        for host in self.hosts.groups() {
            stage.among(self.call, host, host[self.place], carry, sink);
        }
    }
}

/// The segments of a vector. All but the last have equally many elements.
struct Segments {
    /// Elements of a segment.
    elements: u64,
    number: u64,
    /// Elements of the vector.
    all: u64,
    /// Bytes of the vector, over all calls.
    bytes: u128,
}

impl Segments {
    /// The whole vector as one segment.
    fn one(call: &Call<'_>) -> Self {
        let all = call.elements();
        Self {
            elements: all,
            number: 1,
            all,
            bytes: call.whole(),
        }
    }

    /// Segments of as many bytes as the parameter says.
    fn of(call: &Call<'_>, parameter: &str) -> Self {
        let whole = Self::one(call);
        let size = call.library.number(parameter).unwrap_or(SEGMENT);
        let element = call.size() / whole.all.max(1);
        if size < element || size >= element * whole.all || element == 0 {
            return whole;
        }
        let elements = size / element + u64::from(size % element > element / 2);
        Self {
            elements,
            number: whole.all.div_ceil(elements),
            ..whole
        }
    }

    fn all(&self, op: Operation) -> impl Iterator<Item = Stage> {
        self.stages(op, 0..self.number)
    }

    /// These segments as one operation each: the full ones together, and the last one by itself.
    fn stages(&self, op: Operation, range: Range<u64>) -> impl Iterator<Item = Stage> {
        let full = range.start..range.end.min(self.number - 1);
        let last = range.start.max(self.number - 1)..range.end;
        [full, last]
            .into_iter()
            .filter(|part| !part.is_empty())
            .map(move |part| {
                let end = |segment: u64| {
                    self.bytes * u128::from((segment * self.elements).min(self.all))
                        / u128::from(self.all.max(1))
                };
                Stage {
                    op,
                    bytes: end(part.end) - end(part.start),
                    times: part.end - part.start,
                }
            })
    }
}

#[cfg(test)]
mod tests;
