//! Imports platform files of SimGrid (XML, version 4): clusters of every topology, and zones with
//! hosts, routers, links and routes, with the routes of SimGrid 3.32.
//!
//! Hosts are numbered as the file names them. A link that both directions share (`SHARED`) is one
//! channel, one with `SPLITDUPLEX` two; on one with `FATPIPE` messages do not slow each other down.
//! A cluster alone becomes a torus, a fat tree, or switches with forwarding tables where this gives
//! the routes of SimGrid; everything else lists the path of each pair of hosts
//! ([`PathTable`](rankfold_machine::PathTable)).
//!
//! Profiles of availability, actors, disks, properties and the options of `<config>` are not read:
//! bandwidths and latencies are the nominal ones. Not supported, and errors, are wireless and
//! Vivaldi zones, bypass routes and `<include>`.
#![forbid(unsafe_code)]

mod cluster;
mod describe;
mod element;
mod platform;
mod reader;
mod units;

use rankfold_importers::{ImportError, Importer, Result, Source, Technology};
use rankfold_machine::Description;

/// The importers of this crate.
pub const IMPORTERS: &[Importer] = &[SIMGRID];

/// The importer of platform files.
const SIMGRID: Importer = Importer {
    name: "simgrid",
    about: "a platform file of SimGrid (XML): clusters and zones, with SimGrid's own routes",
    recognises,
    for_job: None,
    technology: Technology::Tcp,
    read,
};

/// Whether a text is a platform file.
fn recognises(source: &Source) -> bool {
    source.text.trim_start().starts_with('<') && source.text.contains("<platform")
}

fn read(sources: &[Source]) -> Result<Description> {
    let [source] = sources else {
        let file = sources.last().map_or("simgrid", |source| &source.file);
        return Err(ImportError::whole(
            file,
            format!("{} files: one platform file is needed", sources.len()),
        ));
    };
    reader::platform(source)?.describe()
}

#[cfg(test)]
mod tests;
