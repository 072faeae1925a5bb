//! Launch lines taken apart, given variables, and given places.

mod detection;
mod exports;
mod lines;
mod placing;

use super::*;
use crate::launch::{Exports, join};
use crate::placement::{PlacementPlan, RankCores};
use crate::placing_method::{self, PlacingMethod};

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn parse(launcher: &'static dyn Launcher, line: &str) -> Launch {
    Launch::parse(launcher, &[], &words(line)).unwrap()
}

fn refusal(launcher: &'static dyn Launcher, line: &str) -> String {
    let parsed = Launch::parse(launcher, &[], &words(line));
    let ranks = parsed.and_then(|launch| launch.ranks());
    ranks.err().unwrap().to_string()
}

/// The command after our words were inserted.
fn exported(launcher: &'static dyn Launcher, line: &str) -> String {
    let mut launch = parse(launcher, line);
    let exports = Exports::new(vec![("RANKFOLD_RUN", "7".into())], "/l.so".into());
    launch.export(&exports);
    join(&launch.words())
}

fn plan(rankfile: Option<&str>) -> PlacementPlan {
    PlacementPlan {
        hosts: ["n1", "n0", "n0", "n1"].map(String::from).into(),
        rankfile: rankfile.map(Into::into),
        shares_cores: false,
        hosts_are_open: false,
        cores: RankCores::default(),
    }
}

/// The same with two of four cores for every rank; the operating system numbers those of the two
/// packages in turn.
fn bound() -> PlacementPlan {
    PlacementPlan {
        cores: RankCores {
            numbers: ["1,3", "1,3", "0,2", "0,2"]
                .map(|text| text.parse().unwrap())
                .into(),
            places: [2..4, 2..4, 0..2, 0..2].into(),
        },
        ..plan(None)
    }
}

/// The command after placing, the text of the first file, and what was replaced.
fn placed(
    launcher: &'static dyn Launcher,
    line: &str,
    plan: &PlacementPlan,
) -> (String, String, String) {
    let (command, mut files, replaced) = all_placed(launcher, line, plan);
    (command, files.swap_remove(0), replaced)
}

/// The same with the texts of all files.
fn all_placed(
    launcher: &'static dyn Launcher,
    line: &str,
    plan: &PlacementPlan,
) -> (String, Vec<String>, String) {
    let mut launch = parse(launcher, line);
    let placing = launcher
        .place(&mut launch.apps, plan, Path::new("H"))
        .unwrap();
    let texts = placing.files.into_iter().map(|(_, text)| text);
    (
        join(&launch.words()),
        texts.collect(),
        placing.replaced.join(" "),
    )
}

#[test]
fn the_program_starts_after_the_last_option_and_its_values() {
    let cases: &[(&'static dyn Launcher, &str, &str)] = &[
        (&openmpi4::OpenMpi4, "mpirun -n 4 ./app -n 9", "./app -n 9"),
        (
            &openmpi4::OpenMpi4,
            "mpirun --mca btl tcp,self --oversubscribe -np 2 app",
            "app",
        ),
        (
            &openmpi4::OpenMpi4,
            "mpirun -x A=1 --hostfile h -- app x",
            "app x",
        ),
        (&openmpi4::OpenMpi4, "mpirun --timeout=9 app", "app"),
        (
            &mpich::MPICH,
            "mpiexec -genv A 1 -n 2 -launcher ssh ./app -f x",
            "./app -f x",
        ),
        (&mpich::MPICH, "mpiexec -n=2 app", "app"),
        (&mpich::MPICH, "mpiexec -genv A=1 -env B=2 -n 2 app", "app"),
        (
            &openmpi4::OpenMpi4,
            "mpirun --debug-daemons-file -n 2 app x",
            "app x",
        ),
        (
            &openmpi5::OpenMpi5,
            "mpirun --prtemca a b --output tag -x A=1 -np 2 app -x",
            "app -x",
        ),
        (
            &intel::INTEL,
            "mpiexec.hydra -prot -rr -cpu-bind list -n 2 app 3",
            "app 3",
        ),
        (
            &srun::Srun,
            "srun -n4 -lu --mpi=pmix --exclusive --ntasks-per-n 2 -N 2 app -n 9",
            "app -n 9",
        ),
        (
            &srun::Srun,
            "srun --multi-prog -n 4 programs.conf",
            "programs.conf",
        ),
        (
            &srun::Srun,
            "srun --site-plugin=some,value --uenv prgenv --propagate --x11 -n 4 app",
            "app",
        ),
        (&mpich::MPICH, "mpiexec --of-a-site=1 -n 2 app", "app"),
        (&inherited::APRUN, "aprun -n 8 -N 4 -d 8 -cc cpu app", "app"),
    ];
    for (launcher, line, program) in cases {
        assert_eq!(
            join(&parse(*launcher, line).apps[0].program),
            *program,
            "{line}"
        );
    }
}

#[test]
fn what_cannot_be_taken_apart_is_refused_by_name() {
    let cases: &[(&'static dyn Launcher, &str, &str)] = &[
        (
            &openmpi4::OpenMpi4,
            "mpirun --frobnicate 3 app",
            "--frobnicate is no option of Open MPI 4",
        ),
        (
            &openmpi4::OpenMpi4,
            "mpirun -n 2 a : -n 2",
            "no program to run",
        ),
        (
            &openmpi4::OpenMpi4,
            "mpirun --app no-such-file",
            "--app no-such-file: cannot read no-such-file",
        ),
        (
            &openmpi4::OpenMpi4,
            "mpirun --app file a",
            "--app file: it names the programs, and the line names one too",
        ),
        (
            &srun::Srun,
            "srun --uenvs x app",
            "--uenvs is no option of Slurm",
        ),
        (&srun::Srun, "srun -n2y app", "-n2y: the number of ranks"),
        (&srun::Srun, "srun -lny app", "-lny is no option of Slurm"),
        (&openmpi4::OpenMpi4, "mpirun -n", "-n: its value is missing"),
        (&openmpi4::OpenMpi4, "mpirun -n 2", "no program to run"),
    ];
    for (launcher, line, message) in cases {
        let text = refusal(*launcher, line);
        assert!(text.starts_with(message), "{line}: {text}");
    }
}

#[test]
fn the_last_number_of_ranks_counts() {
    let ranks = |line| parse(&openmpi4::OpenMpi4, line).ranks();
    assert_eq!(
        ranks("mpirun -n 2 -np 4 app").unwrap(),
        Some((4, "-np 4".into()))
    );
    assert_eq!(ranks("mpirun app").unwrap(), None);
    let message = ranks("mpirun -n many app").unwrap_err().to_string();
    assert!(
        message.starts_with("-n many: the number of ranks"),
        "{message}"
    );
}

#[test]
fn a_file_of_programs_becomes_a_line_of_them() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let text = "# comment\n-n 2 ./a x \\\n  y\n\n-n 1 ./b \"q r\" :\n";
    std::fs::write(file.path(), text).unwrap();
    let name = file.path().display();
    let of = |launcher, option: &str| {
        let launch = parse(launcher, &format!("mpirun {option} {name}"));
        let programs: Vec<_> = launch.apps.iter().map(|app| app.program.clone()).collect();
        (launch.ranks().unwrap().unwrap().0, programs)
    };
    let (ranks, programs) = of(&openmpi4::OpenMpi4, "-q --app");
    assert_eq!((ranks, &programs[0]), (3, &words("./a x y")));
    assert_eq!(programs[1], words("./b \"q r\""));
    let (ranks, programs) = of(&intel::INTEL, "-configfile");
    assert_eq!((ranks, programs[1].len(), programs.len()), (3, 2, 2));
    std::fs::write(file.path(), "-n 2\n").unwrap();
    let message = refusal(&mpich::MPICH, &format!("mpiexec -configfile {name}"));
    assert!(message.contains(":1: a line must hold"), "{message}");
}

#[test]
fn launchers_are_told_by_their_version() {
    let name = |version| recognise(version).map(Launcher::name);
    assert_eq!(name("mpirun.openmpi (OpenRTE) 4.1.4\n"), Some("Open MPI 4"));
    assert_eq!(
        name("mpirun (Open MPI) 4.1.4\n\nReport bugs"),
        Some("Open MPI 4")
    );
    assert_eq!(
        name("HYDRA build details:\n    Version: 4.0.2\n"),
        Some("MPICH")
    );
    assert_eq!(name("mpirun (Open MPI) 5.0.11\n"), Some("Open MPI 5"));
    assert_eq!(
        name("Intel(R) MPI Library for Linux* OS, Version 2021.18\n"),
        Some("Intel MPI")
    );
    assert_eq!(
        name("mpirun (IBM Spectrum MPI) 10.4.0.6\n"),
        Some("Open MPI 4")
    );
    assert_eq!(name("PALS mpiexec 1.4.0\n"), Some("PALS"));
    assert_eq!(name("mpirun (Open MPI) 3.1.4\n"), None);
    assert!(describe("mpirun (Open MPI) 3.1.4\n").starts_with("mpirun (Open MPI) 3.1.4 is not"));
}

#[test]
fn what_stands_before_the_launcher_stays_there() {
    let line = words("nice -n 5 timeout 60 env LD_PRELOAD=/t.so srun -n 2 app");
    let mut launch = understand(&line).unwrap();
    launch.export(&Exports::new(vec![], "/l.so".into()).of(launch.before(), launch.command()));
    assert_eq!(
        join(&launch.words()),
        "nice -n 5 timeout 60 env LD_PRELOAD=/t.so env -u LD_PRELOAD srun --export=ALL,LD_PRELOAD=/l.so:/t.so -n 2 app"
    );
}

#[test]
fn a_tool_with_any_options_may_stand_before_a_launcher_that_is_there() {
    let launch = understand(&words("likwid-perfctr -g MEM -o f.txt srun -n 2 app"));
    // Without Slurm the word is no launcher, as any other.
    match (launch, diagnosis::find(OsStr::new("srun"))) {
        (Ok(launch), Some(_)) => {
            assert_eq!(join(launch.before()), "likwid-perfctr -g MEM -o f.txt");
            assert_eq!(launch.launcher.name(), "Slurm");
        }
        (launch, there) => assert!(launch.is_err() && there.is_none()),
    }
    assert!(understand(&words("./app mpirun.nowhere")).is_err());
}

#[test]
fn launchers_that_hand_on_their_environment_get_the_variables_there() {
    assert_eq!(
        exported(&inherited::IBRUN, "ibrun -n 4 tacc_affinity app"),
        "env LD_PRELOAD=/l.so RANKFOLD_RUN=7 ibrun -n 4 tacc_affinity app"
    );
    assert_eq!(
        exported(&inherited::MPT, "mpiexec_mpt -n 8 omplace -nt 2 app"),
        "env LD_PRELOAD=/l.so RANKFOLD_RUN=7 mpiexec_mpt -n 8 omplace -nt 2 app"
    );
}

/// Lines as the launchers' manuals have them.
#[test]
fn launchers_that_are_not_run_here_get_their_words_as_documented() {
    const OURS: [&dyn Launcher; 4] = [
        &flux::Flux,
        &pals::Pals,
        &jsrun::Jsrun,
        &mpirun_rsh::MpirunRsh,
    ];
    let cases: [(usize, &str, &str); 5] = [
        (
            0,
            "flux run -N2 --env=LD_PRELOAD=/t.so -n4 -o mpi=spectrum app -n : x",
            "flux run -N2 --env=LD_PRELOAD=/t.so -n4 -o mpi=spectrum --env LD_PRELOAD=/l.so:/t.so --env RANKFOLD_RUN=7 app -n : x",
        ),
        (
            0,
            "flux submit -n4 app",
            "flux submit --wait -n4 --env LD_PRELOAD=/l.so --env RANKFOLD_RUN=7 app",
        ),
        (
            1,
            "mpiexec -n 4 --ppn 2 --cpu-bind list:0-3:4-7 --env A=1 a : -n 2 b",
            "mpiexec --env LD_PRELOAD=/l.so --env RANKFOLD_RUN=7 -n 4 --ppn 2 --cpu-bind list:0-3:4-7 --env A=1 a : --env LD_PRELOAD=/l.so --env RANKFOLD_RUN=7 -n 2 b",
        ),
        (
            2,
            "jsrun -n 4 -a 1 -c7 -g1 -EOMP_NUM_THREADS=7 --smpiargs=-gpu app",
            "jsrun --env LD_PRELOAD=/l.so --env RANKFOLD_RUN=7 -n 4 -a 1 -c7 -g1 -EOMP_NUM_THREADS=7 --smpiargs=-gpu app",
        ),
        (
            3,
            "mpirun_rsh -np 4 -hostfile h MV2_X=1 LD_PRELOAD=/t.so app a=b",
            "mpirun_rsh -np 4 -hostfile h MV2_X=1 LD_PRELOAD=/l.so:/t.so RANKFOLD_RUN=7 app a=b",
        ),
    ];
    for (launcher, line, expected) in cases {
        assert_eq!(exported(OURS[launcher], line), expected);
    }
    let program = |launcher, line| parse(launcher, line).program().to_owned();
    assert_eq!(program(OURS[3], "mpirun_rsh -np 4 A=1 app"), "app");
    let message = refusal(&flux::Flux, "flux batch -n4 job.sh");
    assert_eq!(
        message,
        "batch: of what Flux does, run and submit start ranks"
    );
}

#[test]
fn a_launch_that_names_no_command_is_told_what_was_meant() {
    let refused = |line: &[&str]| {
        let words: Vec<OsString> = line.iter().map(Into::into).collect();
        understand(&words).err().unwrap().to_string()
    };
    assert_eq!(
        refused(&["mpirum", "-n", "4", "./app"]),
        "mpirum: there is no such command, did you mean mpirun?"
    );
    assert_eq!(
        refused(&["mpirun -n 4 ./app"]),
        "the launch is one word; without its quotes: rankfold run -- mpirun -n 4 ./app"
    );
    assert!(
        refused(&["/no/mpirun", "./app"]).ends_with("give the path of one, or load its module")
    );
    assert_eq!(
        refused(&["/no/where"]),
        "/no/where: there is no such command"
    );
}
