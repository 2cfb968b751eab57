"""Documented variables of the libraries that a run may use.

The tables have variables that users set; further ones are read from the installed libraries' files.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """A library whose variables are recognised by their prefix."""

    name: str
    prefixes: tuple[str, ...]
    names: str
    """Documented variables, without those that only the library itself lists."""

    libraries: tuple[str, ...] = ()
    """MPI libraries that use it; empty means any."""

    open_ended: bool = False
    """True if many more variables exist than the documented ones."""


FAMILIES = (
    Family(
        # mpirun(1) and "Setting MCA parameter values", Open MPI 5.0 documentation
        name="Open MPI",
        prefixes=("OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_"),
        names="""
            OMPI_MCA_bml OMPI_MCA_bml_base_verbose OMPI_MCA_btl OMPI_MCA_btl_base_verbose
            OMPI_MCA_btl_ofi_provider_exclude OMPI_MCA_btl_ofi_provider_include
            OMPI_MCA_btl_openib_allow_ib OMPI_MCA_btl_sm_eager_limit OMPI_MCA_btl_tcp_if_exclude
            OMPI_MCA_btl_tcp_if_include OMPI_MCA_btl_vader_single_copy_mechanism OMPI_MCA_coll
            OMPI_MCA_coll_hcoll_enable OMPI_MCA_coll_tuned_allgather_algorithm
            OMPI_MCA_coll_tuned_allgatherv_algorithm OMPI_MCA_coll_tuned_allreduce_algorithm
            OMPI_MCA_coll_tuned_alltoall_algorithm OMPI_MCA_coll_tuned_alltoallv_algorithm
            OMPI_MCA_coll_tuned_barrier_algorithm OMPI_MCA_coll_tuned_bcast_algorithm
            OMPI_MCA_coll_tuned_dynamic_rules_filename OMPI_MCA_coll_tuned_reduce_algorithm
            OMPI_MCA_coll_tuned_use_dynamic_rules OMPI_MCA_fbtl OMPI_MCA_fbtl_base_verbose
            OMPI_MCA_fcoll OMPI_MCA_hwloc_base_binding_policy OMPI_MCA_if OMPI_MCA_io
            OMPI_MCA_mpi_leave_pinned OMPI_MCA_mpi_show_mca_params OMPI_MCA_mpi_yield_when_idle
            OMPI_MCA_mtl OMPI_MCA_mtl_base_verbose OMPI_MCA_mtl_ofi_provider_exclude
            OMPI_MCA_mtl_ofi_provider_include OMPI_MCA_osc OMPI_MCA_pml
            OMPI_MCA_pml_base_verbose OMPI_MCA_pml_ob1_priority OMPI_MCA_pml_ucx_devices
            OMPI_MCA_pml_ucx_tls OMPI_MCA_rmaps_base_mapping_policy
            OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_topo PMIX_MCA_gds PMIX_MCA_psec
            PRTE_MCA_hwloc_default_binding_policy PRTE_MCA_plm PRTE_MCA_plm_rsh_agent
            PRTE_MCA_rmaps_default_mapping_policy""",
        libraries=("openmpi",),
        open_ended=True,
    ),
    Family(
        name="Open MPI's mpirun",
        prefixes=("OMPI_ALLOW_", "PRTE_ALLOW_"),
        names="""
            OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
            PRTE_ALLOW_RUN_AS_ROOT PRTE_ALLOW_RUN_AS_ROOT_CONFIRM""",
        libraries=("openmpi",),
    ),
    Family(
        # README.envvar of MPICH 4; mpi(1) of HPE Cray MPICH 8.1; MVAPICH 3 user guide
        name="MPICH",
        prefixes=("MPIR_CVAR_", "MPICH_", "HYDRA_"),
        names="""
            HYDRA_BINDING HYDRA_BOOTSTRAP HYDRA_ENV HYDRA_HOST_FILE HYDRA_IFACE HYDRA_LAUNCHER
            HYDRA_RMK HYDRA_TOPO_DEBUG MPICH_ASYNC_PROGRESS MPICH_COLL_OPT_OFF MPICH_COLL_SYNC
            MPICH_CPUMASK_DISPLAY MPICH_ENV_DISPLAY MPICH_GPU_SUPPORT_ENABLED
            MPICH_MAX_THREAD_SAFETY MPICH_MPIIO_HINTS MPICH_MPIIO_HINTS_DISPLAY
            MPICH_OFI_NIC_MAPPING MPICH_OFI_NIC_POLICY MPICH_OFI_NIC_VERBOSE MPICH_OFI_NUM_NICS
            MPICH_OFI_STARTUP_CONNECT MPICH_OFI_VERBOSE MPICH_OPTIMIZED_MEMCPY
            MPICH_RANK_REORDER_FILE MPICH_RANK_REORDER_METHOD MPICH_SMP_SINGLE_COPY_MODE
            MPICH_SMP_SINGLE_COPY_SIZE MPICH_STATS_DISPLAY MPICH_VERSION_DISPLAY
            MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM MPIR_CVAR_ASYNC_PROGRESS
            MPIR_CVAR_BCAST_INTRA_ALGORITHM MPIR_CVAR_CH4_NETMOD
            MPIR_CVAR_CH4_OFI_ENABLE_SCALABLE_ENDPOINTS MPIR_CVAR_CH4_SHM_EAGER
            MPIR_CVAR_ENABLE_GPU MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM
            MPIR_CVAR_IBCAST_INTRA_ALGORITHM MPIR_CVAR_NOLOCAL MPIR_CVAR_NO_LOCAL
            MPIR_CVAR_ODD_EVEN_CLIQUES MPIR_CVAR_OFI_USE_PROVIDER""",
        libraries=("mpich",),
        open_ended=True,
    ),
    Family(
        # Intel MPI Library Developer Reference for Linux 2021, "Environment Variable Reference"
        name="Intel MPI",
        prefixes=("I_MPI_",),
        names="""
            I_MPI_ADJUST_ALLGATHER I_MPI_ADJUST_ALLGATHERV I_MPI_ADJUST_ALLREDUCE
            I_MPI_ADJUST_ALLTOALL I_MPI_ADJUST_ALLTOALLV I_MPI_ADJUST_ALLTOALLW
            I_MPI_ADJUST_BARRIER I_MPI_ADJUST_BCAST I_MPI_ADJUST_EXSCAN I_MPI_ADJUST_GATHER
            I_MPI_ADJUST_GATHERV I_MPI_ADJUST_IALLGATHER I_MPI_ADJUST_IALLGATHERV
            I_MPI_ADJUST_IALLREDUCE I_MPI_ADJUST_IALLTOALL I_MPI_ADJUST_IALLTOALLV
            I_MPI_ADJUST_IALLTOALLW I_MPI_ADJUST_IBARRIER I_MPI_ADJUST_IBCAST
            I_MPI_ADJUST_IEXSCAN I_MPI_ADJUST_IGATHER I_MPI_ADJUST_IGATHERV I_MPI_ADJUST_IREDUCE
            I_MPI_ADJUST_IREDUCE_SCATTER I_MPI_ADJUST_ISCAN I_MPI_ADJUST_ISCATTER
            I_MPI_ADJUST_ISCATTERV I_MPI_ADJUST_REDUCE I_MPI_ADJUST_REDUCE_SCATTER
            I_MPI_ADJUST_SCAN I_MPI_ADJUST_SCATTER I_MPI_ADJUST_SCATTERV I_MPI_ASYNC_PROGRESS
            I_MPI_ASYNC_PROGRESS_PIN I_MPI_ASYNC_PROGRESS_THREADS I_MPI_CBWR
            I_MPI_COLL_INTRANODE I_MPI_DEBUG I_MPI_DEBUG_OUTPUT I_MPI_EAGER_THRESHOLD
            I_MPI_EXTRA_FILESYSTEM I_MPI_FABRICS I_MPI_HARD_FINALIZE I_MPI_HYDRA_BOOTSTRAP
            I_MPI_HYDRA_BOOTSTRAP_EXEC I_MPI_HYDRA_BRANCH_COUNT I_MPI_HYDRA_DEBUG
            I_MPI_HYDRA_ENV I_MPI_HYDRA_HOST_FILE I_MPI_HYDRA_IFACE I_MPI_HYDRA_TOPOLIB
            I_MPI_JOB_RESPECT_PROCESS_PLACEMENT I_MPI_JOB_TIMEOUT I_MPI_MALLOC I_MPI_MULTIRAIL
            I_MPI_OFFLOAD I_MPI_OFI_LIBRARY_INTERNAL I_MPI_OFI_PROVIDER I_MPI_PERHOST I_MPI_PIN
            I_MPI_PIN_CELL I_MPI_PIN_DOMAIN I_MPI_PIN_ORDER I_MPI_PIN_PROCESSOR_EXCLUDE_LIST
            I_MPI_PIN_PROCESSOR_LIST I_MPI_PIN_RESPECT_CPUSET I_MPI_PIN_RESPECT_HCA
            I_MPI_PIN_SHOW_REAL_MASK I_MPI_PLATFORM I_MPI_PMI_LIBRARY I_MPI_PORT_RANGE
            I_MPI_ROOT I_MPI_SHM I_MPI_SHM_EAGER_NUM I_MPI_SHM_HEAP I_MPI_SHM_HEAP_CSIZE
            I_MPI_SHM_HEAP_VSIZE I_MPI_SPIN_COUNT I_MPI_STATS I_MPI_THREAD_LOCK_LEVEL
            I_MPI_THREAD_MAX I_MPI_THREAD_RUNTIME I_MPI_THREAD_SPLIT I_MPI_THREAD_YIELD
            I_MPI_TMI_LIBRARY I_MPI_TUNING I_MPI_TUNING_BIN I_MPI_TUNING_MODE I_MPI_TUNING_NODE
            I_MPI_WAIT_MODE""",
        libraries=("impi",),
        open_ended=True,
    ),
    Family(
        # fabric(7) and the pages of the providers, libfabric 1.20; fi_opx(7)
        name="libfabric",
        prefixes=("FI_",),
        names="""
            FI_CXI_DEFAULT_CQ_SIZE FI_CXI_RDZV_THRESHOLD FI_CXI_RX_MATCH_MODE FI_EFA_FORK_SAFE
            FI_EFA_USE_DEVICE_RDMA FI_HMEM FI_HMEM_CUDA_USE_GDRCOPY FI_LOG_LEVEL FI_LOG_PROV
            FI_LOG_SUBSYS FI_MLX_TLS FI_MR_CACHE_MAX_COUNT FI_MR_CACHE_MAX_SIZE
            FI_MR_CACHE_MONITOR FI_OPX_DELIVERY_COMPLETION_THRESHOLD
            FI_OPX_EXPECTED_RECEIVE_ENABLE FI_OPX_HFI_SELECT FI_OPX_UUID FI_PROVIDER
            FI_PROVIDER_PATH FI_PSM2_DELAY FI_PSM2_LAZY_CONN FI_PSM2_UUID FI_PSM3_DELAY
            FI_PSM3_LAZY_CONN FI_PSM3_UUID FI_TCP_IFACE FI_TCP_PORT_HIGH_RANGE
            FI_TCP_PORT_LOW_RANGE FI_UNIVERSE_SIZE FI_VERBS_IFACE FI_VERBS_INLINE_SIZE
            FI_VERBS_RX_SIZE FI_VERBS_TX_SIZE""",
        open_ended=True,
    ),
    Family(
        # UCX documentation, "Frequently Asked Questions" and `ucx_info -c`
        name="UCX",
        prefixes=("UCX_",),
        names="""
            UCX_DC_MLX5_NUM_DCI UCX_IB_GID_INDEX UCX_IB_SL UCX_IB_TRAFFIC_CLASS UCX_LOG_LEVEL
            UCX_MAX_EAGER_RAILS UCX_MAX_RNDV_RAILS UCX_MEMTYPE_CACHE UCX_NET_DEVICES
            UCX_POSIX_USE_PROC_LINK UCX_PROTO_ENABLE UCX_PROTO_INFO UCX_RC_MLX5_TM_ENABLE
            UCX_RC_TIMEOUT UCX_RNDV_SCHEME UCX_RNDV_THRESH UCX_STATS_DEST UCX_STATS_TRIGGER
            UCX_TLS UCX_UNIFIED_MODE UCX_WARN_UNUSED_ENV_VARS UCX_ZCOPY_THRESH""",
        open_ended=True,
    ),
    Family(
        # OpenMP 5.2, chapter 21
        name="OpenMP",
        prefixes=("OMP_",),
        names="""
            OMP_AFFINITY_FORMAT OMP_ALLOCATOR OMP_CANCELLATION OMP_DEBUG OMP_DEFAULT_DEVICE
            OMP_DISPLAY_AFFINITY OMP_DISPLAY_ENV OMP_DYNAMIC OMP_MAX_ACTIVE_LEVELS
            OMP_MAX_TASK_PRIORITY OMP_NESTED OMP_NUM_TEAMS OMP_NUM_THREADS OMP_PLACES
            OMP_PROC_BIND OMP_SCHEDULE OMP_STACKSIZE OMP_TARGET_OFFLOAD OMP_TEAMS_THREAD_LIMIT
            OMP_THREAD_LIMIT OMP_TOOL OMP_TOOL_LIBRARIES OMP_TOOL_VERBOSE_INIT
            OMP_WAIT_POLICY""",
    ),
    Family(
        # libgomp manual of GCC 13; LLVM/OpenMP documentation, "Environment Variables"
        name="an OpenMP runtime",
        prefixes=("GOMP_", "KMP_"),
        names="""
            GOMP_CPU_AFFINITY GOMP_DEBUG GOMP_SPINCOUNT GOMP_STACKSIZE KMP_AFFINITY
            KMP_ALL_THREADS KMP_BLOCKTIME KMP_CPUINFO_FILE KMP_DETERMINISTIC_REDUCTION
            KMP_DYNAMIC_MODE KMP_HOT_TEAMS_MAX_LEVEL KMP_HOT_TEAMS_MODE KMP_HW_SUBSET
            KMP_INHERIT_FP_CONTROL KMP_LIBRARY KMP_PLACE_THREADS KMP_SETTINGS KMP_STACKSIZE
            KMP_TOPOLOGY_METHOD KMP_VERSION KMP_WARNINGS""",
    ),
    Family(
        # SeisSol documentation, "Environment variables"; XdmfWriter and ASYNC of TUM-I5
        name="SeisSol",
        prefixes=("SEISSOL_", "XDMFWRITER_", "ASYNC_"),
        names="""
            ASYNC_BUFFER_ALIGNMENT ASYNC_GROUP_SIZE ASYNC_MODE ASYNC_MPI_COPY
            ASYNC_MPI_MAX_SEND ASYNC_PIN_CORE SEISSOL_ASAGI_MPI_MODE
            SEISSOL_CHECKPOINT_ALIGNMENT SEISSOL_CHECKPOINT_DIRECT SEISSOL_COMMTHREAD
            SEISSOL_FREE_CPUS_MASK SEISSOL_MINISEISSOL SEISSOL_MPI_PERSISTENT
            SEISSOL_PREFERRED_MPI_DATA_TRANSFER_MODE XDMFWRITER_ALIGNMENT
            XDMFWRITER_BLOCK_SIZE""",
    ),
    Family(
        # hwloc 2.10 documentation, "Environment Variables"
        name="hwloc",
        prefixes=("HWLOC_",),
        names="""
            HWLOC_COMPONENTS HWLOC_CPUID_PATH HWLOC_DEBUG_VERBOSE HWLOC_FSROOT
            HWLOC_HIDE_ERRORS HWLOC_PLUGINS_PATH HWLOC_SYNTHETIC HWLOC_THISSYSTEM
            HWLOC_THISSYSTEM_ALLOWED_RESOURCES HWLOC_XMLFILE HWLOC_XML_VERBOSE""",
    ),
    Family(
        # oneMKL Developer Guide for Linux 2024, "Using Intel oneMKL-specific Environment
        # Variables"; OpenBLAS's README; BLIS's Multithreading.md
        name="a BLAS library",
        prefixes=("MKL_", "OPENBLAS_", "BLIS_"),
        names="""
            BLIS_NUM_THREADS MKL_CBWR MKL_DEBUG_CPU_TYPE MKL_DOMAIN_NUM_THREADS MKL_DYNAMIC
            MKL_ENABLE_INSTRUCTIONS MKL_INTERFACE_LAYER MKL_NUM_THREADS MKL_THREADING_LAYER
            MKL_VERBOSE OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS""",
    ),
)

DOCUMENTED = frozenset(name for family in FAMILIES for name in family.names.split())
