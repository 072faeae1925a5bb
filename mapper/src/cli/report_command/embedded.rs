//! The shown placement as a mapfile for the page, with the lines that launch and that made it.

use crate::cli::mapfile::of_mpi;
use rankfold_base::Placement;
use rankfold_machine::Machine;
use rankfold_mapfile::{self as mapfile, Mapfile, MapfileFormat};
use rankfold_report::data::EmbeddedMapfile;
use rankfold_wire::Profile;
use std::borrow::Cow;

/// With more ranks, the page holds no mapfile: it would be the largest part of the page. Chosen by
/// hand.
const MOST_RANKS: usize = 1 << 16;

/// Options of `rankfold report` that `rankfold map` has not, and whether a value follows each.
const OF_REPORTS: &[(&str, bool)] = &[
    ("-o", true),
    ("--output", true),
    ("--json", true),
    ("--measured", true),
    ("--before", true),
    ("--from", true),
];

/// The mapfile of a placement; `None` for more than [`MOST_RANKS`] ranks. The format is that of
/// the launcher the run came from if that is known and can express the placement, else a list of
/// nodes. `is_searched` says whether the command line of this process has searched for it.
pub(super) fn of(
    is_searched: bool,
    title: &str,
    profile: Option<&Profile>,
    placement: &Placement,
    machine: &Machine,
) -> Option<EmbeddedMapfile> {
    if placement.ranks() > MOST_RANKS {
        return None;
    }
    let (format, mapfile) = written(profile, placement, machine)?;
    let stem = title.rsplit_once('.').map_or(title, |(stem, _)| stem);
    let name = format!("{stem}.map");
    let quoted = shlex::try_quote(&name).map_or_else(|_| name.clone(), Cow::into_owned);
    let made_by = if is_searched {
        map_line(std::env::args_os(), format.name(), &quoted)
    } else {
        String::new()
    };
    let text = |content: &[u8]| String::from_utf8_lossy(content).into_owned();
    let beside = mapfile.companions.iter();
    let beside = beside.map(|file| [format!("{name}{}", file.ending), text(&file.content)]);
    let files = [[name.clone(), text(&mapfile.content)]].into_iter();
    Some(EmbeddedMapfile {
        format: format.name().into(),
        launch: mapfile.line(&quoted),
        files: files.chain(beside).collect(),
        made_by,
    })
}

fn written(
    profile: Option<&Profile>,
    placement: &Placement,
    machine: &Machine,
) -> Option<(&'static dyn MapfileFormat, Mapfile)> {
    let launchers = profile.and_then(|profile| of_mpi(&profile.manifest.mpi));
    let formats = launchers.into_iter().chain(["nodes"]);
    let formats = formats.filter_map(|name| mapfile::format(name).ok());
    formats.into_iter().find_map(|format| {
        let written = format.write(placement, machine).ok()?;
        Some((format, written))
    })
}

/// The words of `rankfold report` as a line of `rankfold map` that writes the same placement.
fn map_line(
    words: impl Iterator<Item = std::ffi::OsString>,
    format: &str,
    quoted_name: &str,
) -> String {
    let words: Vec<String> = words
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let mut line = vec!["rankfold".to_owned()];
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let option = word.split('=').next().unwrap_or(word);
        let own = OF_REPORTS.iter().find(|(name, _)| *name == option);
        match own {
            Some((_, valued)) => at += usize::from(*valued && !word.contains('=')),
            None if word == "report" && line.len() == 1 => line.push("map".into()),
            None => {
                line.push(shlex::try_quote(word).map_or_else(|_| word.clone(), Cow::into_owned));
            }
        }
        at += 1;
    }
    line.extend(["--to", format, "-o", quoted_name].map(str::to_owned));
    line.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_maps_has_the_options_of_the_search_alone() {
        let of = |line: &str| {
            let words = line.split(' ').map(Into::into);
            map_line(words, "openmpi4", "app.map")
        };
        assert_eq!(
            of(
                "/bin/rankfold report app.rfp --machine torus:4x4 -o app.html --json=a.json --seed 3"
            ),
            "rankfold map app.rfp --machine torus:4x4 --seed 3 --to openmpi4 -o app.map"
        );
        assert_eq!(
            of("rankfold report --measured 2,1 app.rfp --machine m.toml --before b.map"),
            "rankfold map app.rfp --machine m.toml --to openmpi4 -o app.map"
        );
    }
}
