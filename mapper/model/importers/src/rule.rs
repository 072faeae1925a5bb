//! Derives the network from host names that encode positions, such as `x1000c0s1b0n1`: cabinet
//! 1000, chassis 0, ...

use super::layers::{self, PlacedHost};
use super::technology::Technology;
use super::{Result, Source, SourceLine, lines};
use rankfold_machine::Description;
use regex_lite::Regex;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// A named rule for the host names of some kind of machine.
pub struct Preset {
    /// Name of the preset.
    pub name: &'static str,
    /// The rule, in the syntax of [`Rule`].
    pub rule: &'static str,
    /// The kind of machine and the levels of its network, for help.
    pub about: &'static str,
    /// Whether host names of other machines never match the rule.
    pub unmistakable: bool,
}

/// All presets.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "cray-ex",
        rule: r"x(\d+)c(\d+)s\d+b\d+n\d+",
        about: "HPE Cray EX: cabinet and chassis, as in x1000c0s1b0n1",
        unmistakable: true,
    },
    Preset {
        name: "aurora",
        rule: r"x(\d{4})c(\d)s\d+b\d+n\d+",
        about: "Aurora: rack, which is a dragonfly group, and chassis",
        unmistakable: false,
    },
    Preset {
        name: "archer2",
        rule: r"nid(\d+) by 128 from 1000",
        about: "ARCHER2: dragonfly groups of 128 nodes, counted from nid001000",
        unmistakable: false,
    },
];

/// A rule that derives the switches above a host from the name of the host.
///
/// The rule is a regular expression that matches the whole name up to its domain. The groups of the
/// expression match the switches, from the outermost in. A suffix ` by N` or ` by N from M` says
/// that the last group is a number, and that N consecutive hosts, counted from M, have one switch.
///
/// ```
/// use rankfold_importers::{Rule, Source};
///
/// let rule: Rule = r"r(\d)n(\d)".parse().expect("a pattern with groups");
/// let hosts = Source { file: "hosts".into(), text: "r0n0\nr0n1\nr1n0\nr1n1".into() };
/// let machine = rule.describe(&hosts)?.to_string();
/// assert!(machine.contains(r#"["r0", "network"]"#), "{machine}"); // the node is the host itself
/// # Ok::<(), rankfold_importers::ImportError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rule {
    pattern: Regex,
    /// The number of consecutive hosts with one switch, and the number of the first host.
    by: Option<(u64, u64)>,
}

/// What stands before and behind the user's pattern, so that it has to match whole names.
const BEFORE: &str = "^(?:";
const BEHIND: &str = ")$";

impl FromStr for Rule {
    type Err = String;

    /// Reads the name of a preset, or a rule.
    fn from_str(text: &str) -> Result<Self, String> {
        let named = PRESETS.iter().find(|preset| preset.name == text);
        let text = named.map_or(text, |preset| preset.rule);
        let (pattern, by) = match text.split_once(" by ") {
            None => (text, None),
            Some((pattern, by)) => {
                let (size, from) = by.split_once(" from ").unwrap_or((by, "0"));
                let number = |word: &str| {
                    let number = word.trim().parse::<u64>();
                    number.map_err(|_| format!("{word:?} is no number of hosts"))
                };
                let (size, from) = (number(size)?, number(from)?);
                if size == 0 {
                    return Err("groups of 0 hosts hold none".into());
                }
                (pattern, Some((size, from)))
            }
        };
        let whole = format!("{BEFORE}{pattern}{BEHIND}");
        let pattern = Regex::new(&whole).map_err(|error| format!("no pattern: {error}"))?;
        if pattern.captures_len() < 2 {
            let known: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            return Err(format!(
                "a pattern needs a group (in round brackets) for every level; by name there are {}",
                known.join(", ")
            ));
        }
        Ok(Self { pattern, by })
    }
}

impl Display for Rule {
    /// Writes the rule as [`FromStr`] reads it. The name of a preset is replaced by its rule.
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let whole = self.pattern.as_str();
        let pattern = whole
            .strip_prefix(BEFORE)
            .and_then(|rest| rest.strip_suffix(BEHIND));
        write!(f, "{}", pattern.unwrap_or(whole))?;
        match self.by {
            Some((size, from)) => write!(f, " by {size} from {from}"),
            None => Ok(()),
        }
    }
}

impl Rule {
    /// Whether the name of a host matches the rule.
    #[must_use]
    pub fn fits(&self, host: &str) -> bool {
        self.switches(host).is_some()
    }

    /// The machine of the hosts that a source names, one on each line.
    ///
    /// # Errors
    /// [`ImportError`](super::ImportError) with the line of a host that does not match the rule.
    pub fn describe(&self, source: &Source) -> Result<Description> {
        let mut hosts: Vec<PlacedHost> = Vec::new();
        for (place, line) in lines(source) {
            let host = line.split_whitespace().next().unwrap_or_default();
            if host.starts_with('#') {
                continue;
            }
            let Some(switches) = self.switches(host) else {
                let pattern = self.pattern.as_str();
                return Err(place.bad(format!("host {host} is not named by the rule {pattern}")));
            };
            hosts.push((place, host.to_owned(), switches));
        }
        let mut description = layers::describe(&hosts, SourceLine { source, line: 1 })?;
        self.technology().complete(&mut description);
        Ok(description)
    }

    /// The machines of all presets have Slingshot.
    fn technology(&self) -> Technology {
        let rule = self.to_string();
        let is_preset = PRESETS.iter().any(|preset| preset.rule == rule);
        if is_preset {
            Technology::Adaptive
        } else {
            Technology::Unknown
        }
    }

    /// The names of the switches above a host, from the outermost in: the parts of its name up to
    /// the end of each group.
    pub(super) fn switches(&self, host: &str) -> Option<Vec<String>> {
        let short = host.split('.').next().unwrap_or(host);
        let found = self.pattern.captures(short)?;
        let groups: Vec<_> = found.iter().skip(1).flatten().collect();
        let mut names: Vec<String> = groups
            .iter()
            .map(|group| short[..group.end()].to_owned())
            .collect();
        if let Some((size, from)) = self.by {
            let last = groups.last()?;
            let number: u64 = last.as_str().parse().ok()?;
            let group = number.checked_sub(from)? / size;
            names.pop();
            names.push(format!("{}group{group}", &short[..last.start()]));
        }
        // A switch must not have the name of its host.
        names.retain(|name| name != short);
        Some(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(rule: &str, hosts: &str) -> Result<Description> {
        let source = Source {
            file: "hosts".into(),
            text: hosts.into(),
        };
        rule.parse::<Rule>().unwrap().describe(&source)
    }

    const EX: &str = "x1000c0s0b0n0\nx1000c0s0b0n1\nx1000c1s0b0n0.site\nx1000c1s0b1n0\nx1001c0s0b0n0\n\
                      x1001c0s0b0n1\n";

    #[test]
    fn names_of_a_cray_ex_tell_cabinet_and_chassis() {
        for rule in ["cray-ex", "aurora", r"x(\d+)c(\d)s\d+b\d+n\d+"] {
            let machine = describe(rule, EX).unwrap();
            let switches = ["network", "x1000", "x1000c0", "x1000c1", "x1001", "x1001c0"];
            assert_eq!(machine.switches, switches, "{rule}");
            assert_eq!(machine.hosts[2], "x1000c1s0b0n0.site");
        }
    }

    #[test]
    fn a_rule_is_written_as_it_is_read() {
        for rule in [r"x(\d+)c(\d+)n\d+", r"nid(\d+) by 128 from 1000"] {
            assert_eq!(rule.parse::<Rule>().unwrap().to_string(), rule);
        }
        let preset = "archer2".parse::<Rule>().unwrap();
        assert_eq!(preset.to_string(), PRESETS[2].rule);
    }

    #[test]
    fn a_level_that_parts_no_hosts_is_left_out() {
        let all = describe(r"x(\d+)c(\d)s(\d)b(\d)n(\d)", EX).unwrap();
        assert!(all.switches.contains(&"x1000c0s0b0".into()), "{all}");
        assert!(!all.switches.contains(&"x1000c0s0".into()), "{all}");
        let one = describe("cray-ex", "x1000c0s0b0n0\nx1000c0s1b0n0").unwrap();
        assert_eq!(one.switches, ["network"]);
    }

    #[test]
    fn numbers_in_a_row_make_groups() {
        let machine = describe("archer2", "nid001000\nnid001127\nnid001128\nnid002000").unwrap();
        assert_eq!(
            machine.switches,
            ["network", "nidgroup0", "nidgroup1", "nidgroup7"]
        );
    }

    #[test]
    fn wrong_rules_and_other_names_are_explained() {
        for (rule, problem) in [
            ("x(", "no pattern"),
            (r"x\d+", "needs a group"),
            (r"n(\d+) by 0", "groups of 0 hosts"),
            (r"n(\d+) by many", "\"many\" is no number"),
        ] {
            let error = rule.parse::<Rule>().unwrap_err();
            assert!(error.contains(problem), "{rule}: {error}");
        }
        let error = describe("cray-ex", "x1000c0s0b0n0\n\nlogin1")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("hosts:3: host login1 is not named by"),
            "{error}"
        );
    }
}
