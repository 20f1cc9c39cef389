#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Solves the first exercise of the course with no command that a screen did not name before.

    first_exercise.py COMMAND...      as `first_exercise.py onefold ladder`
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

MOST_COMMANDS = 12


class Learner:
    """Someone who types only what the screen says."""

    def __init__(self, program, folder):
        self.folder = folder
        self.first = shlex.join(program) + " learn"
        self.named = {self.first}
        self.commands = 0
        self.next = [self.first]

    def type(self, word):
        """The command of the last screen that ends with the word."""
        found = [command for command in self.next if command.endswith(word)]
        assert found, f"no command ends with '{word}': {self.next}"
        command = found[0]
        assert command in self.named, command
        self.commands += 1
        done = subprocess.run(command, shell=True, cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        print(f"$ {command}\n{done.stdout}{done.stderr}")
        assert done.stderr == "", done.stderr
        lines = done.stdout.partition("\nNext:\n")[2].splitlines()
        self.next = [line.partition(" # ")[0].strip() for line in lines]
        assert self.next, "the screen names no command"
        self.named.update(self.next)
        return done

    def edit(self, screen):
        """Does what the answer says: other lines in place of one."""
        place, code = screen.partition("\nNext:\n")[0].split("\n\n", 1)
        file, number = re.fullmatch(r"In (\S+), in place of line (\d+):", place).groups()
        path = pathlib.Path(self.folder, file)
        lines = path.read_text().splitlines()
        assert "<- your line" in lines[int(number) - 1]
        lines[int(number) - 1] = code.rstrip("\n")
        path.write_text("\n".join(lines) + "\n")


def solve(program, folder):
    learner = Learner(program, folder)
    learner.type("learn")
    assert "Exercise 1 of " in learner.type("start").stdout
    assert learner.type("check").returncode == 1
    learner.type("hint")
    while not any(command.endswith("answer") for command in learner.next):
        learner.type("hint")
    learner.edit(learner.type("answer").stdout)
    done = learner.type("check")
    assert done.returncode == 0 and "Exercise 1 is done." in done.stdout
    assert "Exercise 2 of " in learner.type("next").stdout
    assert learner.commands <= MOST_COMMANDS, learner.commands
    print(f"{learner.commands} commands")


def main():
    program = sys.argv[1:]
    program[0] = str(pathlib.Path(program[0]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        solve(program, folder)


if __name__ == "__main__":
    main()
