//! Cells of an endless grid that are taken or next to one taken.

use super::template::Template;
use crate::pattern::stencil_steps::{Steps, plus};
use std::collections::HashMap;

/// No member, or no cells around it yet.
const NONE: u32 = u32::MAX;

/// Cells with numbers: a cell's coordinates are looked up once, when somebody takes it or a cell
/// next to it.
pub(super) struct CellTable<'a> {
    template: &'a Template,
    numbers: HashMap<Steps, u32>,
    /// By number: coordinates.
    at: Vec<Steps>,
    /// By number: who has taken the cell, or [`NONE`].
    member: Vec<u32>,
    /// By number: members in the cells around.
    members_around: Vec<i32>,
    /// The cells around every member with a cell, one member after the other.
    around: Vec<u32>,
    /// By member: where its cells are in `around`, or [`NONE`].
    place: Vec<u32>,
}

impl<'a> CellTable<'a> {
    pub(super) fn new(template: &'a Template, members: usize) -> Self {
        Self {
            template,
            numbers: HashMap::with_capacity(members),
            at: Vec::new(),
            member: Vec::new(),
            members_around: Vec::new(),
            around: Vec::new(),
            place: vec![NONE; members],
        }
    }

    /// Puts a member into a free cell.
    pub(super) fn take(&mut self, at: Steps, member: u32) {
        let cell = self.number(at);
        self.member[cell as usize] = member;
        let steps = self.template.steps.len();
        self.place[member as usize] = (self.around.len() / steps) as u32;
        for step in &self.template.steps {
            let near = self.number(self.template.reduced(&plus(&at, step)));
            self.members_around[near as usize] += 1;
            self.around.push(near);
        }
    }

    fn number(&mut self, at: Steps) -> u32 {
        *self.numbers.entry(at).or_insert_with(|| {
            self.at.push(at);
            self.member.push(NONE);
            self.members_around.push(0);
            self.at.len() as u32 - 1
        })
    }

    /// Coordinates of a cell.
    pub(super) fn at(&self, cell: u32) -> Steps {
        self.at[cell as usize]
    }

    /// Who has taken a cell.
    pub(super) fn member(&self, cell: u32) -> Option<u32> {
        Some(self.member[cell as usize]).filter(|&member| member != NONE)
    }

    /// How many members are in the cells around one.
    pub(super) fn members_around(&self, cell: u32) -> i32 {
        self.members_around[cell as usize]
    }

    /// The cells around that of a member; none as long as it has no cell.
    pub(super) fn around(&self, member: u32) -> &[u32] {
        let steps = self.template.steps.len();
        match self.place[member as usize] {
            NONE => &[],
            place => &self.around[place as usize * steps..][..steps],
        }
    }
}
