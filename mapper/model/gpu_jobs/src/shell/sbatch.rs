//! What a script asks of Slurm in its `#SBATCH` lines.

use std::collections::BTreeMap;

/// The numbers of a job that is asked for, as far as they are given.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Batch {
    pub(in super::super) nodes: Option<u64>,
    pub(in super::super) tasks_of_node: Option<u64>,
    pub(in super::super) tasks: Option<u64>,
    pub(in super::super) gpus_of_node: Option<u64>,
}

impl Batch {
    pub(super) fn read(text: &str) -> Self {
        let mut batch = Self::default();
        let lines = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("#SBATCH"));
        for line in lines {
            let line = line.split(" #").next().unwrap_or_default();
            let words: Vec<&str> = line
                .split(['=', ' ', '\t'])
                .filter(|w| !w.is_empty())
                .collect();
            for pair in words.windows(2) {
                batch.set(pair[0], pair[1]);
            }
        }
        batch
    }

    /// Takes the value of an option of Slurm.
    fn set(&mut self, option: &str, value: &str) {
        // gpu:a100:8, or the least and the most number of nodes.
        let last = value.rsplit(':').next().unwrap_or(value);
        let number = last
            .split('-')
            .next_back()
            .and_then(|last| last.parse().ok());
        let place = match option {
            "--nodes" | "-N" => &mut self.nodes,
            "--ntasks-per-node" => &mut self.tasks_of_node,
            "--ntasks" | "-n" => &mut self.tasks,
            "--gres" if !value.starts_with("gpu") => return,
            "--gres" | "--gpus-per-node" => &mut self.gpus_of_node,
            _ => return,
        };
        *place = number.or(*place);
    }

    /// The number of tasks, as `srun` starts them.
    pub(in super::super) fn world(&self) -> Option<u64> {
        let of_nodes = || self.nodes?.checked_mul(self.tasks_of_node.unwrap_or(1));
        self.tasks.or_else(of_nodes)
    }

    /// The variables that Slurm sets in such a job.
    pub(super) fn variables(&self) -> BTreeMap<String, String> {
        let variables = [
            ("SLURM_NNODES", self.nodes),
            ("SLURM_JOB_NUM_NODES", self.nodes),
            ("SLURM_NTASKS_PER_NODE", self.tasks_of_node),
            ("SLURM_NTASKS", self.world()),
            ("SLURM_NPROCS", self.world()),
            ("SLURM_GPUS_ON_NODE", self.gpus_of_node),
            ("SLURM_GPUS_PER_NODE", self.gpus_of_node),
        ];
        let known = variables.into_iter();
        known
            .filter_map(|(name, number)| Some((name.to_owned(), number?.to_string())))
            .collect()
    }
}
