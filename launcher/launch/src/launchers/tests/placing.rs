//! How each launcher is told where ranks go, and when it is told.

use super::*;
use crate::launch::NativePlacement;
use crate::placement::LaunchedSeats;
use crate::placing_method::BareLaunch;
use rankfold_wire::Seat;

const OPEN_MPI: [&dyn Launcher; 2] = [&openmpi4::OpenMpi4, &openmpi5::OpenMpi5];

#[test]
fn open_mpi_4_follows_a_rankfile_of_the_numbers_of_the_system() {
    let line =
        "mpirun --hostfile f --map-by ppr:2:socket:PE=2 --bind-to core --mca btl tcp -n 4 app";
    let (command, files, replaced) = all_placed(&openmpi4::OpenMpi4, line, &bound());
    assert_eq!(
        command,
        "mpirun --mca rmaps_rank_file_physical 1 --use-hwthread-cpus -rf H.ranks --hostfile H --mca btl tcp -n 4 app"
    );
    assert_eq!(files[0], "n0 slots=2\nn1 slots=2\n");
    let own = "rank 0=n1 slot=1,3\nrank 1=n0 slot=1,3\nrank 2=n0 slot=0,2\nrank 3=n1 slot=0,2\n";
    assert_eq!(files[1], own);
    assert_eq!(
        replaced,
        "--hostfile f --map-by ppr:2:socket:PE=2 --bind-to core"
    );
    let line = "mpirun --mca hwloc_base_binding_policy core --use-hwthread-cpus --cpu-set 0,4 -n 3 a : --hostfile g -n 1 b";
    let (command, ..) = placed(&openmpi4::OpenMpi4, line, &bound());
    assert_eq!(
        command,
        "mpirun --mca rmaps_rank_file_physical 1 --use-hwthread-cpus -rf H.ranks --hostfile H -n 3 a : --hostfile H -n 1 b"
    );
}

#[test]
fn open_mpi_5_follows_a_rankfile_of_places_and_leaves_ranks_unbound_that_share_them() {
    let line = "mpirun --host n0:2,n1:2 --map-by node --bind-to core -n 4 app";
    let (command, files, replaced) = all_placed(&openmpi5::OpenMpi5, line, &bound());
    assert_eq!(
        command,
        "mpirun --hostfile H.slots --map-by rankfile:file=H -n 4 app"
    );
    assert_eq!(files[0], "n0 slots=2\nn1 slots=2\n");
    let own = "rank 0=n1 slot=2-3\nrank 1=n0 slot=2-3\nrank 2=n0 slot=0-1\nrank 3=n1 slot=0-1\n";
    assert_eq!(files[1], own);
    assert_eq!(replaced, "--host n0:2,n1:2 --map-by node --bind-to core");
    let mut free = bound();
    free.cores.places.fill(0..4);
    let (_, files, _) = all_placed(&openmpi5::OpenMpi5, line, &free);
    assert_eq!(files[1], "rank 0=n1\nrank 1=n0\nrank 2=n0\nrank 3=n1\n");
    let native = |plan: &PlacementPlan| natively(&openmpi5::OpenMpi5, line, plan);
    assert!(matches!(native(&free), NativePlacement::Verified(_)));
    free.cores.places.fill(2..4);
    assert!(
        matches!(native(&free), NativePlacement::Bad(_)),
        "one core for two"
    );
}

#[test]
fn open_mpi_places_nothing_by_itself_where_the_cores_of_the_launch_are_not_known() {
    let line = "mpirun --map-by node -n 4 app";
    for launcher in OPEN_MPI {
        let known = natively(launcher, line, &bound());
        assert!(matches!(known, NativePlacement::Verified(_)), "{known:?}");
        let unknown = natively(launcher, line, &plan(None));
        assert!(matches!(unknown, NativePlacement::Bad(_)), "{unknown:?}");
    }
}

#[test]
fn a_rankfile_of_the_user_is_passed_on() {
    let line = "mpirun --hostfile f --map-by node -n 4 app";
    let theirs = plan(Some("r.map"));
    let (command, ..) = placed(&openmpi4::OpenMpi4, line, &theirs);
    assert_eq!(command, "mpirun -rf r.map --hostfile H -n 4 app");
    let (command, ..) = placed(&openmpi5::OpenMpi5, line, &theirs);
    assert_eq!(
        command,
        "mpirun --hostfile H.slots --map-by rankfile:file=r.map -n 4 app"
    );
    let (how, text) = chosen(&openmpi4::OpenMpi4, line, &theirs, None);
    assert_eq!(how, PlacingMethod::Native, "{text}");
}

#[test]
fn open_mpi_5_does_without_han_only_where_it_is_wrong_and_the_user_chose_nothing() {
    let command = |line, hosts: [&str; 4]| {
        let mut launch = parse(&openmpi5::OpenMpi5, line);
        launch.launcher.guard(&mut launch.apps, &on(hosts));
        join(&launch.words())
    };
    let irregular = ["a", "b", "b", "a"];
    assert!(command("mpirun -n 4 app", irregular).contains("--mca coll ^han"));
    assert!(!command("mpirun -n 4 app", ["a", "b", "a", "b"]).contains("han"));
    assert!(!command("mpirun --mca coll tuned,basic -n 4 app", irregular).contains("han"));
}

#[test]
fn intel_takes_the_lines_in_order_by_its_machine_file_alone() {
    let line = "mpiexec -hosts n0,n1 -genv I_MPI_PIN_DOMAIN omp -n 4 app";
    let (command, text, _) = placed(&intel::INTEL, line, &bound());
    assert_eq!(
        command,
        "mpiexec -machinefile H -genv I_MPI_PIN_DOMAIN omp -n 4 app"
    );
    assert_eq!(text, "n1:1\nn0:2\nn1:1\n");
}

#[test]
fn mpich_places_by_a_machine_file_and_keeps_the_users_binding() {
    let line = "mpiexec -hosts n0,n1 -ppn 2 -bind-to core:2 -map-by socket -n 3 a : -n 1 b";
    let (command, text, replaced) = placed(&mpich::MPICH, line, &plan(Some("r.map")));
    assert_eq!(
        command,
        "mpiexec -f H -bind-to core:2 -map-by socket -n 3 a : -n 1 b"
    );
    assert_eq!(text, "n1:1\nn0:2\nn1:1\n");
    assert_eq!(replaced, "-hosts n0,n1 -ppn 2");
}

#[test]
fn mpich_5_0_is_given_the_line_of_every_rank_where_its_library_is_told_the_truth() {
    let version = "HYDRA build details:\n    Version:        5.0.2\n";
    let launcher = recognise(version).unwrap();
    let line = "mpiexec -hosts n0,n1 -n 4 app";
    let (command, text, replaced) = placed(launcher, line, &plan(None));
    assert_eq!(command, "mpiexec -f H -rankmap 0,1,1,0 -n 4 app");
    assert_eq!((&*text, &*replaced), ("n1:2\nn0:2\n", "-hosts n0,n1"));
    let native = |hosts: &[&str]| natively(launcher, "mpiexec app", &on_hosts(hosts));
    assert!(matches!(
        native(&["a", "b", "b", "a"]),
        NativePlacement::Verified(_)
    ));
    let lost = ["a", "b", "a", "b", "b", "a", "b", "a"];
    assert!(matches!(native(&lost), NativePlacement::Bad(_)));
}

#[test]
fn srun_places_by_a_list_of_hosts_and_the_distribution_that_follows_it() {
    let line = "srun -N2 -mcyclic --mpi=pmix -c 4 --gpus-per-task=1 -n 4 app";
    let (command, text, replaced) = placed(&srun::Srun, line, &bound());
    assert_eq!(
        command,
        "srun --nodelist=H --distribution=arbitrary --mpi=pmix -c 4 --gpus-per-task=1 -n 4 app"
    );
    assert_eq!(text, "n1\nn0\nn0\nn1\n");
    assert_eq!(replaced, "-N2 -mcyclic");
}

#[test]
fn srun_places_nothing_where_the_line_deals_out_cores() {
    let alone = on(["d", "b", "c", "a"]);
    for (options, can) in [
        ("-m cyclic", true),
        ("-m block:block", false),
        ("--distribution=*:block", false),
        ("-m plane=2", false),
    ] {
        let line = format!("srun {options} --mpi=pmix -n 4 app");
        let native = natively(&srun::Srun, &line, &alone);
        assert_eq!(
            matches!(native, NativePlacement::Verified(_)),
            can,
            "{line}"
        );
        // The line works as it is, and that is how it is started.
        let (how, _) = chosen(&srun::Srun, &line, &alone, None);
        assert_eq!(how, PlacingMethod::Renumber, "{line}");
    }
}

#[test]
fn launchers_that_are_not_run_here_place_as_documented() {
    let placed = |launcher, line| placed(launcher, line, &plan(None));
    let (command, text, _) = placed(&flux::Flux, "flux run -N2 -n4 --taskmap=cyclic app");
    assert_eq!(command, "flux run --taskmap=hostfile:H -N2 -n4 app");
    assert_eq!(text, "n1\nn0\nn0\nn1\n");
    let (command, text, replaced) = placed(&pals::Pals, "mpiexec -n 4 --ppn 4 app");
    assert_eq!(
        command,
        "mpiexec --ppn 2 --hostfile H.hosts --env MPICH_RANK_REORDER_METHOD=3 --env MPICH_RANK_REORDER_FILE=H -n 4 app"
    );
    assert_eq!((&*text, &*replaced), ("0,3\n1,2\n", "--ppn 4"));
    let (command, text, _) = placed(&mpirun_rsh::MpirunRsh, "mpirun_rsh -np 4 -hostfile h app");
    assert_eq!(command, "mpirun_rsh -hostfile H -np 4 app");
    assert_eq!(text, "n1\nn0\nn0\nn1\n");
}

/// The seats of a launch of two ranks on each of hosts n0 and n1.
fn seats() -> LaunchedSeats {
    let seat = |(host, cores): (&str, &str)| Seat {
        host: host.into(),
        cores: cores.parse().unwrap(),
        ..Seat::default()
    };
    LaunchedSeats {
        seats: [("n0", "0,2"), ("n0", "1,3"), ("n1", "0,2"), ("n1", "1,3")]
            .map(seat)
            .into(),
        ..LaunchedSeats::default()
    }
}

/// The way chosen for this line, and why.
fn chosen(
    launcher: &'static dyn Launcher,
    line: &str,
    plan: &PlacementPlan,
    launched: Option<LaunchedSeats>,
) -> (PlacingMethod, String) {
    let bare = BareLaunch {
        seats: launched,
        ..BareLaunch::default()
    };
    let choice = placing_method::choose(&parse(launcher, line), plan, None, None, &bare).unwrap();
    (choice.how, choice.to_string())
}

fn natively(launcher: &'static dyn Launcher, line: &str, plan: &PlacementPlan) -> NativePlacement {
    launcher.natively(&parse(launcher, line).apps, plan, true)
}

fn on(hosts: [&str; 4]) -> PlacementPlan {
    on_hosts(&hosts)
}

fn on_hosts(hosts: &[&str]) -> PlacementPlan {
    PlacementPlan {
        hosts: hosts.iter().map(ToString::to_string).collect(),
        ..plan(None)
    }
}

#[test]
fn ranks_are_renumbered_where_the_line_makes_the_counts_of_the_map() {
    for launcher in LAUNCHERS {
        let Some(name) = launcher.called().first().or(Some(&"mpirun")) else {
            continue;
        };
        let verb = launcher
            .verbs()
            .first()
            .map_or(String::new(), |verb| format!(" {verb}"));
        let line = format!("{name}{verb} app");
        for launched in [Some(seats()), None] {
            let (how, text) = chosen(*launcher, &line, &plan(None), launched);
            assert_eq!(how, PlacingMethod::Renumber, "{line}: {text}");
            assert!(text.contains("the line stays as it is"), "{line}: {text}");
        }
    }
}

#[test]
fn a_launch_that_starts_nothing_by_itself_gets_the_hosts_of_the_map() {
    // A rankfile of Open MPI 4 names processors. One of Open MPI 5 names places among the cores of
    // a host, and the order of these cores is not known here.
    let ways = [PlacingMethod::Native, PlacingMethod::AsLaunched];
    for (launcher, way) in OPEN_MPI.into_iter().zip(ways) {
        let bare = BareLaunch {
            seats: Some(seats()),
            starts_nothing: true,
        };
        let launch = parse(launcher, "mpirun -n 4 app");
        let choice = placing_method::choose(&launch, &plan(None), None, None, &bare).unwrap();
        assert_eq!(choice.how, way, "{choice}");
        let mut asked = launch.clone();
        let list = launcher.start_on(&mut asked.apps, &plan(None), Path::new("list"));
        assert!(list.is_some_and(|list| list.contains("slots=")));
        assert!(
            asked
                .words()
                .join(OsStr::new(" "))
                .to_string_lossy()
                .contains("--hostfile list")
        );
    }
}

#[test]
fn a_map_of_other_counts_is_for_the_launcher_if_that_keeps_seats() {
    let more = on(["n0", "n0", "n0", "n1"]);
    let other = on(["n0", "n2", "n2", "n0"]);
    let how =
        |launcher: &'static dyn Launcher, line, plan| chosen(launcher, line, plan, Some(seats()));
    for (launcher, plan, expected) in [
        // There are two seats on n0, and no third.
        (OPEN_MPI[0], &more, PlacingMethod::AsLaunched),
        (OPEN_MPI[0], &other, PlacingMethod::Native),
        (
            &mpich::MPICH as &'static dyn Launcher,
            &more,
            PlacingMethod::Native,
        ),
        (&mpich::MPICH, &other, PlacingMethod::AsLaunched),
        (&inherited::IBRUN, &more, PlacingMethod::AsLaunched),
    ] {
        let (how, text) = how(launcher, "mpirun app", plan);
        assert_eq!(how, expected, "{}: {text}", launcher.name());
        assert!(text.contains("other numbers of ranks"), "{text}");
    }
}

#[test]
fn a_launch_that_uses_its_own_ranks_is_placed_by_the_launcher_or_left_alone() {
    let chosen = |launcher: &'static dyn Launcher, line| {
        let words: Vec<OsString> = shlex::split(line)
            .unwrap()
            .into_iter()
            .map(Into::into)
            .collect();
        let launch = Launch::parse(launcher, &[], &words).unwrap();
        let bare = BareLaunch {
            seats: Some(seats()),
            ..BareLaunch::default()
        };
        let choice = placing_method::choose(&launch, &plan(None), None, None, &bare).unwrap();
        (choice.how, choice.to_string())
    };
    let (how, text) = chosen(OPEN_MPI[0], "mpirun sh -c './a > $OMPI_COMM_WORLD_RANK'");
    assert_eq!(how, PlacingMethod::Native, "{text}");
    assert!(
        text.contains("OMPI_COMM_WORLD_RANK uses the launcher's rank"),
        "{text}"
    );
    let (how, text) = chosen(&srun::Srun, "srun -m block:block --multi-prog file");
    assert_eq!(how, PlacingMethod::AsLaunched, "{text}");
    let (how, text) = chosen(OPEN_MPI[0], "mpirun --tag-output ./a");
    assert_eq!(how, PlacingMethod::Native, "{text}");
    let (how, text) = chosen(&mpich::MPICH, "mpiexec -l ./a");
    assert_eq!(how, PlacingMethod::Renumber, "{text}");
    assert!(text.contains("-l shows the launcher's rank"), "{text}");
}

#[test]
fn who_asks_for_a_way_gets_it_if_there_is_one() {
    let asked = |launcher, line| {
        let how = Some(PlacingMethod::Native);
        placing_method::choose(
            &parse(launcher, line),
            &plan(None),
            how,
            None,
            &BareLaunch::default(),
        )
    };
    let message = asked(&jsrun::Jsrun, "jsrun app").err().unwrap().to_string();
    assert!(
        message.starts_with("--how native: a resource file"),
        "{message}"
    );
    assert_eq!(
        asked(&mpich::MPICH, "mpiexec app").unwrap().how,
        PlacingMethod::Native
    );
    assert_eq!(
        asked(&flux::Flux, "flux run app").unwrap().how,
        PlacingMethod::Native
    );
}

#[test]
fn where_renumbered_ranks_are_slower_the_launcher_places_them_or_nobody_does() {
    let bare = BareLaunch {
        seats: Some(seats()),
        ..BareLaunch::default()
    };
    let of = |launcher, line, asked| {
        let launch = parse(launcher, line);
        let slow = Some("collectives are slower");
        let choice = placing_method::choose(&launch, &plan(None), asked, slow, &bare).unwrap();
        (choice.how, choice.to_string())
    };
    let (how, text) = of(OPEN_MPI[0], "mpirun app", None);
    assert_eq!(how, PlacingMethod::Native, "{text}");
    assert!(text.contains("collectives are slower"), "{text}");
    let (how, text) = of(&jsrun::Jsrun, "jsrun app", None);
    assert_eq!(how, PlacingMethod::AsLaunched, "{text}");
    assert!(text.contains("collectives are slower"), "{text}");
    let asked = Some(PlacingMethod::Renumber);
    assert_eq!(
        of(OPEN_MPI[0], "mpirun app", asked).0,
        PlacingMethod::Renumber
    );
}

#[test]
fn hosts_that_are_open_are_not_named() {
    let open = PlacementPlan {
        hosts_are_open: true,
        ..plan(None)
    };
    let (how, text) = chosen(&srun::Srun, "srun --mpi=pmi2 app", &open, Some(seats()));
    assert_eq!(how, PlacingMethod::Renumber);
    assert!(text.contains("would make the job wait"), "{text}");
}
