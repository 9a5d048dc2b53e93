"""Shipments: whether one follows on what the hub has, and the names its rows have there."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b, sha256
from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from unspool.model.files import OutputFile
from unspool.model.query import SessionKey
from unspool.model.rows import Batch, HookRow, Segment, SessionRow
from unspool.model.shipping import (
    MODES,
    Envelope,
    MachineIdentity,
    Shipment,
    ShippedOutput,
    ShippedPiece,
    ShippedTombstone,
    SourceState,
)
from unspool.model.usage import UsageRow
from unspool.remote_paths import project_prefix, remote_path
from unspool.store.cleaning import sendable
from unspool.store.contract import owner
from unspool.store.pack import packed, unpacked

Verdict: TypeAlias = Literal["due", "again", "conflict"]
# Of a source that was sent in several modes, or under several rules: nobody sends under these, so
# `--again` finds it.
MIXED_RULES: Final = -1


def verdict(shipment: Shipment, known: SourceState | None) -> Verdict:
    """Whether to take a shipment, given how far its source has come.

    Again: it was taken before. Conflict: something before it is missing, or it is of another past.
    """
    batch = shipment.batch
    if known is None or shipment.edition == known.edition + 1:
        edition = 0 if known is None else shipment.edition
        return "due" if shipment.edition == edition and batch.begins == 0 else "conflict"
    if (shipment.edition, batch.source.generation) != (known.edition, known.generation):
        return "conflict"
    ends = batch.source.offset
    if batch.begins == known.offset:
        if shipment.before.hex() != known.mark:
            return "conflict"
        return "due" if ends > batch.begins or _tells_more(shipment, known) else "again"
    if ends < known.offset or (ends == known.offset and shipment.after.hex() == known.mark):
        return "again"
    return "conflict"


def _tells_more(shipment: Shipment, known: SourceState) -> bool:
    """Whether there is news in one that moves no checkpoint; an old one may come late."""
    is_gone = shipment.batch.source.gone_at is not None
    ends = max((piece.ends for piece in shipment.pieces), default=shipment.withheld)
    return ends > known.archived or is_gone != known.is_gone


def next_state(shipment: Shipment, known: SourceState | None) -> SourceState:
    """How far a source has come with a shipment that was due; modes and rules stay as they are."""
    batch = shipment.batch
    ends = [piece.ends for piece in shipment.pieces[-1:]]
    ends = ends or [shipment.withheld] * bool(shipment.withheld)
    is_same = known is not None and known.edition == shipment.edition
    before = known.archived if known is not None and is_same and not ends else 0
    return replace(
        known or SourceState(local_id=batch.source.source_id),
        edition=shipment.edition,
        generation=batch.source.generation,
        offset=batch.source.offset,
        mark=shipment.after.hex(),
        archived=max(batch.source.offset, before, *ends),
        is_gone=batch.source.gone_at is not None,
    )


def is_under_rules(state: SourceState, envelope: Envelope) -> bool:
    """Whether all that is held of a source was sent as an envelope is."""
    return (state.mode, state.rules) == (envelope.mode, envelope.rules)


def under_rules(state: SourceState, held: SourceState | None, envelope: Envelope) -> SourceState:
    """A state with the mode and rules of what is held of its source, now with an envelope's.

    `held` is how far it was before, where that is still held: of two modes the fuller one counts.
    """
    if held is None or is_under_rules(held, envelope):
        return replace(state, mode=envelope.mode, rules=envelope.rules)
    return replace(state, mode=max(held.mode, envelope.mode, key=MODES.index), rules=MIXED_RULES)


def output_verdict(one: ShippedOutput, known: SourceState | None, *, is_outdated: bool) -> Verdict:
    """Whether to take a part of an output; one that is outdated may begin again."""
    if known is None or known.generation != one.file.mtime_ns or (is_outdated and not one.begins):
        return "due" if one.begins == 0 else "conflict"
    if one.begins == known.offset and one.ends > one.begins:
        return "due"
    return "again" if one.ends <= known.offset else "conflict"


def next_output_state(one: ShippedOutput) -> SourceState:
    """How far an output has come with a part that was due."""
    id, at = one.local_id, one.file.mtime_ns
    return SourceState(local_id=id, generation=at, offset=one.ends, archived=one.ends)


def hub_output(file: OutputFile, sender: MachineIdentity) -> OutputFile:
    """An output as the hub names it."""
    project = _project(sender.name, file.project_id)
    return replace(file, root=remote_path(sender.name, file.root), project_id=project)


def hub_batch(batch: Batch, sender: MachineIdentity, source_id: int, edition: int) -> Batch:
    """A batch as the hub names its rows: whose they are is decided by the key that was shown."""
    source, name = batch.source, sender.name
    local = f"{source.source_id}.{source.generation}.", f"{source_id}.{edition}."
    places = f"l:{source.source_id}:", f"l:{source_id}:"
    return replace(
        batch,
        source=replace(
            source,
            source_id=source_id,
            generation=edition,
            root=remote_path(name, source.root),
            project_id=_project(name, source.project_id),
        ),
        sessions=[_session(row, name) for row in batch.sessions],
        hooks=[_hook(row, name, local) for row in batch.hooks],
        usage=[_usage(row, places) for row in batch.usage],
        guesses={session: _project(name, one) for session, one in batch.guesses.items()},
    )


def _project(machine: str, project_id: str) -> str:
    """Where nobody knows the project, the hub finds it among the machine's own."""
    return project_prefix(machine) + project_id if project_id else ""


def _session(row: SessionRow, machine: str) -> SessionRow:
    path = remote_path(machine, row.transcript_path) if row.transcript_path else ""
    return replace(row, project_id=_project(machine, row.project_id), transcript_path=path)


def _hook(row: HookRow, machine: str, local: tuple[str, str]) -> HookRow:
    event_id = _renamed(row.event_id, local)
    return replace(row, project_id=_project(machine, row.project_id), event_id=event_id)


def _usage(row: UsageRow, local: tuple[str, str]) -> UsageRow:
    """A response without an id is known by its place, which begins with its source."""
    return row._replace(message_key=_renamed(row.message_key, local), usd_pico=None)


def _renamed(text: str, change: tuple[str, str]) -> str:
    before, after = change
    return after + text.removeprefix(before) if text.startswith(before) else text


def tombstone_name(project_id: str, session_id: str) -> str:
    """What a tombstone calls a session, by its names on the machine."""
    return sha256(sendable(f"{project_id}/{session_id}").encode()).hexdigest()


def tombstone_digest(found: Iterable[ShippedTombstone]) -> str:
    """Equal where machine and hub have the same tombstones."""
    lines = sorted(f"{one.name} {one.at} {one.is_restored}" for one in found)
    return blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()


def session_names(shipment: Shipment) -> Iterator[SessionKey]:
    """The sessions that a shipment tells of: its file's own first."""
    source = shipment.batch.source
    yield source.project_id, source.session_id
    yield from (owner(hook, source) for hook in shipment.batch.hooks)
    yield from ((row.project_id, row.session_id) for row in shipment.batch.sessions)


def without_forgotten(
    shipment: Shipment, is_forgotten: Callable[[SessionKey], bool]
) -> Shipment | None:
    """A shipment without sessions that were forgotten; None where its file is of one.

    A spool has events of many sessions: the places of forgotten ones are blank.
    """
    batch = shipment.batch
    own, *others = session_names(shipment)
    if is_forgotten(own):
        return None
    if not any(map(is_forgotten, others)):
        return shipment
    gone = {hook.line_id for hook in batch.hooks if is_forgotten(owner(hook, batch.source))}
    told = [(one.offset, one.length) for one in batch.lines if one.line_id in gone]
    # What is left of a torn event may be of any session.
    torn = [(one.offset, one.length) for one in batch.bad]
    left = [one for one in batch.sessions if not is_forgotten((one.project_id, one.session_id))]
    ids = {one.session_id for one in left}
    return replace(
        shipment,
        batch=replace(
            batch,
            lines=[one for one in batch.lines if one.line_id not in gone],
            texts=[one for one in batch.texts if one.line_id not in gone],
            hooks=[one for one in batch.hooks if one.line_id not in gone],
            sessions=left,
            guesses={id: project for id, project in batch.guesses.items() if id in ids},
        ),
        pieces=[_blank(piece, [*told, *torn]) for piece in shipment.pieces],
        refused=b"",
    )


def _blank(piece: ShippedPiece, places: Sequence[tuple[int, int]]) -> ShippedPiece:
    within = [
        (max(begin, piece.begins), min(begin + length, piece.ends)) for begin, length in places
    ]
    spans = [(begin - piece.begins, end - piece.begins) for begin, end in within if begin < end]
    data = unpacked(Segment(0, 0, piece.begins, piece.ends, piece.checksum, piece.packed))
    if not spans or data is None:
        return piece
    made = bytearray(data)
    for begin, end in spans:
        made[begin:end] = b" " * (end - begin)
    new = packed(0, 0, piece.begins, bytes(made))
    return ShippedPiece(piece.begins, piece.ends, new.checksum, new.packed)
