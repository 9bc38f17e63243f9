import msgspec, ptir
from ptir.dialects.plan.schedule import Schedule
from ptir.passes.manager import PassManager
from ptir.planning.template import Request
from ptir.runtime.compile import to_regions
from ptir.targets.architectures import ARCHS
from ptir.targets.machines import machine_of
from tests.unit.builders.plan_families import kernel_of
from .points import point
def request_and_plan(line, seed):
    p = point(line["number"], seed)
    kernel = kernel_of(PassManager(to_regions(p.arch)).run(ptir.parse(p.text)))
    request = Request(kernel, ARCHS[p.arch], machine_of(p.arch))
    return request, msgspec.json.decode(line["plan"], type=Schedule)
