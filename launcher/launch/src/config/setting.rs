//! The keys that concern several commands. [`SETTINGS`] lists all of them.

use super::settings::{absolute, expanded, limit, ratios, rule, truth};
use super::{GivenValue, Origin, Variables};
use std::path::Path;

/// A key that concerns several commands.
pub struct Setting {
    /// The name, with that of its table in front: `cache.limit`.
    pub name: &'static str,
    /// What the key says.
    pub about: &'static str,
    /// The value where nobody gives one, in words.
    pub default: &'static str,
    /// A value as it is written in a file.
    pub example: &'static str,
    /// What is wrong with a value that is not empty.
    wrong: fn(&str, Variables) -> Result<(), String>,
    /// Whether the value is one path or several.
    is_path: bool,
}

/// All keys that concern several commands.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "off",
        about: "true: rankfold run and rankfold profile start the launch as it is, and do nothing else",
        default: "false",
        example: "false",
        wrong: |text, _| truth(text).map(drop),
        is_path: false,
    },
    Setting {
        name: "topology",
        about: "files that describe the network: a machine file, or files that an importer knows by their content",
        default: "none",
        example: "[\"/etc/slurm/topology.conf\"]",
        wrong: |text, variables| expanded(text, variables).map(drop),
        is_path: true,
    },
    Setting {
        name: "rule",
        about: "how host names tell the position of a host, as with --rule; hosts of other names are left to other sources",
        default: "none",
        example: "'r(\\d+)c(\\d+)n\\d+'",
        wrong: |text, _| rule(text).map(drop),
        is_path: false,
    },
    Setting {
        name: "oversubscription",
        about: "bandwidth into switches from below to bandwidth upwards, from the leaf switches up, where nothing else tells it",
        default: "1:1, non-blocking",
        example: "[\"1:1\", \"2:1\"]",
        wrong: |text, _| ratios(text).map(drop),
        is_path: false,
    },
    Setting {
        name: "cluster",
        about: "the name under which machines and maps of this cluster are remembered",
        default: "the batch system's name, or what hosts and network have in common",
        example: "\"cluster1\"",
        wrong: |_, _| Ok(()),
        is_path: false,
    },
    Setting {
        name: "fleet",
        about: "where Slurm's TaskProlog leaves a profile of every launch, for every user another place, up to cache.limit",
        default: "none: it leaves none",
        example: "\"/scratch/rankfold/$USER\"",
        wrong: |text, variables| expanded(text, variables).map(drop),
        is_path: true,
    },
    Setting {
        name: "cache.directory",
        about: "where maps, profiles and machines are remembered, for every user another place; $NAME is a variable",
        default: "$XDG_CACHE_HOME/rankfold, or $HOME/.cache/rankfold",
        example: "\"/scratch/$USER/rankfold\"",
        wrong: |text, variables| expanded(text, variables).map(drop),
        is_path: true,
    },
    Setting {
        name: "cache.limit",
        about: "MiB that they may take together, for every user",
        default: "256",
        example: "256",
        wrong: |text, _| limit(text).map(drop),
        is_path: false,
    },
];

impl Setting {
    /// Whether the value is one of this key's. An empty value always is: it takes back what a place
    /// that counts less says. Paths in files have to be absolute.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub(super) fn check(&self, value: &GivenValue, variables: Variables) -> Result<(), String> {
        if value.text.is_empty() {
            return Ok(());
        }
        (self.wrong)(&value.text, variables)?;
        let in_file = matches!(value.origin, Origin::File { .. });
        if self.is_path && in_file {
            let texts = value.text.split(':').filter(|text| !text.is_empty());
            for text in texts {
                absolute(Path::new(&expanded(text, variables)?))?;
            }
        }
        Ok(())
    }
}
