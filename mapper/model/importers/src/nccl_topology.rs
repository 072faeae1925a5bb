//! Imports the inside of a node with GPUs from NCCL: the XML that `NCCL_TOPO_DUMP_FILE` writes and
//! `NCCL_TOPO_FILE` reads.
//!
//! The cores of the node are its GPUs, in the order of the file. GPUs that NVLink joins, directly
//! or through its switches, are one group; below and beside that, GPUs share a processor (`numa`)
//! and a PCI switch (`pci`). A level is left out if it groups the GPUs as the level above does, or
//! not at all, and all of them are where NVLink joins all GPUs. How many adapters there are is
//! noted.

use super::technology::Technology;
use super::{Importer, Result, Source, SourceLine};
use rankfold_base::words::counted;
use rankfold_machine::{Description, Inside, InsideLevel};
use roxmltree::Node;
use std::collections::HashMap;

/// The importer of NCCL's descriptions of nodes.
pub(super) const NCCL_TOPOLOGY: Importer = Importer {
    name: "nccl-topo",
    about: "the XML of NCCL_TOPO_DUMP_FILE or NCCL_TOPO_FILE: the GPUs of one host, or of several hosts below one switch",
    recognises,
    for_job: None,
    technology: Technology::Unknown,
    read,
};

/// Whether a text is such a description.
pub(super) fn recognises(source: &Source) -> bool {
    let text = &source.text;
    text.contains("<system") && text.contains("<cpu") && text.contains("<pci")
        || text.contains("<system") && text.contains("<gpu")
}

/// The inside of the host that a file describes.
pub(super) fn inside(source: &Source) -> Result<Inside> {
    Ok(host(source)?.0)
}

/// One host for each file.
fn read(sources: &[Source]) -> Result<Description> {
    let names: Vec<String> = (0..sources.len()).map(|at| format!("host{at}")).collect();
    let mut description = Description::flat(&names);
    for (source, name) in sources.iter().zip(&names) {
        let (inside, note) = host(source)?;
        let whose = (names.len() > 1).then(|| vec![name.clone()]);
        description.insides.push((whose, inside));
        description.notes.push(format!("{name}: {note}"));
    }
    Ok(description)
}

/// The inside of a host, and what is in it.
fn host(source: &Source) -> Result<(Inside, String)> {
    let bad = |line, problem: String| SourceLine { source, line }.bad(problem);
    let document = source.xml()?;
    let root = document.root_element();
    let gpus: Vec<Node> = root.descendants().filter(|node| is_gpu(*node)).collect();
    if gpus.is_empty() {
        return Err(bad(1, "there is no GPU in this file".into()));
    }
    let joined = joined(&gpus);
    let has_links = joined.iter().enumerate().any(|(gpu, group)| gpu != *group);
    let mut places: Vec<[usize; 3]> = gpus
        .iter()
        .zip(&joined)
        .map(|(gpu, group)| {
            let group = if has_links { *group } else { 0 };
            [number_of(*gpu, "cpu"), group, number_of(*gpu, "pci")]
        })
        .collect();
    // Groups are made of neighbours, so that GPUs of a group follow each other.
    places.sort_unstable();
    let all = joined.iter().all(|group| *group == joined[0]) && gpus.len() > 1;
    let levels = if all {
        Vec::new()
    } else {
        levels(&places, has_links)
    };
    let inside = Inside::new(gpus.len() as u32, levels).map_err(|problem| bad(1, problem))?;
    let adapters = root.descendants().filter(|node| is_adapter(*node)).count();
    let links = match (all, has_links) {
        (true, _) => "NVLink joins all GPUs",
        (false, true) => "NVLink joins some GPUs",
        (false, false) => "no NVLink",
    };
    let note = format!(
        "{}, {}, {links}",
        counted(gpus.len(), "GPU"),
        counted(adapters, "network adapter")
    );
    Ok((inside, note))
}

/// Whether an element is a GPU. Descriptions that NCCL has not completed have only the PCI device.
fn is_gpu(node: Node) -> bool {
    let is_device = || {
        let class = node.attribute("class").unwrap_or_default();
        class.starts_with("0x03") && !node.children().any(|child| child.has_tag_name("gpu"))
    };
    node.has_tag_name("gpu") || (node.has_tag_name("pci") && is_device())
}

/// Whether an element is a network adapter.
fn is_adapter(node: Node) -> bool {
    let is_device = || {
        let class = node.attribute("class").unwrap_or_default();
        class.starts_with("0x02") && !node.children().any(|child| child.has_tag_name("nic"))
    };
    node.has_tag_name("net") || (node.has_tag_name("pci") && is_device())
}

/// For every GPU the lowest number of those that NVLink joins it with.
fn joined(gpus: &[Node]) -> Vec<usize> {
    let ends = gpus.iter().map(|gpu| {
        let links = gpu.children().filter(|child| child.has_tag_name("nvlink"));
        let mut ends: Vec<&str> = links.filter_map(|link| link.attribute("target")).collect();
        // A device without links is the end of none, whatever its number is elsewhere.
        let device = gpu.ancestors().find_map(|node| node.attribute("busid"));
        ends.extend(device.filter(|_| !ends.is_empty()));
        ends
    });
    let ends: Vec<Vec<&str>> = ends.collect();
    let mut lowest: Vec<usize> = (0..gpus.len()).collect();
    loop {
        let mut of_end: HashMap<&str, usize> = HashMap::new();
        for (gpu, ends) in ends.iter().enumerate() {
            for end in ends {
                let known = of_end.entry(end).or_insert(lowest[gpu]);
                *known = lowest[gpu].min(*known);
            }
        }
        let next: Vec<usize> = ends
            .iter()
            .zip(&lowest)
            .map(|(ends, own)| ends.iter().map(|end| of_end[end]).fold(*own, usize::min))
            .collect();
        if next == lowest {
            return lowest;
        }
        lowest = next;
    }
}

/// The place in the file of the outermost element of this kind that a GPU is part of.
fn number_of(gpu: Node, kind: &str) -> usize {
    let containers = gpu
        .ancestors()
        .skip(1)
        .filter(|node| node.has_tag_name(kind));
    containers.last().map_or(0, |node| node.range().start)
}

/// The levels that differ from each other and group the GPUs, from the outermost in.
fn levels(places: &[[usize; 3]], has_links: bool) -> Vec<InsideLevel> {
    let names = ["numa", "nvlink", "pci"];
    let mut levels: Vec<InsideLevel> = Vec::new();
    let mut count = 1;
    for (depth, name) in names
        .iter()
        .enumerate()
        .filter(|(depth, _)| *depth != 1 || has_links)
    {
        let groups = places.chunk_by(|a, b| a[..=depth] == b[..=depth]);
        let sizes: Vec<u32> = groups.map(|group| group.len() as u32).collect();
        if sizes.len() > count && sizes.len() < places.len() {
            count = sizes.len();
            levels.push(InsideLevel {
                name: (*name).to_owned(),
                cores: sizes,
            });
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ALL;

    fn source(text: &str) -> Source {
        Source {
            file: "topo.xml".into(),
            text: text.into(),
        }
    }

    /// Two processors with two PCI switches of two GPUs each, and the links of every GPU.
    fn node(link: impl Fn(usize) -> String) -> Source {
        let gpu = |n: usize| {
            format!(
                "<pci busid=\"0000:0{n}:00.0\" class=\"0x030200\"><gpu dev=\"{n}\" sm=\"90\" rank=\"{n}\">{}</gpu></pci>",
                link(n)
            )
        };
        let switch = |n: usize| {
            format!(
                "<pci busid=\"0000:s{n}:00.0\" class=\"0x060400\">{}{}<pci busid=\"0000:n{n}:00.0\" class=\"0x020000\"><nic><net name=\"mlx5_{n}\"/></nic></pci></pci>",
                gpu(2 * n),
                gpu(2 * n + 1)
            )
        };
        let cpu = |n: usize| {
            format!(
                "<cpu numaid=\"{n}\">{}{}</cpu>\n",
                switch(2 * n),
                switch(2 * n + 1)
            )
        };
        source(&format!(
            "<system version=\"1\">\n{}{}</system>\n",
            cpu(0),
            cpu(1)
        ))
    }

    fn named(source: &Source) -> Vec<(String, Vec<u32>)> {
        let inside = inside(source).unwrap();
        let levels = inside.levels().iter();
        levels
            .map(|level| (level.name.clone(), level.cores.clone()))
            .collect()
    }

    #[test]
    fn gpus_share_processors_and_switches_where_no_link_joins_them() {
        let plain = node(|_| String::new());
        assert_eq!(ALL.kind_of(&plain).map(|kind| kind.name), Some("nccl-topo"));
        let expected = [
            ("numa".to_owned(), vec![4, 4]),
            ("pci".to_owned(), vec![2; 4]),
        ];
        assert_eq!(named(&plain), expected);
        let machine = ALL.named("nccl-topo").import(vec![plain]).unwrap();
        assert_eq!(
            machine.notes(),
            ["host0: 8 GPUs, 4 network adapters, no NVLink"]
        );
    }

    #[test]
    fn links_join_all_gpus_through_a_switch_or_some_of_them_directly() {
        let switched =
            node(|_| "<nvlink target=\"0000:ff:00.0\" count=\"18\" tclass=\"0x068000\"/>".into());
        assert_eq!(named(&switched), []);
        let pairs = node(|n| {
            format!(
                "<nvlink target=\"0000:0{}:00.0\" count=\"12\" tclass=\"0x030200\"/>",
                n ^ 2
            )
        });
        let expected = [
            ("numa".to_owned(), vec![4, 4]),
            ("nvlink".to_owned(), vec![2; 4]),
        ];
        assert_eq!(named(&pairs), expected);
    }

    #[test]
    fn a_description_that_nccl_has_not_completed_has_devices_only() {
        let text = "<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"1\" class=\"0x030200\"/><pci busid=\"2\" class=\"0x020700\"/></cpu></system>";
        assert_eq!(inside(&source(text)).unwrap().cores(), 1);
        for (broken, problem) in [
            (
                "<system><cpu><pci class=\"0x02\"/></cpu></system>",
                "there is no GPU",
            ),
            ("<system><cpu><pci>", "this is not XML"),
        ] {
            let error = inside(&source(broken)).unwrap_err().to_string();
            assert!(
                error.starts_with("topo.xml:1: ") && error.contains(problem),
                "{error}"
            );
        }
    }
}
