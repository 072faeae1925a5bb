//! Commands that start another command, and so may stand before a launcher.

use std::ffi::OsString;
use std::path::Path;

/// A command that starts the command at the end of its command line.
struct Wrapper {
    names: &'static [&'static str],
    /// The options, as typed, that have a value in the next word.
    valued: &'static [&'static str],
    /// The number of words before the command that are no options.
    operands: usize,
    /// Whether variables may be set before the command.
    assigns: bool,
}

const fn wrapper(
    names: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper {
        names,
        valued,
        operands,
        assigns: false,
    }
}

/// All known wrappers.
const WRAPPERS: &[Wrapper] = &[
    wrapper(&["nice"], &["-n", "--adjustment"], 0),
    wrapper(&["nohup", "setsid", "command", "exec"], &[], 0),
    wrapper(&["ionice"], &["-c", "-n", "--class", "--classdata"], 0),
    wrapper(&["time", "gtime"], &["-f", "-o", "--format", "--output"], 0),
    wrapper(&["timeout"], &["-k", "-s", "--kill-after", "--signal"], 1),
    wrapper(
        &["stdbuf"],
        &["-i", "-o", "-e", "--input", "--output", "--error"],
        0,
    ),
    wrapper(&["taskset", "chrt"], &[], 1),
    wrapper(
        &["numactl"],
        &[
            "-i",
            "-N",
            "-C",
            "-m",
            "-p",
            "--interleave",
            "--cpunodebind",
            "--physcpubind",
            "--membind",
            "--preferred",
        ],
        0,
    ),
    Wrapper {
        names: &["env"],
        valued: &["-u", "-C", "--unset", "--chdir"],
        operands: 0,
        assigns: true,
    },
];

/// The number of words before the launcher.
pub fn before(words: &[OsString]) -> usize {
    let mut at = 0;
    while let Some(length) = words.get(at..).and_then(length) {
        at += length;
    }
    at
}

/// The number of words up to the command that the wrapper starts; `None` where `words` start with
/// none.
fn length(words: &[OsString]) -> Option<usize> {
    let name = Path::new(words.first()?).file_name()?.to_str()?;
    let mut wrappers = WRAPPERS.iter();
    let wrapper = wrappers.find(|wrapper| wrapper.names.contains(&name))?;
    let (mut at, mut operands) = (1, wrapper.operands);
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        if word == "--" {
            at += 1;
            break;
        } else if word.starts_with('-') {
            at += 1 + usize::from(wrapper.valued.contains(&word));
        } else if wrapper.assigns && word.contains('=') {
            at += 1;
        } else {
            break;
        }
    }
    while operands > 0 && at < words.len() {
        (at, operands) = (at + 1, operands - 1);
    }
    Some(at.min(words.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launcher_comes_after_the_wrappers_and_all_they_take() {
        let cases = [
            "nice | mpirun -n 2 app",
            "nice -n 5 env A=1 B=x=y | mpirun env",
            "timeout -k 5 60 | srun app",
            "timeout --signal=INT 60s stdbuf -o0 | mpirun app",
            "/usr/bin/time -v | mpirun app",
            "numactl --interleave=all -N 0 | mpirun app",
            "taskset -c 0-3 | mpirun app",
            "env -u A -- | mpirun app",
            "| bash job.sh",
            "nice |",
        ];
        for case in cases {
            let (expected, _) = case.split_once('|').unwrap();
            let words: Vec<OsString> = case
                .split_whitespace()
                .filter(|word| *word != "|")
                .map(OsString::from)
                .collect();
            let expected = expected.split_whitespace().count();
            assert_eq!(before(&words), expected, "{case}");
        }
    }
}
