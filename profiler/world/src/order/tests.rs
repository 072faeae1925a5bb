use super::*;

fn processes(hosts: &[&str]) -> Vec<Process> {
    let process = |host: &&str| Process {
        host: (*host).to_owned(),
        ..Process::default()
    };
    hosts.iter().map(process).collect()
}

fn plan(hosts: &[Option<&str>], ranks: &[u32]) -> RenumberingPlan {
    let hosts = hosts.iter().map(|name| name.map(str::to_owned)).collect();
    let ranks = ranks.iter().map(|&host| PlannedRank::on(host)).collect();
    RenumberingPlan::new(hosts, ranks).expect("a plan")
}

fn ordered(plan: &RenumberingPlan, found: &[Process]) -> Vec<u32> {
    let order = order(plan, found).expect("a plan that fits");
    let mut sorted = order.processes.clone();
    sorted.sort_unstable();
    assert!(
        sorted
            .iter()
            .enumerate()
            .all(|(at, &process)| at == process as usize)
    );
    order.processes
}

#[test]
fn a_process_comes_back_from_its_bytes() {
    let process = Process {
        host: "n0.site".into(),
        cores: "0-3,8".parse().expect("cores"),
        memory: "bind:0,1".into(),
        variables: "SLURM_LOCALID=1".into(),
        program: 2,
    };
    assert_eq!(Process::from_bytes(&process.to_bytes()), process);
}

#[test]
fn ranks_find_processes_on_their_hosts_by_short_or_full_names() {
    let found = processes(&["n0.site", "n0.site", "N1", "N1"]);
    let plan = plan(&[Some("n0"), Some("n1.site")], &[0, 1, 1, 0]);
    assert_eq!(ordered(&plan, &found), [0, 2, 3, 1]);
    let order = order(&plan, &found).expect("fits");
    assert!(order.notes.is_empty(), "{:?}", order.notes);
}

#[test]
fn other_hosts_of_the_same_shape_are_taken_in_their_order() {
    let found = processes(&["x", "y", "y", "z"]);
    let plan = plan(&[Some("n0"), Some("n1"), Some("n2")], &[0, 1, 2, 2]);
    let order = order(&plan, &found).expect("fits");
    assert_eq!(order.processes, [0, 3, 1, 2]);
    assert_eq!(order.notes.len(), 1);
}

#[test]
fn a_plan_without_names_is_for_any_hosts() {
    let found = processes(&["b", "a", "b", "a"]);
    let plan = plan(&[None, None], &[0, 0, 1, 1]);
    let order = order(&plan, &found).expect("fits");
    assert_eq!((order.processes, order.notes), (vec![0, 2, 1, 3], vec![]));
}

#[test]
fn rank_0_stays_where_standard_input_arrives() {
    let found = processes(&["a", "a", "b", "b"]);
    let plan = plan(&[Some("a"), Some("b")], &[1, 0, 0, 1]);
    let order = order(&plan, &found).expect("fits");
    assert_eq!(order.processes, [0, 2, 1, 3]);
    assert!(
        order.notes[0].contains("rank 0 stays on a"),
        "{:?}",
        order.notes
    );
    assert!(order.notes[0].contains("rank 1 takes its place on b"));
}

#[test]
fn cores_are_matched_exactly_then_by_what_they_have_in_common() {
    let cores = |text: &str| text.parse().expect("cores");
    let mut found = processes(&["a"; 4]);
    for (process, text) in found.iter_mut().zip(["6-7", "0-1", "2-3", "4-5"]) {
        process.cores = cores(text);
    }
    let ranks = ["6-7", "5", "-", "0-1"].map(|text| PlannedRank {
        cores: cores(text),
        ..PlannedRank::on(0)
    });
    let plan = RenumberingPlan::new(vec![None], ranks.into()).expect("a plan");
    assert_eq!(ordered(&plan, &found), [0, 3, 2, 1]);
}

#[test]
fn processes_that_the_plan_names_are_taken() {
    let found = processes(&["a", "a", "b", "b"]);
    let ranks = [(0, Some(0)), (1, Some(3)), (1, None), (0, None)];
    let ranks = ranks.map(|(host, process)| PlannedRank {
        process,
        ..PlannedRank::on(host)
    });
    let hosts = vec![Some("a".to_owned()), Some("b".to_owned())];
    let plan = RenumberingPlan::new(hosts.clone(), ranks.to_vec()).expect("a plan");
    assert_eq!(ordered(&plan, &found), [0, 3, 2, 1]);
    assert_eq!(order_of_number(&plan, 4), None);
    let mut elsewhere = ranks.to_vec();
    elsewhere[1].process = Some(1);
    let plan = RenumberingPlan::new(hosts, elsewhere).expect("a plan");
    let misfit = Misfit::Elsewhere {
        rank: 1,
        process: 1,
    };
    assert_eq!(order(&plan, &found), Err(misfit));
}

#[test]
fn a_rank_stays_one_of_its_program() {
    let mut found = processes(&["a", "a", "b", "b"]);
    for (process, program) in found.iter_mut().zip([0, 1, 0, 1]) {
        process.program = program;
    }
    let across = plan(&[Some("a"), Some("b")], &[0, 1, 1, 0]);
    assert_eq!(ordered(&across, &found), [0, 3, 2, 1]);
    let mixed = plan(&[Some("a"), Some("b")], &[0, 1, 0, 1]);
    assert_eq!(order(&mixed, &found), Err(Misfit::Kinds { rank: 0 }));
    for seed in 0..20 {
        let shuffled = ordered(&RenumberingPlan::Shuffled(seed), &found);
        assert!(
            shuffled
                .iter()
                .zip(0..)
                .all(|(process, rank)| process % 2 == rank % 2)
        );
    }
}

#[test]
fn a_rank_keeps_the_number_of_cores_that_the_launch_has_chosen() {
    let mut found = processes(&["a", "a", "b", "b"]);
    for (process, cores) in found.iter_mut().zip(["0-7", "8", "0-7", "8"]) {
        process.cores = cores.parse().expect("cores");
    }
    assert_eq!(numbered_kinds(&found), [2, 1, 2, 1]);
    let across = plan(&[Some("a"), Some("b")], &[0, 1, 1, 0]);
    assert_eq!(ordered(&across, &found), [0, 3, 2, 1]);
    let mixed = plan(&[Some("a"), Some("b")], &[0, 1, 0, 1]);
    assert_eq!(order(&mixed, &found), Err(Misfit::Kinds { rank: 0 }));
    for process in &mut found {
        process.cores = Cores::default();
    }
    assert_eq!(ordered(&mixed, &found), [0, 2, 1, 3], "unbound");
}

#[test]
fn another_number_of_ranks_or_another_shape_is_no_fit() {
    let found = processes(&["a", "a", "b"]);
    let few = plan(&[None], &[0, 0]);
    let (planned, number) = (2, 3);
    let misfit = Misfit::Ranks {
        planned,
        found: number,
    };
    assert_eq!(order(&few, &found), Err(misfit));
    let flat = plan(&[Some("a"), Some("b"), Some("c")], &[0, 1, 2]);
    let misfit = order(&flat, &found).expect_err("another shape");
    assert!(misfit.to_string().contains("planned on b"), "{misfit}");
}

#[test]
fn a_shuffle_depends_on_its_seed_alone_and_keeps_rank_0() {
    let found = processes(&["a"; 12]);
    let some = ordered(&RenumberingPlan::Shuffled(1), &found);
    assert_eq!(some, ordered(&RenumberingPlan::Shuffled(1), &found));
    assert_ne!(some, ordered(&RenumberingPlan::Shuffled(2), &found));
    assert_eq!(some[0], 0);
    assert_eq!(
        order_of_number(&RenumberingPlan::Shuffled(1), 12),
        Some(some)
    );
}

#[test]
fn rank_0_stays_whatever_a_plan_says_of_hosts_cores_and_processes() {
    let mut found = processes(&["a", "b", "c", "a", "b", "c"]);
    for (number, process) in found.iter_mut().enumerate() {
        process.cores = [number as u32 / 3].into_iter().collect();
    }
    for first in 0..6_u32 {
        let of_rank = (0..6).map(|rank| (rank + first) % 6);
        let hosts = ["a", "b", "c"].map(|name| Some(name.to_owned()));
        for (nameless, with_cores, named) in [
            (false, false, false),
            (true, false, false),
            (false, true, false),
            (false, false, true),
        ] {
            let rank = |process: u32| PlannedRank {
                host: process % 3,
                cores: if with_cores {
                    [process / 3].into_iter().collect()
                } else {
                    Cores::default()
                },
                process: named.then_some(process),
            };
            let hosts = if nameless {
                vec![None; 3]
            } else {
                hosts.to_vec()
            };
            let plan =
                RenumberingPlan::new(hosts, of_rank.clone().map(rank).collect()).expect("a plan");
            assert_eq!(ordered(&plan, &found)[0], 0, "{plan:?}");
            let alone = order_of_number(&plan, 6);
            assert!(alone.is_none_or(|processes| processes[0] == 0), "{plan:?}");
        }
    }
}
