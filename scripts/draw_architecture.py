# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/architecture.svg: the folders, their rooms, and who includes whom.

    python3 scripts/draw_architecture.py            writes the picture
    python3 scripts/draw_architecture.py --check    status 1 where the picture is not of today

All of it is read from the source: boxes are the folders that tests/support/include_direction.py
knows, their lines its rooms, the lowest last (in brackets: beside the others), and arrows are includes. An arrow that follows from two
others is left out. A box stands above all that it includes, so that every arrow points down.
"""

import html
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
import include_direction  # noqa: E402

PICTURE = ROOT / "docs" / "architecture.svg"
# Words for those who see the picture first.
SAYS = {
    "injector": "inside of the profiled process",
    "proto": "every byte between processes",
    "collector/agent": "one per node: reads, joins, sums",
    "collector/base": "log, clock, sockets",
    "collector/model": "from rows to modules and ranks",
    "collector/server": "takes uploads, many nodes",
    "collector/store": "the run's folder",
    "viewer": "report and numbers as text",
    "viewer/cli": "the program: verbs, launcher",
}
WIDTH, LANE, LINE, HEAD, GAP_X, GAP_Y, MARGIN = 216, 10, 15, 42, 24, 44, 16


def read_edges() -> set:
    """(folder, included folder), for all folders that the picture has."""
    edges = set()
    for path in include_direction.sources(str(ROOT)):
        key = include_direction.owner(path)
        edges |= {(key, to) for to in included(path) if to != key}
    return edges


def included(path: str):
    for line in (ROOT / path).read_text(encoding="utf-8", errors="replace").splitlines():
        match = include_direction.INCLUDE.match(line)
        if match:
            target = include_direction.full_path(str(ROOT), path, match.group(1))
            target = "proto" if target.startswith("flopsprof/") else target
            if include_direction.owner(target):
                yield include_direction.owner(target)


def reachable(edges: set, start: str, without: tuple) -> set:
    found, open_ends = set(), [start]
    while open_ends:
        here = open_ends.pop()
        for edge in edges:
            if edge[0] == here and edge != without and edge[1] not in found:
                found.add(edge[1])
                open_ends.append(edge[1])
    return found


def floors(edges: set) -> dict:
    """Folder -> 0 for those that include nothing, else one more than the highest that it includes."""
    floor = {key: 0 for key in include_direction.ALLOWED}
    for _ in floor:
        for above, below in edges:
            floor[above] = max(floor[above], floor[below] + 1)
    if max(floor.values(), default=0) >= len(floor):
        sys.exit("folders include each other in a circle: tests/support/include_direction.py")
    return floor


def rooms(key: str) -> tuple:
    beside = tuple(f"({room})" for room in include_direction.BESIDE.get(key, ()))
    return tuple(room for room in reversed(include_direction.ROOMS.get(key, ())) if room) + beside


def chains(shown: list, floor: dict) -> list:
    """For each arrow the items that it goes through: a folder, places that are kept free for it on
    the floors between, a folder."""
    return [
        [a, *((a, b, f) for f in range(floor[a] - 1, floor[b], -1)), b] for a, b in shown
    ]  # fmt: skip


def in_order(row: list, above: dict, links: dict) -> list:
    """Items of a floor, each below what leads to it."""
    def middle(item):
        xs = [above[link] for link in links.get(item, ()) if link in above]
        return (sum(xs) / len(xs) if xs else 0, str(item))

    return sorted(row, key=middle)


def draw() -> str:
    edges = read_edges()
    shown = sorted(e for e in edges if e[1] not in reachable(edges, e[0], e))
    floor = floors(edges)
    ways = chains(shown, floor)
    rows = {f: [k for k in floor if floor[k] == f] for f in set(floor.values())}
    links = {}
    for way in ways:
        for upper, lower in zip(way, way[1:]):
            links.setdefault(lower, []).append(upper)
            if isinstance(lower, tuple):
                rows[lower[2]].append(lower)

    def wide(item) -> int:
        return LANE if isinstance(item, tuple) else WIDTH

    width = 2 * MARGIN + max(sum(wide(i) + GAP_X for i in row) - GAP_X for row in rows.values())
    place, centre, y = {}, {}, MARGIN
    for number in sorted(rows, reverse=True):
        row = in_order(rows[number], centre, links)
        x = (width - sum(wide(i) + GAP_X for i in row) + GAP_X) / 2
        tall = max(HEAD + LINE * len(rooms(i)) for i in row if not isinstance(i, tuple))
        for item in row:
            height = tall if isinstance(item, tuple) else HEAD + LINE * len(rooms(item))
            place[item] = (x, y, height)
            centre[item] = x + wide(item) / 2
            x += wide(item) + GAP_X
        y += tall + GAP_Y
    lines = [arrow([(centre[i], place[i][1], place[i][2]) for i in way]) for way in ways]
    parts = lines + [box(k, *place[k]) for k in place if not isinstance(k, tuple)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{y - GAP_Y + MARGIN:g}"'
        ' font-family="sans-serif" font-size="12">\n'
        '<title>flopsprof: who includes whom</title>\n'
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>\n'
        '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )  # fmt: skip


def arrow(way: list) -> str:
    """Through items of (middle x, top y, height), from the foot of the first to the last one's top."""
    path = f"M{way[0][0]:g},{way[0][1] + way[0][2]:g}"
    for above, below in zip(way, way[1:]):
        y1, y2 = above[1] + above[2], below[1]
        bend = (y2 - y1) / 2
        path += f" C{above[0]:g},{y1 + bend:g} {below[0]:g},{y2 - bend:g} {below[0]:g},{y2:g}"
        if below is not way[-1]:
            path += f" L{below[0]:g},{below[1] + below[2]:g}"
    return f'<path d="{path}" fill="none" stroke="#555" marker-end="url(#tip)"/>'


def box(key: str, x: float, y: float, height: float) -> str:
    lines = [
        f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{height}" rx="6" fill="#f4f6fa"'
        ' stroke="#345"/>',
        f'<text x="{x + 10:g}" y="{y + 18:g}" font-weight="bold">{html.escape(key)}/</text>',
        f'<text x="{x + 10:g}" y="{y + 33:g}" fill="#456">{html.escape(SAYS.get(key, ""))}</text>',
    ]
    for i, room in enumerate(rooms(key)):
        lines.append(f'<text x="{x + 22:g}" y="{y + HEAD + 8 + LINE * i:g}">{html.escape(room)}</text>')
    return "\n".join(lines)


def main() -> int:
    picture = draw()
    if "--check" not in sys.argv:
        PICTURE.write_text(picture, encoding="utf-8")
        return 0
    if PICTURE.exists() and PICTURE.read_text(encoding="utf-8") == picture:
        return 0
    print("docs/architecture.svg is not of today: python3 scripts/draw_architecture.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
