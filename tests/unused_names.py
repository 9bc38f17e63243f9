"""
Whitelist of vulture (`make lint`): names that are used in ways that it does not see, grouped by the way. Names that are really
unused are deleted instead.
"""

# Named in a registry as "module:Name" and imported on demand.
check_kernel
is_instance
ControlBounds
CudaTarget
IntentAttachSchedule
PtirToIntent
NV
NvCheckKernels
Poly
PTO
PtirCheckLegality
PtxTarget
WgslTarget
PtirCheckCuda
PtirToCuda
PtirToPto
PtoBufferize
PtoCheckLegality
PtoCppTarget
PtoInsertEvents
PtoLegalize
PtoPipeline
TransformInterpreter
PrintOpStats
PtirCanonicalize
PtirDecompose
PtirFlattenTuples
PtirFormConvolutions
PtirInlineComposites
PtirPrepareParameters
PtirRecognize
PtoToNv
RegionToPto
StripDebuginfo
SymbolDce
TinyChooseConvolutions
TinyFastMath
TinyEmulateInt4
TinyFoldEmpty
TinyFormScatters
TinyOrderReductions
TinySplitReductions
SymbolPrivatize
TinyToPtir

# Fields that are only read together, by iterating over all fields: those of JSON forms, answers and tables.
lhs_idx
compiling
rhs_idx
out_idx
reduce_idx
affine_offsets
deps
poly_view
compute_at
latency

# The specification's name for an isl type.
AxisExpr

# Methods and attributes that xDSL's parser, printer and interpreter read.
is_optional_like
_parse_tensor_literal_element
parse_dense_int_or_fp_elements_attr
_parse_external_resources
_get_op_by_name
_current_column
printing_location
ssa_values
_program

# Holds a reference that keeps another object alive.
_keep

# Read by lit, pytest and importlib.
suffixes
excludes
maxIndividualTestTime
runtest
repr_failure
reportinfo
get_filename
get_data
path_stats
is_local_module_file

# In tests and benchmarks: arguments that a fake must accept, and a pass option that is only printed.
registered
scale_a
scale_b
enable_timing
pdl_file

# Fields that are read by their names, and a candidate that a test names on a command line.
axis_roles
tail_is_lost
