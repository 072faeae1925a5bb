//! Machines drawn alone by `rankfold machine draw`.

use super::*;

/// One machine of every family that needs no file.
const MACHINES: [&str; 12] = [
    "torus:4x4x4",
    "torus:2x2x2x2",
    "mesh:5",
    "hypercube:4",
    "tree:2x3x4",
    "xgft:4,4:1,4",
    "fattree:4",
    "ibcore:hosts=60,leaf=30,up=3,cores=2,line=6,lines=18,spines=9,ls=2",
    "dragonfly:2,4,2,9",
    "dragonfly:1,4,12,49",
    "percs:2",
    "tianhe3:2x3",
];

pub(super) fn drawn() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("machine.svg");
    let output = file.to_string_lossy();
    for machine in MACHINES {
        let _ = fs::remove_file(&file);
        rankfold::run(&["machine", "draw", machine, "-o", &output])?.success()?;
        let text = fs::read_to_string(&file)?;
        let tree = roxmltree::Document::parse(&text).with_context(|| machine.to_owned())?;
        let marks = tree.descendants().filter(|node| node.has_tag_name("path"));
        ensure!(marks.count() > 0, "{machine}: nothing is drawn");
        let named = tree.descendants().find(|node| node.has_tag_name("title"));
        let spec = named.and_then(|title| title.text()).unwrap_or_default();
        // A hypercube is known as the torus that it is.
        let want = match machine {
            "hypercube:4" => "torus:2x2x2x2",
            _ => machine,
        };
        ensure!(spec == want, "{machine}: the title is {spec:?}");
    }
    // Ranks 0 and 1 share the last node.
    let map = directory.path().join("ranks.map");
    fs::write(&map, "3\n3\n0\n")?;
    let map = map.to_string_lossy();
    let args = ["machine", "draw", "mesh:4", "--cores", "2"];
    rankfold::run(&[&args[..], &["--placement", &map, "-o", &output]].concat())?.success()?;
    let text = fs::read_to_string(&file)?;
    must_tell(
        &text,
        &["(3): rank 0, 1", "(0): rank 2", "3 ranks of ranks.map"],
    )?;
    // Too many links to draw one by one, and ranks 0 and 1 in the last block.
    fs::write(directory.path().join("ranks.map"), "32767\n32766\n0\n")?;
    let args = ["machine", "draw", "torus:32x32x32", "--placement", &map];
    rankfold::run(&[&args[..], &["-o", &output]].concat())?.success()?;
    let text = fs::read_to_string(&file)?;
    roxmltree::Document::parse(&text)?;
    must_tell(
        &text,
        &[
            "32,768 nodes · 196,608 links",
            "a block stands for up to 4×4×4 nodes",
            "block (7,7,7): rank 0, 1",
            "block (0,0,0): rank 2",
        ],
    )?;
    let args = ["machine", "draw", "fattree:48", "--placement", &map];
    fs::write(directory.path().join("ranks.map"), "27647\n27646\n0\n")?;
    rankfold::run(&[&args[..], &["-o", &output]].concat())?.success()?;
    let text = fs::read_to_string(&file)?;
    roxmltree::Document::parse(&text)?;
    must_tell(
        &text,
        &[
            "27,648 nodes · 2,880 switches · 165,888 links",
            "a block stands for up to 24 nodes, a switch stands for all switches above the same nodes",
            "leaf – pod switch",
            "27,648 cables",
        ],
    )
}

/// Fails unless all of this is in the drawing.
fn must_tell(drawing: &str, all: &[&str]) -> Result<()> {
    for phrase in all {
        ensure!(drawing.contains(phrase), "the drawing lacks {phrase:?}");
    }
    Ok(())
}

pub(super) fn refused() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("machine.svg");
    fs::write(&file, "an older drawing")?;
    let map = directory.path().join("wrong.map");
    fs::write(&map, "7\n")?;
    let (output, map) = (file.to_string_lossy(), map.to_string_lossy());
    let cases: [(&[&str], &str); 2] = [
        (&["no-such-machine"], "no-such-machine"),
        (
            &["mesh:4", "--placement", &map],
            "wrong.map: rank 0: node 7",
        ),
    ];
    for (args, expected) in cases {
        let args = [&["machine", "draw"], args, &["-o", &output]].concat();
        let finished = rankfold::run(&args)?;
        ensure!(
            finished.status == 2 && finished.stderr.contains(expected),
            "{args:?}: status {}, {}",
            finished.status,
            finished.stderr
        );
        ensure!(
            fs::read_to_string(&file)? == "an older drawing",
            "{args:?}: the file was overwritten"
        );
    }
    Ok(())
}
