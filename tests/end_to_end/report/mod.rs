//! The report in a browser: it opens from disk, makes no requests, shows the right pair of ranks,
//! and runs no script from the names in its data.

mod alone;
mod layout;
mod plain;
mod zoom;

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use plain::{a_million, differences, few_ranks, mapfile, measured, no_machine, no_room};
use rankfold_tests::browser::{self, Browser};
use rankfold_tests::{process, rankfold};
use rankfold_wire::{Manifest, Peer, Phase, Profile, Row};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) fn facts() -> Vec<Fact> {
    let browser = &[Need::Tool(browser::PROGRAM)];
    vec![
        fact(
            "report::opens_from_disk_at_16_1024_and_16384_ranks",
            browser,
            opens,
        ),
        fact(
            "report::hover_shows_the_pair_and_the_link_under_the_pointer",
            browser,
            hovers,
        ),
        fact(
            "report::is_whole_without_a_script_and_on_paper",
            browser,
            stands_alone,
        ),
        fact(
            "report::fits_telephones_desks_and_paper",
            browser,
            layout::layout,
        ),
        fact(
            "report::enlarges_drawings_of_a_thousand_nodes",
            browser,
            zoom::enlarges,
        ),
        fact("report::names_with_markup_run_nothing", browser, injection),
        fact(
            "report::says_what_is_missing_without_a_machine",
            &[],
            no_machine,
        ),
        fact("report::holds_the_mapfile_and_its_launch", &[], mapfile),
        fact("report::shows_what_was_measured", &[], measured),
        fact("report::refuses_a_machine_that_does_not_fit", &[], no_room),
        fact("report::draws_one_rank_and_none", &[], few_ranks),
        fact(
            "report::compares_two_runs_and_two_placements",
            &[],
            differences,
        ),
        fact("report::draws_machines_alone", &[], alone::drawn),
        fact(
            "report::refuses_machines_too_large_to_draw",
            &[],
            alone::refused,
        ),
        fact("report::of_a_million_ranks_stays_small", &[], a_million),
    ]
}

/// A report, and the directory that holds it.
struct Made {
    page: PathBuf,
    json: Value,
    _directory: TempDir,
}

/// Makes a graph, a periodic five-point stencil of `rows` x `columns` ranks, and its report.
fn stencil(rows: usize, columns: usize, machine: &str) -> Result<Made> {
    let directory = tempfile::tempdir()?;
    let ranks = rows * columns;
    let mut text = format!(
        "%%MatrixMarket matrix coordinate integer general\n{ranks} {ranks} {}\n",
        4 * ranks
    );
    for rank in 0..ranks {
        let (row, column) = (rank / columns, rank % columns);
        let there = [
            ((row + 1) % rows, column),
            ((row + rows - 1) % rows, column),
            (row, (column + 1) % columns),
            (row, (column + columns - 1) % columns),
        ];
        for (way, (r, c)) in there.into_iter().enumerate() {
            writeln!(
                text,
                "{} {} {}",
                rank + 1,
                r * columns + c + 1,
                1000 * (way + 1) + rank
            )?;
        }
    }
    let input = directory.path().join("stencil.mtx");
    fs::write(&input, text)?;
    let (page, json) = (
        directory.path().join("report.html"),
        directory.path().join("report.json"),
    );
    let mut args = vec!["report", input.to_str().context("a path")?];
    // An order that differs from the one as launched, where the machine has one.
    let order = if machine.starts_with("torus") {
        "xyz"
    } else {
        "round-robin"
    };
    args.extend(["--machine", machine, "--heuristic", order, "--no-refine"]);
    args.extend([
        "-o",
        page.to_str().context("a path")?,
        "--json",
        json.to_str().context("a path")?,
    ]);
    rankfold::run(&args)?.success()?;
    Ok(Made {
        json: serde_json::from_str(&fs::read_to_string(json)?)?,
        page,
        _directory: directory,
    })
}

fn opens() -> Result<()> {
    let mut browser = Browser::start()?;
    let cases = [
        (4, 4, "torus:4x4", 300_000),
        (32, 32, "dragonfly:2,8,8,64", 1_500_000),
        (128, 128, "torus:32x32x16", 3_000_000),
    ];
    for (rows, columns, machine, most) in cases {
        let made = stencil(rows, columns, machine)?;
        let size = fs::metadata(&made.page)?.len();
        ensure!(size < most, "{machine}: {size} bytes");
        let mut grounds = Vec::new();
        for (width, scheme) in [(1440, "light"), (1440, "dark"), (400, "light")] {
            browser.open(&made.page, width, scheme)?;
            let seen = browser.value("document.documentElement.scrollWidth")?;
            ensure!(
                seen.as_u64() <= Some(width.into()),
                "{machine} at {width}: {seen} wide"
            );
            let complaints = browser.complaints()?;
            ensure!(
                complaints.is_empty(),
                "{machine} at {width}, {scheme}: {complaints:?}"
            );
            let ground = browser.value("getComputedStyle(document.body).backgroundColor")?;
            grounds.push(ground.to_string());
            keep(&mut browser, &format!("{rows}x{columns}-{scheme}-{width}"))?;
        }
        ensure!(grounds[0] != grounds[1], "both themes are {}", grounds[0]);
        ensure!(grounds[0] == grounds[2], "{grounds:?}");
    }
    Ok(())
}

/// Writes a picture of the page to `RANKFOLD_SCREENSHOTS`, if that is set.
fn keep(browser: &mut Browser, name: &str) -> Result<()> {
    let Some(directory) = std::env::var_os("RANKFOLD_SCREENSHOTS") else {
        return Ok(());
    };
    let picture = browser.picture("html")?;
    fs::write(
        Path::new(&directory).join(format!("{name}.png.base64")),
        picture,
    )?;
    Ok(())
}

fn hovers() -> Result<()> {
    let made = stencil(8, 8, "torus:4x4x4")?;
    let mut browser = Browser::start()?;
    browser.open(&made.page, 1440, "light")?;
    let heaviest = &made.json["traffic"]["heaviest"][0];
    let (from, to) = (&heaviest["from"], &heaviest["to"]);
    let bytes = heaviest["bytes"].as_f64().context("bytes")?;
    for side in 0..2 {
        let place = |rank: &Value| {
            let rank = rank.as_u64().unwrap_or(u64::MAX) as usize;
            made.json["sides"][side]["place"][rank].clone()
        };
        let point = format!(
            "(()=>{{const g=document.querySelectorAll('svg.m')[{side}].querySelector('.hit').getBoundingClientRect();return [g.x+({}+.5)/64*g.width,g.y+({}+.5)/64*g.height]}})()",
            place(to),
            place(from)
        );
        browser.point("#matrix .pair", &point)?;
        let text = browser.value("document.querySelector('#tip').innerText")?;
        let text = text.as_str().unwrap_or_default();
        let want = format!("rank {from} → rank {to}");
        ensure!(text.contains(&want), "side {side}: {text:?} lacks {want:?}");
        ensure!(
            text.contains(&format!("{:.2} kB", bytes / 1e3)),
            "side {side}: {text:?}"
        );
        let marked = browser.value("document.querySelectorAll('.cross').length")?;
        ensure!(marked == 2, "{marked} cursors");
    }
    // The script of the page finds the busiest link, and marks the pairs of ranks on that link in
    // the matrix.
    let busiest = &made.json["sides"][1]["loads"]["busiest"][0];
    let link = &busiest["link"];
    let point = format!(
        "(()=>{{const d=JSON.parse(document.querySelector('#data').textContent),m=document.querySelectorAll('.mach[data-p=slices]')[1],at=d.at.slices[1]||d.at.slices[0];let l=0;const q=at.find(q=>(l+=q[0])=={link}),p=new DOMPoint((2*q[1]+q[3])/20,(2*q[2]+q[4])/20).matrixTransform(m.getScreenCTM());return [p.x,p.y]}})()"
    );
    browser.point(".mach[data-p=slices]", &point)?;
    let text = browser.value("document.querySelector('#tip').innerText")?;
    let name = busiest["name"].as_str().context("a name")?;
    ensure!(
        text.as_str().is_some_and(|text| text.contains(name)),
        "{text} lacks {name}"
    );
    let first = &busiest["top"][0];
    let pair = format!("rank {} → {}", first["from"], first["to"]);
    ensure!(
        text.as_str().is_some_and(|text| text.contains(&pair)),
        "{text} lacks {pair}"
    );
    let spots = browser.value("document.querySelectorAll('.spot').length")?;
    ensure!(spots == 2, "{spots} marks in the matrices");
    let complaints = browser.complaints()?;
    ensure!(complaints.is_empty(), "{complaints:?}");
    Ok(())
}

fn stands_alone() -> Result<()> {
    let made = stencil(8, 8, "tree:4x4x4")?;
    let mut browser = Browser::start()?;
    browser.call(
        "Emulation.setScriptExecutionDisabled",
        &serde_json::json!({"value": true}),
    )?;
    browser.open(&made.page, 1200, "light")?;
    let without = browser.picture("main")?;
    browser.call(
        "Emulation.setScriptExecutionDisabled",
        &serde_json::json!({"value": false}),
    )?;
    browser.open(&made.page, 1200, "light")?;
    let with = browser.picture("main")?;
    ensure!(
        without == with,
        "the page looks different without its script"
    );
    let paper = browser.print()?;
    // "%PDF" in base 64; a page of text alone is a tenth of this.
    ensure!(paper.starts_with("JVBERi"), "no PDF");
    ensure!(paper.len() > 60_000, "{} bytes of PDF", paper.len());
    Ok(())
}

/// A name that sets a variable if the page runs it as a script.
const EVIL: &str = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\"'><svg onload=window.hacked=1>";

fn injection() -> Result<()> {
    let directory = tempfile::tempdir()?;
    // A file name cannot hold a slash.
    let name = EVIL.replace('/', "");
    let input = directory.path().join(format!("{name}.rfp"));
    let row = |to| {
        Row::of(vec![Peer {
            rank: to,
            bytes: 4096,
            messages: 2,
        }])
    };
    let rows: Vec<Row> = [1, 2, 3, 0].map(row).into();
    let profile = Profile {
        manifest: Manifest {
            program: EVIL.into(),
            mpi: EVIL.into(),
            hosts: vec![EVIL.into(); 4],
            ..Manifest::default()
        },
        phases: vec![Phase {
            name: EVIL.into(),
            rows: rows.clone(),
            ..Phase::default()
        }],
        rows,
        ..Profile::default()
    };
    profile.write(&input)?;
    let machine = directory.path().join("machine.toml");
    let of_hosts = |hosts: [String; 4]| format!("network = \"torus:4\"\nhosts = {hosts:?}\n");
    let evil = [0, 1, 2, 3].map(|host| format!("{host}{}", EVIL.replace('"', "")));
    fs::write(&machine, of_hosts(evil))?;
    let page = directory.path().join("report.html");
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let args = [
        "report",
        &path(&input),
        "--machine",
        &path(&machine),
        "-o",
        &path(&page),
    ];
    // No launcher takes such names of hosts, so a machine file with them is refused.
    let refused = rankfold::run(&args)?;
    ensure!(refused.status == 2 && !page.exists(), "{refused:?}");
    fs::write(
        &machine,
        of_hosts([0, 1, 2, 3].map(|host| format!("h{host}"))),
    )?;
    rankfold::run(&args)?.success()?;
    let html = fs::read_to_string(&page)?;
    for piece in ["<script>window", "<img src=x", "<svg onload"] {
        ensure!(!html.contains(piece), "{piece} stands in the page");
    }
    let mut browser = Browser::start()?;
    browser.open(&page, 1440, "light")?;
    let scripts = browser.value("document.scripts.length")?;
    ensure!(scripts == 2, "{scripts} scripts");
    let node = "(()=>{const b=document.querySelector('.nd').getBoundingClientRect();return [b.x+b.width/2,b.y+b.height/2]})()";
    browser.point(".mach", node)?;
    let text = browser.value("document.querySelector('#tip').innerText")?;
    ensure!(
        text.as_str().is_some_and(|text| text.contains("h0")),
        "{text} names no host"
    );
    ensure!(
        browser.value("typeof window.hacked")? == "undefined",
        "a name was run"
    );
    let complaints = browser.complaints()?;
    ensure!(complaints.is_empty(), "{complaints:?}");
    Ok(())
}
