//! `seq`: text; line r is the host of rank r. Read by Open MPI's sequential mapper.

use super::output::hosts_of;
use super::text::{each_line, is_host, lines, utf8};
use super::{Mapfile, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;
use std::sync::Arc;

/// Format `seq`. It places ranks on hosts without binding them to cores.
pub(super) struct Seq;

impl MapfileFormat for Seq {
    described!(
        "seq",
        "Open MPI: mpirun --hostfile FILE --map-by seq (line r is the host of rank r, no core binding)"
    );

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let hosts = hosts_of(placement, machine, self.name())?;
        let ranks = placement.ranks();
        let usage = format!("mpirun -n {ranks} --hostfile {{}} --map-by seq ./app");
        Ok(Mapfile::new(host_lines(&hosts), usage))
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let text = utf8(content)?;
        is_host(lines(text).next()?.1).then_some(())?;
        let hosts = each_line(text, file, |line| {
            if is_host(line) {
                Ok(Arc::from(line))
            } else {
                Err(format!("{line:?} is not one host name"))
            }
        });
        Some(hosts.map(|hosts| RankPlaces::Hosts(hosts).into()))
    }
}

/// One host name a line.
pub(super) fn host_lines(hosts: &[&str]) -> String {
    hosts.iter().flat_map(|host| [host, "\n"]).collect()
}
