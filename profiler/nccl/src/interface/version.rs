//! How a version is stated: the layout of its descriptors of events, and what its calls tell.
//!
//! Members of the same meaning have the same names in all versions, and other places in memory.

/// States a version of the interface.
///
/// The first line has its number, the name that NCCL looks up, the type of a descriptor's kind and
/// the bytes of a descriptor. The second has the function that begins a communicator and its type,
/// how progress is told, whether calls carry the identifier of their communicator (`with_id` or
/// `without_id`), and what functions and types of elements are (`in_numbers` or `in_texts`). Then
/// follow the members of a collective, of a message, of a collective by copy engines where there
/// are such, and what else the union of a descriptor holds.
macro_rules! version {
    (
        $version:ident = $number:literal, $table:ident, $kind:ty, $bytes:literal;
        $init:ident: $Init:ident, $telling:ident, $ids:ident, $names:ident;
        collective { $($collective:tt)* }
        message { $($message:tt)* }
        $(copy_engine { $($copy_engine:tt)* })?
        others { $($others:tt)* }
    ) => {
        use crate::event::{CollectiveCall, Event, MessageCall};
        #[allow(unused_imports, reason = "which layouts are used depends on the version")]
        use crate::interface::layouts::{KernelChannel, NetPlugin, ProxyOp};
        use crate::interface::progress::{Telling, $telling};
        use crate::interface::tables::{$init, $Init, Table, Version};
        use crate::interface::{kinds, version};
        use std::ffi::{c_char, c_int, c_void};

        /// A collective.
        #[derive(Clone, Copy)]
        #[repr(C)]
        struct Collective { $($collective)* }

        /// A message.
        #[derive(Clone, Copy)]
        #[repr(C)]
        struct Message { $($message)* }

        $(
            /// A collective by copy engines.
            #[derive(Clone, Copy)]
            #[repr(C)]
            struct CopyEngineCollective { $($copy_engine)* }
        )?

        #[repr(C)]
        union Content {
            collective: Collective,
            message: Message,
            operation: ProxyOp,
            step: c_int,
            $($others)*
        }

        /// The descriptor of an event.
        #[repr(C)]
        pub(super) struct Descriptor {
            kind: $kind,
            parent: *mut c_void,
            rank: c_int,
            content: Content,
        }

        const _: () = assert!(size_of::<Descriptor>() == $bytes);
        const _: () = assert!(std::mem::offset_of!(Descriptor, content) == 24);

        pub(super) struct $version;

        impl Version for $version {
            const NUMBER: u32 = $number;
            const MASK: u64 =
                $telling::MASK $(| version::copy_engine_mask!($($copy_engine)*))?;
            type Telling = $telling;
            type Descriptor = Descriptor;

            unsafe fn event(descriptor: &Descriptor) -> (Event, *mut c_void, c_int) {
                let content = &descriptor.content;
                let event = match u64::from(descriptor.kind) {
                    kinds::COLLECTIVE => {
                        // SAFETY: the type says that this member is set.
                        let call = unsafe { content.collective };
                        version::collective!(call, $ids, $names)
                    }
                    kinds::MESSAGE => {
                        // SAFETY: the type says that this member is set.
                        let call = unsafe { content.message };
                        Event::Message(MessageCall {
                            id: version::id!(call, $ids),
                            function: version::function!(call, $names),
                            count: call.count as u64,
                            element: version::element!(call, $names),
                            peer: call.peer,
                        })
                    }
                    kinds::PROXY_OPERATION => {
                        // SAFETY: the type says that this member is set.
                        Event::ProxyOperation(unsafe { content.operation }.into())
                    }
                    kinds::PROXY_STEP if !$telling::SUMS => Event::ProxyStep,
                    $(
                        version::copy_engine_mask!($($copy_engine)*) => {
                            // SAFETY: the type says that this member is set.
                            let call = unsafe { content.by_copy_engine };
                            version::collective!(call, $ids, $names)
                        }
                    )?
                    _ => Event::Other,
                };
                (event, descriptor.parent, descriptor.rank)
            }
        }

        #[unsafe(no_mangle)]
        #[allow(non_upper_case_globals, reason = "NCCL looks this name up")]
        pub(super) static $table: Table<$version, $Init> = Table::new($init::<$version>);
    };
}

/// The type of events of copy engines, in versions that have such events.
macro_rules! copy_engine_mask {
    ($($member:tt)*) => {
        kinds::COPY_ENGINE_COLLECTIVE
    };
}

/// The event of a call of a collective.
macro_rules! collective {
    ($call:ident, $ids:ident, $names:ident) => {
        Event::Collective(CollectiveCall {
            id: version::id!($call, $ids),
            function: version::function!($call, $names),
            count: $call.count as u64,
            element: version::element!($call, $names),
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

pub(super) use {collective, copy_engine_mask, element, function, id, version};
