//! The options that say what ranks measure besides counting what they send.

use crate::session::CountingOptions;
use std::ffi::OsString;

/// Options of `rankfold profile`, also for every launch of a script.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct CountingArgs {
    /// Measure the time inside MPI too, by rank and kind of call
    #[arg(long)]
    pub(super) time: bool,
    /// What to record of collectives: their calls (counted), or also what Open MPI sends inside
    /// them (measured), which its component monitoring reports message by message
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub(super) collectives: CollectivesRecord,
}

/// `--collectives` of `rankfold profile`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum CollectivesRecord {
    #[default]
    Counted,
    Measured,
}

impl CountingArgs {
    /// What the ranks of a launch count.
    pub(super) fn options(self) -> CountingOptions {
        CountingOptions {
            monitored: self.collectives == CollectivesRecord::Measured,
            ..CountingOptions::timed(self.time)
        }
    }

    /// The words of a command line with these options.
    pub(super) fn words(self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        words.extend(self.time.then(|| "--time".into()));
        if self.collectives == CollectivesRecord::Measured {
            words.extend(["--collectives".into(), "measured".into()]);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        counting: CountingArgs,
    }

    #[test]
    fn the_words_of_the_options_are_read_back() {
        for line in [
            &["app"][..],
            &["app", "--time"],
            &["app", "--time", "--collectives", "measured"],
        ] {
            let read = Line::try_parse_from(line).unwrap();
            assert_eq!(read.counting.words(), line[1..]);
            let options = read.counting.options();
            assert_eq!(options.monitored, line.len() > 2);
            assert_eq!(options.time.is_some(), line.len() > 1);
        }
    }
}
