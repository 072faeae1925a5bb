use super::neighbourhood::Neighbourhoods;
use super::top_down::{RankRegions, Region};
use super::*;
use bisect::BisectionEffort;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::{HostList, parse};
use rankfold_metric::hop_bytes;
use rankfold_problem::heuristic::Effort;
use rankfold_problem::testing::{Case, box_stencil, graph, machine, message, star_stencil};
use rankfold_refine::site_assignment::SiteAssignment;
use rankfold_refine::subtree;
use top_down::Halving;

const SPECS: [&str; 10] = [
    "tree:3x2x4",
    "tree:2x2x2x2",
    "xgft:3,4,2:1,2,2",
    "fattree:4",
    "ibcore:hosts=14,leaf=3,up=2,line=2,spines=2",
    "dragonfly:3,4,2,3",
    "percs:2",
    "tianhe3:2x2,4",
    "torus:4x3x2",
    "mesh:5x4",
];

fn placed(case: &Case) -> Placement {
    Multisection.place(&case.problem()).unwrap().placement
}

#[test]
fn a_grid_of_ranks_falls_into_the_subtrees_of_a_tree() {
    // 8x8 ranks on 4x4 nodes of 4 slots: the best known layout is 4x4 blocks of 2x2 blocks.
    let case = Case::new(star_stencil(&[8, 8], false), machine("tree:4x4", 4));
    let nodes = placed(&case).nodes(case.machine.slots());
    let perfect = 2 * 1000 * (16 * 4 + 32 * 2);
    assert_eq!(
        hop_bytes(&case.graph, case.machine.topology(), &nodes),
        perfect
    );
}

#[test]
fn ranks_that_fit_one_switch_stay_together_on_an_empty_machine() {
    let case = Case::new(box_stencil(&[4, 4], false), machine("tree:8x4x16", 1));
    let nodes = placed(&case).nodes(case.machine.slots());
    let switch = nodes[0].0 / 16;
    assert!(nodes.iter().all(|node| node.0 / 16 == switch), "{nodes:?}");
}

#[test]
fn a_clique_and_a_star_of_many_ranks_are_placed_slow() {
    let star = (1..600).map(|rank| message(0, rank, rank as u64)).collect();
    let clique = (0..120 * 120)
        .map(|i| message(i / 120, i % 120, 1))
        .collect();
    for (ranks, messages) in [(600, star), (120, clique)] {
        let case = Case::new(graph(ranks, messages), machine("tree:5x10x4", 3));
        assert_eq!(placed(&case).ranks(), ranks);
    }
}

#[test]
fn chains_on_a_power_law_end_in_bounded_work_slow() {
    // Rank r has 14 partners, most of them among the first ranks. Chains of the start took 2000 M
    // look-ups where nothing bounded them.
    let ranks = 4096;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let partner = |rank: usize, draw: f64| (rank as f64 * draw.powi(3)) as usize;
    let messages = (1..ranks).flat_map(|rank| {
        let draws: [f64; 7] = std::array::from_fn(|_| random.random());
        draws.map(|draw| message(rank, partner(rank, draw), 1 + (draw * 99.0) as u64))
    });
    let messages = messages.collect();
    let case = Case::new(graph(ranks, messages), machine("tree:6x8x4", 22));
    let mut problem = case.problem();
    problem.effort = Effort::Fast;
    let found = Multisection.place(&problem).unwrap();
    let millions = |note: &String| {
        let (_, after) = note.rsplit_once(", ").unwrap();
        after.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let most = found.diagnostics.notes.iter().map(millions).max().unwrap();
    assert!((100..1000).contains(&most), "{:?}", found.diagnostics.notes);
}

#[test]
fn bytes_beyond_64_bit_hop_bytes_never_make_a_placement_worse() {
    let huge = (0..64).map(|rank| message(rank, (rank * 29 + 7) % 64, (1 << 56) + rank as u64));
    let case = Case::new(graph(64, huge.collect()), machine("tree:4x4x4", 1));
    let weights = Weights::new(case.problem().affinity, 6);
    assert!(weights.partners(0).all(|(_, bytes)| bytes < 1 << 56));
    let mut refined = Placement::block(64);
    for refinement in rankfold_refine::REFINEMENTS {
        refinement.refine(&case.problem(), &mut refined);
    }
    let cost = |p: &Placement| {
        let nodes = p.nodes(case.machine.slots());
        hop_bytes(&case.graph, case.machine.topology(), &nodes)
    };
    assert!(cost(&refined) < cost(&Placement::block(64)));
}

#[derive(Clone, Debug)]
struct Random {
    spec: &'static str,
    capacities: Vec<u32>,
    ranks: usize,
    edges: Vec<(usize, usize, u64)>,
    seed: u64,
}

prop_compose! {
    fn random()(spec in prop::sample::select(&SPECS[..]))(
        capacities in prop_oneof![
            prop::collection::vec(0u32..4, parse(spec).unwrap().nodes()),
            Just(vec![1; parse(spec).unwrap().nodes()]),
            Just(vec![2; parse(spec).unwrap().nodes()]),
        ],
        share in prop_oneof![Just(1.0f64), 0.0f64..1.0],
        edges in prop::collection::vec((any::<usize>(), any::<usize>(), 1u64..1 << 40), 1..120),
        spec in Just(spec),
        seed in any::<u64>(),
    ) -> Random {
        let mut capacities = capacities;
        capacities[0] += 2;
        let slots: u32 = capacities.iter().sum();
        let ranks = 2 + (share * f64::from(slots - 2)) as usize;
        Random { spec, capacities, ranks, edges, seed }
    }
}

impl Random {
    fn graph(&self) -> CommGraph {
        let ends = |a: usize, b: usize| (a % self.ranks, b % self.ranks);
        let messages = self.edges.iter().map(|&(a, b, bytes)| (ends(a, b), bytes));
        let messages = messages.map(|((a, b), bytes)| message(a, b, bytes));
        let all = messages.chain([message(0, 1, 1)]);
        graph(self.ranks, all.collect())
    }

    fn case(&self) -> Case {
        let line = |(node, slots): (usize, &u32)| match slots {
            0 => "-".into(),
            _ => format!("n{node} slots={slots}"),
        };
        let lines: Vec<String> = self.capacities.iter().enumerate().map(line).collect();
        let hosts = HostList::from_text(&lines.join("\n"), "hosts").unwrap();
        let machine = Machine::new(parse(self.spec).unwrap(), 1, Some(hosts)).unwrap();
        Case::new(self.graph(), machine)
    }
}

fn on_threads(threads: usize, case: &Case) -> Placement {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let problem = Problem {
        effort: Effort::Fast,
        ..case.problem()
    };
    let place = || Multisection.place(&problem).unwrap().placement;
    pool.build().unwrap().install(place)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_family_with_any_capacities_gets_a_valid_placement_no_worse_than_block_order_slow(
        random in random()
    ) {
        let case = random.case();
        let slots = case.machine.slots();
        let placement = placed(&case);
        let mut taken = placement.slots().to_vec();
        taken.sort_unstable();
        taken.dedup();
        prop_assert_eq!(taken.len(), random.ranks);
        let cost = |p: &Placement| hop_bytes(&case.graph, case.machine.topology(), &p.nodes(slots));
        prop_assert!(cost(&placement) <= cost(&Placement::block(random.ranks)));
    }

    #[test]
    fn regions_are_refilled_within_capacity_and_every_saving_is_what_the_cost_falls_by_slow(
        random in random()
    ) {
        let case = random.case();
        let sites = Sites::new(&case.machine);
        let problem = case.problem();
        let weights = Weights::new(problem.affinity, case.machine.topology().diameter());
        let block = sites.of(&Placement::block(random.ranks), case.machine.slots());
        let mut assignment = SiteAssignment::new(&weights, &sites, block);
        prop_assert_eq!(
            assignment.cost() as u128,
            hop_bytes(
                &case.graph,
                case.machine.topology(),
                &Placement::block(random.ranks).nodes(case.machine.slots())
            )
        );
        let mut last = assignment.cost();
        let mut search = Neighbourhoods::new(&assignment, random.seed);
        for step in 0..3 {
            let saved = match step {
                1 => subtree::improve(&mut assignment),
                _ => search.improve(&mut assignment, usize::MAX, 20_000),
            };
            prop_assert!(saved >= 0);
            prop_assert_eq!(assignment.cost(), last - saved);
            last = assignment.cost();
            for site in 0..sites.len() as u32 {
                prop_assert!(!assignment.is_overfull(site));
            }
        }
    }

    #[test]
    fn halving_fills_any_sites_exactly(random in random()) {
        let case = random.case();
        let sites = Sites::new(&case.machine);
        let weights = Weights::new(case.problem().affinity, case.machine.topology().diameter());
        let care = BisectionEffort { seeds: 1, cycles: 1, tries: 4 };
        let halving = Halving {
            weights: &weights,
            sites: &sites,
            care,
            now: None,
            warm: false,
            seed: random.seed,
        };
        let mut at = RankRegions::new(random.ranks);
        let everything = Region::everything(&sites, random.ranks);
        let settled = halving.settle(everything, &mut at, &mut 0);
        let mut load = vec![0; sites.len()];
        for &(_, site) in &settled {
            load[site as usize] += 1;
        }
        prop_assert_eq!(settled.len(), random.ranks);
        prop_assert!(load.iter().zip(sites.capacities()).all(|(load, most)| load <= most));
    }

    #[test]
    fn the_number_of_threads_changes_nothing_slow(random in random()) {
        let case = random.case();
        prop_assert_eq!(on_threads(1, &case), on_threads(4, &case));
    }
}

#[test]
fn large_regions_are_halved_alike_by_any_number_of_threads_slow() {
    let case = Case::new(
        box_stencil(&[13, 13, 13], false),
        machine("tree:11x10x10", 2),
    );
    assert_eq!(on_threads(1, &case), on_threads(4, &case));
}
