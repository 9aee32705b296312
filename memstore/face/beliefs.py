"""`vault.beliefs` and `vault.conflicts`: evidence and its consequences, and memories that contradict each other."""

from __future__ import annotations

from memstore.beliefs.calibration import calibrate
from memstore.beliefs.compress import compress
from memstore.beliefs.consolidate import consolidate
from memstore.beliefs.graduate import graduate
from memstore.beliefs.propagation import propagate
from memstore.beliefs.quarantine import lift, quarantine
from memstore.beliefs.recompute import fold, rebuild_from_episodes, recompute
from memstore.beliefs.reinforce import contradict, reinforce
from memstore.beliefs.revise import revise_from
from memstore.conflicts.candidates import candidates
from memstore.conflicts.compare import conflicts
from memstore.conflicts.duplicates import dedupe
from memstore.conflicts.judging import judge, withdraw
from memstore.conflicts.resolve import resolve_conflict
from memstore.conflicts.verdicts import verdicts_on
from memstore.face.forward import Forward, Part
from memstore.memories.split import merge, split
from memstore.memories.suggestions import accept_suggestion, list_suggestions, reject_suggestion


class VaultBeliefs(Part):
    """How sure a memory's holder is, and why: `vault.beliefs.reinforce(belief, evidence=note)`."""

    reinforce = Forward(reinforce)
    contradict = Forward(contradict)
    fold = Forward(fold)
    split = Forward(split)
    merge = Forward(merge)
    revise_from = Forward(revise_from)
    propagate = Forward(propagate)
    recompute = Forward(recompute)
    rebuild = Forward(rebuild_from_episodes)
    calibrate = Forward(calibrate)
    consolidate = Forward(consolidate)
    suggestions = Forward(list_suggestions)
    accept = Forward(accept_suggestion)
    reject = Forward(reject_suggestion)
    quarantine = Forward(quarantine)
    lift = Forward(lift)
    graduate = Forward(graduate)
    compress = Forward(compress)


class VaultConflicts(Part):
    """Memories that can't both be right: `vault.conflicts.resolve(one, other, keep=one)`."""

    open = Forward(conflicts)
    resolve = Forward(resolve_conflict)
    judge = Forward(judge)
    withdraw = Forward(withdraw)
    verdicts = Forward(verdicts_on)
    duplicates = Forward(dedupe)
    candidates = Forward(candidates)
