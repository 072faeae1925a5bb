//! Network adapters and GPUs in a file of hwloc, and the cores near to them: those of the innermost
//! object that holds both the PCI device and cores.
//!
//! The ports of one card are one adapter. Where there is an adapter of a fabric (InfiniBand,
//! Omni-Path, Slingshot), Ethernet is for other purposes. So are adapters whose PCI link is less
//! than half as fast as the fastest one, and cards whose ports are down while others are up. A card
//! without an address of InfiniBand (LID) beside cards with one is on Ethernet.

use rankfold_machine::Device;
use roxmltree::Node;
use std::collections::HashMap;

/// A network interface of the operating system.
struct Port<'a> {
    name: &'a str,
    /// The PCI card without its function, or the interface itself.
    card: &'a str,
    is_fabric: bool,
    /// Gigabytes per second of its PCI link; 0 if unknown.
    speed: f64,
    state: Option<State>,
    near: Option<(u32, u32)>,
}

/// What a file tells of the ports of an adapter of OpenFabrics.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Down,
    Up,
    /// Up, and with an address of InfiniBand.
    Addressed,
}

/// The network adapters that a job may use, in the order of the file. `cores` are all cores.
pub(super) fn nics(root: Node, cores: &[Node]) -> Vec<Device> {
    let mut ports: Vec<Port> = objects(root, "OSDev")
        .filter_map(|device| port(device, cores))
        .collect();
    let mut told: HashMap<&str, State> = HashMap::new();
    for port in &ports {
        if let Some(state) = port.state {
            let of_card = told.entry(port.card).or_insert(state);
            *of_card = state.max(*of_card);
        }
    }
    let best = told.values().max().copied();
    ports.retain(|port| told.get(port.card).is_none_or(|state| Some(*state) == best));
    let has_fabric = ports.iter().any(|port| port.is_fabric);
    let fastest = ports
        .iter()
        .filter(|port| port.is_fabric == has_fabric)
        .map(|port| port.speed)
        .fold(0.0, f64::max);
    ports.retain(|port| port.is_fabric == has_fabric && 2.0 * port.speed >= fastest);
    let mut cards: Vec<&str> = Vec::new();
    ports.retain(|port| {
        let is_first = !cards.contains(&port.card);
        cards.push(port.card);
        is_first
    });
    let device = |port: Port| near_to(port.name, port.near?);
    ports.into_iter().filter_map(device).collect()
}

/// The GPUs, in the order of the file.
pub(super) fn gpus(root: Node, cores: &[Node]) -> Vec<Device> {
    // lstopo marks a card as computing only if it was built with the library of the card's vendor.
    // A card of class 0300 without that mark counts as a GPU if it can render. The console of a
    // server cannot render. Graphics of Intel in class 0300 are a part of the processor.
    let renders = |it: Node, class: &str| {
        let name = it.attribute("name").unwrap_or_default();
        name.starts_with("renderD") && class.starts_with("0300") && !class.contains("[8086:")
    };
    let is_gpu = |pci: &Node| {
        let class = pci.attribute("pci_type").unwrap_or_default();
        let computes = |it: Node| has_type(it, "5", 8);
        ["0302", "0380", "1200"]
            .iter()
            .any(|it| class.starts_with(it))
            || objects(*pci, "OSDev").any(|it| computes(it) || renders(it, class))
    };
    let device = |pci: Node| {
        let own = objects(pci, "OSDev").find_map(|it| it.attribute("name"));
        near_to(own.or(pci.attribute("pci_busid"))?, near(pci, cores)?)
    };
    objects(root, "PCIDev")
        .filter(is_gpu)
        .filter_map(device)
        .collect()
}

/// A device with the first of the cores near to it, and their number.
fn near_to(name: &str, (first, cores): (u32, u32)) -> Option<Device> {
    Some(Device {
        name: name.to_owned(),
        first,
        cores,
    })
}

fn port<'a>(device: Node<'a, 'a>, cores: &[Node]) -> Option<Port<'a>> {
    let name = device.attribute("name")?;
    let is_openfabrics = has_type(device, "3", 32);
    let is_wireless = name.starts_with("wl");
    if is_wireless || !is_openfabrics && !has_type(device, "2", 16) {
        return None;
    }
    let pci = device
        .ancestors()
        .find(|it| it.attribute("type") == Some("PCIDev"));
    let of_card = |key| pci.and_then(|pci| pci.attribute(key));
    let of_fabric = ["hsn", "hsi", "ib", "bxi"]
        .iter()
        .any(|it| name.starts_with(it));
    Some(Port {
        name,
        card: of_card("pci_busid").map_or(name, |bus| bus.split('.').next().unwrap_or(bus)),
        is_fabric: is_openfabrics || of_fabric,
        speed: of_card("pci_link_speed")
            .and_then(|speed| speed.parse().ok())
            .unwrap_or(0.0),
        state: state(device),
        near: near(device, cores),
    })
}

/// The best state of the ports of an adapter, where the file tells one.
fn state(device: Node) -> Option<State> {
    let infos = device.children().filter(|it| it.has_tag_name("info"));
    let told = |key: &str| -> Vec<&str> {
        let of_port = |name: &str| name.starts_with("Port") && name.ends_with(key);
        let named = infos
            .clone()
            .filter(|it| it.attribute("name").is_some_and(of_port));
        named.filter_map(|it| it.attribute("value")).collect()
    };
    let states = told("State");
    let (is_up, has_address) = (
        states.contains(&"4"),
        told("LID").iter().any(|lid| *lid != "0x0"),
    );
    (!states.is_empty()).then_some(match (is_up, has_address) {
        (false, _) => State::Down,
        (true, false) => State::Up,
        (true, true) => State::Addressed,
    })
}

/// Whether an interface is of a kind: by its number in versions 1 and 2 of the format, and by its
/// bit in version 3, where an interface may be of several kinds.
fn has_type(device: Node, number: &str, bit: u32) -> bool {
    let text = device.attribute("osdev_type").unwrap_or_default();
    let version = device.document().root_element().attribute("version");
    if version.is_some_and(|version| version.starts_with('3')) {
        return text.parse().is_ok_and(|bits: u32| bits & bit != 0);
    }
    text == number
}

/// The first of the cores near to a device, and their number. Cores of one object follow each
/// other.
fn near(device: Node, cores: &[Node]) -> Option<(u32, u32)> {
    let within = |object: Node| {
        let text = object.range();
        let first = cores.partition_point(|core| core.range().start < text.start);
        let end = cores.partition_point(|core| core.range().start < text.end);
        (first < end).then_some((first as u32, (end - first) as u32))
    };
    device.ancestors().skip(1).find_map(within)
}

fn objects<'a>(root: Node<'a, 'a>, kind: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    root.descendants()
        .filter(move |it| it.has_tag_name("object") && it.attribute("type") == Some(kind))
}
