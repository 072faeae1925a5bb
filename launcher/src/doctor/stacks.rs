//! The list of combinations of launcher and MPI library that are known to fail.

/// A launcher and an MPI library that fail together.
#[derive(Debug)]
pub(crate) struct Stack {
    /// The name of the launcher, as its file in `launchers/` gives it.
    pub(crate) launcher: &'static str,
    /// The beginning of the version text that the library reports.
    pub(crate) library: &'static str,
    /// What goes wrong, and when.
    pub(crate) effect: &'static str,
    /// What rankfold does against the failure.
    pub(crate) remedy: &'static str,
}

/// A row of [`STACKS`].
const fn bad(
    launcher: &'static str,
    library: &'static str,
    effect: &'static str,
    remedy: &'static str,
) -> Stack {
    Stack {
        launcher,
        library,
        effect,
        remedy,
    }
}

/// All combinations that are known to fail.
#[rustfmt::skip]
pub(crate) const STACKS: &[Stack] = &[
    bad("Open MPI 5", "Open MPI v5.", "`MPI_Gather` and `MPI_Scatter` return wrong data where a rankfile is irregular (`coll/han`)", "`--mca coll ^han` beside such a placement, unless the layout is one of those that are right"),
    bad("Open MPI 5", "Open MPI v5.", "`MPI_Gatherv` and `MPI_Scatterv` hang on communicators whose ranks are not consecutive on each node (`coll/han`, ompi 14165)", "as above"),
    bad("Open MPI 5", "Open MPI v5.", "a rankfile with `OVERSUBSCRIBE` leaves ranks unbound", "never writes it; ranks that share cores are placed without a rankfile"),
    bad("Open MPI 4", "Open MPI v4.", "`coll/han`, where it is switched on, returns wrong data even for ranks placed by node", "leaves it off, as it is by default"),
    bad("Open MPI 4", "Open MPI v4.", "a rankfile puts two ranks on one core without a word", "tells of shared cores here"),
    bad("MPICH", "MPICH Version: 4.", "a host named on several lines of the machine file counts as several nodes: its ranks do not share memory", "names every host once, and renumbers ranks in `MPI_Init`"),
    bad("MPICH", "MPICH Version: 4.", "`-rankmap` changes what is announced, not where ranks run (4.2 and 4.3)", "never uses it there"),
    bad("MPICH", "MPICH Version: 5.", "a host named on several lines of the machine file counts as several nodes: its ranks do not share memory", "renumbers ranks in `MPI_Init`, or places by `-rankmap`"),
    bad("MPICH", "MPICH Version: 5.", "`-rankmap` of some layouts tells the library wrong hosts: it shares memory with ranks elsewhere", "models what is told, and never places so"),
    bad("Intel MPI", "Intel(R) MPI", "`-f` and `-hosts` regroup ranks by host", "writes a `-machinefile`, which keeps the order"),
    bad("Slurm", "MPICH Version:", "`--distribution=arbitrary` with `--mpi=pmi2`: every rank counts as alone on its node", "renumbers ranks in `MPI_Init`"),
    bad("Slurm", "Open MPI v", "Slurm 22.05's default PMIx fence lets a process out of `MPI_Init` while others are in it: crashes of several ranks (`btl/tcp`)", "nothing: set `SLURM_PMIX_FENCE=ring` in the job"),
    bad("Flux", "MPI VERSION : CRAY MPICH", "a task map that is not by blocks hangs in `MPI_Init` before flux-coral2 passed it on (flux-coral2 125; not seen here)", "ends after its time and tells"),
];

/// The combinations with this launcher and a library that reports this version.
pub(crate) fn known(launcher: &str, version: &str) -> impl Iterator<Item = &'static Stack> {
    STACKS
        .iter()
        .filter(move |stack| stack.launcher == launcher && version.starts_with(stack.library))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_launch::launchers::LAUNCHERS;
    use std::fmt::Write;
    use std::fs;

    const START: &str = "<!-- the stacks -->\n";
    const END: &str = "<!-- end of the stacks -->\n";
    /// Set to write the table instead of comparing it.
    const WRITE: &str = "RANKFOLD_WRITE_TABLE";

    #[test]
    fn stacks_are_known_by_what_launcher_and_library_say() {
        let of = |launcher, version| known(launcher, version).count();
        assert_eq!(of("Open MPI 5", "Open MPI v5.0.11"), 3);
        assert_eq!(of("MPICH", "MPICH Version: 4.0.2"), 2);
        assert_eq!(of("MPICH", "MPICH Version: 3.4"), 0);
        let missing: Vec<&str> = ["Open MPI 4", "Open MPI 5", "MPICH", "Intel MPI"]
            .into_iter()
            .filter(|name| LAUNCHERS.iter().all(|launcher| launcher.name() != *name))
            .collect();
        assert_eq!(missing, [""; 0], "no launcher has these names");
    }

    #[test]
    fn the_documentation_shows_exactly_these() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
        let text = fs::read_to_string(path).unwrap();
        let (before, rest) = text.split_once(START).expect("a start of the table");
        let (shown, after) = rest.split_once(END).expect("an end of the table");
        let mut table =
            "| launcher | library | effect | what rankfold does |\n| --- | --- | --- | --- |\n"
                .to_owned();
        for stack in STACKS {
            let Stack {
                launcher,
                library,
                effect,
                remedy,
            } = stack;
            writeln!(table, "| {launcher} | {library} | {effect} | {remedy} |").unwrap();
        }
        if std::env::var_os(WRITE).is_some() {
            fs::write(path, [before, START, &table, END, after].concat()).unwrap();
            return;
        }
        assert_eq!(shown, table, "run this test once with {WRITE}=1");
    }
}
