//! `openmpi4`: an Open MPI 4 rankfile, `rank R=HOST slot=CORES`, ranks ascending.
//!
//! A rankfile always binds, and Open MPI 4 takes two ranks on one core without a word. We place
//! ranks on nodes and do not know which rank should have which core, so every rank may use all the
//! cores its node offers the job, `slot=0-(K-1)` for K slots, and the system spreads them. A node
//! with a single slot runs one rank with the cores of the first socket to itself, `slot=0:*`: to
//! bind it to core 0 would cost a threaded program all others. (`slot=*` is read as core 0, a line
//! without `slot=` is refused, and a core the node lacks ends the launch without a message.)
//!
//! Where a machine file or `--node` tells what is inside the nodes, ranks are placed there too, and each is
//! bound to the cores its own slot stands for. Core numbers are hwloc's, depth first, as Open MPI counts them.
//!
//! For no binding at all, or cores numbered otherwise, write [`seq`](super::seq).

use super::text::{is_host, lines, malformed};
use super::{MapfileError, MapfileFormat, Seats};
use crate::ids::Rank;
use crate::machine::Machine;
use crate::placement::Placement;
use std::fmt::Write;

/// The rankfile of Open MPI 4.
pub(super) struct OpenMpi4;

impl MapfileFormat for OpenMpi4 {
    fn name(&self) -> &'static str {
        "openmpi4"
    }

    fn summary(&self) -> &'static str {
        "Open MPI 4: mpirun -rf FILE (rankfile, every rank on all cores its node offers the job)"
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<String, MapfileError> {
        let hosts = super::hosts_of(placement, machine, self.name())?;
        let nodes = placement.nodes(machine.slots());
        let mut text = String::new();
        for (rank, (host, node)) in hosts.iter().zip(nodes).enumerate() {
            let cores = match machine.cores(placement.slot(Rank::at(rank))) {
                Some(own) => listed(own),
                None => cores(machine.slots().capacity(node)),
            };
            writeln!(text, "rank {rank}={host} slot={cores}")
                .expect("writing to a string cannot fail");
        }
        Ok(text)
    }

    fn read(&self, text: &str, file: &str) -> Option<Result<Seats, MapfileError>> {
        let (_, first) = lines(text).next()?;
        first.starts_with("rank ").then(|| {
            lines(text)
                .enumerate()
                .map(|(rank, (number, line))| {
                    host_of(rank, line).map_err(|problem| malformed(file, number, problem))
                })
                .collect::<Result<_, _>>()
                .map(Seats::Hosts)
        })
    }
}

/// The cores of one slot.
fn listed(cores: std::ops::Range<u32>) -> String {
    match cores.len() {
        1 => cores.start.to_string(),
        _ => format!("{}-{}", cores.start, cores.end - 1),
    }
}

fn cores(slots: u32) -> String {
    match slots {
        0 | 1 => "0:*".into(),
        _ => format!("0-{}", slots - 1),
    }
}

/// The host in `rank R=HOST slot=CORES`; the launcher wants the ranks ascending, and so do we.
fn host_of(rank: usize, line: &str) -> Result<String, String> {
    let shape = || format!("{line:?} is not \"rank R=HOST slot=CORES\"");
    let (number, rest) = line
        .strip_prefix("rank ")
        .and_then(|rest| rest.split_once('='))
        .ok_or_else(shape)?;
    match number.trim().parse::<usize>() {
        Ok(found) if found == rank => {}
        Ok(found) => {
            return Err(format!(
                "rank {found} where rank {rank} is due: list every rank once, in ascending order"
            ));
        }
        Err(_) => return Err(shape()),
    }
    let host = rest.split_whitespace().next().ok_or_else(shape)?;
    match is_host(host) {
        true => Ok(host.to_owned()),
        false => Err(format!("{host:?} is not a host name")),
    }
}
