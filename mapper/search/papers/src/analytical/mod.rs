//! `analytical` and `analytical-bft`: quadratic placement as in circuit design (Wu, Xiong,
//! Berrocal, Wang and Lan, J. Supercomputing 2016).
//!
//! Processes are points in the space of the machine, messages are springs between them, and one
//! process is fixed at each corner of the machine. Global mapping solves the springs for
//! equilibrium and spreads crowded points apart until few points are nearest to the same node.
//! Legalisation then moves surplus processes to neighbouring nodes until every node holds as many
//! as it has slots.
//!
//! ```text
//! equilibrium     spread out      legal
//! A . . . B       A . . . B       A x x x B
//! . .xxxx .       . x x xx.       x x x x x
//! . xxxxx .       x xx.x x.       x x x x x
//! C . . . D       C . x . D       C x x x D      A to D: processes fixed at the corners
//! ```
//!
//! | stage | module | sections of the paper |
//! | --- | --- | --- |
//! | fixed processes ("anchors") | [`anchors`] | 3.6 |
//! | local refinement | [`local`] | not in the paper, see below |
//! | springs, spreading forces | [`global`], [`bins`], [`shifting`] | 3.2, 3.3, equations 5 to 9 |
//! | legalisation | [`legal`] | 3.4, equations 10 and 11, figure 4 |
//!
//! What differs from the paper:
//!
//! * The paper places one process, or one bundle of ranks, on every node of a 3D mesh or torus.
//!   Here meshes and tori have any number of dimensions. Where nodes differ in slots, ranks are
//!   placed one by one, as many on a node as it has slots.
//! * Equation 7 has twice the gradient that balances equation 9. Half of it is used here.
//! * Components of the graph without an anchor would collapse. Each component gets a region of the
//!   machine with anchors of its own ([`regions`]).
//! * As in the paper, wrap-around links shorten distances but do not attract. The orders that
//!   choose the anchors leave wrap-around links out too; only then are the figures of table 4
//!   reached on tori. Springs and refinement that go the shorter way round a torus were tried on
//!   the eight tori of the authors' own code in `scripts/papers`: more hops on six of them,
//!   and 1.2 % fewer at best. Anchors half of the machine apart were worse on the five tried.
//!
//! Shifts are made in part, the smaller a part the more crowded the bins are, as in section V of
//! FastPlace, to which section 3.3.2 refers. `damping=none` makes them as a whole.
//!
//! What the paper's text does not have, and the authors' own code (`analmap` 1.0) prints: a local
//! refinement of all points in every iteration. Without it, `analytical:refine=none`, this is the
//! algorithm as published, but for the linear systems: they are solved by conjugate gradients in
//! place of a sparse Cholesky factorisation.
//!
//! Cost: each of up to 200 global iterations solves one linear system per dimension by conjugate
//! gradients, O(m k) for m pairs and k iterations of about a hundred. Legalisation takes about 4
//! rounds of one system over the nodes each.
mod anchors;
mod bins;
mod footprint;
mod global;
mod instance;
mod legal;
mod local;
mod regions;
mod shifting;
mod solver;

use anchors::Order;
use global::Spreading;
use instance::MappingInstance;
use rankfold_problem::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rankfold_problem::member_options::{MemberOption, OptionKind};

/// Anchors chosen by reverse Cuthill-McKee order, the better of the paper's two orders.
#[derive(Debug)]
pub(crate) struct Analytical;

/// Anchors chosen by breadth-first traversal from node 0 and process 0.
#[derive(Debug)]
pub(crate) struct AnalyticalBft;

/// Most ranks for which the heuristic takes part without being asked for by name: it takes a few
/// seconds there, by estimate; no measurement is recorded.
const AFFORDABLE_RANKS: usize = 4096;

impl Heuristic for Analytical {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "analytical",
            Family::Irregular,
            "quadratic placement and diffusion, corners anchored by RCM order (Wu et al. 2016)",
        )
        .up_to(AFFORDABLE_RANKS)
        .at_least(Effort::Best)
        .with_options(OPTIONS);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        map(problem, Order::ReverseCuthillMckee)
    }
}

impl Heuristic for AnalyticalBft {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "analytical-bft",
            Family::Irregular,
            "quadratic placement and diffusion, corners anchored by breadth-first order (Wu et al. 2016)",
        )
        .up_to(AFFORDABLE_RANKS)
        .at_least(Effort::Best)
        .with_options(OPTIONS);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        map(problem, Order::BreadthFirst)
    }
}

const OPTIONS: &[MemberOption] = &[
    MemberOption {
        name: "gamma",
        summary: "most points near a node at the end of global mapping, for each process it takes [default: 4]",
        kind: OptionKind::Count(1),
    },
    MemberOption {
        name: "max_iter",
        summary: "most global iterations [default: 200]",
        kind: OptionKind::Count(1),
    },
    MemberOption {
        name: "pins",
        summary: "order that chooses the processes fixed at the corners [default: as the name says]",
        kind: OptionKind::Word(&["rcm", "bft"]),
    },
    MemberOption {
        name: "refine",
        summary: "local refinement in every global iteration [default: local, as the authors' code; none: as the paper]",
        kind: OptionKind::Word(&["local", "none"]),
    },
    MemberOption {
        name: "damping",
        summary: "part of a shift that is made [default: fastplace; none: the whole shift]",
        kind: OptionKind::Word(&["fastplace", "none"]),
    },
];

fn map(problem: &Problem<'_>, order: Order) -> Result<Placed, NotApplicable> {
    let Some(grid) = problem.machine.topology().structure().grid() else {
        return Err(NotApplicable(
            "the machine is neither a torus nor a mesh".into(),
        ));
    };
    let instance = MappingInstance::new(problem, grid);
    let order = match problem.options.word("pins") {
        Some("bft") => Order::BreadthFirst,
        Some(_) => Order::ReverseCuthillMckee,
        None => order,
    };
    let anchors = anchors::choose(&instance, order);
    let spread = global::map(&instance, &anchors, &Spreading::of(problem.options));
    let legal = legal::legalise(&instance, &spread.points);
    Ok(Placed {
        placement: instance.placement(&legal.node_of, problem),
        diagnostics: Diagnostics {
            passes: spread.iterations,
            moves: legal.moves,
            notes: vec![format!(
                "{} anchors, {} global iterations, {} sweeps of refinement, at most {} processes nearest to a node before the last ones, {} rounds of migration",
                anchors.len(),
                spread.iterations,
                spread.sweeps,
                spread.crowd,
                legal.rounds
            )],
            ..Diagnostics::default()
        },
    })
}

#[cfg(test)]
mod tests;
