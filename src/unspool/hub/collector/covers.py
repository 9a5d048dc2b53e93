"""What leaves a machine in mode redacted: bytes as long as before, without secrets."""

from zlib import crc32

from unspool.model.files import SpoolEvent
from unspool.redact.cover import LineCover
from unspool.source.spool import CRC, PAYLOAD, frames


class SpoolCover(LineCover):
    """Covers events of hooks; each gets another checksum. What is no whole event is blanked."""

    def whole_line(self, line: bytes) -> bytes:
        """The frames of a line."""
        made = bytearray(b" " * len(line))
        made[-1:] = b"\n"
        for item in frames(line[:-1]):
            if isinstance(item, SpoolEvent) and not item.cut:
                end = item.offset + item.length
                made[item.offset : end] = self._frame(line[item.offset : end])
        return bytes(made)

    def _frame(self, frame: bytes) -> bytes:
        covered = super().whole_line(frame[PAYLOAD:] + b"\n")[:-1]
        rest = frame[CRC.stop + 1 : PAYLOAD] + covered
        return frame[: CRC.start] + b"%08x " % crc32(rest) + rest
