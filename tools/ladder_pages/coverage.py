# SPDX-License-Identifier: Apache-2.0
"""Where each claim, figure and question of a document has its place in the course."""
from ladder_pages.ladder import Refusal, citation, document_of, link, table

LISTS = (("claims", "claim"), ("figures", "figure"), ("questions", "question"))


def place(ladder, page, where):
    """One place of sources.json, as a cell shows it."""
    # The first key of a place that is a rung's or a regression case's names it.
    name = next((str(value) for key, value in where.items()
                 if key not in ("program", "page", "section", "exercise", "untested")), None)
    if name:
        text = link(ladder, page, ladder.file(name), f"`{name}`")
        if "claim" in where:
            return f"{text}: {where['claim']}"
        return f"{text}: picture “{where['picture']}”" if "picture" in where else text
    if "program" in where:
        return f"`{where['program']}`"
    if "untested" in where:
        return f"**untested**: {where['untested']}"
    if "page" in where:
        return f"“{where['section']}” in `{where['page']}`"
    return f"exercise {where['exercise']}"


def coverage(ladder, page, words):
    rows = [(row["at"], kind, row[kind],
             "<br>".join(place(ladder, page, where) for where in row["places"]))
            for name, kind in LISTS for row in ladder.sources[name] if row["document"] == words[0]]
    if not rows:
        raise Refusal(f"ladder/sources.json has no claim of '{words[0]}'")
    number, document = document_of(ladder, words[0])
    return f"[{number}] {citation(document)}\n\n" + table(
        ("at", "", "what it says, asks or shows", "its place"), rows)
