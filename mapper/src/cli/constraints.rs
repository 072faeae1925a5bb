//! The flags that say what every placement has to keep, and the file of constraints.

use super::rank_list::RankList;
use super::weights::WeightArgs;
use crate::error::Error;
use rankfold_assess::{Case, Constraints, Demand, Rule, Seat, Sizes, Start};
use rankfold_base::words::counted;
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_machine::Machine;
use rankfold_machine::hosts::is_same;
use rankfold_mapfile as mapfile;
use std::ffi::OsString;
use std::path::PathBuf;

const HEADING: &str = "Constraints";

/// The flags that constrain placements.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ConstraintArgs {
    /// The flag that says how many slots ranks take.
    #[command(flatten)]
    pub weights: WeightArgs,
    /// Keep a rank on a host, or in a slot of the host, counted from 0: 3=n07 or 3=n07:0; without
    /// host names, HOST is the number of a node. Can be given several times, as the next three
    #[arg(long, help_heading = HEADING, value_name = "RANK=HOST[:LOCAL]", value_parser = pin)]
    pin: Vec<Pin>,
    /// Keep these ranks where the launcher puts them, or where block order has them: 0,4-7, or
    /// from, to (left out) and stride as in 0:128:16 and 0::16
    #[arg(long, help_heading = HEADING, value_name = "RANKS")]
    stay: Vec<RankList>,
    /// Keep these ranks together on one host
    #[arg(long, help_heading = HEADING, value_name = "RANKS")]
    together: Vec<RankList>,
    /// Keep these ranks on different hosts, such as those that write files
    #[arg(long, help_heading = HEADING, value_name = "RANKS")]
    apart: Vec<RankList>,
    /// Begin from a mapfile, of which at most --moves ranks leave their slots
    #[arg(
        long, help_heading = HEADING,
        value_name = "MAP",
        requires = "moves",
        conflicts_with = "heuristic"
    )]
    start: Option<PathBuf>,
    /// The most ranks that may leave their slots in the mapfile of --start
    #[arg(long, help_heading = HEADING, value_name = "K", requires = "start")]
    moves: Option<usize>,
    /// A file of constraints, one a line, named as these flags: apart 0::16
    #[arg(long, help_heading = HEADING, value_name = "FILE", value_parser = from_file)]
    constraints: Option<ConstraintFile>,
}

/// The lines of a file of constraints, each with the name of the file and its number.
#[derive(Clone, Debug)]
struct ConstraintFile {
    lines: Vec<(Typed, String)>,
}

/// A value of `--pin`.
#[derive(Clone, Debug)]
struct Pin {
    rank: u32,
    /// The host, and the slot behind a colon. Addresses have colons, too.
    place: String,
}

/// A constraint as typed.
#[derive(Clone, Debug)]
enum Typed {
    Pin(Pin),
    Stay(RankList),
    Together(RankList),
    Apart(RankList),
}

impl ConstraintArgs {
    /// The case with these constraints, beside those that it has.
    ///
    /// # Errors
    /// The file is not readable; a host is unknown; or no placement keeps all constraints.
    pub fn apply<'a>(&self, case: Case<'a>) -> Result<Case<'a>, Error> {
        if self.is_empty() {
            return Ok(case);
        }
        let (ranks, machine) = (case.graph.ranks(), case.machine);
        machine.check_fits(ranks)?;
        let stay_in = case.launch().cloned().unwrap_or_else(|| case.block());
        let sizes = case.constraints.sizes().clone();
        let mut rules = case.constraints.rules().to_vec();
        for (typed, origin) in self.typed() {
            rules.extend(typed.rules(ranks, (machine, &sizes), &stay_in, &origin)?);
        }
        let start = self.begin(machine, ranks)?;
        let constraints = Constraints::sized(ranks, machine, rules, start, sizes)?;
        Ok(case.keeping(constraints))
    }

    /// Constraints that are given as the lines of a file.
    ///
    /// # Errors
    /// A line is none, with `name` and its number.
    pub fn of_lines<'a>(lines: impl Iterator<Item = &'a str>, name: &str) -> Result<Self, String> {
        let constraints = Some(ConstraintFile::of(lines, name)?);
        Ok(Self {
            constraints,
            ..Self::default()
        })
    }

    /// Whether there is no constraint, besides the slots that ranks take.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.typed().is_empty() && self.start.is_none()
    }

    /// The same as the words of a command line that needs no file of constraints.
    #[must_use]
    pub fn words(&self) -> Vec<OsString> {
        let typed = self.typed().into_iter().flat_map(|(typed, _)| {
            let text = typed.to_string();
            let (flag, value) = text.split_once(' ').unwrap_or((&text, ""));
            [format!("--{flag}").into(), value.into()]
        });
        let mut words: Vec<OsString> = typed.chain(self.weights.words()).collect();
        if let (Some(start), Some(moves)) = (&self.start, self.moves) {
            let start = std::path::absolute(start).unwrap_or_else(|_| start.clone());
            let moves = moves.to_string().into();
            words.extend(["--start".into(), start.into(), "--moves".into(), moves]);
        }
        words
    }

    /// Everything that placements depend on, a line each: the lines of files, too.
    #[must_use]
    pub(super) fn key(&self) -> Vec<String> {
        let typed = self.typed().into_iter().map(|(typed, _)| typed.to_string());
        let mut lines: Vec<String> = typed.chain(self.weights.key()).collect();
        if let (Some(start), Some(moves)) = (&self.start, self.moves) {
            let content = std::fs::read(start).unwrap_or_default();
            lines.push(format!("{moves} of {:08x}", crc32fast::hash(&content)));
        }
        lines
    }

    /// All constraints as typed, each with its flag or line.
    fn typed(&self) -> Vec<(Typed, String)> {
        let pins = self.pin.iter().cloned().map(Typed::Pin);
        let stay = self.stay.iter().cloned().map(Typed::Stay);
        let together = self.together.iter().cloned().map(Typed::Together);
        let apart = self.apart.iter().cloned().map(Typed::Apart);
        let flags = pins.chain(stay).chain(together).chain(apart);
        let with_flag = |typed: Typed| {
            let flag = format!("--{typed}");
            (typed, flag)
        };
        let lines = self
            .constraints
            .iter()
            .flat_map(|file| file.lines.iter().cloned());
        flags.map(with_flag).chain(lines).collect()
    }

    /// The placement of `--start`.
    fn begin(&self, machine: &Machine, ranks: usize) -> Result<Option<Start>, Error> {
        let (Some(path), Some(moves)) = (&self.start, self.moves) else {
            return Ok(None);
        };
        let file = path.to_string_lossy();
        let seats = mapfile::read(path, None)?;
        let placement = mapfile::placement(&seats, machine, ranks, &file)?;
        let origin = format!("--start {file} --moves {moves}");
        Ok(Some(Start {
            placement,
            moves,
            origin,
        }))
    }
}

/// One line on a placement that was found within constraints; `None` without any.
pub(super) fn note(
    constraints: &Constraints,
    placement: &Placement,
    machine: &Machine,
) -> Option<String> {
    let sizes = constraints.sizes();
    if constraints.is_empty() && sizes.are_one() {
        return None;
    }
    let kept = if constraints.are_kept_by(placement, machine) {
        "kept"
    } else {
        "NOT KEPT"
    };
    let rules = constraints.rules().len();
    let rules = (rules > 0).then(|| counted(rules as u64, "rule"));
    let ranks = (0..placement.ranks()).map(Rank::at);
    let moved = ranks.filter(|&rank| constraints.has_moved(rank, placement.slot(rank)));
    let moves = constraints.start().map(|(_, most)| {
        let moved = moved.count();
        format!("{moved} of at most {most} ranks moved")
    });
    let taken = (!sizes.are_one()).then(|| {
        let taken = sizes.total(placement.ranks());
        format!(
            "{taken} of {} taken",
            counted(machine.slots().len(), "slot")
        )
    });
    let parts: Vec<String> = rules.into_iter().chain(moves).chain(taken).collect();
    Some(format!("constraints {kept}: {}", parts.join(", ")))
}

impl std::fmt::Display for Typed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pin(Pin { rank, place }) => write!(f, "pin {rank}={place}"),
            Self::Stay(ranks) => write!(f, "stay {ranks}"),
            Self::Together(ranks) => write!(f, "together {ranks}"),
            Self::Apart(ranks) => write!(f, "apart {ranks}"),
        }
    }
}

impl Typed {
    /// Reads a line of a file.
    fn parse(line: &str) -> Result<Self, String> {
        let (kind, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let ranks = || value.trim().parse::<RankList>();
        match kind {
            "pin" => pin(value.trim()).map(Self::Pin),
            "stay" => ranks().map(Self::Stay),
            "together" => ranks().map(Self::Together),
            "apart" => ranks().map(Self::Apart),
            _ => Err(format!("{kind}: not one of pin, stay, together and apart")),
        }
    }

    /// The rules of a job of so many ranks.
    fn rules(
        &self,
        ranks: usize,
        (machine, sizes): (&Machine, &Sizes),
        stay_in: &Placement,
        origin: &str,
    ) -> Result<Vec<Rule>, Error> {
        let listed = |list: &RankList| list.ranks(ranks).map_err(|problem| wrong(origin, problem));
        let demands = match self {
            Self::Pin(pin) => {
                let seat = seat(&pin.place, machine).map_err(|problem| wrong(origin, problem))?;
                vec![Demand::Stay(Rank(pin.rank), seat)]
            }
            Self::Stay(list) => {
                let here = |rank: Rank| {
                    let slot = stay_in.slot(rank);
                    let node = machine.slots().node_of(slot);
                    let seat = if sizes.are_one() {
                        Seat::Slot(slot)
                    } else {
                        Seat::Node(node)
                    };
                    Demand::Stay(rank, seat)
                };
                listed(list)?.into_iter().map(here).collect()
            }
            Self::Together(list) => vec![Demand::Together(listed(list)?)],
            Self::Apart(list) => vec![Demand::Apart(listed(list)?)],
        };
        let rule = |demand| Rule {
            demand,
            origin: origin.to_owned(),
        };
        Ok(demands.into_iter().map(rule).collect())
    }
}

fn wrong(origin: &str, problem: String) -> Error {
    Error::Constraint {
        origin: origin.to_owned(),
        problem,
    }
}

/// The seat named `HOST` or `HOST:LOCAL`.
fn seat(place: &str, machine: &Machine) -> Result<Seat, String> {
    if let Some(node) = node(place, machine) {
        return Ok(Seat::Node(node));
    }
    let parts = place.rsplit_once(':');
    let local = parts.and_then(|(host, local)| Some((node(host, machine)?, local)));
    let Some((node, local)) = local else {
        let host = parts.map_or(place, |(host, _)| host);
        return Err(format!(
            "the machine has no host {host}, or several with this name"
        ));
    };
    let number = local
        .parse::<usize>()
        .map_err(|_| format!("{local} is no number of a slot"))?;
    let slot = machine.slots().on(node).nth(number);
    slot.map(Seat::Slot).ok_or_else(|| {
        let room = machine.slots().capacity(node);
        format!(
            "there is no slot {local}: the host has {}, from 0",
            counted(room, "slot")
        )
    })
}

/// The only node of this name, or, where nodes have no names, of this number.
fn node(name: &str, machine: &Machine) -> Option<NodeId> {
    let Some(hosts) = machine.hosts() else {
        let number = name.parse::<usize>().ok()?;
        return (number < machine.slots().nodes()).then(|| NodeId::at(number));
    };
    let called = |is_it: &dyn Fn(&str) -> bool| {
        let mut found = (0..hosts.len()).filter(|&node| is_it(&hosts[node]));
        found
            .next()
            .filter(|_| found.next().is_none())
            .map(NodeId::at)
    };
    called(&|host| host == name).or_else(|| called(&|host| is_same(host, name)))
}

/// Parses a value of `--pin`.
fn pin(text: &str) -> Result<Pin, String> {
    let (rank, place) = text.split_once('=').ok_or("write RANK=HOST, as in 0=n07")?;
    let rank = rank
        .trim()
        .parse()
        .map_err(|_| format!("{rank} is no number of a rank"))?;
    let place = place.trim().to_owned();
    if place.is_empty() {
        return Err("the host is missing behind the =".into());
    }
    Ok(Pin { rank, place })
}

/// The constraints of a file, each with its line.
fn from_file(file: &str) -> Result<ConstraintFile, String> {
    let text = rankfold_base::files::read_text(file).map_err(|error| error.to_string())?;
    ConstraintFile::of(text.lines(), file)
}

impl ConstraintFile {
    /// Reads lines; `#` begins a comment.
    fn of<'a>(lines: impl Iterator<Item = &'a str>, name: &str) -> Result<Self, String> {
        let lines = lines.map(|line| line.split('#').next().unwrap_or("").trim());
        let lines = (1..).zip(lines).filter(|(_, line)| !line.is_empty());
        let typed = lines.map(|(number, line)| {
            let problem = |problem| format!("{name}:{number}: {problem}");
            let typed = Typed::parse(line).map_err(problem)?;
            let origin = format!("{name}:{number}: {typed}");
            Ok((typed, origin))
        });
        let lines = typed.collect::<Result<_, String>>()?;
        Ok(Self { lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_machine::samples::machine;

    #[test]
    fn seats_have_hosts_and_slots() {
        let machine = machine("mesh:4", 2);
        let seat_of = |place| seat(place, &machine);
        assert_eq!(seat_of("3"), Ok(Seat::Node(NodeId(3))));
        assert_eq!(seat_of("3:1"), Ok(Seat::Slot(rankfold_base::SlotId(7))));
        assert!(seat_of("3:2").unwrap_err().contains("the host has 2 slots"));
        assert!(seat_of("3:x").unwrap_err().contains("x is no number"));
        assert!(seat_of("4").unwrap_err().contains("no host 4"));
    }

    #[test]
    fn words_are_those_of_flags() {
        let lines = ["pin 0=n1:2", "# servers", "apart 0, 4"].into_iter();
        let words = ConstraintArgs::of_lines(lines, "rules").unwrap().words();
        assert_eq!(words, ["--pin", "0=n1:2", "--apart", "0, 4"]);
    }

    #[test]
    fn lines_of_a_file_are_what_flags_are() {
        for line in ["pin 0=n1:2", "stay 0,4-7", "together 0-3", "apart 0::16"] {
            assert_eq!(Typed::parse(line).unwrap().to_string(), line);
        }
        assert!(Typed::parse("fix 3").unwrap_err().contains("pin, stay"));
        assert!(Typed::parse("pin 3").unwrap_err().contains("RANK=HOST"));
        assert!(
            Typed::parse("pin x=a")
                .unwrap_err()
                .contains("x is no number")
        );
        assert!(Typed::parse("apart").is_err());
    }
}
