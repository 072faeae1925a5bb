//! Reads host lists as launchers and batch systems write them.
//!
//! | written as | by |
//! |---|---|
//! | `n[01-16,20],r[1-2]c[0-1]` | Slurm, Flux, PALS |
//! | `n1:4`, `n1:4:mlx5_0`, `n1:*`, `user@n1` | Hydra, Intel MPI, `mpirun_rsh`, Open MPI |
//! | `n1 slots=4 max_slots=8`, `n1 slots = 4` | Open MPI, DeepSpeed, Kubeflow |
//! | `n1*4` | Slurm |
//! | `4*n1 n2`, `4*n1:n2`, where `n2` has one slot | LSF (`bjobs`) |
//! | a host once for every slot, on lines or in one line | PBS, OAR, LSF (`LSB_HOSTS`) |
//! | `n1:ppn=4+n2`, `n1/0*4+n2/0-2,5`, `(n1:ncpus=4)+(n2[0]:ncpus=2)` | PBS, Torque |
//! | `n1 4 n2 2` | LSF (`LSB_MCPU_HOSTS`) |
//! | `n1 0,1,2`, or repeated hosts with the number of a core | LSF (`LSB_AFFINITY_HOSTFILE`) |
//! | `n1 4 all.q@n1 UNDEFINED` | Grid Engine (`PE_HOSTFILE`) |
//!
//! Comments start with `#`. A byte-order mark and carriage returns are no part of a name.

use super::brackets::{expand, outside};
use super::{UNUSABLE, names};
use std::collections::{HashMap, HashSet};
use std::net::IpAddr;

/// A host of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedHost {
    /// The name, without a login.
    pub name: String,
    /// How many ranks the host takes, if the list says it.
    pub slots: Option<u32>,
    /// Line of the host in the file, counted from 1.
    pub(super) line: usize,
}

/// What a line says: hosts, each with a number of slots if it has one.
type Said = Vec<(String, Option<u32>)>;

/// Options of a host whose number is the number of slots.
const SLOTS: [&str; 9] = [
    "slots", "slot", "cpus", "cpu", "count", "ppn", "mpiprocs", "ncpus", "np",
];

/// Options of a host that do not change which host takes how many ranks.
const OTHERS: [&str; 16] = [
    "max_slots",
    "max-slots",
    "slots_max",
    "slots-max",
    "port",
    "username",
    "user-name",
    "user_name",
    "user",
    "binding",
    "map",
    "ifname",
    "mem",
    "ngpus",
    "gpus",
    "ompthreads",
];

/// The hosts of a list in the order in which they are first named. A host that is named several
/// times has the sum of the slots; every mention without a number is then one slot.
///
/// # Errors
/// The line, counted from 1, and a message.
pub(super) fn read(text: &str) -> Result<Vec<ListedHost>, (usize, String)> {
    let text = text.trim_start_matches('\u{feff}');
    let lines: Vec<(usize, &str)> = (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, line.split('#').next().unwrap_or_default().trim()))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let is_alone = lines.len() == 1;
    let bound = are_bound(&lines);
    let mut hosts: Vec<ListedHost> = Vec::new();
    let (mut places, mut is_counted) = (HashMap::new(), text.split_whitespace().any(is_of_lsf));
    for (line, text) in lines {
        for (name, slots) in said(text, is_alone, bound).map_err(|problem| (line, problem))? {
            let next = hosts.len();
            let place = match name.as_str() {
                UNUSABLE => next,
                _ => *places.entry(name.clone()).or_insert(next),
            };
            if place == next {
                hosts.push(ListedHost { name, slots, line });
                continue;
            }
            is_counted = true;
            let sum = hosts[place]
                .slots
                .unwrap_or(1)
                .saturating_add(slots.unwrap_or(1));
            hosts[place].slots = Some(sum);
        }
    }
    for host in hosts
        .iter_mut()
        .filter(|host| is_counted && host.name != UNUSABLE)
    {
        host.slots = host.slots.or(Some(1));
    }
    Ok(hosts)
}

/// Whether every line has a host and the number of one core, as in LSF's affinity file. Numbers of
/// cores differ from numbers of slots in that hosts are repeated, or in that a number is 0.
fn are_bound(lines: &[(usize, &str)]) -> bool {
    let pair = |line: &str| {
        let (host, number) = line.split_once(char::is_whitespace)?;
        Some((host.to_owned(), number.trim().parse::<u32>().ok()?))
    };
    let pairs: Option<Vec<(String, u32)>> = lines.iter().map(|(_, line)| pair(line)).collect();
    pairs.is_some_and(|pairs| {
        let hosts: HashSet<&String> = pairs.iter().map(|(host, _)| host).collect();
        hosts.len() < pairs.len() || pairs.iter().any(|(_, number)| *number == 0)
    })
}

/// The hosts of a line.
fn said(line: &str, is_alone: bool, bound: bool) -> Result<Said, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &str| word.parse::<u32>().ok();
    let [host, rest @ ..] = &words[..] else {
        return Ok(Vec::new());
    };
    if let [cores, ..] = rest
        && (bound || is_core_list(cores))
    {
        return named(host, Some(1));
    }
    let is_pair = |pair: &[&str]| number(pair[0]).is_none() && number(pair[1]).is_some();
    if words.len().is_multiple_of(2) && words.chunks(2).all(is_pair) {
        let pairs = words.chunks(2).map(|pair| named(pair[0], number(pair[1])));
        return Ok(pairs.collect::<Result<Vec<_>, _>>()?.concat());
    }
    if let [slots, queue, ..] = rest
        && rest.len() <= 3
        && let (Some(slots), None) = (number(slots), number(queue))
    {
        return named(host, Some(slots));
    }
    if is_alone && !rest.is_empty() && !line.contains(['=', ',']) {
        let hosts = words.iter().map(|word| named(word, None));
        return Ok(hosts.collect::<Result<Vec<_>, _>>()?.concat());
    }
    let line = line.replace(" =", "=").replace("= ", "=");
    let mut hosts = Vec::new();
    for entry in entries(&line) {
        hosts.extend(with_options(&entry)?);
    }
    Ok(hosts)
}

/// Whether a word lists cores: numbers with commas or hyphens between them.
fn is_core_list(word: &str) -> bool {
    let is_number = |part: &str| part.parse::<u32>().is_ok();
    word.contains([',', '-']) && word.split([',', '-']).all(is_number)
}

/// Splits a line at commas and plus signs outside of brackets. Lists of cores in the options of
/// Hydra, and behind the slash of Torque, have commas of their own.
fn entries(line: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for part in outside(line, &[',', '+']) {
        let is_option = |last: &&mut String| {
            let word = last.split_whitespace().last().unwrap_or_default();
            let is_of_slash = || outside(word, &['/']).len() > 1 && core_count(part).is_some();
            word.starts_with("binding=") || word.starts_with("map=") || is_of_slash()
        };
        match entries.last_mut().filter(is_option) {
            Some(option) => *option += &format!(",{part}"),
            None => entries.push(part.to_owned()),
        }
    }
    entries
}

/// The hosts of an entry: a name, and options behind it.
fn with_options(entry: &str) -> Result<Said, String> {
    let mut words = entry.split_whitespace();
    let name = words
        .next()
        .ok_or("a host name is missing beside a comma")?;
    let mut slots = None;
    for word in words {
        if name == UNUSABLE {
            return Err("- is a node the job cannot use: it takes no slots".into());
        }
        slots = option(word)?.or(slots);
    }
    named(name, slots)
}

/// The number of slots that an option gives, if it gives one.
fn option(word: &str) -> Result<Option<u32>, String> {
    let unknown =
        || format!("unexpected {word:?}: behind a host stand slots=K and options of launchers");
    let (key, value) = word.split_once('=').ok_or_else(unknown)?;
    match value.parse() {
        Ok(slots) if SLOTS.contains(&key) => Ok(Some(slots)),
        Err(_) if SLOTS.contains(&key) => Err(format!("{word:?} is not {key}=K with a number K")),
        _ if OTHERS.contains(&key) => Ok(None),
        _ => Err(unknown()),
    }
}

/// The hosts of a word, which may have a number of slots attached; `slots` is a number that stands
/// elsewhere.
fn named(word: &str, slots: Option<u32>) -> Result<Said, String> {
    if word == UNUSABLE {
        return Ok(vec![(word.to_owned(), None)]);
    }
    if word.contains(':') && is_of_lsf(word) {
        let parts = word.split(':').map(|part| named(part, slots));
        return Ok(parts.collect::<Result<Vec<_>, _>>()?.concat());
    }
    let (name, attached) = attached(word)?;
    let slots = slots.or(attached);
    let expanded = if name.contains('[') {
        expand(name)?
    } else {
        vec![name.to_owned()]
    };
    for name in &expanded {
        names::check(name)?;
    }
    Ok(expanded.into_iter().map(|name| (name, slots)).collect())
}

/// Whether a word has a host with the number of its slots in front, `4*n1`. LSF then leaves the
/// number out where it is 1, and may write colons between hosts.
fn is_of_lsf(word: &str) -> bool {
    let is_times = |part: &str| {
        part.split_once('*')
            .is_some_and(|(times, _)| times.parse::<u32>().is_ok())
    };
    word.split([':', ',']).any(is_times)
}

/// How many cores a list has, such as `0-2,5`.
fn core_count(list: &str) -> Option<u32> {
    let count = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        last.checked_sub(first)?.checked_add(1)
    };
    list.split(',')
        .try_fold(0u32, |sum, range| sum.checked_add(count(range)?))
}

/// The host of a name of PBS, which numbers the parts of a host in brackets: `n1[0]`.
fn without_part(name: &str) -> &str {
    let is_part = |part: &str| {
        part.strip_suffix(']')
            .is_some_and(|n| n.parse::<u32>().is_ok())
    };
    match name.split_once('[') {
        Some((host, part)) if is_part(part) => host,
        _ => name,
    }
}

/// The name in a word, and the number of slots that is attached to it.
fn attached(word: &str) -> Result<(&str, Option<u32>), String> {
    let word = word.trim_matches(['(', ')']);
    let word = word.rsplit_once('@').map_or(word, |(_login, host)| host);
    let is_address = |text: &str| text.contains(':') && text.parse::<IpAddr>().is_ok();
    if is_address(word) {
        return Ok((word, None));
    }
    if let Some((address, rest)) = word.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && is_address(address)
    {
        return Ok((
            address,
            rest.strip_prefix(':').and_then(|count| count.parse().ok()),
        ));
    }
    if let Some((one, other)) = word
        .split_once('*')
        .filter(|(one, _)| !one.contains([':', '/']))
    {
        return match (one.parse(), other.parse()) {
            (_, Ok(slots)) => Ok((one, Some(slots))),
            (Ok(slots), _) => Ok((other, Some(slots))),
            _ => Err(format!("{word:?} is not HOST*K")),
        };
    }
    if let [name, cores, ..] = outside(word, &['/'])[..] {
        // PBS: the number of the first core, or cores times K, or a list of cores.
        let slots = match cores.split_once('*') {
            Some((_, times)) => times.parse().ok(),
            None => core_count(cores),
        };
        let slots = slots.ok_or_else(|| {
            format!("{word:?} is no host name: {cores:?} behind / is no core of PBS")
        })?;
        return Ok((without_part(name), Some(slots)));
    }
    let mut parts = outside(word, &[':']).into_iter();
    let mut name = parts.next().unwrap_or_default();
    if word.contains(":ncpus=") {
        name = without_part(name);
    }
    let mut slots = None;
    for (place, part) in parts.enumerate() {
        slots = match part.parse() {
            Ok(number) => Some(number),
            Err(_) if part.contains('=') => {
                let found = option(part)?;
                if part.starts_with("mpiprocs=") {
                    found
                } else {
                    slots.or(found)
                }
            }
            // Open MPI: as many as the host has cores.
            Err(_) if place == 0 && ["*", "auto", "max"].contains(&part) => None,
            // An adapter of mpirun_rsh.
            Err(_) if place == 1 => slots,
            Err(_) => return Err(format!("{word:?} is not HOST:K with a number K of slots")),
        };
    }
    Ok((name, slots))
}
