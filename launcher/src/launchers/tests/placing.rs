//! How each launcher is told where ranks go.

use super::*;

#[test]
fn several_programs_are_placed_each_by_its_own_hosts_or_by_one_machine_file() {
    let (command, text, _) = placed(
        &openmpi4::OpenMpi4,
        "mpirun --hostfile h -n 3 a : --hostfile g -n 1 b",
        &plan(None),
    );
    assert_eq!(
        command,
        "mpirun --hostfile H --map-by seq -n 3 a : --hostfile H.1 -n 1 b"
    );
    assert_eq!(text, "n1\nn0\nn0\n");
    let (command, text, _) = placed(&mpich::MPICH, "mpiexec -f h -n 3 a : -n 1 b", &plan(None));
    assert_eq!(command, "mpiexec -f H -n 3 a : -n 1 b");
    assert_eq!(text, "n1:1\nn0:2\nn1:1\n");
}

#[test]
fn open_mpi_places_by_the_sequential_mapper_and_keeps_the_users_binding() {
    let line = "mpirun --hostfile f --map-by node --bind-to core -n 4 app";
    let (command, text, replaced) = placed(&openmpi4::OpenMpi4, line, &plan(None));
    assert_eq!(
        command,
        "mpirun --hostfile H --map-by seq --bind-to core -n 4 app"
    );
    assert_eq!(text, "n1\nn0\nn0\nn1\n");
    assert_eq!(replaced, "--map-by node --hostfile f");
}

#[test]
fn open_mpi_takes_a_rankfile_as_it_is_within_the_users_hosts() {
    let map = plan(Some("r.map"));
    let line = "mpirun --host n0:2,n1:2 --bind-to none -n 4 app";
    let (command, _, replaced) = placed(&openmpi4::OpenMpi4, line, &map);
    assert_eq!(command, "mpirun -rf r.map --host n0:2,n1:2 -n 4 app");
    assert_eq!(replaced, "--bind-to none");
    let (command, text, _) = placed(&openmpi4::OpenMpi4, "mpirun -n 4 app", &map);
    assert_eq!(command, "mpirun -rf r.map --hostfile H -n 4 app");
    assert_eq!(text, "n0 slots=2\nn1 slots=2\n");
    let (_, _, replaced) = placed(
        &openmpi4::OpenMpi4,
        "mpirun --bind-to=core --cpu-set=0 -n 4 app",
        &map,
    );
    assert_eq!(replaced, "--bind-to=core --cpu-set=0");
}

#[test]
fn open_mpi_gives_ranks_as_many_cores_as_the_user_does() {
    let four = "rank 0=n1 slot=0-3\nrank 1=n0 slot=0-3\nrank 2=n0 slot=4-7\nrank 3=n1 slot=4-7\n";
    let line = "mpirun --map-by node:PE=4 --bind-to core -n 4 app";
    let (command, text, replaced) = placed(&openmpi4::OpenMpi4, line, &plan(None));
    assert_eq!(command, "mpirun -rf H.ranks --hostfile H -n 4 app");
    assert_eq!(text, four);
    assert_eq!(replaced, "--map-by node:PE=4 --bind-to core");
    let line = "mpirun --cpus-per-proc 1 -n 4 app";
    let (command, text, _) = placed(&openmpi4::OpenMpi4, line, &plan(None));
    assert_eq!(command, "mpirun -rf H.ranks --hostfile H -n 4 app");
    assert!(text.ends_with("rank 3=n1 slot=1\n"), "{text}");
    let line = "mpirun --map-by ppr:2:node:pe=4 -n 4 app";
    let mut launch = parse(&openmpi5::OpenMpi5, line);
    let placing = launch
        .launcher
        .place(&mut launch.apps, &plan(None), Path::new("H"))
        .unwrap();
    assert_eq!(placing.files[1].1, four);
    let command = join(&launch.words());
    assert!(command.contains("--map-by rankfile:file=H"), "{command}");
}

#[test]
fn open_mpi_binds_nobody_to_cores_who_wants_none_or_others() {
    for line in [
        "mpirun --map-by slot:PE=2 --bind-to none -n 4 app",
        "mpirun --map-by slot:PE=2 --bind-to numa -n 4 app",
        "mpirun --cpu-set 0,2 -n 4 app",
    ] {
        let (command, ..) = placed(&openmpi4::OpenMpi4, line, &bound());
        assert!(command.contains("--map-by seq"), "{command}");
    }
}

#[test]
fn open_mpi_gives_ranks_as_many_hardware_threads_as_the_user_does() {
    let two = "rank 0=n1 slot=0-1\nrank 1=n0 slot=0-1\nrank 2=n0 slot=2-3\nrank 3=n1 slot=2-3\n";
    for line in [
        "mpirun --map-by slot:PE=2 --use-hwthread-cpus -n 4 app",
        "mpirun --map-by slot:PE=2 --bind-to hwthread -n 4 app",
    ] {
        let (command, text, _) = placed(&openmpi4::OpenMpi4, line, &bound());
        assert_eq!(
            command.matches("--use-hwthread-cpus").count(),
            1,
            "{command}"
        );
        assert_eq!(text, two);
    }
    for line in [
        "mpirun --map-by slot:PE=2:HWTCPUS -n 4 app",
        "mpirun --map-by slot:PE=2 --use-hwthread-cpus -n 4 app",
    ] {
        let mut launch = parse(&openmpi5::OpenMpi5, line);
        let place = launch
            .launcher
            .place(&mut launch.apps, &bound(), Path::new("H"));
        assert_eq!(place.unwrap().files[1].1, two);
        let command = join(&launch.words());
        let directive = "--map-by rankfile:file=H:HWTCPUS";
        assert!(
            command.contains(directive) && !command.contains("use-hw"),
            "{command}"
        );
    }
}

/// The way chosen for this line, whether it binds, and why.
fn chosen(
    launcher: &'static dyn Launcher,
    line: &str,
    plan: &PlacementPlan,
) -> (PlacingMethod, bool, String) {
    let choice = placing_method::choose(&parse(launcher, line), plan, None).unwrap();
    (choice.how, choice.binds, choice.to_string())
}

#[test]
fn ranks_are_bound_to_the_cores_of_the_plan_by_a_rankfile() {
    let line = "mpirun --map-by node -n 4 app";
    let (command, text, _) = placed(&openmpi4::OpenMpi4, line, &bound());
    assert_eq!(command, "mpirun -rf H.ranks --hostfile H -n 4 app");
    let both = "rank 0=n1 slot=2-3\nrank 1=n0 slot=2-3\nrank 2=n0 slot=0-1\nrank 3=n1 slot=0-1\n";
    assert_eq!(text, both);
    let one = "rank 0=n1 slot=2\nrank 1=n0 slot=2\nrank 2=n0 slot=0\nrank 3=n1 slot=0\n";
    for line in [
        "mpirun --bind-to core -n 4 app",
        "mpirun --map-by slot:pe=1 -n 4 app",
    ] {
        assert_eq!(placed(&openmpi4::OpenMpi4, line, &bound()).1, one, "{line}");
    }
    for launcher in [
        &openmpi4::OpenMpi4 as &'static dyn Launcher,
        &openmpi5::OpenMpi5,
    ] {
        let (how, binds, told) = chosen(launcher, line, &bound());
        assert_eq!((how, binds), (PlacingMethod::Native, true), "{told}");
        assert!(told.contains("each is bound to its cores"), "{told}");
        for other in [
            "--bind-to none",
            "--use-hwthread-cpus",
            "--map-by node:PE=4",
        ] {
            let line = format!("mpirun {other} -n 4 app");
            let (how, binds, told) = chosen(launcher, &line, &bound());
            assert_eq!((how, binds), (PlacingMethod::Renumber, false), "{told}");
            assert!(told.contains("your options"), "{told}");
        }
    }
}

#[test]
fn ranks_are_bound_to_the_cores_of_the_plan_by_one_list_for_all_hosts() {
    for (launcher, line, words) in [
        (
            &mpich::MPICH_5_0 as &'static dyn Launcher,
            "mpiexec -n 4 app",
            "-bind-to user:1+3,0+2",
        ),
        (&intel::INTEL, "mpiexec -n 4 app", "-cpu-bind list:1,3:0,2"),
        (
            &srun::Srun,
            "srun --exclusive --mpi=pmix -n 4 app",
            "--cpu-bind=mask_cpu:0xa,0x5",
        ),
        (&pals::Pals, "mpiexec -n 4 app", "--cpu-bind list:1,3:0,2"),
    ] {
        let (command, ..) = placed(launcher, line, &bound());
        assert!(command.contains(words), "{command}");
        let (command, ..) = placed(launcher, line, &plan(None));
        assert!(!command.contains("bind"), "{command}");
    }
    for shared in ["--mpi=pmix", "--exclusive=user", "--exclusive -c 2"] {
        let (command, ..) = placed(&srun::Srun, &format!("srun {shared} -n 4 app"), &bound());
        assert!(!command.contains("mask_cpu"), "{command}");
    }
    let line = "mpiexec -bind-to core -n 4 app";
    let (command, ..) = placed(&mpich::MPICH_5_0, line, &bound());
    assert!(!command.contains("user:"), "{command}");
    let (how, _, told) = chosen(&mpich::MPICH_5_0, line, &bound());
    assert_eq!(how, PlacingMethod::Renumber, "{told}");
    assert!(chosen(&intel::INTEL, "mpiexec -n 4 app", &bound()).1);
    let pinned = "mpiexec -genv I_MPI_PIN_DOMAIN socket -n 4 app";
    assert!(!chosen(&intel::INTEL, pinned, &bound()).1);
    // One list for hosts that need two would bind half of the ranks wrongly.
    let mut other = bound();
    other.cores.numbers.swap(0, 3);
    other.cores.places.swap(0, 3);
    let (how, _, told) = chosen(&intel::INTEL, "mpiexec -n 4 app", &other);
    assert!(
        how == PlacingMethod::Renumber && told.contains("one list for all hosts"),
        "{told}"
    );
    // Renumbered, ranks come in the order of their cores first.
    let mut launch = parse(&intel::INTEL, "mpiexec -n 4 app");
    let shaped = launch
        .launcher
        .shape(&mut launch.apps, &other, Path::new("H"));
    assert_eq!(shaped.unwrap().files[0].1, "n1:2\nn0:2\n");
    let command = join(&launch.words());
    assert!(command.contains("-cpu-bind list:0,2:1,3"), "{command}");
}

#[test]
fn open_mpi_5_names_the_file_in_the_mapping_directive() {
    let line = "mpirun --host n0:2,n1:2 --map-by node --bind-to core -n 4 app";
    let (command, text, replaced) = placed(&openmpi5::OpenMpi5, line, &plan(None));
    assert_eq!(
        command,
        "mpirun --hostfile H.slots --map-by seq:file=H --mca coll ^han --bind-to core -n 4 app"
    );
    assert_eq!(text, "n0 slots=2\nn1 slots=2\n");
    assert_eq!(replaced, "--host n0:2,n1:2 --map-by node");
}

#[test]
fn open_mpi_5_does_without_han_only_where_it_is_wrong_and_the_user_chose_nothing() {
    let command = |line, hosts: [&str; 4]| {
        let plan = PlacementPlan {
            hosts: hosts.map(String::from).into(),
            ..plan(None)
        };
        placed(&openmpi5::OpenMpi5, line, &plan).0
    };
    let irregular = ["a", "b", "b", "a"];
    assert!(command("mpirun -n 4 app", irregular).contains("--mca coll ^han"));
    assert!(!command("mpirun -n 4 app", ["a", "b", "a", "b"]).contains("han"));
    assert!(!command("mpirun --mca coll tuned,basic -n 4 app", irregular).contains("han"));
}

#[test]
fn intel_takes_the_lines_in_order_by_its_machine_file_alone() {
    let line = "mpiexec -hosts n0,n1 -n 4 app";
    let (command, text, _) = placed(&intel::INTEL, line, &plan(None));
    assert_eq!(command, "mpiexec -machinefile H -n 4 app");
    assert_eq!(text, "n1:1\nn0:2\nn1:1\n");
}

#[test]
fn mpich_places_by_a_machine_file_with_runs_of_ranks_merged() {
    let line = "mpiexec -hosts n0,n1 -ppn 2 -n 4 app";
    let (command, text, replaced) = placed(&mpich::MPICH, line, &plan(Some("r.map")));
    assert_eq!(command, "mpiexec -f H -n 4 app");
    assert_eq!(text, "n1:1\nn0:2\nn1:1\n");
    assert_eq!(replaced, "-hosts n0,n1 -ppn 2");
    let line = "mpiexec -hosts n0,n1 -bind-to core:2 -map-by socket -n 4 app";
    let (command, ..) = placed(&mpich::MPICH, line, &plan(None));
    assert_eq!(
        command,
        "mpiexec -f H -bind-to core:2 -map-by socket -n 4 app"
    );
}

#[test]
fn srun_places_by_a_list_of_hosts_and_the_distribution_that_follows_it() {
    let line = "srun -N2 -mcyclic --mpi=pmix -n 4 app";
    let (command, text, replaced) = placed(&srun::Srun, line, &plan(None));
    assert_eq!(
        command,
        "srun --nodelist=H --distribution=arbitrary --mpi=pmix -n 4 app"
    );
    assert_eq!(text, "n1\nn0\nn0\nn1\n");
    assert_eq!(replaced, "-N2 -mcyclic");
    let line = "srun -c 4 -m block:cyclic:fcyclic,Pack --gpus-per-task=1 -n 4 app";
    let (command, ..) = placed(&srun::Srun, line, &plan(None));
    assert_eq!(
        command,
        "srun --nodelist=H --distribution=arbitrary:cyclic:fcyclic -c 4 --gpus-per-task=1 -n 4 app"
    );
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

#[test]
fn mpich_5_0_is_given_the_line_of_every_rank() {
    let version = "HYDRA build details:\n    Version:        5.0.2\n";
    let launcher = recognise(version).unwrap();
    let (command, text, replaced) = placed(launcher, "mpiexec -hosts n0,n1 -n 4 app", &plan(None));
    assert_eq!(command, "mpiexec -f H -rankmap 0,1,1,0 -n 4 app");
    assert_eq!((&*text, &*replaced), ("n1:2\nn0:2\n", "-hosts n0,n1"));
    assert_eq!(
        placed(&mpich::MPICH, "mpiexec -n 4 app", &plan(None)).0,
        "mpiexec -f H -n 4 app"
    );
}

#[test]
fn the_way_is_the_launchers_own_where_that_has_been_seen_to_be_right() {
    let choice = |launcher, line, hosts: [&str; 4], asked| {
        let plan = PlacementPlan {
            hosts: hosts.map(String::from).into(),
            ..plan(None)
        };
        placing_method::choose(&parse(launcher, line), &plan, asked).map(|choice| choice.how)
    };
    let (mixed, alone) = (["a", "b", "b", "a"], ["d", "b", "c", "a"]);
    let chosen = |launcher, line, hosts| choice(launcher, line, hosts, None).unwrap();
    assert_eq!(
        chosen(&openmpi4::OpenMpi4, "mpirun app", mixed),
        PlacingMethod::Native
    );
    assert_eq!(
        chosen(&mpich::MPICH, "mpiexec app", mixed),
        PlacingMethod::Renumber
    );
    assert_eq!(
        chosen(&mpich::MPICH, "mpiexec app", alone),
        PlacingMethod::Native
    );
    assert_eq!(
        chosen(&mpich::MPICH_5_0, "mpiexec app", mixed),
        PlacingMethod::Native
    );
    assert_eq!(
        chosen(&srun::Srun, "srun --mpi=pmi2 app", mixed),
        PlacingMethod::Renumber
    );
    assert_eq!(
        chosen(&srun::Srun, "srun --mpi=pmi2 app", alone),
        PlacingMethod::Native
    );
    assert_eq!(
        chosen(&flux::Flux, "flux run app", alone),
        PlacingMethod::Renumber
    );
    let open = PlacementPlan {
        hosts_are_open: true,
        ..plan(None)
    };
    let launch = parse(&srun::Srun, "srun --mpi=pmi2 app");
    let how = |asked| placing_method::choose(&launch, &open, asked).unwrap().how;
    assert_eq!(how(None), PlacingMethod::Renumber);
    assert_eq!(how(Some(PlacingMethod::Native)), PlacingMethod::Native);
    let asked = choice(
        &jsrun::Jsrun,
        "jsrun app",
        mixed,
        Some(PlacingMethod::Native),
    );
    let told = asked.err().unwrap().to_string();
    assert!(told.starts_with("--how native: a resource file"), "{told}");
    let asked = choice(
        &mpich::MPICH,
        "mpiexec app",
        mixed,
        Some(PlacingMethod::Native),
    );
    assert_eq!(asked.unwrap(), PlacingMethod::Native);
    let asked = choice(
        &flux::Flux,
        "flux run app",
        mixed,
        Some(PlacingMethod::Native),
    );
    assert_eq!(asked.unwrap(), PlacingMethod::Native);
}
