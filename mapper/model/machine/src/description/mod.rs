//! Descriptions of machines: names, slots and insides of the nodes, times besides the times of
//! links, and the machine file, which holds all of that and the network.

mod error;
mod hardware;
pub mod hosts;
mod inside;
pub(super) mod machine_file;
mod oversubscription;
mod timing;
mod uplinks;

pub use error::MachineError;
pub(crate) use error::Result;
pub use hardware::{Hardware, Insides};
pub use hosts::HostList;
pub use inside::{Device, Inside, InsideLevel};
pub use machine_file::{Description, InsideEntry, read as read_machine_file};
pub use oversubscription::Oversubscription;
pub use timing::{BySize, EAGER_LIMIT, Sharing, SizeRow, Timing};
pub use uplinks::{HostsBelow, Wired};
