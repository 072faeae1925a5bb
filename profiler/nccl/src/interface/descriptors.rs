//! How descriptors become events. Members of the same meaning have the same names in all versions,
//! and other places in memory.

/// The event that a descriptor tells.
///
/// `$ids` is `with_id` in versions whose calls carry the identifier of their communicator, else
/// `without_id`. `$names` is `in_numbers` where functions and types of elements are numbers, and
/// `in_texts` where they are texts.
macro_rules! event {
    ($descriptor:ident, $ids:ident, $names:ident) => {{
        let content = &$descriptor.content;
        match u64::from($descriptor.kind) {
            kinds::COLLECTIVE => {
                // SAFETY: the type says that this member is set.
                let call = unsafe { content.collective };
                $crate::interface::descriptors::collective!(call, $ids, $names)
            }
            kinds::MESSAGE => {
                // SAFETY: the type says that this member is set.
                let call = unsafe { content.message };
                Event::Message($crate::event::MessageCall {
                    id: $crate::interface::descriptors::id!(call, $ids),
                    function: $crate::interface::descriptors::function!(call, $names),
                    count: call.count as u64,
                    element: $crate::interface::descriptors::element!(call, $names),
                    peer: call.peer,
                })
            }
            kinds::PROXY_OPERATION => {
                // SAFETY: the type says that this member is set.
                Event::ProxyOperation(unsafe { content.operation }.into())
            }
            kinds::PROXY_STEP if !Self::SUMS => Event::ProxyStep,
            _ => Event::Other,
        }
    }};
}

/// The event of a call of a collective.
macro_rules! collective {
    ($call:ident, $ids:ident, $names:ident) => {
        Event::Collective($crate::event::CollectiveCall {
            id: $crate::interface::descriptors::id!($call, $ids),
            function: $crate::interface::descriptors::function!($call, $names),
            count: $call.count as u64,
            element: $crate::interface::descriptors::element!($call, $names),
            root: $call.root,
        })
    };
}

/// The identifier of the communicator of a call.
macro_rules! id {
    ($call:ident, with_id) => {
        Some($call.id)
    };
    ($call:ident, without_id) => {
        None
    };
}

/// The function of a call.
macro_rules! function {
    ($call:ident, in_numbers) => {
        $crate::names::numbered_function($call.function)
    };
    ($call:ident, in_texts) => {
        // SAFETY: texts in descriptors end with a zero byte.
        unsafe { $crate::interface::texts::function_of($call.function) }
    };
}

/// The type of the elements of a call.
macro_rules! element {
    ($call:ident, in_numbers) => {
        $crate::names::numbered_element($call.element)
    };
    ($call:ident, in_texts) => {
        // SAFETY: texts in descriptors end with a zero byte.
        unsafe { $crate::interface::texts::element_of($call.element) }
    };
}

pub(super) use {collective, element, event, function, id};
