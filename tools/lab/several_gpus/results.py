"""What is measured: a journal, a line of JSON a case, and the CSV file that is made of it."""
import csv
import dataclasses
import json
import os

from .host import Row, count


class Results:
    """The journal lies beside the CSV file; a case that it has is not measured again."""

    def __init__(self, path, setting):
        self.path = path
        self.journal = path.with_suffix(".jsonl")
        self.setting = setting  # figures of other sizes are not mixed with these
        self.done = {}
        if self.journal.exists():
            for line in self.journal.read_text("utf-8").splitlines():
                self._take(line)

    def _take(self, line):
        try:
            one = json.loads(line)
        except json.JSONDecodeError:
            return  # the last line of a run that was killed
        if one["setting"] != self.setting:
            raise SystemExit(f"measure-several-gpus: {self.journal} was measured with "
                             f"{one['setting']}, not {self.setting}; name another --csv")
        one["rows"] = [Row(**row) for row in one["rows"]]
        self.done[one["case"]] = one

    def add(self, case, outcome, seconds):
        line = json.dumps({"case": case.name, "setting": self.setting, "devices": case.devices,
                           "seconds": round(seconds, 1), "answers": outcome.answers,
                           "rows": [dataclasses.asdict(row) for row in outcome.rows]})
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.journal, "a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._take(line)
        self.write()

    def figures(self):
        """Figures of all that is measured, in the order of its first measurement."""
        of_one = {row.what: row.milliseconds for one in self.done.values() for row in one["rows"]
                  if count(one["devices"]) == 1}
        return [Figure(row, one["devices"],
                       of_one[row.what] * row.work / row.milliseconds if row.what in of_one else None)
                for one in self.done.values() for row in one["rows"]]

    def answers(self):
        """What was answered, to the checksums of all sets of GPUs and forms."""
        found = {}
        for one in self.done.values():
            for what, sums in one["answers"].items():
                found.setdefault(what, []).extend(sums)
        return found

    def write(self):
        beside = self.path.with_name("new-" + self.path.name)
        with open(beside, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["what", "devices", "milliseconds", "times as fast"])
            for one in self.figures():
                times = "" if one.times is None else round(one.times, 4)
                writer.writerow([f"{one.row.what}, {one.row.form}", one.devices,
                                 round(one.row.milliseconds, 6), times])
        beside.replace(self.path)


@dataclasses.dataclass
class Figure:
    row: Row
    devices: str
    times: float | None  # times as fast as one GPU, which for `work` times its work; None: unknown

    @property
    def gpus(self):
        return count(self.devices)

    @property
    def share(self):
        """Of linear."""
        return None if self.times is None else self.times / self.gpus
