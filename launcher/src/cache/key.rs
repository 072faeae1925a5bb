//! What makes two runs the same: program, shape of the arguments, ranks, machine.

use crate::launch::Launch;
use std::env;
use std::ffi::OsString;
use std::path::Path;

/// A run, as far as its map depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// The programs, by path where they were given by one.
    pub(crate) programs: Vec<String>,
    /// The [shape] of the arguments of each.
    pub(crate) shapes: Vec<Vec<String>>,
    /// Of all programs; `None` where the launcher decides.
    pub(crate) ranks: Option<usize>,
    /// The [cluster], or what `--machine` says.
    pub(crate) machine: String,
}

impl Key {
    /// The key of a launch on a machine.
    pub(crate) fn new(launch: &Launch, ranks: Option<usize>, machine: &str) -> Self {
        let program = |words: &[OsString]| {
            let typed = Path::new(&words[0]);
            let path = match typed.components().count() {
                1 => typed.to_owned(),
                _ => typed.canonicalize().unwrap_or_else(|_| typed.to_owned()),
            };
            path.to_string_lossy().into_owned()
        };
        let apps = || launch.apps.iter().map(|app| &app.program[..]);
        Self {
            programs: apps().map(program).collect(),
            shapes: apps().map(|words| shape(&words[1..])).collect(),
            ranks,
            machine: machine.to_owned(),
        }
    }

    /// A name for it: that of the program, and a number.
    pub(crate) fn name(&self) -> String {
        let program = Path::new(&self.programs[0]).file_name().unwrap_or_default();
        let clean = |c: char| {
            if c.is_ascii_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '_'
            }
        };
        let program: String = program
            .to_string_lossy()
            .chars()
            .take(40)
            .map(clean)
            .collect();
        let whole = format!("{self:?}");
        format!("{program}-{:08x}", crc32fast::hash(whole.as_bytes()))
    }
}

/// What stays the same when a program is given other numbers: every run of digits is `#`.
pub(crate) fn shape(arguments: &[OsString]) -> Vec<String> {
    let shaped = |word: &OsString| digits_out(&word.to_string_lossy());
    arguments.iter().map(shaped).collect()
}

fn digits_out(word: &str) -> String {
    let mut shaped = String::new();
    for c in word.chars() {
        if !c.is_ascii_digit() {
            shaped.push(c);
        } else if !shaped.ends_with('#') {
            shaped.push('#');
        }
    }
    shaped
}

/// What this cluster is called: as Slurm says, or else by what its hosts have in common.
pub(crate) fn cluster(hosts: &[String]) -> String {
    let named = env::var("SLURM_CLUSTER_NAME").or_else(|_| env::var("LSB_CLUSTER_NAME"));
    if let Ok(name) = named
        && !name.is_empty()
    {
        return name;
    }
    let mut patterns: Vec<String> = hosts.iter().map(|host| digits_out(host)).collect();
    patterns.sort_unstable();
    let runs = patterns.chunk_by(|a, b| a == b);
    let most = runs.max_by_key(|run| run.len());
    most.map_or_else(|| "hosts".into(), |run| run[0].clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_numbers_make_the_same_shape_and_other_words_another() {
        let shape = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            super::shape(&words)
        };
        assert_eq!(
            shape("-in in.lj -steps 100"),
            shape("-in in.lj -steps 2000")
        );
        assert_eq!(shape("run_0001.dat"), ["run_#.dat"]);
        assert_ne!(shape("-in in.lj"), shape("-in in.eam"));
        assert_ne!(shape("4 4 10"), shape("4 4"));
    }

    #[test]
    fn names_differ_where_anything_does() {
        let key = Key {
            programs: vec!["/opt/app x".into()],
            shapes: vec![vec!["#".into()]],
            ranks: Some(16),
            machine: "n#".into(),
        };
        assert!(key.name().starts_with("app_x-"), "{}", key.name());
        let others = [
            Key {
                ranks: Some(32),
                ..key.clone()
            },
            Key {
                machine: "m#".into(),
                ..key.clone()
            },
            Key {
                shapes: vec![vec![]],
                ..key.clone()
            },
            Key {
                programs: vec!["/home/app x".into()],
                ..key.clone()
            },
        ];
        assert!(others.iter().all(|other| other.name() != key.name()));
    }

    #[test]
    fn a_cluster_without_a_name_is_what_most_hosts_are_called() {
        let hosts = ["login1", "n01", "n02"].map(String::from);
        if env::var_os("SLURM_CLUSTER_NAME").is_none() {
            assert_eq!(cluster(&hosts), "n#");
        }
    }
}
