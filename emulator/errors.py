"""
Errors of reading and executing PTX: PTIR05xx.

Every `EmulatorFault` names the kernel, `ctaid`, `tid`, the instruction with its PTX line and its CUDA lines
(`-lineinfo`): the innermost line first, then those it was inlined at.
"""

from __future__ import annotations

from ..errors import PtirError

# --- 050x: reading PTX and calling a kernel --------------------------------------------------------


class PtxSyntaxError(PtirError):
    code = "PTIR0501"
    template = "PTX line {line}: {problem}: '{text}'"


class UnknownOpcode(PtirError):
    code = "PTIR0502"
    template = "PTX line {line}: the emulator does not execute '{opcode}': '{text}'"


class BadOperand(PtirError):
    code = "PTIR0503"
    template = "PTX line {line}: {problem}: '{text}'"


class NoSuchKernel(PtirError):
    code = "PTIR0504"
    template = "the module has no kernel '{name}'; it has {known}"


class BadLaunch(PtirError):
    code = "PTIR0505"
    template = "kernel '{name}' cannot be launched: {problem}"


class UnbindableArray(PtirError):
    code = "PTIR0506"
    template = "this array cannot be device memory: {problem}"


# --- 051x: faults while a kernel runs --------------------------------------------------------------


class EmulatorFault(PtirError):
    """A kernel did something that is undefined on a GPU, or that traps."""

    code = "PTIR0510"
    template = "{problem}\n  {where}"

    lines: tuple[int, ...] = ()
    """The CUDA lines of the instruction, innermost first, then those it was inlined at."""


class OutOfBounds(EmulatorFault):
    code = "PTIR0511"
    template = "{access} of {size} bytes at {space} address {address:#x} is outside {extent}\n  {where}"


class Misaligned(EmulatorFault):
    code = "PTIR0512"
    template = "{access} of {size} bytes at {space} address {address:#x} is not {align}-byte aligned\n  {where}"


class UninitializedMemory(EmulatorFault):
    code = "PTIR0513"
    template = "read of {size} bytes at {space} address {address:#x}, which was never written\n  {where}"


class UninitializedRegister(EmulatorFault):
    code = "PTIR0514"
    template = "register {register} is read before it is written\n  {where}"


class ReadOnlyMemory(EmulatorFault):
    code = "PTIR0515"
    template = "write of {size} bytes at {space} address {address:#x} to read-only {extent}\n  {where}"


class SharedRace(EmulatorFault):
    code = "PTIR0516"
    template = (
        "{kind} race on shared address {address:#x}: no barrier orders the {access} here after the access by "
        "tid {other}\n  {where}"
    )
    hint = "put __syncthreads() (or __syncwarp() within a warp) between the two accesses"


class PendingCopy(EmulatorFault):
    code = "PTIR0517"
    template = "{access} of shared address {address:#x} while a cp.async to it is in flight\n  {where}"
    hint = "put cp.async.wait_group and then a barrier between the copy and this access"


class DivergentWarp(EmulatorFault):
    code = "PTIR0518"
    template = "{what} needs converged lanes: {problem}\n  {where}"


class Deadlock(EmulatorFault):
    code = "PTIR0519"
    template = "deadlock: {problem}\n  {where}"


class DivisionByZero(EmulatorFault):
    code = "PTIR0520"
    template = "integer division by zero has no defined value\n  {where}"


class Trap(EmulatorFault):
    code = "PTIR0521"
    template = "the kernel executed trap\n  {where}"


class StepLimit(EmulatorFault):
    code = "PTIR0522"
    template = "the kernel has not ended after {steps} steps\n  {where}"
    hint = "raise `max_steps`, or look for a loop that waits for another CTA"


class UndefinedShuffle(EmulatorFault):
    code = "PTIR0523"
    template = "{what} reads lane {source}, which does not take part\n  {where}"


class GlobalRace(EmulatorFault):
    code = "PTIR0524"
    template = "{kind} race on {space} address {address:#x}: nothing orders the {access} here after the access by {other}\n  {where}"
    hint = "let one CTA own each element, use atomics, or order the two accesses by a release and an acquire"


# --- 0526…: asynchronous operations (SM90) ---------------------------------------------------------


class ProxyRace(EmulatorFault):
    code = "PTIR0526"
    template = (
        "{access} of {space} address {address:#x} through the async proxy, but {other} wrote it through the "
        "generic proxy and no fence.proxy.async lies between\n  {where}"
    )
    hint = "execute fence.proxy.async in the writing threads before the barrier"


class AsyncRace(EmulatorFault):
    code = "PTIR0527"
    template = "race on shared address {address:#x}: nothing orders the {access} here after {other}\n  {where}"
    hint = "wait for the mbarrier's phase, the wgmma group or the bulk group in between"


class RegisterInFlight(EmulatorFault):
    code = "PTIR0528"
    template = "register {register} is {access} while a wgmma on it is in flight\n  {where}"
    hint = "wait with wgmma.wait_group first"


class MissingWgmmaFence(EmulatorFault):
    code = "PTIR0529"
    template = "wgmma takes register {register}, which was read or written after the last wgmma.fence\n  {where}"
    hint = "put wgmma.fence.sync.aligned between the access and the wgmma"


class BadDescriptor(EmulatorFault):
    code = "PTIR0550"
    template = "the wgmma descriptor of {operand} ({value:#x}) {problem}\n  {where}"


class MbarrierMisuse(EmulatorFault):
    code = "PTIR0551"
    template = "mbarrier at shared address {address:#x}: {problem}\n  {where}"


class BadTensorMap(PtirError):
    code = "PTIR0552"
    template = "invalid tensor map: {problem}"


class BadTensorCopy(EmulatorFault):
    code = "PTIR0553"
    template = "{what}: {problem}\n  {where}"


class UnfinishedCopy(EmulatorFault):
    code = "PTIR0554"
    template = "the CTA ends while {what}\n  {where}"
    hint = "wait for it before the last thread exits"


class MissingBarrierFence(EmulatorFault):
    code = "PTIR0555"
    template = (
        "an asynchronous copy uses the mbarrier at shared address {address:#x}, whose initialization the async "
        "proxy does not see\n  {where}"
    )
    hint = "put fence.mbarrier_init.release.cluster (or fence.proxy.async) after mbarrier.init"


class BarrierMisuse(EmulatorFault):
    code = "PTIR0556"
    template = "barrier {number}: {problem}\n  {where}"
    hint = "give each set of warps a barrier of its own, and all of them the same thread count"


class BadCopySize(EmulatorFault):
    code = "PTIR0557"
    template = "cp.async of {size} bytes has a source size of {given} bytes, which is undefined\n  {where}"
    hint = "use a source size of at most the size of the copy"


class PeerMemory(EmulatorFault):
    code = "PTIR0558"
    template = "{access} of the shared memory of CTA rank {rank} of the cluster: {problem}\n  {where}"
    hint = "synchronize the CTAs of the cluster (barrier.cluster) before the first such access"


class PeerExited(EmulatorFault):
    code = "PTIR0559"
    template = "CTA rank {rank} of the cluster ends, and its shared memory with it, while {what}\n  {where}"
    hint = "synchronize the cluster (barrier.cluster) before its CTAs end, or wait for the last arrivals and copies"


class RegisterPool(EmulatorFault):
    code = "PTIR0560"
    template = "setmaxnreg: {problem}\n  {where}"
