//! Everything that can happen to a run: the ways it may end, and what else programs, users and
//! systems may do. [`WAYS`] lists them with the MPI libraries under which each is tried.

mod death;
mod loading;
mod loss;
mod oddity;
mod refusal;
mod scale;
mod storage;
mod streams;
mod survival;

use crate::fact::{Fact, Need, fact, under};
use anyhow::Result;
use death::keeps_everything_sent;
use rankfold_tests::mpi::Mpi;
use survival::goes_on;

struct Way {
    fact: &'static str,
    feature: &'static str,
    mpis: &'static [Mpi],
    needs: &'static [Need],
    check: fn(Mpi) -> Result<()>,
}

const fn way(
    fact: &'static str,
    feature: &'static str,
    mpis: &'static [Mpi],
    check: fn(Mpi) -> Result<()>,
) -> Way {
    Way {
        fact,
        feature,
        mpis,
        needs: &[],
        check,
    }
}

const KINDS: &[Mpi] = &Mpi::KINDS;

const ALL: &[Mpi] = &Mpi::ALL;

/// MPI libraries in which a thread may end inside a call. MPICH and its descendants then keep a
/// lock for ever, without rankfold as well.
const OPEN: &[Mpi] = &[Mpi::OpenMpi, Mpi::OpenMpi5];

/// MPI libraries whose ranks may all have the same process number. The others name their shared
/// memory after process numbers and fail, without rankfold as well.
const ISOLATED: &[Mpi] = &[Mpi::Mpich5, Mpi::Intel];

/// MPI libraries that let the other ranks go on when a rank has called `MPI_Abort` on a
/// communicator of its own.
const ABORTING: &[Mpi] = &[Mpi::OpenMpi, Mpi::Mpich];

/// MPI libraries with `MPI_Comm_spawn`, which Debian's MPICH lacks.
const SPAWNING: &[Mpi] = &[Mpi::OpenMpi, Mpi::OpenMpi5, Mpi::Mpich5, Mpi::Intel];

/// MPI libraries whose launcher notices that a rank ends after it has executed another program. The
/// launcher of MPICH 5.0 misses that now and then, without rankfold as well, and the job never
/// ends.
const NOTICING_EXEC: &[Mpi] = &[Mpi::OpenMpi, Mpi::OpenMpi5, Mpi::Mpich, Mpi::Intel];

#[rustfmt::skip]
const WAYS: &[Way] = &[
    way("exit_without_finalize_leaves_everything_sent", "a rank exits without `MPI_Finalize`", KINDS, |mpi| keeps_everything_sent(mpi, "exit")),
    way("underscore_exit_leaves_everything_sent", "`_exit`", KINDS, |mpi| keeps_everything_sent(mpi, "_exit")),
    way("exit_in_a_thread_leaves_everything_sent", "`exit` in a thread", KINDS, |mpi| keeps_everything_sent(mpi, "thread")),
    way("abort_leaves_everything_sent", "`abort`", KINDS, |mpi| keeps_everything_sent(mpi, "abort")),
    way("a_rank_killed_by_sigkill_leaves_everything_sent", "SIGKILL", KINDS, |mpi| keeps_everything_sent(mpi, "sigkill")),
    way("a_segmentation_fault_leaves_everything_sent", "SIGSEGV", KINDS, |mpi| keeps_everything_sent(mpi, "segv")),
    way("mpi_abort_leaves_everything_sent", "`MPI_Abort`", KINDS, |mpi| keeps_everything_sent(mpi, "mpi_abort")),
    way("exec_after_init_leaves_everything_sent", "a rank executes another program after `MPI_Init`", NOTICING_EXEC, |mpi| keeps_everything_sent(mpi, "exec")),
    way("exec_before_init_changes_nothing", "a rank executes itself again before `MPI_Init`", KINDS, |mpi| goes_on(mpi, "reexec")),
    way("forked_children_change_nothing", "`fork`", KINDS, |mpi| goes_on(mpi, "fork")),
    way("commands_by_system_change_nothing", "`system` and `popen`", KINDS, |mpi| goes_on(mpi, "system")),
    way("executed_children_change_nothing", "children that execute", KINDS, |mpi| goes_on(mpi, "exec")),
    way("a_cleared_environment_changes_nothing", "the program clears its environment", KINDS, |mpi| goes_on(mpi, "environment")),
    way("spawned_children_change_nothing", "`MPI_Comm_spawn`: the parents' world is profiled", SPAWNING, |mpi| goes_on(mpi, "spawn")),
    way("a_million_communicators_leak_nothing", "10^6 communicators made and freed", KINDS, survival::churns),
    way("mpi_hidden_by_rtld_local_is_found", "MPI loaded by `dlopen` with `RTLD_LOCAL`", KINDS, loading::hidden),
    way("a_shell_script_as_rank_is_profiled", "a shell script starts the program", KINDS, loading::script),
    way("a_tool_behind_us_sees_every_call_once", "another PMPI tool behind ours", KINDS, loading::tool_behind),
    way("a_tool_before_us_sees_every_call_once", "another PMPI tool before ours", KINDS, loading::tool_before),
    way("ld_preload_exported_around_the_launcher_profiles_the_ranks", "`LD_PRELOAD` exported around the launcher", KINDS, loading::exported),
    way("a_script_that_sets_the_environment_needs_no_launcher_of_ours", "the environment set by a script between launcher and program", KINDS, loading::by_hand),
    way("a_static_program_runs_and_is_explained", "a static program", KINDS, loading::static_program),
    way("a_static_mpi_runs_and_is_explained", "the MPI library linked statically", &[Mpi::Mpich], loading::static_mpi),
    way("a_program_with_address_sanitizer_starts", "a program compiled with AddressSanitizer", KINDS, loading::sanitized),
        way("a_program_with_another_sanitizer_starts", "a program compiled with another sanitizer, or a static AddressSanitizer", KINDS, loading::other_sanitizers),
    way("children_do_not_load_the_library", "children linked with another C library, such as musl", KINDS, loading::children),
    Way {
        fact: "a_set_user_id_program_runs_and_is_explained",
        feature: "a set-user-ID program",
        mpis: KINDS,
        needs: &[Need::Root],
        check: loading::set_user_id,
    },
    way("journals_without_a_place_are_made_up_for_by_memory", "no place for journals", KINDS, storage::no_place),
    way("a_file_size_limit_leaves_the_program_running", "a limit on the size of files", KINDS, storage::limited),
    way("a_program_that_may_write_no_file_is_profiled", "no file may grow after `MPI_Init`", KINDS, storage::no_file_grows),
    way("a_file_of_the_program_is_never_taken_for_the_journal", "the program closes the profiler's descriptors", KINDS, storage::closed),
    way("a_warning_goes_to_no_file_of_the_program", "the program closes standard error", KINDS, storage::muted),
    way("a_filter_of_system_calls_is_respected", "a filter that kills at `fallocate`, `pwrite64` and `madvise`", KINDS, storage::filtered),
    way("pages_of_64_kib_change_nothing", "memory pages of 64 KiB", KINDS, storage::large_pages),
    way("a_truncated_journal_loses_only_what_it_held", "somebody truncates the journals (SIGBUS)", KINDS, storage::truncated),
    way("an_exception_out_of_mpi_is_survived", "an exception leaves an MPI call", ALL, |mpi| oddity::leaves(mpi, "throw")),
    way("a_longjmp_out_of_mpi_is_survived", "`longjmp` leaves an MPI call", ALL, |mpi| oddity::leaves(mpi, "jump")),
    way("a_call_left_for_another_stack_is_survived", "`swapcontext` leaves an MPI call", KINDS, |mpi| oddity::switches(mpi, "left")),
    way("a_call_left_for_another_stack_may_be_resumed", "`swapcontext` leaves an MPI call and comes back", KINDS, |mpi| oddity::switches(mpi, "resumed")),
    way("stacks_that_take_turns_inside_mpi_are_told_apart", "MPI lets other stacks run while it waits", KINDS, |mpi| oddity::switches(mpi, "waits")),
    way("a_thread_may_end_inside_mpi", "a thread ends inside an MPI call", OPEN, |mpi| oddity::leaves(mpi, "exit")),
    way("a_rank_without_the_library_is_named", "one rank does not load the library", KINDS, |mpi| oddity::partly_loaded(mpi, 1)),
    way("a_rank_0_without_the_library_is_named", "rank 0 does not load the library", KINDS, |mpi| oddity::partly_loaded(mpi, 0)),
    way("threads_that_end_leave_their_tables", "hundreds of short-lived threads", KINDS, oddity::threads),
    way("a_phase_a_step_is_bounded", "hundreds of phases", KINDS, oddity::steps),
    way("freeing_many_requests_is_quick", "50000 persistent requests", KINDS, oddity::requests),
    way("a_persistent_send_made_in_a_pause_counts", "persistent sends made while counting is paused", KINDS, |mpi| oddity::goes_on(mpi, "paused")),
    way("sends_in_callbacks_count", "sends in a callback of `MPI_Comm_free`", KINDS, |mpi| oddity::goes_on(mpi, "callback")),
    way("an_unmatched_collective_stays_alone", "a nonblocking collective that only one rank begins", KINDS, oddity::unmatched),
    way("a_late_rank_is_not_waited_for", "a rank comes to `MPI_Finalize` late", KINDS, oddity::late),
    way("a_program_outlives_a_rank", "a rank is killed, and the others go on", &[Mpi::OpenMpi], loss::outlives_a_rank),
    way("an_aborted_rank_is_not_waited_for", "`MPI_Abort` on a communicator of one, and the others go on", ABORTING, loss::outwaits_an_aborted_rank),
    way("what_finds_no_memory_is_told", "there is no memory for counters", KINDS, loss::tells_what_is_not_counted),
    way("what_goes_beyond_the_bound_of_memory_is_told", "more kinds of calls than the memory of counters holds", KINDS, loss::counts_what_is_beyond_the_bound),
    way("a_walltime_kill_leaves_everything_sent", "SIGTERM, then SIGKILL, to all ranks", KINDS, loss::survives_the_walltime),
    way("a_linked_tool_has_traffic_of_its_own", "a PMPI tool linked into the program", KINDS, loading::tool_inside),
    way("what_no_call_tells_is_named", "shared-memory windows and NCCL", KINDS, oddity::unseen),
    way("refused_calls_run_handlers_as_often", "errors that MPI returns", ALL, refusal::handles),
    way("missing_arrays_are_not_read", "arrays that are not there", ALL, refusal::arrays),
    way("what_the_mpi_lacks_is_refused", "functions that the MPI lacks", KINDS, refusal::missing),
    Way {
        fact: "a_disk_that_fills_up_while_running_loses_nothing",
        feature: "the journals' file system fills up",
        mpis: KINDS,
        needs: &[Need::Root],
        check: storage::fills_up,
    },
    Way {
        fact: "a_change_of_the_user_leaves_no_journal",
        feature: "the program becomes another user",
        mpis: KINDS,
        needs: &[Need::Root],
        check: storage::another_user,
    },
    Way {
        fact: "a_full_disk_is_made_up_for_by_memory",
        feature: "the journals' file system is full",
        mpis: KINDS,
        needs: &[Need::Root],
        check: storage::full,
    },
    Way {
        fact: "containers_do_not_collide",
        feature: "every rank is process 1 of its container",
        mpis: ISOLATED,
        needs: &[Need::Root],
        check: storage::containers,
    },
];

pub(crate) fn facts() -> Vec<Fact> {
    let facts = WAYS.iter().flat_map(|way| {
        let name = format!("ways::{}", way.fact);
        let facts = under(way.mpis, ("C", way.feature), &name, way.check);
        facts.into_iter().map(|fact| {
            let needing = |fact: Fact, &need: &Need| fact.needing(need);
            way.needs.iter().fold(fact, needing)
        })
    });
    let mut facts: Vec<Fact> = facts.collect();
    facts.push(fact(
        "ways::an_mpi_of_no_known_family_is_left_alone",
        &[Need::Tool("cc")],
        oddity::unknown_mpi,
    ));
    facts.push(fact(
        "ways::the_journal_of_a_rank_of_many_partners_is_bounded",
        &[Need::Tool("cc")],
        scale::many_partners,
    ));
    facts.push(fact(
        "ways::a_rank_that_cannot_tell_its_seat_is_profiled",
        &[Need::Tool("cc")],
        scale::unknown_seats,
    ));
    facts.push(fact(
        "ways::messages_on_streams_and_in_queues_count",
        &[Need::Tool("cc")],
        streams::count,
    ));
    facts.push(fact(
        "ways::a_fresh_communicator_translates_the_rank_it_sends_to",
        &[Need::Tool("cc")],
        scale::fresh_communicator,
    ));
    facts
}
