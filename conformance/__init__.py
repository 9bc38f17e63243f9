"""
Conformance of the `vyre` dialect: every op is compared with an independent oracle, on every backend, and certified.

`subjects.py` has what is certified, `domains.py` the inputs that follow from a signature, `laws.py` what must hold besides, `running.py`
the backends, `certify.py` the comparison, `certificate.py` its outcome. `ptir-conform` is the command. Spec: `vyre-ir-types`, OpSignature.
"""
