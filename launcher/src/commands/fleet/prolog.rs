//! What a `TaskProlog` of Slurm prints: the environment in which the tasks of a step are profiled.

use crate::library;
use rankfold_cache::private_directory;
use rankfold_console::outln;
use rankfold_launch::config::SiteSettings;
use rankfold_wire::env as names;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// Steps from this number on are no launches of programs: batch scripts, and shells.
const FIRST_OWN_STEP: u64 = 0xffff_fff0;

/// Prints the environment of a step, or nothing: where rankfold is switched off, where the site
/// names no directory, for steps that are no launch of several ranks, where the user profiles by
/// themselves, and where the directory is full. A job never fails for it, so nothing is an error.
pub(super) fn print(settings: &SiteSettings) {
    let lines = lines(settings, |name| env::var(name).ok());
    lines
        .into_iter()
        .flatten()
        .for_each(|line| outln!("{line}"));
}

fn lines(
    settings: &SiteSettings,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<[String; 4]> {
    let directory = settings
        .fleet
        .as_deref()
        .filter(|_| settings.off.is_none())?;
    let number = |name: &str| variable(name)?.parse::<u64>().ok();
    let (job, step) = (number("SLURM_JOB_ID")?, number("SLURM_STEP_ID")?);
    let tasks = number("SLURM_STEP_NUM_TASKS").or_else(|| number("SLURM_NTASKS"))?;
    let is_profiled = variable(names::PROFILE).is_some() || variable(names::SEATS).is_some();
    if step >= FIRST_OWN_STEP || tasks < 2 || is_profiled {
        return None;
    }
    private_directory(directory).ok()?;
    if size(directory) >= settings.cache.limit {
        return None;
    }
    let library = library::find().ok()?;
    let others = variable("LD_PRELOAD").filter(|others| !others.is_empty());
    let others = others.map_or(String::new(), |others| format!(":{others}"));
    let run = format!("{job}.{step}");
    let profile = directory.join(format!("{run}.rfp"));
    Some([
        format!("export LD_PRELOAD={}{others}", library.display()),
        format!("export {}={}", names::PROFILE, profile.display()),
        format!("export {}={run}", names::RUN),
        format!("export {}={}", names::TIME, names::SAMPLE),
    ])
}

/// Bytes of the profiles in a directory.
fn size(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let profiles = entries.filter(|entry| entry.path().extension() == Some(OsStr::new("rfp")));
    profiles
        .filter_map(|one| Some(one.metadata().ok()?.len()))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_launch::config::Origin;
    use std::os::unix::fs::PermissionsExt;

    fn line_of(settings: &SiteSettings, changed: &[(&str, &str)]) -> Option<String> {
        let of_task = [
            ("SLURM_JOB_ID", "7"),
            ("SLURM_STEP_ID", "0"),
            ("SLURM_STEP_NUM_TASKS", "16"),
            ("LD_PRELOAD", "libother.so"),
        ];
        let variable = |name: &str| {
            let values = changed.iter().chain(&of_task);
            let mut values = values.filter(|(known, _)| *known == name);
            values.next().map(|(_, value)| (*value).to_owned())
        };
        lines(settings, variable).map(|lines| lines.join("\n"))
    }

    #[test]
    fn only_launches_of_several_ranks_are_profiled_and_only_where_the_site_wants_it() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join("ada");
        let on = SiteSettings {
            fleet: Some(directory.clone()),
            ..SiteSettings::default()
        };
        assert_eq!(line_of(&SiteSettings::default(), &[]), None);
        assert!(!directory.exists());
        let off = SiteSettings {
            off: Some(Origin::default()),
            ..on.clone()
        };
        assert_eq!(line_of(&off, &[]), None, "one switch");
        for changed in [
            ("SLURM_STEP_NUM_TASKS", "1"),
            ("SLURM_STEP_ID", "4294967291"),
            ("SLURM_STEP_ID", "batch"),
            ("RANKFOLD_PROFILE", "/there/own.rfp"),
        ] {
            assert_eq!(line_of(&on, &[changed]), None, "{changed:?}");
        }
        if let Some(text) = line_of(&on, &[]) {
            assert!(text.contains("librankfold.so:libother.so\n"), "{text}");
            assert!(text.contains("ada/7.0.rfp\n"), "{text}");
            let mode = fs::metadata(&directory).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        } else {
            assert!(
                library::find().is_err(),
                "the library is found beside the tests"
            );
        }
        fs::write(directory.join("old.rfp"), "x").unwrap();
        let mut full = on.clone();
        full.cache.limit = 1;
        assert_eq!(line_of(&full, &[]), None);
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(line_of(&on, &[]), None, "others may write there");
    }
}
