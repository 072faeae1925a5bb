//! The key of a remembered run: everything that its map depends on.

use rankfold_launch::launch::script;
use rankfold_mapper::cli::search_key::SearchKey;
use schemars::JsonSchema;
use serde::Serialize;
use std::ffi::OsString;
use std::path::Path;

/// The version of the serialised form of a [`Key`].
pub(super) const VERSION: u32 = 3;

/// Letters of a program's name that the name of its entry begins with. Chosen by hand, to keep
/// `rankfold cache list` narrow.
const NAME_LETTERS: usize = 40;

/// A run, described by everything that its map depends on. Two runs with equal keys use the same
/// entry of the cache.
///
/// The machine is not part of the key: an entry says which machine its map was made for, and
/// another machine gives the entry another map.
///
/// The key is stored as JSON. A test pins that form: a change of it makes every user's entries
/// unreachable. Whoever changes it raises `VERSION`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Key {
    /// Version of this form of the key.
    pub(super) version: u32,
    /// The programs of the launch, or the scripts that interpreters run: absolute paths, or names
    /// that are looked up in `PATH`.
    pub(super) programs: Vec<String>,
    /// The arguments of each program, with `#` in place of every number.
    pub(super) shapes: Vec<Vec<String>>,
    /// The name of the [cluster](super::cluster).
    pub(super) cluster: String,
    #[serde(flatten)]
    pub(super) ranks: RanksAndHosts,
    #[serde(flatten)]
    pub(super) options: MapOptions,
}

/// How many ranks a launch starts, and on how many hosts, as far as the user says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RanksAndHosts {
    /// The number of ranks of all programs; `None` where the launcher chooses it.
    pub ranks: Option<usize>,
    /// Where the launcher chooses the number of ranks: the slots of the job's hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<u64>,
    /// The [options and variables](rankfold_launch::launch::Launch::layout) of the launcher that
    /// distribute the ranks over hosts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layout: Vec<String>,
}

/// The options of `rankfold run` that a map depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MapOptions {
    /// `--cores`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// `--collectives`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collectives: Option<String>,
    /// The options of the search.
    pub search: SearchKey,
}

impl Key {
    /// The key of a run of `programs`, each with its arguments.
    pub fn new<'a>(
        programs: impl Iterator<Item = &'a [OsString]> + Clone,
        ranks: RanksAndHosts,
        cluster: &str,
        options: MapOptions,
    ) -> Self {
        Self {
            version: VERSION,
            programs: programs
                .clone()
                .map(|words| program(named(words)))
                .collect(),
            shapes: programs.map(shape_of_all_but_the_name).collect(),
            cluster: cluster.to_owned(),
            ranks,
            options,
        }
    }

    /// The name of the entry of such runs: that of the program, and a checksum of the whole key.
    pub fn name(&self) -> String {
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
            .take(NAME_LETTERS)
            .map(clean)
            .collect();
        format!("{program}-{:08x}", crc32fast::hash(self.text().as_bytes()))
    }

    /// The key as JSON, in the order of its fields.
    fn text(&self) -> String {
        // Writing fails only for maps whose keys are no strings. There is none here.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The key as it is stored in an entry.
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// The word that names a program: the script that an interpreter runs, or the program itself.
fn named(words: &[OsString]) -> &OsString {
    &words[script(words).unwrap_or(0)]
}

/// The [shape] of all words of a program but the one that names it. An interpreter and its options
/// stand before the arguments of its script.
fn shape_of_all_but_the_name(words: &[OsString]) -> Vec<String> {
    let at = script(words).unwrap_or(0);
    [shape(&words[..at]), shape(&words[at + 1..])].concat()
}

/// A program as it is named in keys: its absolute path, or its name where `PATH` decides.
fn program(typed: &OsString) -> String {
    let typed = Path::new(typed);
    let path = if typed.components().count() == 1 {
        typed.to_owned()
    } else {
        typed.canonicalize().unwrap_or_else(|_| typed.to_owned())
    };
    path.to_string_lossy().into_owned()
}

/// The arguments of a program with `#` in place of every number. Runs that differ in nothing but
/// numbers (steps, sizes, names of numbered files) share a map.
pub(crate) fn shape(arguments: &[OsString]) -> Vec<String> {
    let shaped = |word: &OsString| digits_out(&word.to_string_lossy());
    arguments.iter().map(shaped).collect()
}

/// The word with one `#` in place of every run of digits.
pub(super) fn digits_out(word: &str) -> String {
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use clap::Parser;
    use rankfold_mapper::cli::options::SearchArgs;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        search: SearchArgs,
    }

    /// The key of `ring 5` on four ranks of the cluster `vm`, with these options of the search.
    pub(crate) fn ring(line: &str) -> Key {
        let words = ["run"].into_iter().chain(line.split_whitespace());
        let search = Line::try_parse_from(words).unwrap().search;
        let words = ["ring", "5"].map(OsString::from);
        let options = MapOptions {
            cores: None,
            collectives: None,
            search: search.key(),
        };
        let programs = [&words[..]];
        let ranks = RanksAndHosts {
            ranks: Some(4),
            ..RanksAndHosts::default()
        };
        Key::new(programs.into_iter(), ranks, "vm", options)
    }

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

    /// Entries of all users are stored under names that come from these texts.
    #[test]
    fn the_stored_form_of_keys_stays() {
        let plain = ring("");
        assert_eq!(
            plain.text(),
            r##"{"version":3,"programs":["ring"],"shapes":[["#"]],"cluster":"vm","ranks":4,"search":{"heuristic":"auto","refine":true,"objective":"time","exchange":"auto","seed":0}}"##
        );
        assert_eq!(plain.name(), "ring-2e34efa8");
        let mut full = ring(
            "--heuristic ohtma --no-refine --loops 7 --objective hop-bytes --exchange pairwise --effort best --time 1.5 --seed 3",
        );
        full.ranks = RanksAndHosts {
            ranks: None,
            slots: Some(16),
            layout: vec!["-N 4".into(), "SLURM_NTASKS=8".into()],
        };
        full.options.cores = Some(2);
        full.options.collectives = Some("ring".into());
        assert_eq!(
            full.text(),
            r##"{"version":3,"programs":["ring"],"shapes":[["#"]],"cluster":"vm","ranks":null,"slots":16,"layout":["-N 4","SLURM_NTASKS=8"],"cores":2,"collectives":"ring","search":{"heuristic":"ohtma","refine":false,"loops":7,"objective":"hop-bytes","exchange":"pairwise","effort":"best","time":{"secs":1,"nanos":500000000},"seed":3}}"##
        );
        assert_eq!(full.name(), "ring-52fe86c8");
    }

    #[test]
    fn a_program_of_an_interpreter_is_named_by_its_script() {
        let key = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let options = ring("").options;
            let programs = [&words[..]];
            Key::new(
                programs.into_iter(),
                RanksAndHosts::default(),
                "vm",
                options,
            )
        };
        let name = key("python3 -u solver.py 100").name();
        assert!(name.starts_with("solver.py-"), "{name}");
        assert_eq!(name, key("python3 -u solver.py 200").name());
        assert_ne!(name, key("python3 -u other.py 100").name());
        assert_ne!(name, key("python3 solver.py 100").name());
    }

    #[test]
    fn the_number_of_threads_is_no_part_of_a_key() {
        let plain = ring("");
        assert_eq!(plain, ring("--threads 4"));
        assert_ne!(plain.name(), ring("--seed 4").name());
    }

    #[test]
    fn names_differ_where_any_part_of_the_key_differs() {
        let mut key = ring("");
        key.programs = vec!["/opt/app x".into()];
        assert!(key.name().starts_with("app_x-"), "{}", key.name());
        let with = |change: fn(&mut Key)| {
            let mut other = key.clone();
            change(&mut other);
            other.name()
        };
        let others = [
            with(|key| key.ranks.ranks = Some(32)),
            with(|key| key.ranks.slots = Some(32)),
            with(|key| key.ranks.layout = vec!["-N 4".into()]),
            with(|key| key.cluster = "m#".into()),
            with(|key| key.shapes = vec![vec![]]),
            with(|key| key.programs = vec!["/home/app x".into()]),
            with(|key| key.options.cores = Some(2)),
            with(|key| key.options.collectives = Some("ring".into())),
            with(|key| key.options.search.seed = 1),
        ];
        assert!(others.iter().all(|other| *other != key.name()));
    }
}
