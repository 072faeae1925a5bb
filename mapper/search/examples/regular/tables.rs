//! The tables of the papers.

use crate::grid::{Case, Points, grid};
use crate::report::{Report, decimals};
use rankfold_base::Placement;
use rankfold_metric::{Score, score};
use rankfold_problem::heuristic::{Heuristic, Refinement};
use rankfold_refine::Swap;
use rankfold_search::regular::{
    AFFN, COCE, EXCO, FOLDING, Gray, Hilbert, MXOV_AL, MXOVLP, PAIRS, Reshape, STACKING, STEP,
    Tiles, XYZ,
};

/// 5-point grids on meshes, and the fewest mean hops known before `reshape`. For the last grid: the
/// hops of one fold followed by a squeeze.
const PLANES: [([usize; 2], [usize; 2], f64); 9] = [
    ([9, 8], [6, 12], 1.252),
    ([6, 5], [10, 3], 1.408),
    ([16, 4], [8, 8], 1.111),
    ([32, 4], [8, 16], 1.055),
    ([16, 16], [32, 8], 1.5),
    ([64, 16], [32, 32], 1.122),
    ([27, 44], [36, 33], 1.248),
    ([100, 40], [125, 32], 1.2015),
    ([100, 100], [250, 40], 1.826),
];

/// Bhatele's examples of planes, with every heuristic of the paper beside ours.
pub(crate) fn planes(report: &mut Report) {
    report.title("2D grids on 2D meshes, mean hops");
    report.head(&[
        "", "mxovlp", "mxov+al", "exco", "coce", "affn", "step", "pairs", "gray", "ours", "known",
    ]);
    for (dims, mesh, known) in PLANES {
        let name = format!("{}x{} on {}x{}", dims[0], dims[1], mesh[0], mesh[1]);
        let case = Case::new(&dims, &format!("mesh:{}x{}", mesh[0], mesh[1]));
        let suite: [&dyn Heuristic; 8] =
            [&MXOVLP, &MXOV_AL, &EXCO, &COCE, &AFFN, &STEP, &PAIRS, &Gray];
        let mut row = vec![name.clone()];
        row.extend(suite.iter().map(|h| decimals(case.hops(*h))));
        let ours = case.refined_hops(&Reshape).unwrap_or(f64::INFINITY);
        row.extend([format!("{ours:.4}"), format!("{known:.4}")]);
        report.row(&row);
        report.figure(&format!("planes.{}.ours", name.replace(' ', "")), ours);
        report.claim(
            ours <= 1.005 * known,
            &format!("{name}: {known} within 0.5 % ({ours:.4})"),
        );
    }
}

/// The machines and grids of table II of Bhatele 2010.
const TABLE_II: [(&str, [usize; 2]); 5] = [
    ("mesh:8x4x8", [16, 16]),
    ("torus:8x8x8", [32, 16]),
    ("torus:8x8x16", [32, 32]),
    ("torus:8x16x16", [64, 32]),
    ("torus:16x16x16", [64, 64]),
];

/// 2D grids on 3D machines. The benchmark `papers` prints the published reductions beside ours.
pub(crate) fn table_ii(report: &mut Report) {
    report.title("2D grids on 3D machines (Bhatele 2010, table II), mean hops");
    report.head(&["", "xyz", "stacking", "folding", "hilbert", "gray", "ours"]);
    for (spec, dims) in TABLE_II {
        let case = Case::new(&dims, spec);
        let name = format!("{}x{} on {spec}", dims[0], dims[1]);
        let mut row = vec![name.clone()];
        let suite: [&dyn Heuristic; 5] = [&XYZ, &STACKING, &FOLDING, &Hilbert, &Gray];
        row.extend(suite.iter().map(|h| decimals(case.hops(*h))));
        let ours = case.refined_hops(&Reshape).unwrap_or(f64::INFINITY);
        row.push(format!("{ours:.4}"));
        report.row(&row);
        report.figure(&format!("table_ii.{spec}.ours"), ours);
        report.claim(
            ours <= 1.03,
            &format!("{name}: at most 1.03 mean hops ({ours:.4})"),
        );
    }
}

/// The best value of any mapper measured on the same graph and machine, relative to block order,
/// with the mapper's name: for hop-bytes, maximum congestion, and mean and variance of the loaded
/// channels. We measured Scotch 7, KaHIP 3, METIS 5, SharedMap, TreeMatch and LibTopoMap's
/// algorithms.
const PEERS: [(&str, [(f64, &str); 4]); 2] = [
    (
        "2D 5-point 64x64",
        [
            (0.684, "Scotch"),
            (0.756, "KaHIP"),
            (0.631, "Scotch"),
            (0.517, "Scotch"),
        ],
    ),
    (
        "3D 15-point 16x16x16",
        [
            (0.632, "METIS"),
            (0.568, "METIS"),
            (0.593, "METIS"),
            (0.119, "SharedMap"),
        ],
    ),
];

/// `tiles` on the machine of PTRAM 2016, in the metrics of that paper. The benchmark `papers` has
/// the paper's own algorithm and figures.
pub(crate) fn tiles(report: &mut Report) {
    report.title(
        "tiles on 512 hosts of 8 cores below leaf and core switches (ibcore:), relative to block order",
    );
    report.head(&["", "hop-bytes", "congestion", "nz avg", "nz var", "seconds"]);
    for (name, peers) in PEERS {
        let graph = match name {
            "2D 5-point 64x64" => grid(&[64, 64], Points::Star),
            _ => grid(&[16, 16, 16], Points::StarAndCorners),
        };
        let case = Case::of(graph, "ibcore:", 8);
        let start = std::time::Instant::now();
        let placed = Tiles.place(&case.problem());
        let Ok(mut placed) = placed else {
            report.claim(false, &format!("{name}: tiles applies"));
            continue;
        };
        Swap.refine(&case.problem(), &mut placed.placement);
        let seconds = start.elapsed().as_secs_f64();
        let block = Placement::block(case.graph.ranks());
        let score = |placement: &Placement| score(&case.graph, &case.machine, placement);
        let (ours, block) = (four(&score(&placed.placement)), four(&score(&block)));
        let ratios: Vec<f64> = ours.iter().zip(&block).map(|(a, b)| a / b).collect();
        let mut row = vec![format!("{name}, ours")];
        row.extend(ratios.iter().map(|r| format!("{r:.3}")));
        row.push(format!("{seconds:.2}"));
        report.row(&row);
        let mut row = vec!["  best peer".to_string()];
        row.extend(
            peers
                .iter()
                .map(|(ratio, who)| format!("{ratio:.3} {}", &who[..who.len().min(6)])),
        );
        report.row(&row);
        for ((key, ratio), (peer, who)) in ["hop_bytes", "max_congestion", "nz_avg", "nz_var"]
            .iter()
            .zip(&ratios)
            .zip(peers)
        {
            report.figure(&format!("tiles.{}.{key}", name.replace(' ', "_")), *ratio);
            report.claim(
                *ratio < peer,
                &format!("{name}: {key} below {who}'s {peer} ({ratio:.3})"),
            );
        }
    }
}

fn four(score: &Score) -> [f64; 4] {
    [
        score.hop_bytes as f64,
        score.max_congestion,
        score.nz_avg,
        score.nz_var,
    ]
}
