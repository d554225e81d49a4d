"""Generated from scripts/slurm/machine.schema.json by `quartet schemas` (fastjsonschema 2.16.3)."""

import re
from quartet.schema import Invalid as JsonSchemaValueException


REGEX_PATTERNS = {
    '^(|block|cyclic|plane=[1-9][0-9]{0,6})$': re.compile('^(|block|cyclic|plane=[1-9][0-9]{0,6})\\Z', re.A),
    '^[A-Za-z_][A-Za-z0-9_]*$': re.compile('^[A-Za-z_][A-Za-z0-9_]*\\Z', re.A)
}

NoneType = type(None)

def validate(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['name', 'cores_per_node']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "$schema" in data_keys:
            data_keys.remove("$schema")
            data__schema = data["$schema"]
            if not isinstance(data__schema, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".$schema must be string", data__schema)
        if "name" in data_keys:
            data_keys.remove("name")
            data__name = data["name"]
            if not isinstance(data__name, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".name must be string", data__name)
            if isinstance(data__name, str):
                data__name_len = len(data__name)
                if data__name_len < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".name must be longer than or equal to 1 characters", data__name)
        if "cores_per_node" in data_keys:
            data_keys.remove("cores_per_node")
            data__corespernode = data["cores_per_node"]
            if not isinstance(data__corespernode, (int)) or isinstance(data__corespernode, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cores_per_node must be integer", data__corespernode)
            if isinstance(data__corespernode, (int, float)):
                if data__corespernode < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".cores_per_node must be bigger than or equal to 1", data__corespernode)
        if "sockets_per_node" in data_keys:
            data_keys.remove("sockets_per_node")
            data__socketspernode = data["sockets_per_node"]
            if not isinstance(data__socketspernode, (int)) or isinstance(data__socketspernode, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".sockets_per_node must be integer", data__socketspernode)
            if isinstance(data__socketspernode, (int, float)):
                if data__socketspernode < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".sockets_per_node must be bigger than or equal to 1", data__socketspernode)
        if "gpus_per_node" in data_keys:
            data_keys.remove("gpus_per_node")
            data__gpuspernode = data["gpus_per_node"]
            if not isinstance(data__gpuspernode, (int)) or isinstance(data__gpuspernode, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus_per_node must be integer", data__gpuspernode)
            if isinstance(data__gpuspernode, (int, float)):
                if data__gpuspernode < 0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus_per_node must be bigger than or equal to 0", data__gpuspernode)
        if "gpu_request" in data_keys:
            data_keys.remove("gpu_request")
            data__gpurequest = data["gpu_request"]
            if type(data__gpurequest) not in (str,) or data__gpurequest not in ('gpus-per-node', 'gres'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpu_request must be gpus-per-node or gres", data__gpurequest)
        if "gpu_type" in data_keys:
            data_keys.remove("gpu_type")
            data__gputype = data["gpu_type"]
            if not isinstance(data__gputype, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpu_type must be string", data__gputype)
        if "partition" in data_keys:
            data_keys.remove("partition")
            data__partition = data["partition"]
            if not isinstance(data__partition, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".partition must be string", data__partition)
        if "account" in data_keys:
            data_keys.remove("account")
            data__account = data["account"]
            if not isinstance(data__account, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".account must be string", data__account)
        if "qos" in data_keys:
            data_keys.remove("qos")
            data__qos = data["qos"]
            if not isinstance(data__qos, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".qos must be string", data__qos)
        if "constraint" in data_keys:
            data_keys.remove("constraint")
            data__constraint = data["constraint"]
            if not isinstance(data__constraint, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".constraint must be string", data__constraint)
        if "reservation" in data_keys:
            data_keys.remove("reservation")
            data__reservation = data["reservation"]
            if not isinstance(data__reservation, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".reservation must be string", data__reservation)
        if "switches" in data_keys:
            data_keys.remove("switches")
            data__switches = data["switches"]
            if not isinstance(data__switches, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".switches must be string", data__switches)
        if "memory" in data_keys:
            data_keys.remove("memory")
            data__memory = data["memory"]
            if not isinstance(data__memory, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".memory must be string", data__memory)
        if "hint" in data_keys:
            data_keys.remove("hint")
            data__hint = data["hint"]
            if type(data__hint) not in (str,) or data__hint not in ('', 'nomultithread', 'multithread', 'compute_bound', 'memory_bound'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".hint must be  or nomultithread or multithread or compute_bound or memory_bound", data__hint)
        if "cpu_bind" in data_keys:
            data_keys.remove("cpu_bind")
            data__cpubind = data["cpu_bind"]
            if not isinstance(data__cpubind, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cpu_bind must be string", data__cpubind)
        if "distribution" in data_keys:
            data_keys.remove("distribution")
            data__distribution = data["distribution"]
            if not isinstance(data__distribution, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".distribution must be string", data__distribution)
            if isinstance(data__distribution, str) and not REGEX_PATTERNS['^(|block|cyclic|plane=[1-9][0-9]{0,6})$'].search(data__distribution):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".distribution is not written as it should be", data__distribution)
        if "requeue" in data_keys:
            data_keys.remove("requeue")
            data__requeue = data["requeue"]
            if not isinstance(data__requeue, (bool)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".requeue must be boolean", data__requeue)
        if "modules" in data_keys:
            data_keys.remove("modules")
            data__modules = data["modules"]
            if not isinstance(data__modules, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".modules must be array", data__modules)
            data__modules_is_list = isinstance(data__modules, (list, tuple))
            if data__modules_is_list:
                data__modules_len = len(data__modules)
                for data__modules_x, data__modules_item in enumerate(data__modules):
                    if not isinstance(data__modules_item, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".modules[{data__modules_x}]".format(**locals()) + " must be string", data__modules_item)
                    if isinstance(data__modules_item, str):
                        data__modules_item_len = len(data__modules_item)
                        if data__modules_item_len < 1:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".modules[{data__modules_x}]".format(**locals()) + " must be longer than or equal to 1 characters", data__modules_item)
        if "prepare" in data_keys:
            data_keys.remove("prepare")
            data__prepare = data["prepare"]
            if not isinstance(data__prepare, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".prepare must be array", data__prepare)
            data__prepare_is_list = isinstance(data__prepare, (list, tuple))
            if data__prepare_is_list:
                data__prepare_len = len(data__prepare)
                for data__prepare_x, data__prepare_item in enumerate(data__prepare):
                    if not isinstance(data__prepare_item, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".prepare[{data__prepare_x}]".format(**locals()) + " must be string", data__prepare_item)
                    if isinstance(data__prepare_item, str):
                        data__prepare_item_len = len(data__prepare_item)
                        if data__prepare_item_len < 1:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".prepare[{data__prepare_x}]".format(**locals()) + " must be longer than or equal to 1 characters", data__prepare_item)
        if "launcher" in data_keys:
            data_keys.remove("launcher")
            data__launcher = data["launcher"]
            if type(data__launcher) not in (str,) or data__launcher not in ('srun', 'mpirun', 'mpiexec'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".launcher must be srun or mpirun or mpiexec", data__launcher)
        if "mpi" in data_keys:
            data_keys.remove("mpi")
            data__mpi = data["mpi"]
            if not isinstance(data__mpi, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".mpi must be string", data__mpi)
            if isinstance(data__mpi, str):
                data__mpi_len = len(data__mpi)
                if data__mpi_len < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".mpi must be longer than or equal to 1 characters", data__mpi)
        if "jobs_at_a_time" in data_keys:
            data_keys.remove("jobs_at_a_time")
            data__jobsatatime = data["jobs_at_a_time"]
            if not isinstance(data__jobsatatime, (int)) or isinstance(data__jobsatatime, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".jobs_at_a_time must be integer", data__jobsatatime)
            if isinstance(data__jobsatatime, (int, float)):
                if data__jobsatatime < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".jobs_at_a_time must be bigger than or equal to 1", data__jobsatatime)
        if "options" in data_keys:
            data_keys.remove("options")
            data__options = data["options"]
            if not isinstance(data__options, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".options must be array", data__options)
            data__options_is_list = isinstance(data__options, (list, tuple))
            if data__options_is_list:
                data__options_len = len(data__options)
                for data__options_x, data__options_item in enumerate(data__options):
                    if not isinstance(data__options_item, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".options[{data__options_x}]".format(**locals()) + " must be string", data__options_item)
                    if isinstance(data__options_item, str):
                        data__options_item_len = len(data__options_item)
                        if data__options_item_len < 1:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".options[{data__options_x}]".format(**locals()) + " must be longer than or equal to 1 characters", data__options_item)
        if "environment" in data_keys:
            data_keys.remove("environment")
            data__environment = data["environment"]
            if not isinstance(data__environment, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".environment must be object", data__environment)
            data__environment_is_dict = isinstance(data__environment, dict)
            if data__environment_is_dict:
                data__environment_keys = set(data__environment.keys())
                for data__environment_key in data__environment_keys:
                    if data__environment_key not in []:
                        data__environment_value = data__environment.get(data__environment_key)
                        if not isinstance(data__environment_value, (str)):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".environment.{data__environment_key}".format(**locals()) + " must be string", data__environment_value)
                data__environment_len = len(data__environment)
                if data__environment_len != 0:
                    data__environment_property_names = True
                    for data__environment_key in data__environment:
                        try:
                            if isinstance(data__environment_key, str) and not REGEX_PATTERNS['^[A-Za-z_][A-Za-z0-9_]*$'].search(data__environment_key):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".environment is not written as it should be", data__environment_key)
                        except JsonSchemaValueException:
                            data__environment_property_names = False
                    if not data__environment_property_names:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".environment must be named by propertyName definition", data__environment)
        if "rates" in data_keys:
            data_keys.remove("rates")
            data__rates = data["rates"]
            validate____defs_rates(data__rates, custom_formats, (name_prefix or "data") + ".rates")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", data)
    return data

def validate____defs_rates(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data_keys = set(data.keys())
        if "ranks_per_node" in data_keys:
            data_keys.remove("ranks_per_node")
            data__rankspernode = data["ranks_per_node"]
            if not isinstance(data__rankspernode, (int)) or isinstance(data__rankspernode, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".ranks_per_node must be integer", data__rankspernode)
            if isinstance(data__rankspernode, (int, float)):
                if data__rankspernode < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".ranks_per_node must be bigger than or equal to 1", data__rankspernode)
                if data__rankspernode > 100000:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".ranks_per_node must be smaller than or equal to 100000", data__rankspernode)
        if "memory_bytes_per_second" in data_keys:
            data_keys.remove("memory_bytes_per_second")
            data__memorybytespersecond = data["memory_bytes_per_second"]
            validate____defs_rate(data__memorybytespersecond, custom_formats, (name_prefix or "data") + ".memory_bytes_per_second")
        if "sgemm_flops_per_second" in data_keys:
            data_keys.remove("sgemm_flops_per_second")
            data__sgemmflopspersecond = data["sgemm_flops_per_second"]
            validate____defs_rate(data__sgemmflopspersecond, custom_formats, (name_prefix or "data") + ".sgemm_flops_per_second")
        if "fft_flops_per_second" in data_keys:
            data_keys.remove("fft_flops_per_second")
            data__fftflopspersecond = data["fft_flops_per_second"]
            validate____defs_rate(data__fftflopspersecond, custom_formats, (name_prefix or "data") + ".fft_flops_per_second")
        if "library_memory_bytes_per_second" in data_keys:
            data_keys.remove("library_memory_bytes_per_second")
            data__librarymemorybytespersecond = data["library_memory_bytes_per_second"]
            validate____defs_rate(data__librarymemorybytespersecond, custom_formats, (name_prefix or "data") + ".library_memory_bytes_per_second")
        if "library_sgemm_flops_per_second" in data_keys:
            data_keys.remove("library_sgemm_flops_per_second")
            data__librarysgemmflopspersecond = data["library_sgemm_flops_per_second"]
            validate____defs_rate(data__librarysgemmflopspersecond, custom_formats, (name_prefix or "data") + ".library_sgemm_flops_per_second")
        if "library_fft_flops_per_second" in data_keys:
            data_keys.remove("library_fft_flops_per_second")
            data__libraryfftflopspersecond = data["library_fft_flops_per_second"]
            validate____defs_rate(data__libraryfftflopspersecond, custom_formats, (name_prefix or "data") + ".library_fft_flops_per_second")
        if "host_memory_bytes_per_second" in data_keys:
            data_keys.remove("host_memory_bytes_per_second")
            data__hostmemorybytespersecond = data["host_memory_bytes_per_second"]
            validate____defs_rate(data__hostmemorybytespersecond, custom_formats, (name_prefix or "data") + ".host_memory_bytes_per_second")
        if "link_bytes_per_second" in data_keys:
            data_keys.remove("link_bytes_per_second")
            data__linkbytespersecond = data["link_bytes_per_second"]
            validate____defs_rate(data__linkbytespersecond, custom_formats, (name_prefix or "data") + ".link_bytes_per_second")
        if "latency_seconds" in data_keys:
            data_keys.remove("latency_seconds")
            data__latencyseconds = data["latency_seconds"]
            validate____defs_rate(data__latencyseconds, custom_formats, (name_prefix or "data") + ".latency_seconds")
        if "overhead_seconds" in data_keys:
            data_keys.remove("overhead_seconds")
            data__overheadseconds = data["overhead_seconds"]
            validate____defs_rate(data__overheadseconds, custom_formats, (name_prefix or "data") + ".overhead_seconds")
        if "link_messages_per_second" in data_keys:
            data_keys.remove("link_messages_per_second")
            data__linkmessagespersecond = data["link_messages_per_second"]
            validate____defs_rate(data__linkmessagespersecond, custom_formats, (name_prefix or "data") + ".link_messages_per_second")
        if "node_bytes_per_second" in data_keys:
            data_keys.remove("node_bytes_per_second")
            data__nodebytespersecond = data["node_bytes_per_second"]
            validate____defs_rate(data__nodebytespersecond, custom_formats, (name_prefix or "data") + ".node_bytes_per_second")
        if "node_latency_seconds" in data_keys:
            data_keys.remove("node_latency_seconds")
            data__nodelatencyseconds = data["node_latency_seconds"]
            validate____defs_rate(data__nodelatencyseconds, custom_formats, (name_prefix or "data") + ".node_latency_seconds")
        if "host_link_bytes_per_second" in data_keys:
            data_keys.remove("host_link_bytes_per_second")
            data__hostlinkbytespersecond = data["host_link_bytes_per_second"]
            validate____defs_rate(data__hostlinkbytespersecond, custom_formats, (name_prefix or "data") + ".host_link_bytes_per_second")
        if "staged_through_host" in data_keys:
            data_keys.remove("staged_through_host")
            data__stagedthroughhost = data["staged_through_host"]
            if not isinstance(data__stagedthroughhost, (bool)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".staged_through_host must be boolean", data__stagedthroughhost)
        if "launch_seconds" in data_keys:
            data_keys.remove("launch_seconds")
            data__launchseconds = data["launch_seconds"]
            validate____defs_rate(data__launchseconds, custom_formats, (name_prefix or "data") + ".launch_seconds")
        if "addition_seconds" in data_keys:
            data_keys.remove("addition_seconds")
            data__additionseconds = data["addition_seconds"]
            validate____defs_rate(data__additionseconds, custom_formats, (name_prefix or "data") + ".addition_seconds")
        if "compute_variation" in data_keys:
            data_keys.remove("compute_variation")
            data__computevariation = data["compute_variation"]
            validate____defs_rate(data__computevariation, custom_formats, (name_prefix or "data") + ".compute_variation")
        if "bisection" in data_keys:
            data_keys.remove("bisection")
            data__bisection = data["bisection"]
            if not isinstance(data__bisection, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".bisection must be array", data__bisection)
            data__bisection_is_list = isinstance(data__bisection, (list, tuple))
            if data__bisection_is_list:
                data__bisection_len = len(data__bisection)
                if data__bisection_len > 100:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".bisection must contain less than or equal to 100 items", data__bisection)
                for data__bisection_x, data__bisection_item in enumerate(data__bisection):
                    if not isinstance(data__bisection_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".bisection[{data__bisection_x}]".format(**locals()) + " must be object", data__bisection_item)
                    data__bisection_item_is_dict = isinstance(data__bisection_item, dict)
                    if data__bisection_item_is_dict:
                        for key in ['nodes', 'value', 'uncertainty', 'source']:
                            if key not in data__bisection_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".bisection[{data__bisection_x}]".format(**locals()) + " lacks " + (key), data__bisection_item)
                        data__bisection_item_keys = set(data__bisection_item.keys())
                        if "nodes" in data__bisection_item_keys:
                            data__bisection_item_keys.remove("nodes")
                            data__bisection_item__nodes = data__bisection_item["nodes"]
                            if not isinstance(data__bisection_item__nodes, (int)) or isinstance(data__bisection_item__nodes, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".bisection[{data__bisection_x}].nodes".format(**locals()) + " must be integer", data__bisection_item__nodes)
                            if isinstance(data__bisection_item__nodes, (int, float)):
                                if data__bisection_item__nodes < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".bisection[{data__bisection_x}].nodes".format(**locals()) + " must be bigger than or equal to 1", data__bisection_item__nodes)
                                if data__bisection_item__nodes > 10000000:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".bisection[{data__bisection_x}].nodes".format(**locals()) + " must be smaller than or equal to 10000000", data__bisection_item__nodes)
                        if "value" in data__bisection_item_keys:
                            data__bisection_item_keys.remove("value")
                            data__bisection_item__value = data__bisection_item["value"]
                            if not isinstance(data__bisection_item__value, (int, float)) or isinstance(data__bisection_item__value, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".bisection[{data__bisection_x}].value".format(**locals()) + " must be number", data__bisection_item__value)
                            if isinstance(data__bisection_item__value, (int, float)):
                                if data__bisection_item__value < 1e-06:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".bisection[{data__bisection_x}].value".format(**locals()) + " must be bigger than or equal to 1e-06", data__bisection_item__value)
                                if data__bisection_item__value > 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".bisection[{data__bisection_x}].value".format(**locals()) + " must be smaller than or equal to 1", data__bisection_item__value)
                        if "uncertainty" in data__bisection_item_keys:
                            data__bisection_item_keys.remove("uncertainty")
                            data__bisection_item__uncertainty = data__bisection_item["uncertainty"]
                            validate____defs_uncertainty(data__bisection_item__uncertainty, custom_formats, (name_prefix or "data") + ".bisection[{data__bisection_x}].uncertainty".format(**locals()))
                        if "source" in data__bisection_item_keys:
                            data__bisection_item_keys.remove("source")
                            data__bisection_item__source = data__bisection_item["source"]
                            validate____defs_source(data__bisection_item__source, custom_formats, (name_prefix or "data") + ".bisection[{data__bisection_x}].source".format(**locals()))
                        if data__bisection_item_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".bisection[{data__bisection_x}]".format(**locals()) + " must not contain "+str(data__bisection_item_keys)+" properties", data__bisection_item)
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", data)
    return data

def validate____defs_source(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (str)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be string", data)
    if isinstance(data, str):
        data_len = len(data)
        if data_len < 1:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be longer than or equal to 1 characters", data)
        if data_len > 300:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be shorter than or equal to 300 characters", data)
    return data

def validate____defs_uncertainty(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (int, float)) or isinstance(data, bool):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be number", data)
    if isinstance(data, (int, float)):
        if data < 0:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be bigger than or equal to 0", data)
        if data > 9:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be smaller than or equal to 9", data)
    return data

def validate____defs_rate(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['value', 'uncertainty', 'source']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "value" in data_keys:
            data_keys.remove("value")
            data__value = data["value"]
            validate____defs_positive(data__value, custom_formats, (name_prefix or "data") + ".value")
        if "uncertainty" in data_keys:
            data_keys.remove("uncertainty")
            data__uncertainty = data["uncertainty"]
            validate____defs_uncertainty(data__uncertainty, custom_formats, (name_prefix or "data") + ".uncertainty")
        if "source" in data_keys:
            data_keys.remove("source")
            data__source = data["source"]
            validate____defs_source(data__source, custom_formats, (name_prefix or "data") + ".source")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", data)
    return data

def validate____defs_positive(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (int, float)) or isinstance(data, bool):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be number", data)
    if isinstance(data, (int, float)):
        if data < 1e-15:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be bigger than or equal to 1e-15", data)
        if data > 1e+18:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be smaller than or equal to 1e+18", data)
    return data
