//! Host names that encode positions in the network. The rule is that of `--rule`, the configured
//! one where all names fit it, or a preset that no other machine's names fit.

use super::{DiscoveredMachine, DiscoveryQuery, MachineArgument, Source};
use rankfold_importers::{PRESETS, Rule, Source as Text};
use rankfold_mapper::error::Error;

pub(super) struct Names;

impl Source for Names {
    fn name(&self) -> &'static str {
        "--rule"
    }

    fn is_asked_for(&self, wanted: &DiscoveryQuery) -> bool {
        wanted.rule.is_some()
    }

    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let hosts = Text {
            file: "the hosts of the job".into(),
            text: wanted.hosts.join("\n"),
        };
        let (rule, source) = match wanted.rule {
            Some(rule) => (rule.clone(), "--rule"),
            None => match configured(wanted).or_else(|| known(wanted.hosts)) {
                Some(rule) => rule,
                None => return Ok(None),
            },
        };
        let description = rule.describe(&hosts).map_err(Error::from)?;
        Ok(Some(DiscoveredMachine {
            hardware: description.build(source).map_err(Error::from)?,
            // The answer holds for these hosts only and is found again as quickly as it is read.
            text: None,
            machine: MachineArgument::Text(description.to_string()),
            source: match wanted.rule {
                Some(_) => "the names of the hosts by --rule".into(),
                None => format!("the names of the hosts ({source})"),
            },
            when: None,
        }))
    }
}

/// The configured rule, if all host names follow it.
fn configured(wanted: &DiscoveryQuery) -> Option<(Rule, &'static str)> {
    let rule = wanted.settings.rule.as_ref()?;
    let fits = wanted.hosts.iter().all(|host| rule.fits(host));
    (fits && !wanted.hosts.is_empty()).then(|| (rule.clone(), "by the configured rule"))
}

/// The preset that all host names follow, and its name.
fn known(hosts: &[String]) -> Option<(Rule, &'static str)> {
    let sure = PRESETS.iter().filter(|preset| preset.unmistakable);
    let mut rules =
        sure.filter_map(|preset| Some((preset.rule.parse::<Rule>().ok()?, preset.name)));
    rules.find(|(rule, _)| !hosts.is_empty() && hosts.iter().all(|host| rule.fits(host)))
}
