//! Rule files of Open MPI's component `han`, which a parameter of the run names.
//!
//! A file holds words, and comments from `#` to the end of a line:
//!
//! ```text
//! COLLECTIVES
//! ID LEVELS              of every collective: its name, or its number in Open MPI
//! LEVEL SIZES            of every level: intra_node, inter_node or global_communicator
//! MEMBERS RULES          of every size of communicators, ascending from 1
//! BYTES COMPONENT        of every rule, ascending from 0
//! ```
//!
//! `@ALGORITHM` after the component `han` names its algorithm, and numbers in brackets may follow,
//! which Open MPI ignores. Source: `ompi/mca/coll/han/coll_han_dynamic_file.c` of the branches
//! v4.1.x and v5.0.x. Like Open MPI, the reader rejects a whole file with an error in it.

use super::Algorithm;
use super::names::{Component, Level};
use crate::Call;
use rankfold_wire::Operation;

/// The names of collectives, by their numbers in Open MPI.
#[rustfmt::skip]
const COLLECTIVES: &[&str] = &[
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast",
    "exscan", "gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scan",
    "scatter", "scatterv", "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall",
    "neighbor_alltoallv", "neighbor_alltoallw",
];
/// The names of algorithms, by their numbers. Only reductions have the last one.
const ALGORITHMS: &[(&str, Option<Algorithm>)] = &[
    ("default", None),
    ("intra", Some(Algorithm::Segmented)),
    ("simple", Some(Algorithm::Simple)),
    ("reproducible", Some(Algorithm::Reproducible)),
];

/// What a file chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) component: Component,
    /// The algorithm of the component `han`. `None` stands for the default.
    pub(super) algorithm: Option<Algorithm>,
}

/// The rule for a call of the collective `name` on this level. `None` if no rule applies or the
/// file has an error.
pub(super) fn rule(text: &str, name: &str, level: Level, call: &Call<'_>) -> Option<Rule> {
    let mut words = Words(text);
    let mut found = None;
    for _ in 0..words.number().filter(|&number| number > 0)? {
        let word = words.word()?;
        let id = position(COLLECTIVES.iter().copied(), word)?;
        let rule = words.levels(level, call)?;
        if COLLECTIVES[id] == name {
            found = rule;
        }
    }
    found
}

/// The place of a name among these names, or the place with this number.
fn position<'a>(names: impl ExactSizeIterator<Item = &'a str>, word: &str) -> Option<usize> {
    let number = word.parse().ok().filter(|&number| number < names.len());
    let mut names = names;
    names.position(|name| name == word).or(number)
}

/// Bytes of a call by which files choose.
fn size(call: &Call<'_>) -> u64 {
    if call.op != Operation::Allgatherv {
        return call.size();
    }
    let blocks = (0..call.members).map(|member| call.part(member));
    let largest = blocks.max().unwrap_or(0) / u128::from(call.calls.max(1));
    u64::try_from(largest).unwrap_or(u64::MAX)
}

/// The rest of a file.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    /// The rule on this level of a collective. `Some(None)` if there is none, `None` if the file
    /// has an error.
    fn levels(&mut self, level: Level, call: &Call<'_>) -> Option<Option<Rule>> {
        let mut found = None;
        for _ in 0..self.number()? {
            let word = self.word()?;
            let own = position(Level::ALL.iter().map(|&(name, _)| name), word)?;
            let rule = self.sizes(call)?;
            if Level::ALL[own].1 == level {
                found = rule;
            }
        }
        Some(found)
    }

    /// The rule for the members of a call.
    fn sizes(&mut self, call: &Call<'_>) -> Option<Option<Rule>> {
        let mut found = None;
        for nth in 0..self.number()? {
            let least = self.number()?;
            if least < 1 || nth == 0 && least > 1 {
                return None;
            }
            let rule = self.rules(call)?;
            if least <= call.members as u64 {
                found = rule;
            }
        }
        Some(found)
    }

    /// The rule for the bytes of a call.
    fn rules(&mut self, call: &Call<'_>) -> Option<Option<Rule>> {
        let mut found = None;
        for nth in 0..self.number()? {
            let least = self.number()?;
            if nth == 0 && least > 1 {
                return None;
            }
            let component = Component::named(self.word()?)?;
            let algorithm = if component == Component::Han && self.takes('@') {
                let word = self.word()?;
                let own = position(ALGORITHMS.iter().map(|&(name, _)| name), word)?;
                ALGORITHMS[own].1
            } else {
                None
            };
            if self.takes('[') {
                while !self.takes(']') {
                    self.number()?;
                }
            }
            if least <= size(call) {
                found = Some(Rule {
                    component,
                    algorithm,
                });
            }
        }
        Some(found)
    }

    /// The next number. Like Open MPI, the reader leaves out everything before it.
    fn number(&mut self) -> Option<u64> {
        loop {
            self.0 = self.0.trim_start();
            let is_sign = |at: usize, letter: char| at == 0 && matches!(letter, '-' | '+');
            let end = self
                .0
                .char_indices()
                .find(|&(at, letter)| !letter.is_ascii_digit() && !is_sign(at, letter));
            let (number, rest) = self.0.split_at(end.map_or(self.0.len(), |(at, _)| at));
            if let Ok(number) = number.parse::<i64>() {
                self.0 = rest;
                return u64::try_from(number).ok();
            }
            let mut letters = self.0.chars();
            match letters.next()? {
                '#' => self.skip_line(),
                _ => self.0 = letters.as_str(),
            }
        }
    }

    /// The next word that does not begin a comment.
    fn word(&mut self) -> Option<&'a str> {
        loop {
            self.0 = self.0.trim_start();
            if !self.0.starts_with('#') {
                let end = self.0.find(char::is_whitespace).unwrap_or(self.0.len());
                let (word, rest) = self.0.split_at(end);
                self.0 = rest;
                return (!word.is_empty()).then_some(word);
            }
            self.skip_line();
        }
    }

    /// Whether this letter comes next, after spaces and comments. If so, it is taken.
    fn takes(&mut self, letter: char) -> bool {
        loop {
            self.0 = self.0.trim_start();
            if let Some(rest) = self.0.strip_prefix(letter) {
                self.0 = rest;
                return true;
            }
            if !self.0.starts_with('#') {
                return false;
            }
            self.skip_line();
        }
    }

    fn skip_line(&mut self) {
        self.0 = self.0.split_once('\n').map_or("", |(_, rest)| rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MpiLibrary;

    const FILE: &str = "2 # collectives\n\
        bcast 3\n\
        intra_node 1\n\
        1 1\n\
        0 basic\n\
        global_communicator 2 # two sizes\n\
        1 1\n\
        0 tuned\n\
        8 2\n\
        0 han @simple\n\
        1024 han @ intra [ 64 128 ]\n\
        inter_node 1\n\
        1 1\n\
        0 adapt\n\
        11 1\n\
        2 1\n\
        1 1\n\
        0 han @3\n";

    fn of(text: &str, op: Operation, level: Level, members: usize, bytes: u64) -> Option<Rule> {
        let library = MpiLibrary::default();
        let name = super::super::name(op).expect("a name");
        rule(text, name, level, &Call::new(op, members, bytes, &library))
    }

    #[test]
    fn a_rule_holds_for_its_level_and_from_its_members_and_bytes_on() {
        let bcast = |level, members, bytes| {
            let rule = of(FILE, Operation::Bcast, level, members, bytes).expect("a rule");
            (rule.component, rule.algorithm)
        };
        assert_eq!(bcast(Level::IntraNode, 2, 8), (Component::Basic, None));
        assert_eq!(bcast(Level::InterNode, 99, 8), (Component::Adapt, None));
        assert_eq!(bcast(Level::Whole, 7, 1 << 20), (Component::Tuned, None));
        let han = |algorithm| (Component::Han, Some(algorithm));
        assert_eq!(bcast(Level::Whole, 8, 1023), han(Algorithm::Simple));
        assert_eq!(bcast(Level::Whole, 8, 1024), han(Algorithm::Segmented));
        let reduce = |level| of(FILE, Operation::Reduce, level, 4, 8);
        let algorithm = reduce(Level::Whole).and_then(|rule| rule.algorithm);
        assert_eq!(algorithm, Some(Algorithm::Reproducible));
        assert_eq!(reduce(Level::IntraNode), None);
        assert_eq!(of(FILE, Operation::Gather, Level::Whole, 4, 8), None);
    }

    #[test]
    fn a_file_with_an_error_has_no_rules() {
        let whole = |text: &str| of(text, Operation::Bcast, Level::Whole, 4, 8);
        assert!(whole("1 bcast 1 2 1 1 1 0 basic").is_some());
        for text in [
            "",
            "0",
            "2 bcast 1 2 1 1 1 0 basic",
            "1 broadcast 1 2 1 1 1 0 basic",
            "1 bcast 1 3 1 1 1 0 basic",
            "1 bcast 1 2 1 2 1 0 basic",
            "1 bcast 1 2 1 1 1 8 basic",
            "1 bcast 1 2 1 1 1 0 1",
            "1 bcast 1 2 1 1 1 0 han @fast",
            "1 bcast 1 2 1 1 1 0 basic [ 64",
        ] {
            assert_eq!(whole(text), None, "{text:?}");
        }
    }
}
