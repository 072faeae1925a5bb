//! The layout of a report in a browser: nothing overlaps, nothing is cut off, every picture has a
//! name; on a telephone, on a desk, in the dark and on paper.

use super::*;
use rankfold_wire::{
    CallClass, Collective, Communicator, Form, FunctionMessages, FunctionTime, LaunchRecord,
    Members, Operation, SizeCount, SizeKind, Time,
};

/// A script that lists what is wrong with the layout of the page it runs in.
const DEFECTS: &str = include_str!("layout.js");
/// The width of A4 within the margins of the page's style, at 96 pixels an inch.
const PAPER: u32 = 695;

/// The fonts of which Debian's package `fonts-dejavu` has all but the first: the sans serif is as
/// wide as the widest that systems come with.
const FONTS: [&str; 4] = [
    "system-ui",
    "'DejaVu Sans'",
    "'DejaVu Serif'",
    "'DejaVu Sans Mono'",
];

/// Lays out reports on small and large jobs.
pub(super) fn layout() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let file = |name: &str, text: &str| -> Result<String> {
        let path = directory.path().join(name);
        fs::write(&path, text)?;
        Ok(path.to_string_lossy().into_owned())
    };
    let square = file("square.mtx", &box_stencil([1, 4, 4], 0)?)?;
    let cube = file("cube.mtx", &box_stencil([4, 4, 4], 0)?)?;
    let other = file("other.mtx", &box_stencil([4, 4, 4], 7)?)?;
    let irregular = file("irregular.mtx", &scattered(512)?)?;
    let ring = file("ring.mtx", &box_stencil([1, 1, 16], 0)?)?;
    let three = file(
        "three.mtx",
        "%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 1000\n2 3 2000\n3 1 393000\n",
    )?;
    let (near, far) = (
        file("near.map", &numbers(0..16))?,
        file("a-map-with-a-very-long-name.map", &numbers((0..16).rev()))?,
    );
    let timed = directory.path().join("timed.rfp");
    profiled().write(&timed)?;
    let timed = timed.to_string_lossy();
    let quick = ["--heuristic", "round-robin", "--no-refine"];
    let thousand = file("thousand.mtx", &box_stencil([8, 8, 16], 0)?)?;
    let cases: [(&str, Vec<&str>); 11] = [
        (
            "16 ranks on a torus",
            vec![&square, "--machine", "torus:4x4@5GB/s+500ns"],
        ),
        (
            "64 ranks, 27 points, on a dragonfly",
            vec![
                &cube,
                "--machine",
                "dragonfly:2,4,2,9@10GB/s+300ns",
                "--effort",
                "fast",
            ],
        ),
        (
            "512 irregular ranks on a fat tree",
            [&[&irregular, "--machine", "xgft:8,8,8:1,4,4"][..], &quick].concat(),
        ),
        (
            "a thousand nodes in a torus",
            [&[&thousand, "--machine", "torus:8x8x16"][..], &quick].concat(),
        ),
        (
            "a thousand nodes under a tree",
            [&[&thousand, "--machine", "xgft:16,8,8:1,8,8"][..], &quick].concat(),
        ),
        ("two runs", vec!["--diff", &cube, &other]),
        (
            "two placements",
            vec![&square, "--machine", "torus:2x8", "--diff", &near, &far],
        ),
        (
            "nothing to gain",
            vec![&ring, "--machine", "torus:16@5GB/s+500ns"],
        ),
        ("3 ranks", vec![&three, "--machine", "tree:3"]),
        (
            "many groups",
            [&[&cube, "--machine", "dragonfly:1,4,8,33"][..], &quick].concat(),
        ),
        (
            "a profile with times",
            [&[&timed[..], "--machine", "torus:4x6"][..], &quick].concat(),
        ),
    ];
    let mut browser = Browser::start()?;
    let mut found = String::new();
    for (name, args) in cases {
        let page = directory.path().join("report.html");
        let output = page.to_string_lossy();
        rankfold::run(&[&["report"], &args[..], &["-o", &output]].concat())?.success()?;
        for (width, scheme, on_paper) in [
            (400, "light", false),
            (400, "dark", false),
            (800, "light", false),
            (1440, "light", false),
            (1440, "dark", false),
            (PAPER, "light", true),
        ] {
            browser.open(&page, width, scheme)?;
            if on_paper {
                browser.show_as_printed()?;
            }
            let looks = if on_paper { "paper" } else { scheme };
            keep(&mut browser, &format!("{name}-{looks}-{width}"))?;
            // Colours change no letter's size.
            let fonts = if scheme == "dark" {
                &FONTS[..1]
            } else {
                &FONTS
            };
            for font in fonts {
                browser.value(&written_in(font))?;
                let defects = browser.value(DEFECTS)?;
                for defect in defects.as_array().context("a list of defects")? {
                    writeln!(found, "{name}, {looks}, {width} wide, {font}: {defect}")?;
                }
            }
        }
    }
    ensure!(found.is_empty(), "\n{found}");
    Ok(())
}

/// Sets all texts of the open page in a font.
fn written_in(font: &str) -> String {
    let style = format!("*,svg text{{font-family:{font}!important}}");
    format!("document.head.appendChild(document.createElement('style')).textContent={style:?}")
}

/// The numbers one a line, as a list of nodes.
fn numbers(list: impl Iterator<Item = usize>) -> String {
    list.map(|number| format!("{number}\n")).collect()
}

/// A matrix of `ranks` ranks in the form of Matrix Market.
fn matrix(ranks: usize, pairs: &[(usize, usize, u64)]) -> Result<String> {
    let mut text = format!(
        "%%MatrixMarket matrix coordinate integer general\n{ranks} {ranks} {}\n",
        pairs.len()
    );
    for (from, to, bytes) in pairs {
        writeln!(text, "{} {} {bytes}", from + 1, to + 1)?;
    }
    Ok(text)
}

/// Faces, edges and corners of an open box of ranks. With `stride`, every rank also sends to the
/// one so many times its own number on.
fn box_stencil(dims: [usize; 3], stride: usize) -> Result<String> {
    let ranks: usize = dims.iter().product();
    let at = |rank: usize| {
        [
            rank / dims[2] / dims[1],
            rank / dims[2] % dims[1],
            rank % dims[2],
        ]
    };
    let mut pairs = Vec::new();
    for from in 0..ranks {
        for to in 0..ranks {
            let (a, b) = (at(from), at(to));
            let steps = (0..3).map(|dim| a[dim].abs_diff(b[dim]));
            let near = steps.clone().all(|step| step < 2);
            match steps.sum() {
                0 => {}
                apart if near => pairs.push((from, to, [0, 800_000, 20_000, 500][apart])),
                _ if stride > 0 && from * stride % ranks == to => pairs.push((from, to, 500_000)),
                _ => {}
            }
        }
    }
    matrix(ranks, &pairs)
}

/// Ranks that send to partners all over, as a fixed sequence of numbers chooses.
fn scattered(ranks: usize) -> Result<String> {
    let mut pairs = Vec::new();
    for from in 0..ranks {
        let partners = (0..3 + from % 9).map(|nth| (from * 31 + nth * nth * 17 + 1) % ranks);
        let mut partners: Vec<usize> = partners.filter(|&to| to != from).collect();
        partners.sort_unstable();
        partners.dedup();
        pairs.extend(
            partners
                .into_iter()
                .map(|to| (from, to, 1000 + (from * to * 7919 % 997_000) as u64)),
        );
    }
    matrix(ranks, &pairs)
}

/// A run of 24 ranks with phases, collectives, message sizes, and time in all classes of calls.
fn profiled() -> Profile {
    const RANKS: u32 = 24;
    let row = |from: u32, apart: u32| {
        Row::of(vec![Peer {
            rank: (from + apart) % RANKS,
            bytes: 1 << (10 + from % 7),
            messages: 8,
        }])
    };
    let rows = |apart| {
        (0..RANKS)
            .map(|from| row(from, apart))
            .collect::<Vec<Row>>()
    };
    let phase = |name: &str, apart| Phase {
        name: name.into(),
        rows: rows(apart),
        ..Phase::default()
    };
    let collective = |op, calls, bytes| Collective {
        comm: 0,
        op,
        root: None,
        bytes,
        calls,
        form: Form::default(),
    };
    let time = |(nth, class): (u64, CallClass), rank: u64| Time {
        class,
        nanoseconds: match class {
            CallClass::Run => 9_000_000_000,
            _ => 100_000_000 * (1 + (nth * 7 + rank * 3) % 11),
        },
        calls: 100 + nth,
    };
    let times = |rank| {
        (0..)
            .zip(CallClass::ALL)
            .map(|class| time(class, rank))
            .collect()
    };
    Profile {
        manifest: Manifest {
            program: "./a.out".into(),
            mpi: "Open MPI v4.1.4, package: Debian".into(),
            hosts: (0..RANKS)
                .map(|rank| format!("node{:02}", rank / 4))
                .collect(),
            ..Manifest::default()
        },
        rows: rows(1),
        phases: vec![phase("assemble the matrix", 5), phase("solve", 1)],
        communicators: vec![Communicator {
            members: (0..RANKS).map(Some).collect::<Members>(),
            ..Communicator::default()
        }],
        collectives: vec![
            collective(Operation::Allgather, 12, 1 << 22),
            collective(Operation::Barrier, 400, 0),
        ],
        times: (0..u64::from(RANKS)).map(times).collect(),
        function_times: vec![FunctionTime {
            class: CallClass::Neighbour,
            function: "MPI_Neighbor_alltoallw_init".into(),
            nanoseconds: 9_000_000_000,
            calls: 1_234_567,
            longest: 8_000_000_000,
            longest_rank: RANKS - 1,
        }],
        function_messages: ["MPI_Neighbor_alltoallw_init", "MPI_Isend"]
            .map(|function| FunctionMessages {
                function: function.into(),
                bytes: 123_456_789_012,
                messages: 1_234_567,
            })
            .into(),
        sizes: (0..26)
            .map(|bits| SizeCount {
                kind: SizeKind::ALL[0],
                bits,
                bytes: 40 << bits >> 1,
                messages: 40,
            })
            .collect(),
        launch: Some(LaunchRecord {
            command: "mpirun -n 24 ./a.out".into(),
            started: 1_700_000_000,
            nanoseconds: 12_000_000_000,
            version: "0.2.0".into(),
        }),
        ..Profile::default()
    }
}
