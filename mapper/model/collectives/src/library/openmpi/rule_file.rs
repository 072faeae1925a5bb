//! Rule files of Open MPI's component `tuned`, which a parameter of the run names.
//!
//! A file holds numbers, and comments from `#` to the end of a line:
//!
//! ```text
//! COLLECTIVES
//! ID SIZES                        of every collective: its number in Open MPI
//! MEMBERS RULES                   of every size of communicators, ascending
//! BYTES ALGORITHM FANOUT SEGMENT  of every rule, ascending
//! ```
//!
//! A first line `rule-file-version-2` allows a fifth number in rules. Source:
//! `ompi/mca/coll/tuned/coll_tuned_dynamic_file.c` and `coll_tuned_dynamic_rules.c` of Open MPI
//! 5.0.10. Like Open MPI, the reader rejects a whole file with an error in it.

/// The beginning of the line that states a version.
const VERSION: &str = "rule-file-version-";

/// An algorithm of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// The number that Open MPI's parameter gives the algorithm; not 0.
    pub(super) number: u8,
    /// Number of chains of an algorithm that has several.
    pub(super) chains: usize,
}

impl Choice {
    /// `None` for number 0, which stands for the fixed rules, and for numbers of no algorithm.
    pub(super) fn of(number: u64, chains: u64) -> Option<Self> {
        let number = u8::try_from(number).ok().filter(|&number| number > 0)?;
        let chains = usize::try_from(chains).unwrap_or(usize::MAX);
        Some(Self { number, chains })
    }
}

/// The rule for a collective with this number in Open MPI, on so many members, with a message of
/// `size` bytes. `None` if no rule applies or the file has an error.
pub(super) fn rule(text: &str, collective: u64, members: usize, size: u64) -> Option<Choice> {
    let mut numbers = Numbers::of(text);
    let mut found = None;
    for _ in 0..numbers.next()? {
        let id = numbers.next()?;
        let mut rules = None;
        for nth in 0..numbers.next()? {
            let least = numbers.next()?;
            let own = numbers.rules(size)?;
            // Smaller communicators than the first size also follow its rules.
            if nth == 0 || least <= members as u64 {
                rules = own;
            }
        }
        if id == collective {
            found = rules;
        }
    }
    found
}

/// The numbers of a file, in order.
struct Numbers<'a> {
    /// The words that are left, without comments; the last ones come first.
    lines: Vec<Vec<&'a str>>,
    has_fifth: bool,
}

impl<'a> Numbers<'a> {
    fn of(text: &'a str) -> Self {
        let version = text.strip_prefix(VERSION);
        let lines = text.lines().skip(usize::from(version.is_some()));
        let words = |line: &'a str| -> Vec<&'a str> {
            let line = line.split('#').next().unwrap_or_default();
            line.split_whitespace().rev().collect()
        };
        let mut lines: Vec<Vec<&str>> = lines.map(words).collect();
        lines.reverse();
        Self {
            lines,
            has_fifth: version.is_some_and(|version| !version.trim_start().starts_with('1')),
        }
    }

    /// The next number. Like Open MPI, the reader leaves out the rest of a line after a word that
    /// is no number.
    fn next(&mut self) -> Option<u64> {
        loop {
            let line = self.lines.last_mut()?;
            match line.pop().map(str::parse::<i64>) {
                Some(Ok(number)) => return u64::try_from(number).ok(),
                Some(Err(_)) => line.clear(),
                None => {}
            }
            if line.is_empty() {
                self.lines.pop();
            }
        }
    }

    /// The rules for one size of communicators: the one for messages of `size` bytes. `Some(None)`
    /// if it leaves the choice to the fixed rules.
    fn rules(&mut self, size: u64) -> Option<Option<Choice>> {
        let mut chosen = None;
        for nth in 0..self.next()? {
            let [least, number, fanout, _] =
                [self.next()?, self.next()?, self.next()?, self.next()?];
            if self.has_fifth && self.lines.last().is_some_and(|line| !line.is_empty()) {
                self.next()?;
            }
            // A file whose first rule is not for all sizes is rejected.
            if nth == 0 && least > 0 {
                return None;
            }
            if nth == 0 || least <= size {
                chosen = Choice::of(number, fanout);
            }
        }
        Some(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "2 # collectives\n\
        7 # broadcasts\n\
        2 # sizes of communicators\n\
        4 2\n\
        0 3 0 0\n\
        1024 6 0 0\n\
        16 1\n\
        0 0 0 0\n\
        2\n\
        1\n\
        1 1\n\
        0 3 2 0 # recursive doubling\n";

    fn number(text: &str, collective: u64, members: usize, size: u64) -> Option<u8> {
        rule(text, collective, members, size).map(|choice| choice.number)
    }

    #[test]
    fn a_rule_holds_from_its_members_and_bytes_on() {
        let of = |members, size| number(FILE, 7, members, size);
        assert_eq!(
            [of(4, 8), of(15, 1024), of(2, 1023)],
            [Some(3), Some(6), Some(3)]
        );
        // Algorithm 0 leaves the choice to the fixed rules.
        assert_eq!(of(16, 8), None);
        assert_eq!(number(FILE, 2, 64, 1 << 20), Some(3));
        assert_eq!(number(FILE, 9, 4, 8), None);
    }

    #[test]
    fn a_file_of_version_2_may_have_a_fifth_number() {
        let file = "rule-file-version-2\n1\n3\n1\n1 2\n0 2 0 0 7\n64 4 0 0\n";
        assert_eq!(
            [number(file, 3, 4, 0), number(file, 3, 4, 64)],
            [Some(2), Some(4)]
        );
        // The same numbers without the version are one too many for the first rule.
        let (_, old) = file.split_once('\n').unwrap();
        assert_ne!(number(old, 3, 4, 64), Some(4));
    }

    #[test]
    fn a_file_with_an_error_has_no_rules() {
        for text in [
            "",
            "1",
            "1\n7\n1\n1 1\n8 3 0 0\n",
            "1\n7\n1\n1 1\n0 -3 0 0\n",
        ] {
            assert_eq!(number(text, 7, 4, 8), None, "{text:?}");
        }
    }
}
