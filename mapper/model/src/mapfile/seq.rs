//! `seq`: text, line r is the host of rank r. Open MPI's sequential mapper reads it.

use super::text::{is_host, lines, malformed};
use super::{MapfileError, MapfileFormat, Seats};
use crate::machine::Machine;
use crate::placement::Placement;

/// Places ranks on hosts and leaves the cores to the system, which suits any number of cores.
pub(super) struct Seq;

impl MapfileFormat for Seq {
    fn name(&self) -> &'static str {
        "seq"
    }

    fn summary(&self) -> &'static str {
        "Open MPI: mpirun --hostfile FILE --map-by seq (line r is the host of rank r, no core binding)"
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<String, MapfileError> {
        let hosts = super::hosts_of(placement, machine, self.name())?;
        Ok(hosts.iter().flat_map(|host| [host, "\n"]).collect())
    }

    fn read(&self, text: &str, file: &str) -> Option<Result<Seats, MapfileError>> {
        let (_, first) = lines(text).next()?;
        is_host(first).then(|| {
            lines(text)
                .map(|(number, line)| match is_host(line) {
                    true => Ok(line.to_owned()),
                    false => Err(malformed(
                        file,
                        number,
                        format!("{line:?} is not one host name"),
                    )),
                })
                .collect::<Result<_, _>>()
                .map(Seats::Hosts)
        })
    }
}
