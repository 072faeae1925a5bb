//! Draws conclusions from the messages of the ranks.

use super::messages::{ExaminedLaunch, Message, RankLocation};
use super::stacks::{Stack, known};
use super::wrong_data::WrongData;
use crate::own_ranks::Ended;
use rankfold_base::words::{mpi_library, ranges};
use rankfold_console::terminal::wrapped;
use rankfold_launch::placement::{accept, verify};
use rankfold_mapper::document::Document;
use rankfold_wire::{Cores, Seat};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// The diagnosis. Its text form is the output of `rankfold doctor`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Findings {
    /// Name of the launcher.
    launcher: &'static str,
    /// What the MPI library says its version is; null if the ranks have not met.
    version: Option<String>,
    /// Path of the MPI library; null if the ranks have not met.
    library: Option<String>,
    /// The hosts with their ranks and cores.
    hosts: Vec<Host>,
    /// The collectives that were checked, in words; `None` if none were.
    collectives: Option<String>,
    /// The problems. A launch with any problem cannot be relied on.
    pub(crate) troubles: Vec<String>,
    /// Further information for the user.
    notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Host {
    /// Name of the host.
    name: String,
    /// The ranks on the host.
    ranks: Vec<usize>,
    /// The cores that the ranks may use, in words.
    cores: String,
}

impl Document for Findings {
    const NAME: &'static str = "doctor";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str =
        "doctor: where the ranks of a launch ran, and what is wrong with it";
}

/// The plan of a launch that is examined.
pub(crate) struct Planned<'a> {
    /// The host of every rank.
    pub(crate) hosts: &'a [String],
    /// Whether the ranks were renumbered.
    pub(crate) renumbered: bool,
    /// The placing method, in words.
    pub(crate) way: String,
}

/// Judges a launch by `launcher` from the messages of its ranks, which were to run as in `plan`, if
/// there is one.
pub(crate) fn judge(
    launcher: &'static str,
    messages: Vec<Message>,
    plan: Option<&Planned>,
    ended: &Ended,
) -> Findings {
    let mut findings = Findings {
        launcher,
        ..Findings::default()
    };
    let (mut last, mut done) = (None, false);
    for message in messages {
        match message {
            Message::Unfit(unfit) => findings.trouble(unfit.to_string()),
            Message::Opened(launch) => findings.opened(&launch, plan),
            Message::Begins(call) => last = Some(call),
            Message::Done {
                kinds,
                lengths,
                roots,
                wrong,
            } => {
                done = true;
                findings.done(kinds, &lengths, roots, &wrong);
            }
        }
    }
    findings.ended(ended, done, last);
    findings
}

impl Findings {
    /// Whether the ranks have not met in one world.
    pub(crate) fn nobody_opened(&self) -> bool {
        self.library.is_none()
    }

    /// Adds what is known of this launch otherwise.
    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn trouble(&mut self, trouble: String) {
        // If a launch fails, all of its ranks may report the same problem.
        if !self.troubles.contains(&trouble) {
            self.troubles.push(trouble);
        }
    }

    /// Judges where the ranks run.
    fn opened(&mut self, launch: &ExaminedLaunch, plan: Option<&Planned>) {
        self.version = Some(launch.version.clone());
        self.library = Some(launch.library.clone());
        let mut hosts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (rank, place) in launch.ranks.iter().enumerate() {
            hosts.entry(&place.host).or_default().push(rank);
        }
        for (name, ranks) in hosts {
            self.crowd(name, &ranks, &launch.ranks);
            self.hosts.push(Host {
                name: name.to_owned(),
                cores: cores_in_words(&ranks, &launch.ranks),
                ranks,
            });
        }
        self.place(&launch.ranks, plan);
        for Stack { effect, remedy, .. } in known(self.launcher, &launch.version) {
            self.notes
                .push(format!("known: {effect}; rankfold: {remedy}"));
        }
    }

    /// Compares the hosts of the ranks with the plan, if there is one, and with the shared-memory
    /// groups of the MPI library.
    fn place(&mut self, places: &[RankLocation], plan: Option<&Planned>) {
        let seats: Vec<Seat> = places
            .iter()
            .zip(0..)
            .map(|(place, launcher_rank)| Seat {
                host: place.host.clone(),
                shared_with: u32::try_from(place.shares_with).unwrap_or(u32::MAX),
                launcher_rank,
                cores: place.cores.parse().unwrap_or_default(),
                ..Seat::default()
            })
            .collect();
        let Some(plan) = plan else {
            let actual: Vec<String> = places.iter().map(|place| place.host.clone()).collect();
            if let Err(mismatch) = verify(&actual, &seats) {
                self.trouble(format!("hosts and shared memory do not agree: {mismatch}"));
            }
            return;
        };
        self.notes.push(plan.way.clone());
        match accept(plan.hosts, &seats, plan.renumbered) {
            Err(mismatch) => self.trouble(format!("placement not as planned: {mismatch}")),
            Ok(remarks) => {
                let ranks = places.len();
                let verified = format!("placement verified {ranks}/{ranks}");
                self.notes
                    .push([vec![verified], remarks].concat().join("; "));
            }
        }
    }

    /// Reports two ranks of a host that are bound to the same core, and a host with fewer cores
    /// than ranks.
    fn crowd(&mut self, host: &str, ranks: &[usize], places: &[RankLocation]) {
        let mut owner: BTreeMap<u32, usize> = BTreeMap::new();
        for &rank in ranks {
            let cores: Cores = places[rank].cores.parse().unwrap_or_default();
            for &core in cores.numbers() {
                let first = *owner.entry(core).or_insert(rank);
                if first != rank && places[rank].bound && places[first].bound {
                    self.trouble(format!(
                        "ranks {first} and {rank} are both bound to core {core} of {host}"
                    ));
                    return;
                }
            }
        }
        if ranks.len() > owner.len() && !owner.is_empty() {
            let (ranks, cores) = (ranks.len(), owner.len());
            self.notes
                .push(format!("{ranks} ranks share {cores} cores on {host}"));
        }
    }

    /// Judges the data that the collectives returned.
    fn done(&mut self, kinds: usize, lengths: &[usize], roots: usize, wrong: &[WrongData]) {
        let lengths: Vec<String> = lengths.iter().map(ToString::to_string).collect();
        self.collectives = Some(format!(
            "{kinds} kinds, every one of {roots} roots, {} integers a rank",
            lengths.join(", ")
        ));
        let mut by_call: BTreeMap<&str, Vec<&WrongData>> = BTreeMap::new();
        for wrong in wrong {
            by_call.entry(&wrong.call).or_default().push(wrong);
        }
        for (call, all) in by_call {
            let (calls, first) = (all.len(), all[0]);
            let more = if calls > 1 {
                format!(" ({calls} such results of {call})")
            } else {
                String::new()
            };
            self.trouble(format!("wrong data: {first}{more}"));
        }
    }

    /// Judges the end of the launch. `last` is the collective that was called last.
    fn ended(&mut self, ended: &Ended, done: bool, last: Option<String>) {
        let during = last.map_or("before MPI was initialised on all ranks".into(), |call| {
            format!("in {call}")
        });
        if ended.interrupted && !done {
            self.trouble(format!("interrupted {during}"));
        } else if ended.late {
            self.trouble(format!("did not end in time: it was {during}"));
        } else if !done && self.troubles.is_empty() {
            self.trouble(format!(
                "the ranks ended {during}, with status {}",
                ended.status
            ));
        } else if done && ended.status != 0 {
            self.trouble(format!("the launch ended with status {}", ended.status));
        }
    }
}

/// The cores of the ranks of one host: a single list if all ranks have the same cores.
fn cores_in_words(ranks: &[usize], places: &[RankLocation]) -> String {
    let first = &places[ranks[0]];
    if ranks.iter().all(|&rank| places[rank].cores == first.cores) {
        return first.cores.clone();
    }
    let each: Vec<&str> = ranks.iter().map(|&rank| &*places[rank].cores).collect();
    each.join(" | ")
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut row = |subject: &str, text: &str| {
            let line = wrapped(&format!("{subject:<12} {text}"));
            writeln!(f, "{line}")
        };
        row("launcher", self.launcher)?;
        if let (Some(version), Some(library)) = (&self.version, &self.library) {
            row("library", &format!("{} ({library})", mpi_library(version)))?;
        }
        for Host { name, ranks, cores } in &self.hosts {
            let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
            let ranks = ranges(ranks);
            row("host", &format!("{name}: {noun} {ranks}, cores {cores}"))?;
        }
        if let Some(collectives) = &self.collectives {
            row("collectives", collectives)?;
        }
        for note in &self.notes {
            row("note", note)?;
        }
        for trouble in &self.troubles {
            row("TROUBLE", trouble)?;
        }
        let verdict = if self.troubles.is_empty() {
            "healthy"
        } else {
            "not to be trusted"
        };
        row("verdict", verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WELL: Ended = Ended {
        status: 0,
        late: false,
        interrupted: false,
    };

    fn place(host: &str, cores: &str, bound: bool, shares_with: usize) -> RankLocation {
        RankLocation {
            host: host.into(),
            cores: cores.into(),
            bound,
            shares_with,
        }
    }

    fn patient(ranks: Vec<RankLocation>) -> Message {
        Message::Opened(ExaminedLaunch {
            library: "libmpi.so.40".into(),
            version: "Open MPI v5.0.11".into(),
            ranks,
        })
    }

    fn done(wrong: Vec<WrongData>) -> Message {
        Message::Done {
            kinds: 11,
            lengths: vec![1],
            roots: 2,
            wrong,
        }
    }

    #[test]
    fn ranks_that_share_memory_and_get_the_right_data_are_healthy() {
        let ranks = vec![place("a", "0-1", false, 0), place("a", "0-1", false, 0)];
        let findings = judge(
            "Open MPI 5",
            vec![patient(ranks), done(vec![])],
            None,
            &WELL,
        );
        assert_eq!(findings.troubles, [""; 0], "{findings}");
        let text = findings.to_string();
        assert!(text.contains("a: ranks 0-1, cores 0-1"), "{text}");
        assert!(text.contains("known: `MPI_Gather`"), "{text}");
    }

    #[test]
    fn wrong_data_hosts_groups_and_cores_are_troubles() {
        let troubles = |ranks, wrong, plan: Option<&Planned>| {
            let text = vec![patient(ranks), done(wrong)];
            judge("Open MPI 5", text, plan, &WELL).troubles.join("\n")
        };
        let alone = vec![place("a", "0", false, 0), place("a", "1", false, 1)];
        assert!(troubles(alone, vec![], None).contains("share memory"));
        let bound = vec![place("a", "0", true, 0), place("a", "0", true, 0)];
        let text = troubles(bound, vec![], None);
        assert!(
            text.contains("ranks 0 and 1 are both bound to core 0 of a"),
            "{text}"
        );
        let here = vec![place("a", "0", false, 0), place("b", "0", false, 1)];
        let hosts = ["b", "a"].map(String::from);
        let plan = Planned {
            hosts: &hosts,
            renumbered: false,
            way: String::new(),
        };
        let text = troubles(here.clone(), vec![], Some(&plan));
        assert!(text.contains("rank 0 should be on b"), "{text}");
        let wrong = WrongData {
            call: "MPI_Gather".into(),
            root: Some(1),
            at: 1,
            length: 1,
            wrong: 1,
            of: 2,
            expected: Some(0),
            found: Some(1),
        };
        let text = troubles(here, vec![wrong.clone(), wrong], None);
        assert!(
            text.contains("MPI_Gather with root 1 gave rank 1 1 wrong integers of 2")
                && text.contains("where rank 0's should be are rank 1's (2 such"),
            "{text}"
        );
    }

    #[test]
    fn a_launch_that_hangs_or_dies_is_a_trouble_and_the_call_is_named() {
        let begun = || vec![Message::Begins("MPI_Gatherv".into())];
        let late = Ended {
            status: 143,
            late: true,
            interrupted: false,
        };
        let text = judge("MPICH", begun(), None, &late).troubles.join("\n");
        assert!(
            text.contains("did not end in time: it was in MPI_Gatherv"),
            "{text}"
        );
        let died = Ended {
            status: 9,
            late: false,
            interrupted: false,
        };
        let text = judge("MPICH", begun(), None, &died).troubles.join("\n");
        assert!(
            text.contains("ended in MPI_Gatherv, with status 9"),
            "{text}"
        );
    }
}
