//! Compares modelled collectives with the bytes that the MPI library sends.

mod choices;

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use choices::{FORCED, HAN, HAN_RULE_FILE, NONBLOCKING, OF_RADIX, RULE_FILE, TUNING_FILE};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, program, rankfold};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const RANKS: u32 = 6;
/// Operations whose messages have no datatypes that cannot be counted below MPICH.
const OPERATIONS: &str = "Bcast,Reduce,Allreduce,Allgather,Allgatherv,Alltoall,Alltoallv,Scatter,Reduce_scatter,\
                          Reduce_scatter_block,Scan,Exscan";
const SIZES: &str = "64,16384";
const ROOT: &str = "1";
const ARGUMENTS: [&str; 3] = [OPERATIONS, SIZES, ROOT];

/// Nonblocking operations, operators of the program, and `MPI_IN_PLACE`.
const OTHER_FORMS: &str = "Ibcast,Ireduce,Iallreduce,Iallgather,Iallgatherv,Ialltoall,Iscatter,Ireduce_scatter,\
                           Ireduce_scatter_block,Iscan,Iexscan,\
                           Reduce/own,Allreduce/own,Reduce_scatter/own,Reduce_scatter_block/own,Scan/own,Exscan/own,\
                           Reduce/ordered,Allreduce/ordered,Scan/ordered,Exscan/ordered,\
                           Ireduce/own,Iallreduce/own,Ireduce/ordered,Iallreduce/ordered,\
                           Allreduce_in_place,Iallreduce_in_place,Alltoall_in_place,Ialltoall_in_place";
/// Calls that have datatypes that cannot be counted below MPICH unless the
/// number of ranks is a power of two.
const FORMS_OF_POWER_OF_TWO: &str =
    "Reduce_scatter/ordered,Reduce_scatter_block/ordered,Ireduce_scatter/ordered";
const POWER_OF_TWO: u32 = 4;
/// Short and long messages, for which nonblocking operations have other algorithms.
const SIZES_OF_FORMS: &str = "64,4096,131072";

/// Variables with which the program counts what the library sends, see
/// `programs/collective_sends.c`.
const COUNTED: &[(&str, &str)] = &[
    ("OMPI_MCA_pml", "^ucx,cm"),
    ("OMPI_MCA_pml_monitoring_enable", "1"),
    ("MPIR_CVAR_NOLOCAL", "1"),
    ("MPIR_CVAR_CH4_NETMOD", "ucx"),
];

/// From a phase to the bytes of every pair.
type Phases = BTreeMap<String, BTreeMap<(u32, u32), u64>>;

/// Hosts that the ranks are dealt to in turn.
const HOSTS: &str = "tree:1x3@1e9,1e9";
const ON_HOSTS: &[&str] = &["--host", "n000:2,n001:2,n002:2", "--map-by", "node"];
/// The same for MPICH and Intel MPI.
const ON_HOSTS_HYDRA: &[&str] = &["-hosts", "n000,n001,n002", "-ppn", "1"];
const NUMBER_OF_HOSTS: u32 = 3;
/// Besides [`COUNTED`], what MPICH needs to know its hosts and to connect them. UCX of Debian 12
/// does not connect namespaces over TCP, and where it may try, `MPI_Finalize` waits for the
/// connection without end. Shared memory reaches all hosts, since they are namespaces of one
/// machine.
const MPICH_ON_HOSTS: &[(&str, &str)] =
    &[("MPIR_CVAR_NOLOCAL", "0"), ("UCX_TLS", "self,posix,sysv")];

pub(crate) fn facts() -> Vec<Fact> {
    const NAME: &str = "modelled::collectives_are_on_the_pairs_that_the_library_sends_to";
    let under = |mpi: Mpi| {
        let name = format!("{NAME}_under_{}", mpi.name());
        fact(name, &[Need::Mpi(mpi)], move || on_one_host(mpi, &[]))
    };
    let ruled = |mpi: Mpi| {
        let name = format!("{NAME}_by_a_rule_file_under_{}", mpi.name());
        fact(name, &[Need::Mpi(mpi)], move || by_rule_file(mpi))
    };
    let basic = |mpi: Mpi| {
        let name = format!("{NAME}_without_tuned_under_{}", mpi.name());
        let excluded = &[("OMPI_MCA_coll", "^tuned")];
        fact(name, &[Need::Mpi(mpi)], move || on_one_host(mpi, excluded))
    };
    let forced = |mpi: Mpi| {
        let name = format!("{NAME}_by_forced_algorithms_under_{}", mpi.name());
        fact(name, &[Need::Mpi(mpi)], move || on_one_host(mpi, FORCED))
    };
    let nonblocking = |mpi: Mpi| {
        let name = format!("{NAME}_by_non_blocking_operations_under_{}", mpi.name());
        fact(name, &[Need::Mpi(mpi)], move || {
            on_one_host(mpi, NONBLOCKING)
        })
    };
    let of_radix = || {
        let name = format!("{NAME}_by_algorithms_of_higher_radix_under_mpich5");
        fact(name, &[Need::Mpi(Mpi::Mpich5)], || {
            let mut sets = OF_RADIX.iter();
            sets.try_for_each(|set| on_one_host(Mpi::Mpich5, set))
        })
    };
    let tuned = |mpi: Mpi| {
        let name = format!("{NAME}_by_a_tuning_file_under_{}", mpi.name());
        fact(name, &[Need::Mpi(mpi)], move || by_tuning_file(mpi))
    };
    let solvers = |mpi: Mpi| {
        let name = format!("{NAME}_in_solvers_under_{}", mpi.name());
        fact(name, &[Need::Mpi(mpi)], move || solvers(mpi))
    };
    let in_other_forms = |mpi: Mpi| {
        let name = format!("{NAME}_in_other_forms_under_{}", mpi.name());
        fact(name, &[Need::Mpi(mpi)], move || in_other_forms(mpi))
    };
    let all = [Mpi::OpenMpi, Mpi::OpenMpi5, Mpi::Mpich, Mpi::Mpich5];
    let on_hosts = |mpi: Mpi| {
        let name = format!("{NAME}_on_several_hosts_under_{}", mpi.name());
        let needs = [Need::Mpi(mpi), Need::Cluster(HOSTS)];
        fact(name, &needs, move || on_hosts(mpi, &[]))
    };
    let by_rules_of_han = || {
        let mpi = Mpi::OpenMpi5;
        let name = format!("{NAME}_by_a_rule_file_of_han_under_{}", mpi.name());
        let needs = [Need::Mpi(mpi), Need::Cluster(HOSTS)];
        fact(name, &needs, move || by_rule_file_of_han(mpi))
    };
    let facts = all.map(under).into_iter();
    facts
        .chain(all.map(in_other_forms))
        .chain([Mpi::OpenMpi, Mpi::OpenMpi5].map(ruled))
        .chain([Mpi::OpenMpi, Mpi::OpenMpi5].map(basic))
        .chain([Mpi::Mpich, Mpi::Mpich5].map(forced))
        .chain([Mpi::Mpich, Mpi::Mpich5].map(nonblocking))
        .chain([Mpi::Mpich, Mpi::Mpich5].map(tuned))
        .chain([of_radix()])
        .chain([Mpi::OpenMpi, Mpi::OpenMpi5].map(solvers))
        .chain([Mpi::OpenMpi5, Mpi::Mpich, Mpi::Mpich5, Mpi::Intel].map(on_hosts))
        .chain([by_rules_of_han()])
        .collect()
}

fn on_one_host(mpi: Mpi, variables: &[(&str, &str)]) -> Result<()> {
    calls_on_one_host(mpi, RANKS, &ARGUMENTS, variables)
}

fn in_other_forms(mpi: Mpi) -> Result<()> {
    calls_on_one_host(mpi, RANKS, &[OTHER_FORMS, SIZES_OF_FORMS, ROOT], &[])?;
    let arguments = [FORMS_OF_POWER_OF_TWO, SIZES_OF_FORMS, ROOT];
    calls_on_one_host(mpi, POWER_OF_TWO, &arguments, &[])
}

/// Compares the calls that the program makes with these arguments.
fn calls_on_one_host(
    mpi: Mpi,
    ranks: u32,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> Result<()> {
    let program = program::compile_exporting(mpi, "collective_sends")?;
    let scratch = tempfile::tempdir()?;
    let profile = scratch.path().join("run.rfp");
    let mut command = rankfold::profile_command(mpi, &profile, ranks, &program, arguments);
    command.envs(COUNTED.iter().chain(variables).copied());
    let stdout = process::run(&mut command, "")?.success()?.stdout;
    compare(&stdout, arguments, &profile, |_| true)
}

fn by_rule_file(mpi: Mpi) -> Result<()> {
    let on = [("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")];
    with_file(
        ("OMPI_MCA_coll_tuned_dynamic_rules_filename", RULE_FILE),
        |file| on_one_host(mpi, &[&on[..], file].concat()),
    )
}

fn by_tuning_file(mpi: Mpi) -> Result<()> {
    with_file(
        ("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", TUNING_FILE),
        |file| on_one_host(mpi, file),
    )
}

fn by_rule_file_of_han(mpi: Mpi) -> Result<()> {
    with_file(
        ("OMPI_MCA_coll_han_dynamic_rules_filename", HAN_RULE_FILE),
        |file| on_hosts(mpi, &[HAN, file].concat()),
    )
}

/// Calls `run` with a variable that names a file with this text.
fn with_file(
    (variable, text): (&str, &str),
    run: impl FnOnce(&[(&str, &str)]) -> Result<()>,
) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let file = scratch.path().join("rules");
    fs::write(&file, text)?;
    run(&[(variable, &file.to_string_lossy())])
}

fn on_hosts(mpi: Mpi, variables: &[(&str, &str)]) -> Result<()> {
    let program = program::compile_exporting(mpi, "collective_sends")?;
    let cluster = Cluster::shared(HOSTS)?;
    let profile = cluster.path("run.rfp");
    let launch = mpi.launch(RANKS, &program, &ARGUMENTS);
    let (mpirun, rest) = launch.split_first().context("an empty launch")?;
    // The cluster sets its own list of components for messages.
    let variables = COUNTED
        .iter()
        .chain(MPICH_ON_HOSTS)
        .chain(variables)
        .map(|(name, value)| format!("{name}={value}"));
    let is_hydra = !mpi.is_open_mpi();
    let mut command = cluster.command(&["env"]);
    command
        .args(variables)
        .arg(rankfold::binary())
        .args(["profile", "-o"])
        .arg(&profile)
        .arg("--")
        .arg(mpirun)
        .args(if is_hydra { ON_HOSTS_HYDRA } else { ON_HOSTS })
        .args(rest);
    // What MPICH and Intel MPI move inside of a host passes by what is counted, all or in part.
    let host = |rank: u32| rank % NUMBER_OF_HOSTS;
    let is_counted = |(from, to): (u32, u32)| !is_hydra || host(from) != host(to);
    let stdout = process::run(&mut command, "")?.success()?.stdout;
    compare(&stdout, &ARGUMENTS, &profile, is_counted)
}

/// Upper bound of the bytes between two ranks that making communicators takes.
const SMALL: u64 = 1000;

/// Compares what Open MPI reports in whole programs with what is modelled.
fn solvers(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "kernels")?;
    let scratch = tempfile::tempdir()?;
    let profile = scratch.path().join("run.rfp");
    for kind in ["pencils", "panels", "gradient", "buckets", "planes"] {
        let launch = mpi.launch(12, &program, &[kind, "4"]);
        let mut command = rankfold::command(&["profile", "--collectives", "measured", "-o"]);
        command.arg(&profile).arg("--").args(&launch);
        process::run(&mut command, "")?.success()?;
        let pairs = |collectives: &str| -> Result<BTreeMap<(u32, u32), u64>> {
            let csv = profile.with_extension("csv");
            let (from, to) = (profile.display().to_string(), csv.display().to_string());
            rankfold::run(&["convert", "--collectives", collectives, &from, &to])?.success()?;
            modelled(&fs::read_to_string(&csv)?)
        };
        let (mut sent, expected) = (pairs("measured")?, pairs("openmpi")?);
        for (&pair, &bytes) in &expected {
            let rest = sent.remove(&pair).and_then(|sent| sent.checked_sub(bytes));
            let is_close = rest.is_some_and(|rest| rest < SMALL);
            ensure!(
                is_close,
                "{kind}: {pair:?}: {bytes}, left of sent: {rest:?}"
            );
        }
        let others_are_small = sent.values().all(|&bytes| bytes < SMALL);
        ensure!(expected.len() > 12 && others_are_small, "{kind}: {sent:?}");
    }
    Ok(())
}

/// Compares the bytes of every pair in every phase that the program printed, for its `arguments`,
/// with the modelled ones. Pairs that `is_counted` leaves out are not compared.
fn compare(
    stdout: &str,
    arguments: &[&str],
    profile: &Path,
    is_counted: impl Fn((u32, u32)) -> bool,
) -> Result<()> {
    let sent = sent(stdout)?;
    let lists = arguments.iter().map(|list| list.split(',').count());
    let phases: usize = lists.product();
    ensure!(sent.len() == phases, "{} phases of {phases}", sent.len());
    let csv = profile.with_extension("csv");
    let (from, to) = (profile.display().to_string(), csv.display().to_string());
    for (phase, mut pairs) in sent {
        let words = [
            "convert",
            "--phase",
            &phase,
            "--collectives",
            "auto",
            &from,
            &to,
        ];
        rankfold::run(&words)?.success()?;
        let mut modelled = modelled(&fs::read_to_string(&csv)?)?;
        modelled.retain(|&pair, _| is_counted(pair));
        pairs.retain(|&pair, _| is_counted(pair));
        ensure!(
            modelled == pairs,
            "{phase}: modelled {modelled:?}, sent {pairs:?}"
        );
    }
    Ok(())
}

/// Reads the lines `sent OPERATION BYTES SOURCE DESTINATION BYTES` of the program.
fn sent(stdout: &str) -> Result<Phases> {
    let mut phases = Phases::new();
    for line in stdout.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        ensure!(words.first() != Some(&"unseen"), "{line}");
        let ["sent", operation, size, source, destination, bytes] = words[..] else {
            continue;
        };
        let pairs = phases.entry(format!("{operation} {size}")).or_default();
        pairs.insert((source.parse()?, destination.parse()?), bytes.parse()?);
    }
    Ok(phases)
}

/// Reads the pairs of different ranks from a matrix in CSV.
fn modelled(csv: &str) -> Result<BTreeMap<(u32, u32), u64>> {
    let mut pairs = BTreeMap::new();
    for line in csv.lines().skip(1) {
        let mut numbers = line.split(',').map(|word| word.trim().parse::<u64>());
        let mut next = || numbers.next().context(line.to_owned());
        let (source, destination, bytes) = (next()??, next()??, next()??);
        if source != destination {
            pairs.insert((source.try_into()?, destination.try_into()?), bytes);
        }
    }
    Ok(pairs)
}
