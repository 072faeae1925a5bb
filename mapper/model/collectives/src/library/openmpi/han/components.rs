//! The components that carry out the stages of `han`, and how the run chooses them.

use super::super::expand;
use super::names::{COMPONENTS, Component, Level};
use super::rule_file::{self, Rule};
use super::{adapt, basic, is_true, nonblocking, priority, tuned};
use crate::{Call, Sink, star};
use rankfold_wire::Operation;

/// The parameter without which `han` ignores rule files.
const SWITCH: &str = "coll_han_use_dynamic_file_rules";
/// The parameter that names a rule file.
const RULE_FILE: &str = "coll_han_dynamic_rules_filename";

/// Priority of the component `libnbc` by default.
const LIBNBC_PRIORITY: i64 = 10;

impl Component {
    /// Whether the component takes part without being asked for. Those that need operations of
    /// other components do so if their priority is above that of the others.
    fn takes_part(self, call: &Call<'_>) -> bool {
        let mut all = COMPONENTS.iter();
        let name = all.find_map(|&(name, component)| (component == self).then_some(name));
        let own = name.map_or(i64::MIN, |name| priority(call, name, 0));
        let others = [("basic", basic::PRIORITY), ("libnbc", LIBNBC_PRIORITY)];
        let needs_others = matches!(self, Self::Sm | Self::Adapt);
        let mut others = others
            .map(|(name, usual)| priority(call, name, usual))
            .into_iter();
        own >= 0 && (!needs_others || others.all(|other| own > other))
    }

    /// Expands a blocking operation. Where the component does not take part or has no such
    /// operation, the component `tuned` carries it out.
    fn expand(self, call: &Call<'_>, level: Level, sink: Sink<'_>) {
        if self.takes_part(call) {
            self.expand_preferred(call, level, sink);
        } else {
            tuned(call, sink);
        }
    }

    /// Expands a blocking operation of a component that `han` asks for.
    fn expand_preferred(self, call: &Call<'_>, level: Level, sink: Sink<'_>) {
        let is_shared = matches!(
            call.op,
            Operation::Bcast | Operation::Reduce | Operation::Allreduce
        );
        match self {
            Self::Basic => basic::expand(call, level.operations(), sink),
            // Nothing counts the bytes; the model puts them between the root and each member.
            Self::Sm if is_shared && level == Level::IntraNode => star::TREE.expand(call, sink),
            Self::Adapt if adapt::expand(call, sink) => {}
            _ => tuned(call, sink),
        }
    }
}

impl Level {
    /// Expands an operation on communicators of this level, by the component that the run chooses.
    fn operations(self) -> fn(&Call<'_>, Sink<'_>) {
        match self {
            Self::IntraNode => |call, sink| {
                chosen(call, Self::IntraNode).expand(call, Self::IntraNode, sink);
            },
            Self::InterNode => |call, sink| {
                chosen(call, Self::InterNode).expand(call, Self::InterNode, sink);
            },
            Self::Whole => expand,
        }
    }
}

/// The rule of the run's rule file for a call on a level.
pub(super) fn rule(call: &Call<'_>, level: Level) -> Option<Rule> {
    let is_on = call.library.parameters.get(SWITCH)?;
    let text = call.library.files.get(RULE_FILE)?;
    is_true(is_on).then(|| rule_file::rule(text, super::name(call.op)?, level, call))?
}

/// Expands a call on all members where the run chooses another component than `han`. Returns
/// whether it does.
pub(super) fn expand_whole(call: &Call<'_>, sink: Sink<'_>) -> bool {
    let component = chosen(call, Level::Whole);
    let is_other = component != Component::Han;
    if is_other {
        component.expand(call, Level::Whole, sink);
    }
    is_other
}

/// The component that the run chooses for a call on a level: by the rule file, else by a
/// parameter.
fn chosen(call: &Call<'_>, level: Level) -> Component {
    if let Some(rule) = rule(call, level) {
        return rule.component;
    }
    let by_parameter = || {
        let mut levels = Level::ALL.iter();
        let level = levels.find_map(|&(name, own)| (own == level).then_some(name))?;
        let name = super::name(call.op)?;
        let number = call
            .library
            .number(&format!("coll_han_{name}_dynamic_{level}_module"))?;
        let (_, component) = COMPONENTS.get(usize::try_from(number).ok()?)?;
        Some(*component)
    };
    by_parameter().unwrap_or(match level {
        Level::Whole => Component::Han,
        _ => Component::Tuned,
    })
}

/// Who carries the stages of a call out.
#[derive(Clone, Copy)]
pub(super) enum Carriers {
    /// On each level, the component that [`chosen`] names for the stage.
    ByLevel,
    /// The same components for all stages.
    Fixed {
        inside: Component,
        between: Component,
    },
}

impl Carriers {
    /// The components that the parameters of the operation `name` choose for stages in segments.
    pub(super) fn of_segments(call: &Call<'_>, name: &str) -> Self {
        let number = |parameter: &str| {
            let parameter = format!("coll_han_{name}_{parameter}_module");
            call.library.number(&parameter).unwrap_or(0)
        };
        Self::Fixed {
            inside: match number("low") {
                1 => Component::Sm,
                _ => Component::Tuned,
            },
            between: match number("up") {
                1 => Component::Adapt,
                _ => Component::LibNbc,
            },
        }
    }

    /// Expands a stage on a level.
    pub(super) fn expand(self, part: &Call<'_>, level: Level, sink: Sink<'_>) {
        match self {
            Self::ByLevel => chosen(part, level).expand(part, level, sink),
            Self::Fixed { inside, .. } if level == Level::IntraNode => {
                inside.expand_preferred(part, level, sink);
            }
            Self::Fixed { between, .. } => between.expand_preferred(part, level, sink),
        }
    }

    /// Expands a non-blocking broadcast or reduction between hosts.
    pub(super) fn expand_nonblocking(self, part: &Call<'_>, sink: Sink<'_>) {
        if let Self::Fixed {
            between: Component::Adapt,
            ..
        } = self
            && adapt::expand(part, sink)
        {
            return;
        }
        match part.op {
            Operation::Bcast => nonblocking::bcast(part, sink),
            _ => nonblocking::reduce(part, sink),
        }
    }
}
