"""What crosses the inside of a node, by its XML alone, and the fewest of all seatings.

The judge knows the sets of cores that share a part of a node: packages, dies, groups, memories and
caches. It knows nothing of rankfold."""

import xml.etree.ElementTree as tree

PARTS = ("Package", "Socket", "Die", "Group", "NUMANode", "Cache", "L2Cache", "L3Cache", "L4Cache")


class Node:
    """The cores of a node in the order of its file, the sets of cores that share something, and
    the sets that are near to a network adapter."""

    def __init__(self, file):
        root = tree.parse(file).getroot()
        kinds = [o.get("type") for o in root.iter("object")]
        unit = "Core" if "Core" in kinds else "PU"
        self.cores = 0
        fabric, ethernet = [], []
        self.parts, memories, packages = set(), set(), set()
        bits = (root.get("version") or "").startswith("3")

        def is_kind(device, number, bit):
            told = int(device.get("osdev_type"))
            return bool(told & bit) if bits else told == number

        def walk(element):
            first = self.cores
            kind = element.get("type")
            self.cores += kind == unit
            devices = []
            for child in element:
                devices += walk(child)
            own = frozenset(range(first, self.cores))
            if kind == "OSDev" and element.get("osdev_type") is not None:
                name = element.get("name") or ""
                openfabrics = is_kind(element, 3, 32)
                if openfabrics or is_kind(element, 2, 16):
                    devices.append(openfabrics or name.startswith(("ib", "hsn", "hsi", "bxi")))
            if own:
                for is_fabric in devices:
                    (fabric if is_fabric else ethernet).append(own)
                devices = []
                holds_memory = kind == "NUMANode" or any(c.get("type") == "NUMANode" for c in element)
                if kind in PARTS or holds_memory:
                    self.parts.add(own)
                if kind in ("Package", "Socket"):
                    packages.add(own)
                if holds_memory:
                    memories.add(own)
            return devices

        walk(root)
        self.near = sorted(set(fabric or ethernet), key=sorted)
        self.parts = {part for part in self.parts if 1 < len(part) < self.cores}
        memories = {part for part in memories if len(part) < self.cores}
        # Without several memories, caches are what ranks share.
        self.domains = memories or self.parts
        # Cores without a memory of their own use the same one as the rest of their package.
        held = frozenset().union(*memories)
        self.domains |= {package for package in packages if not package <= held}

    def levels(self, a, b):
        """The levels inside of the least part that two cores have in common: of two cores in
        different packages, as many whether their own packages have parts or not."""
        return self.height(self.common(a, b))

    def common(self, a, b):
        """The least part that two cores have in common."""
        both = (part for part in self.parts if a in part and b in part)
        return min(both, key=len, default=frozenset(range(self.cores)))

    def height(self, whole):
        """The most parts inside of a part that are inside of each other."""
        inside = [part for part in self.parts if part < whole]
        return 1 + max(map(self.height, inside)) if inside else 0

    def far(self, a, b):
        """Whether two cores have no memory in common."""
        return int(a != b and not any(a in domain and b in domain for domain in self.domains))

    def levels_to_nic(self, core):
        """The parts that an adapter is in and the core is not, of the nearest one."""
        def away(near):
            return 0 if core in near else max(1, sum(near <= part and core not in part for part in self.parts))
        return min(map(away, self.near), default=0)

    def far_from_nic(self, core):
        """Whether all adapters are at other memories."""
        def is_far(near):
            return core not in near and not any(near <= domain and core in domain for domain in self.domains)
        return int(bool(self.near) and all(map(is_far, self.near)))


class Figure:
    """Bytes of the ranks of one node by a distance of cores and one to the adapters."""

    def __init__(self, seats, between, to_nic):
        self.apart = [[between(a, b) for b in seats] for a in seats]
        self.to_nic = [to_nic(core) for core in seats]
        # Seats that are as far from all others are alike: a seat is like the first of these.
        places = range(len(seats))
        self.like = [next(first for first in places if self.are_alike(first, place)) for place in places]

    def are_alike(self, a, b):
        others = (seat for seat in range(len(self.to_nic)) if seat not in (a, b))
        return self.to_nic[a] == self.to_nic[b] and all(self.apart[a][s] == self.apart[b][s] for s in others)

    def of(self, bytes_of, outside, seat_of):
        ranks = range(len(seat_of))
        pairs = sum(bytes_of[r][s] * self.apart[seat_of[r]][seat_of[s]] for r in ranks for s in range(r))
        return pairs + sum(outside[r] * self.to_nic[seat_of[r]] for r in ranks)

    def fewest(self, bytes_of, outside, known):
        """The fewest bytes of any seating of all ranks in all seats, none above `known`: ranks take
        their seats one after the other as long as the bytes so far are fewer."""
        ranks = sorted(range(len(outside)), key=lambda r: -sum(bytes_of[r]) - outside[r])
        best, taken = [known], {}

        def rest(at, cost):
            if cost >= best[0]:
                return
            if at == len(ranks):
                best[0] = cost
                return
            rank, tried = ranks[at], set()
            for seat in range(len(self.to_nic)):
                if seat in taken.values():
                    continue
                if self.like[seat] in tried:
                    continue
                tried.add(self.like[seat])
                added = outside[rank] * self.to_nic[seat]
                added += sum(bytes_of[rank][r] * self.apart[seat][s] for r, s in taken.items())
                taken[rank] = seat
                rest(at + 1, cost + added)
                del taken[rank]

        rest(0, 0)
        return best[0]
