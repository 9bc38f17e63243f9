"""
Poly Core: decides whether a producer can be computed inside the tiles of its consumer, and with which halo and buffer.

```python
core = PolyCore(function, arch="sm90")
core.can_compute_at("v0", "v4", {"i2": 4})       # legal? with what halo?
core.min_buffer_for_edge("v0", "v4", {"i2": 4})  # registers, a ring in shared memory, or memory
core.make_fusable_groups()                       # single-consumer chains
core.analyze()                                   # all facts of a region
```

Every answer is computed by isl from the IndexBook's accesses, composed along all paths from the consumer to the producer:

| file | contents |
| --- | --- |
| `tiling.py` | the points of a tile; tails |
| `reads.py` | the composed paths from a consumer to a producer |
| `ranges.py`, `footprint.py` | the elements of a producer that tiles read; halo |
| `buffers.py` | registers, ring or memory; barriers |
| `banks.py` | bank conflicts of a ring |
| `accesses.py`, `edges.py` | the queries for a program's edges; values that cannot be computed in a tile |
| `region.py` | a whole region |
| `core.py` | the public queries; single-consumer chains |

Spec: `tensor-compiler.ja §1.6`.
"""

from .answers import BankHint as BankHint
from .answers import Barrier as Barrier
from .answers import ComputeAt as ComputeAt
from .answers import Extent as Extent
from .answers import Halo as Halo
from .answers import MinBuffer as MinBuffer
from .core import PolyCore as PolyCore
from .region import Edge as Edge
from .region import RegionFacts as RegionFacts
from .tiling import Tile as Tile
