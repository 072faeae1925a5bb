//! `tracer`: global map file of the network simulator TraceR. It consists of little-endian triples
//! of 32-bit integers: global rank, rank in the job, job. A companion file maps the ranks of the
//! job to global ranks.
//!
//! Global ranks count the cores of the machine switch by switch, and within a switch round-robin
//! over its nodes.

use super::round_robin::RoundRobin;
use super::text::malformed;
use super::{CompanionFile, Mapfile, MapfileError, MapfileFormat, RankPlaces, Result, Seats};
use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Format `tracer`.
pub(super) struct Tracer;

impl MapfileFormat for Tracer {
    described!(
        "tracer",
        "TraceR (simulator): binary global map file, the map of job 0 beside it as FILE.job0"
    );

    fn needs_hosts(&self) -> bool {
        false
    }

    fn endings(&self) -> &'static [&'static str] {
        &[".job0"]
    }

    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile> {
        let turns = RoundRobin::on(machine).ok_or_else(|| {
            MapfileError::cannot_express(
                self.name(),
                "TraceR needs the same number of cores on every node: pass no --hosts with slots=",
            )
        })?;
        let globals = placement.slots().iter().map(|slot| turns.place(slot.0));
        let globals: Vec<u32> = globals.collect();
        let triples = (0u32..)
            .zip(&globals)
            .flat_map(|(rank, &global)| [global, rank, 0]);
        Ok(Mapfile {
            content: triples.flat_map(u32::to_le_bytes).collect(),
            companions: vec![CompanionFile {
                ending: ".job0",
                content: globals.into_iter().flat_map(u32::to_le_bytes).collect(),
            }],
            usage: "TraceR: {} as the global map file, {}.job0 as the map file of job 0".into(),
        })
    }

    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>> {
        let (triples, rest) = content.as_chunks::<12>();
        // In a map of one job, the job of every rank is 0. Other bytes are no map of TraceR's.
        let is_of_one_job = triples.iter().all(|triple| integers(triple)[2] == 0);
        (rest.is_empty() && !triples.is_empty() && is_of_one_job).then_some(())?;
        let mut of_rank = vec![None; triples.len()];
        for triple in triples {
            let [global, rank, _] = integers(triple);
            match of_rank.get_mut(rank as usize) {
                Some(seat) if seat.is_none() => *seat = Some(global),
                _ => {
                    let problem = format!(
                        "rank {rank} among {} entries: not every rank once",
                        triples.len()
                    );
                    return Some(Err(malformed(file, 1, problem)));
                }
            }
        }
        let globals = of_rank.into_iter().flatten().collect();
        Some(Ok(RankPlaces::RoundRobin(globals).into()))
    }
}

fn integers(triple: &[u8; 12]) -> [u32; 3] {
    let (words, _) = triple.as_chunks::<4>();
    [words[0], words[1], words[2]].map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_no_binary_map() {
        assert!(Tracer.read(b"rank to host", "a.txt").is_none());
        assert!(
            Tracer
                .read(b"source,destination,bytes\n0,1,50000\n1", "a.csv")
                .is_none()
        );
        let program = [&b"\x7fELF\x02\x01\x01\x00"[..], &[0; 8], &[3; 8]].concat();
        assert!(Tracer.read(&program, "a.out").is_none());
        let twice = [7_u32, 0, 0, 8, 0, 0].map(u32::to_le_bytes).concat();
        assert!(matches!(Tracer.read(&twice, "a.map"), Some(Err(_))));
        let binary = [7_u32, 0, 0].map(u32::to_le_bytes).concat();
        assert!(matches!(Tracer.read(&binary, "a.map"), Some(Ok(_))));
    }
}
