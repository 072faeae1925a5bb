//! `rankfold help environment`.

use super::Topic;
use rankfold_wire::env;

pub(in crate::cli) const ENVIRONMENT: Topic = Topic {
    name: "environment",
    summary: "the environment variables that rankfold reads",
    text,
};

fn text() -> String {
    let ours = [
        (
            "RANKFOLD_LIBRARY",
            "the preload library to use, instead of the one found beside the program",
        ),
        (
            env::JOURNALS,
            "directory of the ranks' counters while they run, on every host [default: /dev/shm]",
        ),
        (
            env::PATIENCE,
            "seconds a rank waits for other ranks at the start and end of a run [default: 30]",
        ),
        (
            env::BUDGET,
            "seconds for a map computed inside MPI_Init [default: 1, and 0.2 for 1000 ranks]",
        ),
        (
            env::EAGER,
            "largest blocking send that does not wait for its receiver, in bytes [default: 65536]",
        ),
        (
            "RANKFOLD_NO_USER",
            "set to any value: profiles do not hold the name of the user",
        ),
        (
            "RANKFOLD_VERBOSE",
            "set to any value: as --verbose, also for commands inside of scripts",
        ),
        (
            "RANKFOLD_SITE_CONFIG",
            "the file of the site, instead of /etc/rankfold.toml; empty for none. Every key of the configuration is a variable, too: rankfold config --help",
        ),
        (
            "RANKFOLD_TOPOLOGY",
            "files that describe the network, separated by colons, for rankfold run",
        ),
        (
            "RANKFOLD_CACHE_LIMIT",
            "largest size of the cache in MiB [default: 256]",
        ),
        (
            "XDG_CACHE_HOME",
            "the cache is the directory rankfold in this directory [default: ~/.cache]",
        ),
        (
            "NO_COLOR",
            "set to any value: no colour, unless --color always",
        ),
        (
            "CLICOLOR_FORCE",
            "set to any value but 0: colour into files and pipes, too, unless --color never",
        ),
        (
            "TMPDIR",
            "directory for temporary files of the commands that launch nothing",
        ),
    ];
    let by_hand = [
        (
            env::PROFILE,
            "absolute path of the profile to write; without it nothing is counted",
        ),
        (
            env::SEATS,
            "absolute path of the file that records where ranks ran",
        ),
        (env::RUN, "name of the run, part of the names of its files"),
        (
            env::TIME,
            "set to any value: record the time spent inside MPI, too",
        ),
    ];
    let lines = |of: &[(&str, &str)]| -> String {
        of.iter()
            .map(|(name, meaning)| format!("  {name:<20} {meaning}\n"))
            .collect()
    };
    format!(
        "Environment\n{}\nFor the preload library without rankfold's launcher (LD_PRELOAD=librankfold.so)\n{}",
        lines(&ours),
        lines(&by_hand)
    )
}
