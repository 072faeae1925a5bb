//! `openmpi5`: rankfile of Open MPI 5, `rank R=HOST slot=CORES` with logical cores, ranks
//! ascending.
//!
//! If host names are not known, `+nI` stands for the I-th host of the allocation, so that the file
//! works for any allocation of the same shape. A rank whose cores are not known has no `slot=`; the
//! system then spreads the ranks of a node. (Unlike Open MPI 4, Open MPI 5 refuses two ranks that
//! share cores, and so also `slot=0:*`.)
//!
//! In Open MPI 5.0, the collectives component `han` returns wrong data from gather and scatter if
//! the ranks of the nodes are interleaved irregularly. The command line then disables the
//! component.

use super::output::{hosts_of, indices_among};
use super::rankfile::{self, listed};
use super::{Mapfile, MapfileFormat, Result, Seats};
use rankfold_base::{Placement, Rank};
use rankfold_machine::Machine;
use std::collections::HashMap;
use std::fmt::Write;
use std::hash::Hash;

/// Format `openmpi5`.
pub(super) struct OpenMpi5;

impl MapfileFormat for OpenMpi5 {
    described!(
        "openmpi5",
        "Open MPI 5: mpirun --map-by rankfile:file=FILE (rankfile; +nI is the I-th allocated host where none is named)"
    );

    fn needs_hosts(&self) -> bool {
        false
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let hosts: Vec<String> = match hosts_of(placement, machine, self.name()) {
            Ok(hosts) => hosts.into_iter().map(str::to_owned).collect(),
            Err(_) => {
                let indices = indices_among(placement, machine, &machine.launch_order());
                indices.iter().map(|index| format!("+n{index}")).collect()
            }
        };
        let mut text = String::new();
        for (rank, host) in hosts.iter().enumerate() {
            let slot = match machine.cores(placement.slot(Rank::at(rank))) {
                Some(own) => format!(" slot={}", listed(own)),
                None => String::new(),
            };
            writeln!(text, "rank {rank}={host}{slot}").expect("writing to a string cannot fail");
        }
        let han = if han_is_right(&placement.nodes(machine.slots())) {
            ""
        } else {
            " --mca coll ^han"
        };
        let ranks = placement.ranks();
        let usage = format!("mpirun -n {ranks}{han} --map-by rankfile:file={{}} ./app");
        Ok(Mapfile::new(text, usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        rankfile::read(content, file)
    }
}

/// Whether gather and scatter of Open MPI 5.0's collectives component `han` return correct data for
/// rank r on host `hosts[r]`. This was observed if the hosts, sorted by their j-th rank, are in the
/// same order for every j.
#[must_use]
pub fn han_is_right<H: Eq + Hash>(hosts: &[H]) -> bool {
    let mut ranks_of: HashMap<&H, Vec<usize>> = HashMap::new();
    for (rank, host) in hosts.iter().enumerate() {
        ranks_of.entry(host).or_default().push(rank);
    }
    let mut columns: Vec<Vec<usize>> = ranks_of.into_values().collect();
    columns.sort_unstable();
    let deepest = columns.iter().map(Vec::len).max().unwrap_or_default();
    (1..deepest).all(|j| columns.iter().filter_map(|ranks| ranks.get(j)).is_sorted())
}
