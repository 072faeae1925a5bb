//! Options of heuristics, written behind the name: `--heuristic NAME:OPTION=VALUE,OPTION=VALUE`.
//!
//! A heuristic describes its options in [`About::options`](crate::heuristic::About::options) and
//! reads the values from [`Problem::options`](crate::heuristic::Problem::options). Options are for
//! what a paper leaves to the user; without an option, the paper's own value or choice holds.

/// The description of an option that a heuristic takes.
#[derive(Clone, Copy, Debug)]
pub struct MemberOption {
    /// The name that users type.
    pub name: &'static str,
    /// One line: what the option sets, and what holds without it.
    pub summary: &'static str,
    /// The values that the option takes.
    pub kind: OptionKind,
}

/// The values that an option takes.
#[derive(Clone, Copy, Debug)]
pub enum OptionKind {
    /// A whole number from this one on.
    Count(u64),
    /// A number above 0.
    Number,
    /// As many numbers of at least 0, separated by `/`.
    Numbers(usize),
    /// One of some words.
    Word(&'static [&'static str]),
}

/// The options that the user gave, with their values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemberOptions(Vec<(&'static str, OptionValue)>);

/// The value of an option.
#[derive(Clone, Debug, PartialEq)]
enum OptionValue {
    Count(u64),
    Numbers(Vec<f64>),
    Word(&'static str),
}

/// An option that a heuristic does not take, or not like this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The heuristic has no option of this name.
    #[error("no option {name:?}; {known}")]
    Unknown {
        /// The name that was given.
        name: String,
        /// The options that there are.
        known: String,
    },
    /// The option does not take this value.
    #[error("{name}={value:?}: not {expected}")]
    Value {
        /// The name of the option.
        name: &'static str,
        /// The value that was given.
        value: String,
        /// The values that the option takes.
        expected: String,
    },
    /// The option is given twice.
    #[error("{0} is given twice")]
    Twice(&'static str),
}

impl MemberOptions {
    /// The options of `text`, which is written `OPTION=VALUE,OPTION=VALUE`.
    ///
    /// # Errors
    /// [`OptionError`]: an option is not among the `known` ones, is given twice or has another
    /// value than it takes.
    pub fn parse(text: &str, known: &[MemberOption]) -> Result<Self, OptionError> {
        let mut options = Self::default();
        for given in text.split(',') {
            let (name, value) = given.split_once('=').unwrap_or((given, ""));
            let option = known.iter().find(|option| option.name == name);
            let option = option.ok_or_else(|| OptionError::Unknown {
                name: name.into(),
                known: listed(known),
            })?;
            if options.value(option.name).is_some() {
                return Err(OptionError::Twice(option.name));
            }
            let parsed = option.kind.parse(value);
            let parsed = parsed.ok_or_else(|| OptionError::Value {
                name: option.name,
                value: value.into(),
                expected: option.kind.expected(),
            })?;
            options.0.push((option.name, parsed));
        }
        Ok(options)
    }

    /// The value of an [`OptionKind::Count`], if it is given.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<u64> {
        match self.value(name)? {
            OptionValue::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// The value of an [`OptionKind::Number`], if it is given.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        self.numbers(name)?.first().copied()
    }

    /// The values of an [`OptionKind::Numbers`], if they are given.
    #[must_use]
    pub fn numbers(&self, name: &str) -> Option<&[f64]> {
        match self.value(name)? {
            OptionValue::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// The value of an [`OptionKind::Word`], if it is given.
    #[must_use]
    pub fn word(&self, name: &str) -> Option<&'static str> {
        match self.value(name)? {
            OptionValue::Word(word) => Some(word),
            _ => None,
        }
    }

    fn value(&self, name: &str) -> Option<&OptionValue> {
        let given = self.0.iter().find(|(given, _)| *given == name);
        given.map(|(_, value)| value)
    }
}

impl OptionKind {
    fn parse(self, text: &str) -> Option<OptionValue> {
        let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
        match self {
            Self::Count(least) => {
                let count = text.parse().ok().filter(|&count: &u64| count >= least);
                count.map(OptionValue::Count)
            }
            Self::Number => {
                let number = number(text).filter(|&number| number > 0.0);
                number.map(|number| OptionValue::Numbers(vec![number]))
            }
            Self::Numbers(count) => {
                let each = |part| number(part).filter(|&number| number >= 0.0);
                let numbers: Vec<f64> = text.split('/').map(each).collect::<Option<_>>()?;
                (numbers.len() == count).then_some(OptionValue::Numbers(numbers))
            }
            Self::Word(words) => {
                let word = words.iter().copied().find(|&word| word == text);
                word.map(OptionValue::Word)
            }
        }
    }

    /// The values that the option takes, in words.
    #[must_use]
    pub fn expected(self) -> String {
        match self {
            Self::Count(least) => format!("a whole number from {least} on"),
            Self::Number => "a number above 0".into(),
            Self::Numbers(count) => format!("{count} numbers of at least 0, separated by /"),
            Self::Word(words) => format!("one of {}", words.join(", ")),
        }
    }
}

fn listed(known: &[MemberOption]) -> String {
    if known.is_empty() {
        return "this heuristic has no options".into();
    }
    let names: Vec<_> = known.iter().map(|option| option.name).collect();
    format!("known are {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [MemberOption; 4] = [
        option("k", OptionKind::Count(1)),
        option("gamma", OptionKind::Number),
        option("weights", OptionKind::Numbers(2)),
        option("pins", OptionKind::Word(&["rcm", "bft"])),
    ];

    const fn option(name: &'static str, kind: OptionKind) -> MemberOption {
        MemberOption {
            name,
            summary: "",
            kind,
        }
    }

    #[test]
    fn options_hold_the_values_that_were_given() {
        let options = MemberOptions::parse("k=3,weights=1/0.5,pins=bft,gamma=2.5", &KNOWN).unwrap();
        assert_eq!(options.count("k"), Some(3));
        assert_eq!(options.numbers("weights"), Some(&[1.0, 0.5][..]));
        assert_eq!(options.word("pins"), Some("bft"));
        assert_eq!(options.number("gamma"), Some(2.5));
        let none = MemberOptions::default();
        assert_eq!((none.count("k"), none.word("pins")), (None, None));
    }

    #[test]
    fn what_is_wrong_is_named_with_what_would_be_right() {
        for (text, expected) in [
            (
                "size=3",
                "no option \"size\"; known are k, gamma, weights, pins",
            ),
            ("k=0", "k=\"0\": not a whole number from 1 on"),
            ("k", "k=\"\": not a whole number from 1 on"),
            ("gamma=-1", "gamma=\"-1\": not a number above 0"),
            ("gamma=inf", "gamma=\"inf\": not a number above 0"),
            (
                "weights=1",
                "weights=\"1\": not 2 numbers of at least 0, separated by /",
            ),
            ("pins=random", "pins=\"random\": not one of rcm, bft"),
            ("k=2,k=3", "k is given twice"),
        ] {
            let error = MemberOptions::parse(text, &KNOWN).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
        let error = MemberOptions::parse("k=2", &[]).unwrap_err();
        assert!(error.to_string().contains("no options"));
    }
}
