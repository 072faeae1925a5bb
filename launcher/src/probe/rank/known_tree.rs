//! Measures the capacities of a tree of switches that a file describes: only streams, half a second
//! a level.
//!
//! At each level all hosts below one switch send to the hosts below another one at once, every rank
//! of a host a stream of its own, so that a host with several network cards fills them all. What
//! arrives is what the links up carry, or what the hosts can send if that is less:
//!
//! ```text
//! leaf of 16 hosts, 8 of them in the job, each sends 10 GB/s alone
//!
//! 40 GB/s arrive: 16 x 10 / 40 = 4:1
//! 80 GB/s arrive: 16 x 10 / 80 = 2:1 or better, since the hosts of the job send no more
//! ```

use super::bandwidths::{WINDOW, between, bytes_at};
use super::crew::Crew;
use crate::probe::messages::{Message, ProbedMachine};
use crate::probe::plan::Pair;
use rankfold_abi::mpi::Result;
use rankfold_launch::placement::canonical;
use rankfold_machine::{Description, Hardware, HostsBelow, bandwidth_in_words};
use std::collections::HashMap;
use std::time::Duration;

/// Chosen by hand; not measured.
const OPENING: Duration = Duration::from_millis(50);

/// What hosts send together counts as all that they can send from this share on.
const UNHINDERED: f64 = 0.9;

/// The number of messages of a stream that are on the way at once. Chosen by hand; not measured.
const CREDITS: usize = 16;

/// A stream that only tells how large messages should be.
const FIRST_LOOK: Duration = Duration::from_millis(100);

/// The capacity of the links up of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LevelCapacity {
    /// Bandwidth from below over bandwidth upwards.
    ratio: f64,
    /// Whether the hosts of the job could have sent more: the ratio is then what it is, else it is
    /// that or better.
    is_filled: bool,
}

/// The ranks of the job below the switches of one level.
struct Level {
    /// For every rank the number of its switch.
    group: Vec<usize>,
    /// For every switch the number of hosts below it, in the job or not.
    hosts: Vec<usize>,
}

/// Measures the machine of a description, of which the crew has all ranks.
///
/// # Errors
/// MPI fails. The message that is returned says what keeps the machine from being measured.
pub(super) fn measure(
    crew: &Crew,
    described: Description,
    mut tell: impl FnMut(Message),
) -> Result<std::result::Result<ProbedMachine, String>> {
    let known = match described.build("the machine") {
        Ok(known) => known,
        Err(problem) => return Ok(Err(problem.to_string())),
    };
    let levels = match levels(crew, &known) {
        Ok(levels) => levels,
        Err(problem) => return Ok(Err(problem)),
    };
    tell(Message::Progress(0.1, "one host".into()));
    let host = one_host(crew, &levels)?;
    let mut found: Vec<LevelCapacity> = Vec::new();
    for (number, level) in levels[..levels.len() - 1].iter().enumerate() {
        let done = (1 + number) as f64 / levels.len() as f64;
        tell(Message::Progress(
            done,
            format!("links above level {}", number + 1),
        ));
        let above = &levels[number + 1];
        let pairs = between(&level.group, Some(&above.group));
        let rates = together(crew, &pairs, host.bytes)?;
        let capacities = pairs.iter().zip(rates).map(|(pairs, rate)| {
            let (from, to) = pairs[0];
            let whole = [from, to].map(|rank| level.hosts[level.group[rank]]);
            let used = pairs.len() / host.ranks;
            capacity(whole[0].min(whole[1]), used, rate, host.rate, &found)
        });
        let Some(capacity) = middle(capacities.collect()) else {
            let problem = format!(
                "the job has no two switches of level {} below one switch",
                number + 1
            );
            tell(Message::Note(problem));
            found.push(LevelCapacity {
                ratio: 1.0,
                is_filled: false,
            });
            continue;
        };
        tell(Message::Note(in_words(number + 1, capacity)));
        found.push(capacity);
    }
    let ratios: Vec<String> = found
        .iter()
        .map(|it| format!("{:.2}:1", it.taken()))
        .collect();
    let ratios = ratios.join(",");
    let by = ratios.parse().ok().filter(|_| !found.is_empty());
    let machine = described.measured(host.rate, by);
    Ok(machine.map(|machine| ProbedMachine {
        machine: machine.to_string(),
        summary: format!(
            "{} a host, {ratios} from the leaf switches up",
            bandwidth_in_words(host.rate)
        ),
        complete: true,
    }))
}

impl LevelCapacity {
    /// The ratio in the machine file: one that may be better counts as non-blocking.
    fn taken(self) -> f64 {
        if self.is_filled {
            self.ratio.max(1.0)
        } else {
            1.0
        }
    }
}

fn in_words(level: usize, capacity: LevelCapacity) -> String {
    let ratio = capacity.ratio;
    let switches = if level == 1 {
        "leaf switches".into()
    } else {
        format!("switches of level {level}")
    };
    if capacity.is_filled {
        format!("links above {switches}: {ratio:.2}:1")
    } else if ratio <= 1.0 / UNHINDERED {
        format!("links above {switches}: 1:1")
    } else {
        format!(
            "links above {switches}: at least {ratio:.1}:1; the job has too few hosts below a switch to fill them, and \
             1:1 is taken"
        )
    }
}

/// The capacity of the links up of a switch with `whole` hosts below it, of which `used` sent at
/// `rate` together, and one sends at `single` alone. `lower` are the levels below.
fn capacity(
    whole: usize,
    used: usize,
    rate: f64,
    single: f64,
    lower: &[LevelCapacity],
) -> LevelCapacity {
    let narrowed: f64 = lower.iter().map(|level| level.taken()).product();
    // Of the hosts of the job, all may be below the same narrow link.
    let reaches = |hosts: usize| hosts as f64 * single / narrowed;
    LevelCapacity {
        ratio: reaches(whole) / rate.max(f64::MIN_POSITIVE),
        is_filled: rate < UNHINDERED * reaches(used),
    }
}

/// The capacity in the middle by its ratio.
fn middle(mut all: Vec<LevelCapacity>) -> Option<LevelCapacity> {
    all.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    all.get(all.len() / 2).copied()
}

/// What one host sends alone.
struct OneHost {
    /// Bytes per second of all its ranks.
    rate: f64,
    /// The size of messages.
    bytes: usize,
    /// The number of ranks of a host.
    ranks: usize,
}

/// Measures a host of the job that sends to another one, at the same leaf switch if there is one.
fn one_host(crew: &Crew, levels: &[Level]) -> Result<OneHost> {
    let of_host = |name: &String| -> Vec<usize> {
        (0..crew.size())
            .filter(|&rank| crew.hosts[rank] == *name)
            .collect()
    };
    let first = of_host(&crew.hosts[0]);
    let near = |&rank: &usize| {
        crew.hosts[rank] != crew.hosts[0] && levels[0].group[rank] == levels[0].group[0]
    };
    let far = |&rank: &usize| crew.hosts[rank] != crew.hosts[0];
    let all = || 0..crew.size();
    let other = all().find(near).or_else(|| all().find(far)).unwrap_or(0);
    let pairs: Vec<Pair> = first.into_iter().zip(of_host(&crew.hosts[other])).collect();
    let look = crew.stream(&pairs[..1], (64 << 10, CREDITS), FIRST_LOOK)?;
    let bytes = bytes_at(look.into_iter().sum());
    let rate = crew
        .stream(&pairs, (bytes, CREDITS), WINDOW)?
        .into_iter()
        .sum();
    Ok(OneHost {
        rate,
        bytes,
        ranks: pairs.len().max(1),
    })
}

/// The bytes per second of each group of pairs, all measured at once.
fn together(crew: &Crew, pairs: &[Vec<Pair>], bytes: usize) -> Result<Vec<f64>> {
    let mut sums = vec![0.0; pairs.len()];
    let owners = pairs
        .iter()
        .enumerate()
        .flat_map(|(at, of)| of.iter().map(move |_| at));
    let flows = pairs.concat();
    // The first messages of a pair open its connection.
    crew.stream(&flows, (4 << 10, 2), OPENING)?;
    let rates = crew.stream(&flows, (bytes, CREDITS), WINDOW)?;
    for (owner, rate) in owners.zip(rates) {
        sums[owner] += rate;
    }
    Ok(sums)
}

/// The ranks below the switches of every level, leaf switches first.
fn levels(crew: &Crew, known: &Hardware) -> std::result::Result<Vec<Level>, String> {
    let switches = known
        .hosts_by_switch()
        .ok_or("the machine is no tree of switches")?;
    let names = known.names.iter().flatten().map(|name| canonical(name));
    let number: HashMap<String, usize> = names.zip(0..).collect();
    let nodes: Vec<usize> = crew
        .hosts
        .iter()
        .map(|host| {
            number
                .get(&canonical(host))
                .copied()
                .ok_or(format!("the machine has no host {host}"))
        })
        .collect::<std::result::Result<_, _>>()?;
    switches
        .iter()
        .map(|level| of_level(level, &nodes, &crew.hosts))
        .collect()
}

fn of_level(
    switches: &[HostsBelow],
    nodes: &[usize],
    names: &[String],
) -> std::result::Result<Level, String> {
    let mut switch_of = HashMap::new();
    for (number, switch) in switches.iter().enumerate() {
        switch_of.extend(switch.hosts.iter().map(|host| (host.index(), number)));
    }
    let mut numbers = HashMap::new();
    let mut level = Level {
        group: Vec::new(),
        hosts: Vec::new(),
    };
    for (node, name) in nodes.iter().zip(names) {
        let switch = switch_of
            .get(node)
            .ok_or(format!("{name} is at no switch of the level of the others"))?;
        let next = numbers.len();
        let group = *numbers.entry(switch).or_insert(next);
        if group == next {
            level.hosts.push(switches[*switch].hosts.len());
        }
        level.group.push(group);
    }
    Ok(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ratio that is taken, and whether the links were filled.
    fn of(whole: usize, used: usize, rate: f64, lower: &[LevelCapacity]) -> (f64, bool) {
        let capacity = capacity(whole, used, rate, 10.0, lower);
        (capacity.taken(), capacity.is_filled)
    }

    #[test]
    fn links_that_are_filled_tell_their_ratio() {
        assert_eq!(of(16, 8, 40.0, &[]), (4.0, true));
        assert_eq!(of(16, 16, 158.0, &[]), (1.0, false));
        let few = capacity(16, 8, 80.0, 10.0, &[]);
        assert_eq!((few.ratio, few.is_filled), (2.0, false));
        assert!(in_words(1, few).contains("at least 2.0:1"));
        assert_eq!(
            in_words(1, capacity(4, 4, 40.0, 10.0, &[])),
            "links above leaf switches: 1:1"
        );
    }

    #[test]
    fn what_lower_links_hold_back_does_not_count_again() {
        let leaf = capacity(4, 4, 20.0, 10.0, &[]);
        assert_eq!(of(16, 16, 80.0, &[leaf]), (1.0, false));
        assert_eq!(of(16, 16, 40.0, &[leaf]), (2.0, true));
    }

    #[test]
    fn ranks_are_grouped_by_the_switch_of_their_host() {
        let switch = |hosts: &[u32]| HostsBelow {
            switch: "s".into(),
            hosts: hosts.iter().map(|&it| rankfold_base::NodeId(it)).collect(),
            up: 1.0,
            host: 1.0,
        };
        let switches = [switch(&[0, 1]), switch(&[2, 3, 4])];
        let names = vec![String::from("n"); 4];
        let level = of_level(&switches, &[3, 0, 3, 0], &names).unwrap();
        assert_eq!((level.group, level.hosts), (vec![0, 1, 0, 1], vec![3, 2]));
        assert!(of_level(&switches, &[9], &names).is_err());
    }
}
