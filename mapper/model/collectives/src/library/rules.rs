//! Rules by which libraries choose algorithms: text files beside their models, compiled in.
//!
//! ```text
//! # A comment.
//! bcast                    The rules of a table follow.
//!   3: 0 chain, 512 star   Up to 3 members: from 0 bytes on the one, from 512 on the other.
//!   any: 0 star            The first rule holds whose bounds no value exceeds.
//! ```
//!
//! A rule may have several bounds, such as the most hosts and the most members on a host.

/// The rules of a library, by the names of its tables.
pub(super) struct Rules<T>(Vec<Rule<T>>);

struct Rule<T> {
    table: &'static str,
    /// The most that each value may be.
    most: Vec<usize>,
    /// The size from which on each algorithm is used, ascending.
    sizes: Vec<(u64, T)>,
}

impl<T: Copy> Rules<T> {
    /// Reads a file that is compiled in. `algorithm` reads the name of an algorithm.
    ///
    /// # Panics
    /// Panics if the file has an error.
    pub(super) fn of(text: &'static str, algorithm: impl Fn(&str) -> Option<T>) -> Self {
        let mut rules = Self(Vec::new());
        let mut table = "";
        for line in text.lines().map(str::trim) {
            match line.split_once(':') {
                _ if line.is_empty() || line.starts_with('#') => {}
                None => table = line,
                Some((most, sizes)) => {
                    let rule = Rule::read(table, most, sizes, &algorithm);
                    rules
                        .0
                        .push(rule.unwrap_or_else(|| panic!("{table}: no rule: {line}")));
                }
            }
        }
        rules
    }

    /// The algorithm of a table for a size. `None` if no rule holds.
    pub(super) fn choice(&self, table: &str, values: &[usize], size: u64) -> Option<T> {
        let mut own = self.0.iter().filter(|rule| rule.table == table);
        let rule = own.find(|rule| values.iter().zip(&rule.most).all(|(own, most)| own <= most))?;
        let fitting = rule.sizes.iter().rev().find(|(from, _)| size >= *from);
        fitting.map(|&(_, algorithm)| algorithm)
    }
}

impl<T> Rule<T> {
    fn read(
        table: &'static str,
        most: &str,
        sizes: &str,
        algorithm: impl Fn(&str) -> Option<T>,
    ) -> Option<Self> {
        let bound = |word: &str| match word {
            "any" => Some(usize::MAX),
            number => number.parse().ok(),
        };
        let size = |part: &str| {
            let (from, name) = part.trim().split_once(' ')?;
            Some((from.parse().ok()?, algorithm(name)?))
        };
        Some(Self {
            table,
            most: most.split(' ').map(bound).collect::<Option<_>>()?,
            sizes: sizes.split(',').map(size).collect::<Option<_>>()?,
        })
    }
}
