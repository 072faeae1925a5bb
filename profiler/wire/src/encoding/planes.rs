//! The sections besides the matrix of the whole run. A reader may skip each of them, so their tags
//! begin with a lower-case letter.

use super::lists::{append, chunks, continued, extended, list, pieces};
use super::section::{parse, write};
use super::{nccl, rows};
use crate::burst::Bursts;
use crate::collective::{Collective, MemberBlocks};
use crate::communicator::Communicator;
use crate::container::{Section, Tag, corrupt};
use crate::cores::{CoreLists, Cores};
use crate::error::Result;
use crate::form::Form;
use crate::parameter::Parameter;
use crate::profile::{Matrix, Peer, Phase, Profile, Row, RowSource};
use crate::surroundings::Surroundings;
use crate::topology::{Topology, TopologyShape};
use crate::unseen::Unseen;
use std::io::Write;

const COMMUNICATORS: Tag = *b"comm";
const PHASES: Tag = *b"phas";
const PHASE_ROWS: Tag = *b"prow";
const EXCHANGES: Tag = *b"exch";
const AS_SENT: Tag = *b"sent";
const COLLECTIVES: Tag = *b"coll";
const FORMS: Tag = *b"form";
const BLOCKS: Tag = *b"bloc";
const BURSTS: Tag = *b"burs";
const TIMES: Tag = *b"time";
const FUNCTION_TIMES: Tag = *b"func";
const FUNCTION_MESSAGES: Tag = *b"fmsg";
const TOPOLOGIES: Tag = *b"topo";
const EDGES: Tag = *b"edge";
const FOREIGN: Tag = *b"fore";
const OTHERS: Tag = *b"othe";
const UNSEEN: Tag = *b"unse";
const SURROUNDINGS: Tag = *b"surr";
const LAUNCH: Tag = *b"laun";
const USER: Tag = *b"user";
const NUMBERS: Tag = *b"numb";
const VERIFICATION: Tag = *b"veri";
const SIZES: Tag = *b"size";
const CORES: Tag = *b"core";
const PARAMETERS: Tag = *b"para";

/// Writes every optional section that has content.
pub(super) fn encode(profile: &Profile, source: RowSource, out: &mut dyn Write) -> Result<()> {
    let runs = |comm: &Communicator| comm.members.runs() + comm.remote.runs();
    pieces(
        out,
        COMMUNICATORS,
        &profile.communicators,
        runs,
        "one communicator",
    )?;
    if !profile.phases.is_empty() {
        let names: Vec<&str> = profile.phases.iter().map(|p| p.name.as_str()).collect();
        write(out, PHASES, &names, "the names of the phases")?;
    }
    matrix(out, 0, Matrix::Exchanged, source)?;
    matrix(out, 0, Matrix::AsSent, source)?;
    calls(out, 0, &profile.collectives)?;
    blocks(out, 0, &profile.blocks)?;
    bursts(out, 0, &profile.bursts)?;
    for (number, phase) in (1..).zip(&profile.phases) {
        matrix(out, number, Matrix::Sent, source)?;
        matrix(out, number, Matrix::Exchanged, source)?;
        matrix(out, number, Matrix::AsSent, source)?;
        calls(out, number, &phase.collectives)?;
        blocks(out, number, &phase.blocks)?;
        bursts(out, number, &phase.bursts)?;
    }
    pieces(
        out,
        TIMES,
        &profile.times,
        Vec::len,
        "the times of one rank",
    )?;
    list(
        out,
        FUNCTION_TIMES,
        &profile.function_times,
        |_| 1,
        "the times of functions",
    )?;
    list(
        out,
        FUNCTION_MESSAGES,
        &profile.function_messages,
        |_| 1,
        "the messages of functions",
    )?;
    topologies(out, &profile.topologies)?;
    list(out, FOREIGN, &profile.foreign, |_| 1, "what left the world")?;
    list(out, OTHERS, &profile.others, |_| 1, "what has no counters")?;
    if !profile.unseen.is_empty() {
        write(out, UNSEEN, &profile.unseen, "what is not counted")?;
    }
    list(
        out,
        SURROUNDINGS,
        &profile.surroundings,
        Surroundings::size,
        "what is known of the hosts",
    )?;
    if let Some(launch) = &profile.launch {
        write(out, LAUNCH, launch, "the command line")?;
    }
    if !profile.user.is_empty() {
        write(out, USER, &profile.user, "the name of the user")?;
    }
    pieces(
        out,
        NUMBERS,
        &profile.numbers,
        |_| 1,
        "the numbers of ranks",
    )?;
    if let Some(verification) = &profile.verification {
        write(out, VERIFICATION, verification, "the verification")?;
    }
    if !profile.sizes.is_empty() {
        write(out, SIZES, &profile.sizes, "the sizes of messages")?;
    }
    pieces(
        out,
        CORES,
        &profile.cores,
        |cores| cores.numbers().len(),
        "the cores of one rank",
    )?;
    list(
        out,
        PARAMETERS,
        &profile.parameters,
        Parameter::size,
        "the parameters of the MPI library",
    )?;
    nccl::encode(profile.nccl.as_ref(), out)
}

/// Writes a matrix of phase `number`. The matrix of messages sent in the whole run is not written
/// here, as it is not optional.
fn matrix(out: &mut dyn Write, number: u32, matrix: Matrix, source: RowSource) -> Result<()> {
    let tag = match matrix {
        Matrix::Sent => PHASE_ROWS,
        Matrix::Exchanged => EXCHANGES,
        Matrix::AsSent => AS_SENT,
    };
    let start = number.to_le_bytes();
    rows::write(out, tag, &start, number, |visit| {
        source(number, matrix, visit)
    })?;
    Ok(())
}

fn calls(out: &mut dyn Write, number: u32, collectives: &[Collective]) -> Result<()> {
    for (_, some) in chunks(collectives, |_| 1) {
        write(out, COLLECTIVES, &(number, some), "the collectives")?;
    }
    let rows = (0_u32..).zip(collectives);
    let unusual = rows.filter(|(_, row)| row.form != Form::default());
    let forms: Vec<(u32, Form)> = unusual.map(|(index, row)| (index, row.form)).collect();
    for (_, some) in chunks(&forms, |_| 1) {
        write(out, FORMS, &(number, some), "the forms of collectives")?;
    }
    Ok(())
}

fn blocks(out: &mut dyn Write, number: u32, blocks: &[MemberBlocks]) -> Result<()> {
    for (_, some) in chunks(blocks, |blocks| blocks.bytes.len()) {
        write(out, BLOCKS, &(number, some), "the blocks of one collective")?;
    }
    Ok(())
}

fn bursts(out: &mut dyn Write, number: u32, bursts: &[Bursts]) -> Result<()> {
    for (first, some) in chunks(bursts, |_| 1) {
        write(out, BURSTS, &(number, first, some), "the bursts")?;
    }
    Ok(())
}

fn topologies(out: &mut dyn Write, all: &[Topology]) -> Result<()> {
    let outline = |topology: &Topology| Topology {
        shape: topology.shape.outline(),
        ..*topology
    };
    let outlines: Vec<Topology> = all.iter().map(outline).collect();
    list(out, TOPOLOGIES, &outlines, |_| 1, "the topologies")?;
    for (number, topology) in (0_u32..).zip(all) {
        for (first, some) in chunks(topology.shape.neighbours(), Vec::len) {
            let what = "the neighbours of one member";
            write(out, EDGES, &(number, first, some), what)?;
        }
    }
    Ok(())
}

/// Adds the content of an optional section. A section with an unknown tag is skipped.
pub(super) fn decode(profile: &mut Profile, section: &Section) -> Result<()> {
    let wrong = |problem: String| corrupt(section.offset, problem);
    match section.tag {
        COMMUNICATORS => continued(&mut profile.communicators, section, "communicators from"),
        PHASES => {
            let names: Vec<String> = parse(section)?;
            profile.phases.extend(names.into_iter().map(|name| Phase {
                name,
                ..Phase::default()
            }));
            Ok(())
        }
        PHASE_ROWS | EXCHANGES | AS_SENT => {
            let (number, first, some): (u32, u64, Vec<Vec<Peer>>) = parse(section)?;
            let some = some.into_iter().map(Row::of).collect();
            let rows = match (section.tag, number) {
                (PHASE_ROWS, _) => profile.phase(number).map(|phase| &mut phase.rows),
                (EXCHANGES, 0) => Ok(&mut profile.exchanges),
                (EXCHANGES, _) => profile.phase(number).map(|phase| &mut phase.exchanges),
                (_, 0) => Ok(&mut profile.as_sent),
                _ => profile.phase(number).map(|phase| &mut phase.as_sent),
            };
            append(rows.map_err(wrong)?, first, some, "rows from rank").map_err(wrong)
        }
        COLLECTIVES => {
            let (number, some): (u32, Vec<Collective>) = parse(section)?;
            let all = collectives(profile, number).map_err(wrong)?;
            all.extend(some);
            Ok(())
        }
        FORMS => {
            let (number, some): (u32, Vec<(u32, Form)>) = parse(section)?;
            let all = collectives(profile, number).map_err(wrong)?;
            for (index, form) in some {
                let row = all.get_mut(index as usize);
                let row = row.ok_or_else(|| wrong(format!("a form of collective {index}")))?;
                row.form = form;
            }
            Ok(())
        }
        BLOCKS => {
            let (number, some): (u32, Vec<MemberBlocks>) = parse(section)?;
            let blocks = match number {
                0 => Ok(&mut profile.blocks),
                _ => profile.phase(number).map(|phase| &mut phase.blocks),
            };
            blocks.map_err(wrong)?.extend(some);
            Ok(())
        }
        BURSTS => {
            let (number, first, some): (u32, u64, Vec<Bursts>) = parse(section)?;
            let bursts = match number {
                0 => Ok(&mut profile.bursts),
                _ => profile.phase(number).map(|phase| &mut phase.bursts),
            };
            append(bursts.map_err(wrong)?, first, some, "bursts from rank").map_err(wrong)
        }
        TIMES => continued(&mut profile.times, section, "times from rank"),
        FUNCTION_TIMES => extended(&mut profile.function_times, section),
        FUNCTION_MESSAGES => extended(&mut profile.function_messages, section),
        TOPOLOGIES => extended(&mut profile.topologies, section),
        EDGES => {
            let (number, first, some): (u32, u64, Vec<Vec<u32>>) = parse(section)?;
            let graph = profile.topologies.get_mut(number as usize);
            let lists = graph
                .and_then(|topology| TopologyShape::neighbours_mut(&mut topology.shape))
                .ok_or_else(|| wrong(format!("edges of topology {number}, which is no graph")))?;
            append(lists, first, some, "edges from member").map_err(wrong)
        }
        FOREIGN => extended(&mut profile.foreign, section),
        OTHERS => extended(&mut profile.others, section),
        UNSEEN => {
            // Files of a later version may hold further ways, which are skipped.
            let ways = parse::<Vec<u32>>(section)?.into_iter();
            let known = ways.filter_map(|way| Unseen::ALL.get(way as usize));
            profile.unseen.extend(known);
            Ok(())
        }
        SURROUNDINGS => extended(&mut profile.surroundings, section),
        LAUNCH => {
            profile.launch = Some(parse(section)?);
            Ok(())
        }
        USER => {
            profile.user = parse(section)?;
            Ok(())
        }
        NUMBERS => continued(&mut profile.numbers, section, "numbers from rank"),
        VERIFICATION => {
            profile.verification = Some(parse(section)?);
            Ok(())
        }
        SIZES => extended(&mut profile.sizes, section),
        CORES => {
            let (first, some): (u64, Vec<Cores>) = parse(section)?;
            let mut known = CoreLists::default();
            let some = some.into_iter().map(|cores| known.shared(cores)).collect();
            append(&mut profile.cores, first, some, "cores from rank").map_err(wrong)
        }
        PARAMETERS => extended(&mut profile.parameters, section),
        tag if nccl::TAGS.contains(&tag) => nccl::decode(profile, section),
        _ => Ok(()),
    }
}

/// The collectives of a phase; phase 0 is the whole run.
fn collectives(profile: &mut Profile, number: u32) -> Result<&mut Vec<Collective>, String> {
    match number {
        0 => Ok(&mut profile.collectives),
        _ => profile.phase(number).map(|phase| &mut phase.collectives),
    }
}
