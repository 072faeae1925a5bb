//! Imports networks from Slurm: `topology.conf` (tree, block, ring), the output of `scontrol show
//! topology` (torus3d as well), and values of `SLURM_TOPOLOGY_ADDR`.

use super::job_hosts::JobHosts;
use super::slurm_levels::{CUT, Upper};
use super::slurm_network::SlurmNetwork;
use super::technology::Technology;
use super::tree::BLOCKS;
use super::{ImportError, Importer, Result, Source, SourceLine, lines};
use rankfold_machine::Description;
use rankfold_machine::grammar;
use rankfold_machine::hosts::expand;
use std::collections::BTreeSet;
use std::path::Path;

/// The importer of the configuration file and of the output of the controller, which have the same
/// grammar.
pub(super) const TOPOLOGY: Importer = Importer {
    name: "slurm",
    about: "topology.conf, or the output of `scontrol show topology`",
    recognises: is_topology,
    for_job: Some(read_for_job),
    technology: Technology::Credits,
    read,
};

/// The importer of the variable that each task of a job has.
pub(super) const ADDRESSES: Importer = Importer {
    name: "slurm-addr",
    about: "values of SLURM_TOPOLOGY_ADDR, one a line: `srun sh -c 'echo $SLURM_TOPOLOGY_ADDR'`",
    recognises: are_addresses,
    for_job: None,
    technology: Technology::Credits,
    read: read_addresses,
};

/// Whether a text has the first word of a line of `topology.conf`, or only includes other files.
fn is_topology(source: &Source) -> bool {
    const KEYS: [&str; 4] = ["switchname=", "blockname=", "ringname=", "torusname="];
    let begins_network = |line: &str| {
        let line = line.to_ascii_lowercase();
        KEYS.iter().any(|key| line.starts_with(key))
    };
    let texts = lines(source).map(|(_, text)| text);
    let settings: Vec<&str> = texts.filter(|text| !text.starts_with('#')).collect();
    let all_include = !settings.is_empty() && settings.iter().all(|text| included(text).is_some());
    all_include || settings.into_iter().any(begins_network)
}

/// Reads `topology.conf` or the output of the controller.
fn read(sources: &[Source]) -> Result<Description> {
    let sources = with_included(sources)?;
    let (network, end) = network(&sources, topology)?;
    network.describe(end)
}

/// As [`read`], for a job.
fn read_for_job(sources: &[Source], job: &JobHosts) -> Result<(Description, Vec<String>)> {
    let sources = with_included(sources)?;
    let (network, end) = network(&sources, topology)?;
    network.describe_for_job(end, job)
}

/// Reads addresses. The switches that are outermost hang below one switch, since a job has run on
/// all of these hosts.
fn read_addresses(sources: &[Source]) -> Result<Description> {
    let (mut network, end) = network(sources, address)?;
    network.tree.join_roots(end)?;
    network.describe(end)
}

/// The most files that include each other. Chosen by hand: a file that includes itself ends there.
const MOST_INCLUDED: usize = 64;

/// The sources, and behind them the files that they include. The order of lines does not matter in
/// `topology.conf`. Paths that are not absolute begin where the including file lies.
fn with_included(sources: &[Source]) -> Result<Vec<Source>> {
    let mut all = sources.to_vec();
    let mut number = 0;
    while number < all.len() {
        let source = all[number].clone();
        for (place, text) in lines(&source) {
            let Some(path) = included(text) else { continue };
            if all.len() >= MOST_INCLUDED {
                return Err(place.bad("too many files include each other"));
            }
            let beside = Path::new(&source.file).parent().unwrap_or(Path::new(""));
            let read = Source::read(&beside.join(path));
            all.push(read.map_err(|error| place.bad(error.to_string()))?);
        }
        number += 1;
    }
    Ok(all)
}

/// The path in a line `include PATH`.
fn included(line: &str) -> Option<&str> {
    let line = line.split('#').next().unwrap_or_default();
    let (word, path) = line.trim().split_once(char::is_whitespace)?;
    word.eq_ignore_ascii_case("include").then(|| path.trim())
}

type ReadLine = for<'a> fn(&mut SlurmNetwork<'a>, SourceLine<'a>, &str) -> Result<()>;

/// The network that sources describe, and the line for errors that concern all of it.
fn network(sources: &[Source], line: ReadLine) -> Result<(SlurmNetwork<'_>, SourceLine<'_>)> {
    let mut network = SlurmNetwork::default();
    let mut end = None;
    for source in sources {
        end = Some(SourceLine { source, line: 1 });
        let mut begun = String::new();
        let mut texts = lines(source).peekable();
        while let Some((place, text)) = texts.next() {
            let text = text.split('#').next().unwrap_or_default().trim();
            // A line that ends with a backslash continues on the next line.
            let is_in_list = begun.ends_with(',') || begun.rfind('[') > begun.rfind(']');
            if !is_in_list && !text.starts_with(',') && !begun.is_empty() {
                begun += " ";
            }
            let head = text.strip_suffix('\\');
            begun += head.map_or(text, str::trim_end);
            if head.is_some() && texts.peek().is_some() {
                continue;
            }
            let whole = std::mem::take(&mut begun);
            if !whole.is_empty() && included(&whole).is_none() {
                line(&mut network, place, &whole)?;
            }
        }
    }
    match end {
        Some(end) => Ok((network, end)),
        None => Err(ImportError::whole("slurm", "no file is given")),
    }
}

/// Reads a line such as `SwitchName=s0 Nodes=n[0-3]`, `SwitchName=s2 Switches=s[0-1]`,
/// `BlockName=b0 Nodes=n[0-3]`, `RingName=r0 Nodes=n[0-7]`, `TorusName=t Dims=2x2x2 Nodes=n[0-7]`.
/// The controller lists the hosts of a torus in the order of their names, which tells no position:
/// addresses such as `t:0:1:1.n5` do, and may stand among the lines.
fn topology<'a>(network: &mut SlurmNetwork<'a>, place: SourceLine<'a>, line: &str) -> Result<()> {
    if let Some((position, host)) = position(line) {
        return network.put(place, &position, host);
    }
    let mut settings = Vec::new();
    let mut words = line.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some((key, value)) => {
                let key = key.to_ascii_lowercase();
                if settings.iter().any(|(known, _)| *known == key) {
                    let problem =
                        format!("{word} is here, and {key}= before it: one line is one switch");
                    return Err(place.bad(problem));
                }
                settings.push((key, value.trim_matches('"')));
            }
            // Of the controller's lines Slurm may have cut the end.
            None if words.peek().is_none() && settings.iter().any(|(key, _)| key == "level") => {
                settings.push((word.to_ascii_lowercase(), ""));
            }
            None => return Err(place.bad(format!("{word:?} is not Key=value"))),
        }
    }
    let value = |key: &str| settings.iter().find(|(k, _)| k == key).map(|(_, v)| *v);
    let level: u64 = value("level")
        .and_then(|level| level.parse().ok())
        .unwrap_or(0);
    // The controller's lines end in lists, which are whole unless the line is cut.
    let is_cut = value("level").is_some() && line.rfind('[') > line.rfind(']');
    let below = |key| match value(key) {
        Some(list) if !list.is_empty() => expand(list).map_err(|problem| {
            let problem = if is_cut { CUT.to_owned() } else { problem };
            place.bad(problem)
        }),
        _ => Ok(Vec::new()),
    };
    if value("ringname").is_some() {
        let hosts = below("nodes")?;
        let size = [hosts.len()];
        let ring = network.lattice(place, &size)?;
        return ring.fill(place, &[0], &size, hosts);
    }
    if let Some(name) = value("torusname") {
        // The controller also lists the shapes of jobs.
        let Some(dims) = value("dims") else {
            return Ok(());
        };
        let dims = grammar::list(dims, 'x', "size").map_err(|problem| place.bad(problem))?;
        return network.lattice(place, &dims)?.hold(name, below("nodes")?);
    }
    let tree = &mut network.tree;
    let (name, block) = match (value("switchname"), value("blockname")) {
        (Some(name), _) => (name, false),
        (None, Some(name)) => (name, true),
        // Lines with the sizes of blocks do not describe the network.
        (None, None) if value("blocksizes").is_some() => return Ok(()),
        (None, None) if value("aggregatedblock").is_some() => return Ok(()),
        (None, None) => {
            let problem = "neither SwitchName=, BlockName=, RingName= nor TorusName= is here";
            return Err(place.bad(problem));
        }
    };
    if tree.is_defined(name) {
        return Err(place.bad(format!("switch {name} is described twice")));
    }
    let switch = tree.define(name, place)?;
    if block {
        let root = tree.define(BLOCKS, place)?;
        tree.hang(name, false, root, place)?;
    }
    if let Some(speed) = value("linkspeed") {
        tree.set_speed(switch, speed);
    }
    if let Some(nodes) = value("nodes").filter(|_| level > 0) {
        let ends_with_nodes = settings.last().is_some_and(|(key, _)| key == "nodes");
        let upper = Upper::new((switch, level), place, nodes, ends_with_nodes)?;
        network.uppers.push(upper);
        return Ok(());
    }
    let switches = below("switches")?;
    // For upper switches the controller repeats the nodes of the lower switches.
    let is_all = |list: &str| list.eq_ignore_ascii_case("all");
    if switches.is_empty() && value("nodes").is_some_and(is_all) {
        network.all = Some((switch, place));
        return Ok(());
    }
    let hosts = below("nodes")?;
    // A switch or block may wait for nodes that register later; a misspelt key is no such line.
    let is_known = |(key, _): &(String, &str)| KEYS.contains(&key.as_str());
    if hosts.is_empty() && switches.is_empty() && !settings.iter().all(is_known) {
        return Err(place.bad(format!("switch {name} has neither Nodes= nor Switches=")));
    }
    for lower in &switches {
        tree.hang_again(lower, false, switch, place)?;
    }
    if !switches.is_empty() {
        network.others.push((switch, place, hosts));
        return Ok(());
    }
    for host in &hosts {
        tree.hang_again(host, true, switch, place)?;
    }
    Ok(())
}

/// The keys of lines that describe a switch or a block.
const KEYS: [&str; 8] = [
    "switchname",
    "blockname",
    "level",
    "linkspeed",
    "nodes",
    "switches",
    "blockindex",
    "blocksize",
];

/// The parts of an address such as `pod:0:1:1.n0`, a position in a torus: the name of the torus
/// with the coordinates, and the host.
fn position(line: &str) -> Option<(Vec<&str>, &str)> {
    let (position, host) = line
        .strip_prefix(VARIABLE)
        .unwrap_or(line)
        .split_once('.')?;
    let parts: Vec<&str> = position.split(':').collect();
    (parts.len() > 1 && !line.contains(char::is_whitespace)).then_some((parts, host))
}

/// Reads an address such as `spine.leaf0.n0`, with or without `SLURM_TOPOLOGY_ADDR=` before it.
/// Levels without a name are left out. Where a host is below several switches, Slurm names them in
/// brackets (`spine[1-2].leaf0.n0`), which are one switch here.
fn address<'a>(network: &mut SlurmNetwork<'a>, place: SourceLine<'a>, line: &str) -> Result<()> {
    let tree = &mut network.tree;
    let path = line.strip_prefix(VARIABLE).unwrap_or(line);
    let names: Vec<&str> = path.split('.').collect();
    let [switches @ .., host] = &names[..] else {
        return Ok(());
    };
    let switches: Vec<&str> = switches
        .iter()
        .copied()
        .filter(|name| !name.is_empty())
        .collect();
    let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    if switches.is_empty() || !is_name(host) || !switches.iter().copied().all(is_name) {
        return Err(place.bad(format!("{path:?} is not switch.switch.node")));
    }
    if path.contains(':') {
        return Err(place.bad(format!(
            "{path:?} is a position in a ring or torus, and no address tells its sizes: import it as kind \
             slurm together with the output of `scontrol show topology`"
        )));
    }
    let mut above = tree.define(switches[0], place)?;
    for switch in &switches[1..] {
        tree.define(switch, place)?;
        above = tree.hang(switch, false, above, place)?;
    }
    tree.hang(host, true, above, place)?;
    Ok(())
}

/// The name of the variable before an address, as `env` prints it.
const VARIABLE: &str = "SLURM_TOPOLOGY_ADDR=";

/// Whether a text holds addresses of tasks and nothing else. Without the name of the variable they
/// look like host names with domains, which have the last part in common; addresses have the first
/// part in common.
fn are_addresses(source: &Source) -> bool {
    let texts: Vec<&str> = lines(source).map(|(_, text)| text).collect();
    if texts.is_empty() || texts.iter().all(|text| text.starts_with(VARIABLE)) {
        return !texts.is_empty();
    }
    let is_path = |text: &&str| {
        let is_part = |part: &str, more: &str| {
            let mut chars = part.chars();
            chars.all(|c| c.is_ascii_alphanumeric() || "_-".contains(c) || more.contains(c))
        };
        text.rsplit_once('.').is_some_and(|(switches, host)| {
            let mut switches = switches.split('.');
            !host.is_empty() && is_part(host, "") && switches.all(|part| is_part(part, "[],"))
        })
    };
    let number = |part: fn(&str) -> Option<&str>| {
        let parts: BTreeSet<&str> = texts.iter().filter_map(|text| part(text)).collect();
        parts.len()
    };
    let first = number(|text| text.split('.').next());
    let last = number(|text| text.rsplit('.').next());
    texts.iter().all(is_path) && first < last
}

#[cfg(test)]
mod tests;
