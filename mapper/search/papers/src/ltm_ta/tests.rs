use super::*;
use rankfold_problem::testing::{Case, graph, machine, message};
use std::time::Duration;

/// A graph in which every rank exchanges messages with a few random others.
fn tangle(ranks: usize) -> Vec<rankfold_graph::Message> {
    let messages = (0..ranks).flat_map(|r| {
        let to = [(r * 7 + 3) % ranks, (r + 5) % ranks, (r * 11 + 1) % ranks];
        to.into_iter()
            .zip([90, 60, 20])
            .map(move |(to, bytes)| (r, to, bytes))
    });
    messages
        .filter(|(a, b, _)| a != b)
        .map(|(a, b, bytes)| message(a, b, bytes))
        .collect()
}

fn estimated(case: &Case, placement: &Placement) -> f64 {
    let nodes = placement.nodes(case.machine.slots());
    Estimate::new(&case.graph, case.machine.topology()).congestion(&nodes)
}

#[test]
fn congestion_never_rises_and_falls_where_the_start_is_far_from_the_best() {
    let case = Case::new(graph(36, tangle(36)), machine("torus:6x6", 1));
    let problem = case.problem();
    for member in [LTM_TA, LTM_GREEDY_TA, LTM_RECURSIVE_TA, RCM_TA] {
        let placed = member.place(&problem).unwrap();
        let reached = estimated(&case, &placed.placement);
        let starts = member.starts.iter().map(|start| {
            let start = start.place(&problem).unwrap().placement;
            estimated(&case, &start)
        });
        let least = starts.fold(f64::INFINITY, f64::min);
        let name = member.about.name;
        let falls = [RCM_TA.about.name, LTM_RECURSIVE_TA.about.name].contains(&name);
        assert!(
            reached < least || (reached == least && !falls),
            "{name}: {reached}, its best start {least}"
        );
    }
}

/// A former version made only a hundred exchanges for 512 ranks.
#[test]
fn five_hundred_ranks_get_thousands_of_exchanges_slow() {
    let case = Case::new(graph(512, tangle(512)), machine("torus:8x8x8", 1));
    let placed = LTM_RECURSIVE_TA.place(&case.problem()).unwrap();
    let outer = placed.diagnostics.passes as usize;
    assert!(outer * INNER > 10_000, "{outer} thresholds");
    let start = LtmRecursive.place(&case.problem()).unwrap().placement;
    assert!(estimated(&case, &placed.placement) <= estimated(&case, &start));
}

#[test]
fn any_number_of_threads_finds_the_same_slow() {
    let case = Case::new(graph(36, tangle(36)), machine("torus:6x6", 1));
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let placed = pool
            .build()
            .unwrap()
            .install(|| LTM_TA.place(&case.problem()));
        placed.unwrap().placement
    });
    assert_eq!(one, three);
}

#[test]
fn it_searches_until_the_time_is_over_slow() {
    let case = Case::new(graph(64, tangle(64)), machine("torus:4x4x4", 1));
    let begun = Instant::now();
    let problem = Problem {
        deadline: Some(begun + Duration::from_secs(2)),
        ..case.problem()
    };
    LTM_TA.place(&problem).unwrap();
    let took = begun.elapsed().as_secs_f64();
    assert!((1.9..20.0).contains(&took), "{took} s");
}

#[test]
fn ranks_on_nodes_of_several_cores_are_grouped_first() {
    let case = Case::new(graph(24, tangle(24)), machine("torus:3x2", 4));
    let placed = LTM_TA.place(&case.problem()).unwrap();
    assert!(placed.diagnostics.notes[0].starts_with("6 groups"));
}
