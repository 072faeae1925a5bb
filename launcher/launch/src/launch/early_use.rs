//! Launches whose words use the number that the launcher gives a rank. Whoever reads it before
//! `MPI_Init`, or apart from the program, does not learn of a renumbering.

use super::{GivenOption, Launch};
use std::fmt::{self, Display, Formatter};
use std::fs;

/// Variables by which launchers tell a process its rank among all.
const VARIABLES: &str = "OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK PMI_ID SLURM_PROCID PALS_RANKID \
                         FLUX_TASK_RANK MV2_COMM_WORLD_RANK ALPS_APP_PE JSM_NAMESPACE_RANK";

/// Options by which ranks start different programs.
const PROGRAMS: &str = "multi-prog";

/// Options that show the number of a rank beside what it writes, or start tools for some ranks.
const LABELS: &str = "tag-output prepend-rank l label label-io gtool output-filename \
                      output-directory outfile-pattern errfile-pattern";

/// Options whose values may ask for the same.
const PATTERNS: &str = "o output e error prepend-pattern";

/// Longest script that is read. Chosen by hand; not measured.
const LONGEST: u64 = 1 << 20;

/// How a launch uses the launcher's number of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EarlyUse {
    /// What a rank does depends on it.
    Work(String),
    /// Only labels of what ranks write depend on it.
    Labels(String),
}

impl Display for EarlyUse {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::Work(what) => write!(f, "{what} uses the launcher's rank before MPI_Init"),
            Self::Labels(what) => write!(f, "{what} shows the launcher's rank"),
        }
    }
}

impl Launch {
    /// The use that the launch makes of the launcher's rank, as far as its words and the scripts
    /// among them tell.
    pub fn early_use(&self) -> Option<EarlyUse> {
        let options = || self.apps.iter().flat_map(|app| app.options.iter());
        let programs = options().find(|given| given.is_one_of(PROGRAMS));
        if let Some(given) = programs {
            return Some(EarlyUse::Work(given.text()));
        }
        let mut words = self.apps.iter().flat_map(|app| &app.program);
        if let Some(name) = words.find_map(|word| named(&word.to_string_lossy())) {
            return Some(EarlyUse::Work(name));
        }
        let label = options().find(|given| shows_ranks(given))?;
        Some(EarlyUse::Labels(label.text()))
    }
}

/// Whether the option shows the number of a rank.
fn shows_ranks(given: &GivenOption) -> bool {
    let asks = |value: String| {
        let kinds = ["tag", "rank", "dir=", "file="];
        value
            .split([',', ':'])
            .any(|kind| kinds.iter().any(|known| kind.starts_with(known)))
            || ["%t", "%n", "%r"].iter().any(|rank| value.contains(rank))
    };
    given.is_one_of(LABELS) || given.is_one_of(PATTERNS) && given.value(0).is_some_and(asks)
}

/// The variable in the word, or in the script that the word names.
fn named(word: &str) -> Option<String> {
    if let Some(name) = variable(word) {
        return Some(name.to_owned());
    }
    let path = crate::diagnosis::find(word.as_ref())?;
    (fs::metadata(&path).ok()?.len() <= LONGEST).then_some(())?;
    // A program of machine code is no text.
    let name = variable(&fs::read_to_string(path).ok()?)?;
    Some(format!("{name} in {word}"))
}

/// The first of [`VARIABLES`] that stands in the text as a whole word.
fn variable(text: &str) -> Option<&'static str> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let stands = |name: &&str| {
        text.match_indices(*name).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            !before.ends_with(is_of_name) && !after.starts_with(is_of_name)
        })
    };
    VARIABLES.split(' ').find(stands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launchers;

    fn used(line: &str) -> Option<EarlyUse> {
        let words: Vec<_> = shlex::split(line)
            .unwrap()
            .into_iter()
            .map(Into::into)
            .collect();
        launchers::understand(&words).unwrap().early_use()
    }

    #[test]
    fn numbers_of_ranks_in_words_are_found_and_those_on_a_host_are_none() {
        for line in [
            "srun -n 4 --multi-prog programs",
            "srun -n 4 sh -c './a > $SLURM_PROCID'",
            "flux run -n 4 nsys -o r%q{FLUX_TASK_RANK} ./a",
        ] {
            assert!(matches!(used(line), Some(EarlyUse::Work(_))), "{line}");
        }
        for line in [
            "srun -l -n 4 ./a",
            "srun -o out-%t -n 4 ./a",
            "flux run --label-io ./a",
        ] {
            assert!(matches!(used(line), Some(EarlyUse::Labels(_))), "{line}");
        }
        for line in [
            "srun -n 4 -o out-%J sh -c 'CUDA_VISIBLE_DEVICES=$SLURM_LOCALID ./a'",
            "srun -n 4 ./a MY_PMI_RANK=3",
        ] {
            assert_eq!(used(line), None, "{line}");
        }
    }

    #[test]
    fn scripts_are_looked_into() {
        let scratch = tempfile::tempdir().unwrap();
        let script = scratch.path().join("wrapper.sh");
        fs::write(&script, "#!/bin/sh\nexec numactl -N $SLURM_PROCID $*\n").unwrap();
        let text = used(&format!("srun -n 4 {} ./a", script.display())).unwrap();
        assert!(text.to_string().starts_with("SLURM_PROCID in "), "{text}");
        fs::write(&script, "#!/bin/sh\nexec numactl -N $SLURM_LOCALID $*\n").unwrap();
        assert_eq!(used(&format!("srun -n 4 {} ./a", script.display())), None);
    }
}
