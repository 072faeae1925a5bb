//! How variables reach the ranks of each launcher.

use super::*;

#[test]
fn variables_go_before_the_users_options_and_replace_theirs() {
    assert_eq!(
        exported(
            &openmpi4::OpenMpi4,
            "mpirun -x LD_PRELOAD=/t.so -x LD_PRELOADED=1 -n 2 app"
        ),
        "mpirun -x LD_PRELOAD=/l.so:/t.so -x RANKFOLD_RUN=7 -x LD_PRELOADED=1 -n 2 app"
    );
    assert_eq!(
        exported(&mpich::MPICH, "mpiexec -n 2 -env LD_PRELOAD /t.so app"),
        "mpiexec -genv LD_PRELOAD /l.so:/t.so -genv RANKFOLD_RUN 7 -n 2 app"
    );
    assert_eq!(
        exported(&openmpi5::OpenMpi5, "mpirun -x LD_PRELOAD=/t.so -n 2 app"),
        "mpirun -x LD_PRELOAD=/l.so:/t.so -x RANKFOLD_RUN=7 -n 2 app"
    );
    assert_eq!(
        exported(&intel::INTEL, "mpirun -genv LD_PRELOAD /t.so -n 2 app"),
        "mpirun -genv LD_PRELOAD /l.so:/t.so -genv RANKFOLD_RUN 7 -n 2 app"
    );
}

#[test]
fn what_the_user_preloads_comes_behind_ours() {
    let ours =
        |launcher: &'static dyn Launcher, line| exported(launcher, line).contains("/l.so:/t.so");
    assert!(ours(&openmpi4::OpenMpi4, "mpirun -x LD_PRELOAD=/t.so app"));
    assert!(ours(&mpich::MPICH, "mpiexec -genv LD_PRELOAD /t.so app"));
    assert!(ours(&mpich::MPICH, "mpiexec -env LD_PRELOAD=/t.so app"));
    assert!(!ours(&openmpi4::OpenMpi4, "mpirun -x LD_PRELOAD app"));
}

#[test]
fn every_program_of_several_is_given_the_variables() {
    assert_eq!(
        exported(
            &openmpi4::OpenMpi4,
            "mpirun -n 2 a x : -x LD_PRELOAD=/t.so -n 1 b"
        ),
        "mpirun -x LD_PRELOAD=/l.so -x RANKFOLD_RUN=7 -n 2 a x : -x LD_PRELOAD=/l.so:/t.so -x RANKFOLD_RUN=7 -n 1 b"
    );
    assert_eq!(
        exported(
            &openmpi5::OpenMpi5,
            "mpirun -x LD_PRELOAD=/t.so -n 2 a : -n 1 b"
        ),
        "mpirun -x LD_PRELOAD=/l.so:/t.so -x RANKFOLD_RUN=7 -n 2 a : -x LD_PRELOAD=/l.so:/t.so -x RANKFOLD_RUN=7 -n 1 b"
    );
    assert_eq!(
        exported(
            &mpich::MPICH,
            "mpiexec -n 2 a : -env LD_PRELOAD /t.so -n 1 b : -n 1 c"
        ),
        "mpiexec -genv LD_PRELOAD /l.so -genv RANKFOLD_RUN 7 -n 2 a : -env LD_PRELOAD /l.so:/t.so -n 1 b : -n 1 c"
    );
    let ranks = |line| parse(&mpich::MPICH, line).ranks().unwrap();
    assert_eq!(
        ranks("mpiexec -n 2 a : -np 3 b"),
        Some((5, "-n 2 : -np 3".into()))
    );
    assert_eq!(ranks("mpiexec -n 2 a : b"), None);
    let most = ranks("mpiexec -n 9999999999999999999 a : -n 9999999999999999999 b");
    assert_eq!(most.map(|(ranks, _)| ranks), Some(usize::MAX));
}

#[test]
fn srun_keeps_what_the_user_exports_and_adds_ours() {
    let words = |line: &str| exported(&srun::Srun, line);
    assert_eq!(
        words("srun -n2 app"),
        "srun --export=ALL,LD_PRELOAD=/l.so,RANKFOLD_RUN=7 -n2 app"
    );
    assert_eq!(
        words("srun --export=A='1,2',LD_PRELOAD=/t.so,B -n2 app"),
        "srun --export=A='1,2',B,LD_PRELOAD=/l.so:/t.so,RANKFOLD_RUN=7 -n2 app"
    );
    assert_eq!(
        words("srun --export NONE app"),
        "srun --export=LD_PRELOAD=/l.so,RANKFOLD_RUN=7 app"
    );
    let mut launch = parse(&srun::Srun, "srun app");
    launch.export(&Exports::new(
        vec![("RANKFOLD_PROFILE", "/a, \"b\".rfp".into())],
        "/l.so".into(),
    ));
    assert_eq!(
        join(&launch.words()),
        "env RANKFOLD_PROFILE=/a, \"b\".rfp srun --export=ALL,LD_PRELOAD=/l.so,RANKFOLD_PROFILE app"
    );
}
