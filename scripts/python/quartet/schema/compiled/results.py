"""Generated from results/schema/quartet-results.schema.json by `quartet schemas` (fastjsonschema 2.16.3)."""

import re
from quartet.schema import Invalid as JsonSchemaValueException


REGEX_PATTERNS = {
    '/error$': re.compile('/error\\Z', re.A),
    '^[a-z][a-z0-9-]*/.*/error$': re.compile('^[a-z][a-z0-9-]*/.*/error\\Z', re.A),
    '^[a-z][a-z0-9-]*/(native|dataflow|library|tensorflow)/(host|cuda|model)/(mpi|staged|shm|rma|nccl|ipc|grpc)(/[^/]+)*/ranks:\\d{1,9}/threads:\\d{1,9}(/[^/]+)*$': re.compile('^[a-z][a-z0-9-]*/(native|dataflow|library|tensorflow)/(host|cuda|model)/(mpi|staged|shm|rma|nccl|ipc|grpc)(/[^/]+)*/ranks:\\d{1,9}/threads:\\d{1,9}(/[^/]+)*\\Z', re.A),
    '/(paper|pair:[0-9]+-[0-9]+)$': re.compile('/(paper|pair:[0-9]+-[0-9]+)\\Z', re.A),
    '/paper$': re.compile('/paper\\Z', re.A),
    '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(Z|[+-]\\d{2}:\\d{2})$': re.compile('^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(Z|[+-]\\d{2}:\\d{2})\\Z', re.A),
    '^\\d+\\.\\d+\\.\\d+': re.compile('^\\d+\\.\\d+\\.\\d+', re.A),
    '^[a-z][a-z0-9_-]*$': re.compile('^[a-z][a-z0-9_-]*\\Z', re.A)
}

NoneType = type(None)

def validate(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['context', 'benchmarks']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "context" in data_keys:
            data_keys.remove("context")
            data__context = data["context"]
            validate____defs_context(data__context, custom_formats, (name_prefix or "data") + ".context")
        if "benchmarks" in data_keys:
            data_keys.remove("benchmarks")
            data__benchmarks = data["benchmarks"]
            if not isinstance(data__benchmarks, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".benchmarks must be array", data__benchmarks)
            data__benchmarks_is_list = isinstance(data__benchmarks, (list, tuple))
            if data__benchmarks_is_list:
                data__benchmarks_len = len(data__benchmarks)
                for data__benchmarks_x, data__benchmarks_item in enumerate(data__benchmarks):
                    validate____defs_row(data__benchmarks_item, custom_formats, (name_prefix or "data") + ".benchmarks[{data__benchmarks_x}]".format(**locals()))
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", data)
    return data

def validate____defs_row(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['name', 'run_type']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "run_type" in data_keys:
            data_keys.remove("run_type")
            data__runtype = data["run_type"]
            if type(data__runtype) not in (str,) or data__runtype not in ('iteration', 'aggregate'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".run_type must be iteration or aggregate", data__runtype)
    try:
        data_fits1 = 0
        data_problems1 = []
        if data_fits1 < 1:
            try:
                data_is_dict = isinstance(data, dict)
                if data_is_dict:
                    for key in ['error_occurred']:
                        if key not in data:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
                data_fits1 += 1
            except JsonSchemaValueException as problem:
                data_problems1.append(problem)
        if data_fits1 < 1:
            try:
                data_is_dict = isinstance(data, dict)
                if data_is_dict:
                    data_keys = set(data.keys())
                    if "name" in data_keys:
                        data_keys.remove("name")
                        data__name = data["name"]
                        if isinstance(data__name, str) and not REGEX_PATTERNS['/error$'].search(data__name):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".name is not written as it should be", data__name)
                data_fits1 += 1
            except JsonSchemaValueException as problem:
                data_problems1.append(problem)
        if not data_fits1:
            raise min(data_problems1, key=lambda problem: len(problem.message))
    except JsonSchemaValueException:
        try:
            data_is_dict = isinstance(data, dict)
            if data_is_dict:
                data_keys = set(data.keys())
                if "run_type" in data_keys:
                    data_keys.remove("run_type")
                    data__runtype = data["run_type"]
                    if type(data__runtype) not in (str,) or data__runtype not in ('iteration',):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".run_type must be iteration", data__runtype)
        except JsonSchemaValueException:
            validate____defs_aggregate_row(data, custom_formats, (name_prefix or "data") + "")
        else:
            validate____defs_iteration_row(data, custom_formats, (name_prefix or "data") + "")
    else:
        validate____defs_error_row(data, custom_formats, (name_prefix or "data") + "")
    return data

def validate____defs_error_row(data, custom_formats={}, name_prefix=None):
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['error_occurred', 'error_message']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "name" in data_keys:
            data_keys.remove("name")
            data__name = data["name"]
            if not isinstance(data__name, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".name must be string", data__name)
            if isinstance(data__name, str):
                data__name_len = len(data__name)
                if data__name_len > 500:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".name must be shorter than or equal to 500 characters", data__name)
            if isinstance(data__name, str) and not REGEX_PATTERNS['^[a-z][a-z0-9-]*/.*/error$'].search(data__name):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".name is not written as it should be", data__name)
        if "run_type" in data_keys:
            data_keys.remove("run_type")
            data__runtype = data["run_type"]
            if type(data__runtype) not in (str,) or data__runtype not in ('aggregate',):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".run_type must be aggregate", data__runtype)
        if "error_occurred" in data_keys:
            data_keys.remove("error_occurred")
            data__erroroccurred = data["error_occurred"]
            if type(data__erroroccurred) not in (bool,) or data__erroroccurred not in (True,):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".error_occurred must be True", data__erroroccurred)
        if "error_message" in data_keys:
            data_keys.remove("error_message")
            data__errormessage = data["error_message"]
            validate____defs_text(data__errormessage, custom_formats, (name_prefix or "data") + ".error_message")
        if "real_time" in data_keys:
            data_keys.remove("real_time")
            data__realtime = data["real_time"]
            raise JsonSchemaValueException("" + (name_prefix or "data") + ".real_time must not be there", data__realtime)
        if "cpu_time" in data_keys:
            data_keys.remove("cpu_time")
            data__cputime = data["cpu_time"]
            raise JsonSchemaValueException("" + (name_prefix or "data") + ".cpu_time must not be there", data__cputime)
    return data

def validate____defs_text(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (str)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be string", data)
    if isinstance(data, str):
        data_len = len(data)
        if data_len < 1:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be longer than or equal to 1 characters", data)
        if data_len > 10000:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be shorter than or equal to 10000 characters", data)
    return data

def validate____defs_iteration_row(data, custom_formats={}, name_prefix=None):
    validate____defs_rate(data, custom_formats, (name_prefix or "data") + "")
    validate____defs_details(data, custom_formats, (name_prefix or "data") + "")
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['run_name', 'repetitions', 'repetition_index', 'threads', 'iterations', 'real_time', 'cpu_time', 'time_unit']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "name" in data_keys:
            data_keys.remove("name")
            data__name = data["name"]
            validate____defs_run_name(data__name, custom_formats, (name_prefix or "data") + ".name")
        if "run_name" in data_keys:
            data_keys.remove("run_name")
            data__runname = data["run_name"]
            validate____defs_run_name(data__runname, custom_formats, (name_prefix or "data") + ".run_name")
        if "repetitions" in data_keys:
            data_keys.remove("repetitions")
            data__repetitions = data["repetitions"]
            validate____defs_count(data__repetitions, custom_formats, (name_prefix or "data") + ".repetitions")
        if "repetition_index" in data_keys:
            data_keys.remove("repetition_index")
            data__repetitionindex = data["repetition_index"]
            if not isinstance(data__repetitionindex, (int)) or isinstance(data__repetitionindex, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".repetition_index must be integer", data__repetitionindex)
            if isinstance(data__repetitionindex, (int, float)):
                if data__repetitionindex < 0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".repetition_index must be bigger than or equal to 0", data__repetitionindex)
        if "round" in data_keys:
            data_keys.remove("round")
            data__round = data["round"]
            if not isinstance(data__round, (int)) or isinstance(data__round, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".round must be integer", data__round)
            if isinstance(data__round, (int, float)):
                if data__round < 0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".round must be bigger than or equal to 0", data__round)
        if "factors" in data_keys:
            data_keys.remove("factors")
            data__factors = data["factors"]
            validate____defs_factors(data__factors, custom_formats, (name_prefix or "data") + ".factors")
        if "limit_seconds" in data_keys:
            data_keys.remove("limit_seconds")
            data__limitseconds = data["limit_seconds"]
            validate____defs_not_negative(data__limitseconds, custom_formats, (name_prefix or "data") + ".limit_seconds")
        if "disturbed_by" in data_keys:
            data_keys.remove("disturbed_by")
            data__disturbedby = data["disturbed_by"]
            if not isinstance(data__disturbedby, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".disturbed_by must be array", data__disturbedby)
            data__disturbedby_is_list = isinstance(data__disturbedby, (list, tuple))
            if data__disturbedby_is_list:
                data__disturbedby_len = len(data__disturbedby)
                for data__disturbedby_x, data__disturbedby_item in enumerate(data__disturbedby):
                    if type(data__disturbedby_item) not in (str,) or data__disturbedby_item not in ('others', 'waiting', 'stolen', 'clock', 'faults'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".disturbed_by[{data__disturbedby_x}]".format(**locals()) + " must be others or waiting or stolen or clock or faults", data__disturbedby_item)
        if "threads" in data_keys:
            data_keys.remove("threads")
            data__threads = data["threads"]
            validate____defs_count(data__threads, custom_formats, (name_prefix or "data") + ".threads")
        if "iterations" in data_keys:
            data_keys.remove("iterations")
            data__iterations = data["iterations"]
            if type(data__iterations) not in (int,) or data__iterations not in (1,):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".iterations must be 1", data__iterations)
        if "real_time" in data_keys:
            data_keys.remove("real_time")
            data__realtime = data["real_time"]
            validate____defs_positive(data__realtime, custom_formats, (name_prefix or "data") + ".real_time")
        if "cpu_time" in data_keys:
            data_keys.remove("cpu_time")
            data__cputime = data["cpu_time"]
            validate____defs_not_negative(data__cputime, custom_formats, (name_prefix or "data") + ".cpu_time")
        if "time_unit" in data_keys:
            data_keys.remove("time_unit")
            data__timeunit = data["time_unit"]
            validate____defs_time_unit(data__timeunit, custom_formats, (name_prefix or "data") + ".time_unit")
    return data

def validate____defs_time_unit(data, custom_formats={}, name_prefix=None):
    if type(data) not in (str,) or data not in ('ns', 'us', 'ms', 's'):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be ns or us or ms or s", data)
    return data

def validate____defs_positive(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (int, float)) or isinstance(data, bool):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be number", data)
    if isinstance(data, (int, float)):
        if data < 1e-30:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be bigger than or equal to 1e-30", data)
        if data > 1e+30:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be smaller than or equal to 1e+30", data)
    return data

def validate____defs_not_negative(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (int, float)) or isinstance(data, bool):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be number", data)
    if isinstance(data, (int, float)):
        if data < 0:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be bigger than or equal to 0", data)
        if data > 1e+30:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be smaller than or equal to 1e+30", data)
    return data

def validate____defs_factors(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['kernel', 'formulation', 'device', 'transport', 'size', 'ranks', 'nodes', 'threads']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
    return data

def validate____defs_count(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (int)) or isinstance(data, bool):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be integer", data)
    if isinstance(data, (int, float)):
        if data < 1:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be bigger than or equal to 1", data)
        if data > 1e+18:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be smaller than or equal to 1e+18", data)
    return data

def validate____defs_run_name(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (str)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be string", data)
    if isinstance(data, str):
        data_len = len(data)
        if data_len > 500:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be shorter than or equal to 500 characters", data)
    if isinstance(data, str) and not REGEX_PATTERNS['^[a-z][a-z0-9-]*/(native|dataflow|library|tensorflow)/(host|cuda|model)/(mpi|staged|shm|rma|nccl|ipc|grpc)(/[^/]+)*/ranks:\\d{1,9}/threads:\\d{1,9}(/[^/]+)*$'].search(data):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " is not written as it should be", data)
    return data

def validate____defs_details(data, custom_formats={}, name_prefix=None):
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        if "limit" in data:
            if "fraction_of_limit" not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " missing dependency fraction_of_limit for limit", data)
        if "fraction_of_limit" in data:
            if "limit" not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " missing dependency limit for fraction_of_limit", data)
        if "limit_components" in data:
            if "limit" not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " missing dependency limit for limit_components", data)
            if "limit_decided_by" not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " missing dependency limit_decided_by for limit_components", data)
        if "limit_decided_by" in data:
            if "limit_components" not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " missing dependency limit_components for limit_decided_by", data)
        if "error" in data:
            if "tolerance" not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " missing dependency tolerance for error", data)
        data_keys = set(data.keys())
        if "factors" in data_keys:
            data_keys.remove("factors")
            data__factors = data["factors"]
            validate____defs_factors(data__factors, custom_formats, (name_prefix or "data") + ".factors")
        if "rank_seconds" in data_keys:
            data_keys.remove("rank_seconds")
            data__rankseconds = data["rank_seconds"]
            if not isinstance(data__rankseconds, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".rank_seconds must be array", data__rankseconds)
            data__rankseconds_is_list = isinstance(data__rankseconds, (list, tuple))
            if data__rankseconds_is_list:
                data__rankseconds_len = len(data__rankseconds)
                if data__rankseconds_len < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".rank_seconds must contain at least 1 items", data__rankseconds)
                for data__rankseconds_x, data__rankseconds_item in enumerate(data__rankseconds):
                    validate____defs_not_negative(data__rankseconds_item, custom_formats, (name_prefix or "data") + ".rank_seconds[{data__rankseconds_x}]".format(**locals()))
        if "rank_seconds_summary" in data_keys:
            data_keys.remove("rank_seconds_summary")
            data__ranksecondssummary = data["rank_seconds_summary"]
            if not isinstance(data__ranksecondssummary, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".rank_seconds_summary must be object", data__ranksecondssummary)
            data__ranksecondssummary_is_dict = isinstance(data__ranksecondssummary, dict)
            if data__ranksecondssummary_is_dict:
                for key in ['ranks', 'mean', 'min', 'p25', 'p50', 'p75', 'p99', 'max', 'slowest']:
                    if key not in data__ranksecondssummary:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".rank_seconds_summary lacks " + (key), data__ranksecondssummary)
                data__ranksecondssummary_keys = set(data__ranksecondssummary.keys())
                if "ranks" in data__ranksecondssummary_keys:
                    data__ranksecondssummary_keys.remove("ranks")
                    data__ranksecondssummary__ranks = data__ranksecondssummary["ranks"]
                    validate____defs_count(data__ranksecondssummary__ranks, custom_formats, (name_prefix or "data") + ".rank_seconds_summary.ranks")
                if "mean" in data__ranksecondssummary_keys:
                    data__ranksecondssummary_keys.remove("mean")
                    data__ranksecondssummary__mean = data__ranksecondssummary["mean"]
                    validate____defs_not_negative(data__ranksecondssummary__mean, custom_formats, (name_prefix or "data") + ".rank_seconds_summary.mean")
                if "min" in data__ranksecondssummary_keys:
                    data__ranksecondssummary_keys.remove("min")
                    data__ranksecondssummary__min = data__ranksecondssummary["min"]
                    validate____defs_not_negative(data__ranksecondssummary__min, custom_formats, (name_prefix or "data") + ".rank_seconds_summary.min")
                if "p25" in data__ranksecondssummary_keys:
                    data__ranksecondssummary_keys.remove("p25")
                    data__ranksecondssummary__p25 = data__ranksecondssummary["p25"]
                    validate____defs_not_negative(data__ranksecondssummary__p25, custom_formats, (name_prefix or "data") + ".rank_seconds_summary.p25")
                if "p50" in data__ranksecondssummary_keys:
                    data__ranksecondssummary_keys.remove("p50")
                    data__ranksecondssummary__p50 = data__ranksecondssummary["p50"]
                    validate____defs_not_negative(data__ranksecondssummary__p50, custom_formats, (name_prefix or "data") + ".rank_seconds_summary.p50")
                if "p75" in data__ranksecondssummary_keys:
                    data__ranksecondssummary_keys.remove("p75")
                    data__ranksecondssummary__p75 = data__ranksecondssummary["p75"]
                    validate____defs_not_negative(data__ranksecondssummary__p75, custom_formats, (name_prefix or "data") + ".rank_seconds_summary.p75")
                if "p99" in data__ranksecondssummary_keys:
                    data__ranksecondssummary_keys.remove("p99")
                    data__ranksecondssummary__p99 = data__ranksecondssummary["p99"]
                    validate____defs_not_negative(data__ranksecondssummary__p99, custom_formats, (name_prefix or "data") + ".rank_seconds_summary.p99")
                if "max" in data__ranksecondssummary_keys:
                    data__ranksecondssummary_keys.remove("max")
                    data__ranksecondssummary__max = data__ranksecondssummary["max"]
                    validate____defs_not_negative(data__ranksecondssummary__max, custom_formats, (name_prefix or "data") + ".rank_seconds_summary.max")
                if "slowest" in data__ranksecondssummary_keys:
                    data__ranksecondssummary_keys.remove("slowest")
                    data__ranksecondssummary__slowest = data__ranksecondssummary["slowest"]
                    if not isinstance(data__ranksecondssummary__slowest, (list)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".rank_seconds_summary.slowest must be array", data__ranksecondssummary__slowest)
                    data__ranksecondssummary__slowest_is_list = isinstance(data__ranksecondssummary__slowest, (list, tuple))
                    if data__ranksecondssummary__slowest_is_list:
                        data__ranksecondssummary__slowest_len = len(data__ranksecondssummary__slowest)
                        if data__ranksecondssummary__slowest_len < 1:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".rank_seconds_summary.slowest must contain at least 1 items", data__ranksecondssummary__slowest)
                        if data__ranksecondssummary__slowest_len > 16:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".rank_seconds_summary.slowest must contain less than or equal to 16 items", data__ranksecondssummary__slowest)
                        for data__ranksecondssummary__slowest_x, data__ranksecondssummary__slowest_item in enumerate(data__ranksecondssummary__slowest):
                            if not isinstance(data__ranksecondssummary__slowest_item, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".rank_seconds_summary.slowest[{data__ranksecondssummary__slowest_x}]".format(**locals()) + " must be object", data__ranksecondssummary__slowest_item)
                            data__ranksecondssummary__slowest_item_is_dict = isinstance(data__ranksecondssummary__slowest_item, dict)
                            if data__ranksecondssummary__slowest_item_is_dict:
                                for key in ['rank', 'host', 'seconds']:
                                    if key not in data__ranksecondssummary__slowest_item:
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".rank_seconds_summary.slowest[{data__ranksecondssummary__slowest_x}]".format(**locals()) + " lacks " + (key), data__ranksecondssummary__slowest_item)
                                data__ranksecondssummary__slowest_item_keys = set(data__ranksecondssummary__slowest_item.keys())
                                if "rank" in data__ranksecondssummary__slowest_item_keys:
                                    data__ranksecondssummary__slowest_item_keys.remove("rank")
                                    data__ranksecondssummary__slowest_item__rank = data__ranksecondssummary__slowest_item["rank"]
                                    if not isinstance(data__ranksecondssummary__slowest_item__rank, (int)) or isinstance(data__ranksecondssummary__slowest_item__rank, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".rank_seconds_summary.slowest[{data__ranksecondssummary__slowest_x}].rank".format(**locals()) + " must be integer", data__ranksecondssummary__slowest_item__rank)
                                    if isinstance(data__ranksecondssummary__slowest_item__rank, (int, float)):
                                        if data__ranksecondssummary__slowest_item__rank < 0:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".rank_seconds_summary.slowest[{data__ranksecondssummary__slowest_x}].rank".format(**locals()) + " must be bigger than or equal to 0", data__ranksecondssummary__slowest_item__rank)
                                if "host" in data__ranksecondssummary__slowest_item_keys:
                                    data__ranksecondssummary__slowest_item_keys.remove("host")
                                    data__ranksecondssummary__slowest_item__host = data__ranksecondssummary__slowest_item["host"]
                                    validate____defs_text(data__ranksecondssummary__slowest_item__host, custom_formats, (name_prefix or "data") + ".rank_seconds_summary.slowest[{data__ranksecondssummary__slowest_x}].host".format(**locals()))
                                if "seconds" in data__ranksecondssummary__slowest_item_keys:
                                    data__ranksecondssummary__slowest_item_keys.remove("seconds")
                                    data__ranksecondssummary__slowest_item__seconds = data__ranksecondssummary__slowest_item["seconds"]
                                    validate____defs_not_negative(data__ranksecondssummary__slowest_item__seconds, custom_formats, (name_prefix or "data") + ".rank_seconds_summary.slowest[{data__ranksecondssummary__slowest_x}].seconds".format(**locals()))
        if "phases" in data_keys:
            data_keys.remove("phases")
            data__phases = data["phases"]
            validate____defs_phases(data__phases, custom_formats, (name_prefix or "data") + ".phases")
        if "phases_by_role" in data_keys:
            data_keys.remove("phases_by_role")
            data__phasesbyrole = data["phases_by_role"]
            if not isinstance(data__phasesbyrole, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".phases_by_role must be object", data__phasesbyrole)
            data__phasesbyrole_is_dict = isinstance(data__phasesbyrole, dict)
            if data__phasesbyrole_is_dict:
                data__phasesbyrole_keys = set(data__phasesbyrole.keys())
                for data__phasesbyrole_key in data__phasesbyrole_keys:
                    if data__phasesbyrole_key not in []:
                        data__phasesbyrole_value = data__phasesbyrole.get(data__phasesbyrole_key)
                        if not isinstance(data__phasesbyrole_value, (dict)):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".phases_by_role.{data__phasesbyrole_key}".format(**locals()) + " must be object", data__phasesbyrole_value)
                        data__phasesbyrole_value_is_dict = isinstance(data__phasesbyrole_value, dict)
                        if data__phasesbyrole_value_is_dict:
                            for key in ['rank', 'seconds', 'phases']:
                                if key not in data__phasesbyrole_value:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".phases_by_role.{data__phasesbyrole_key}".format(**locals()) + " lacks " + (key), data__phasesbyrole_value)
                            data__phasesbyrole_value_keys = set(data__phasesbyrole_value.keys())
                            if "rank" in data__phasesbyrole_value_keys:
                                data__phasesbyrole_value_keys.remove("rank")
                                data__phasesbyrole_value__rank = data__phasesbyrole_value["rank"]
                                if not isinstance(data__phasesbyrole_value__rank, (int)) or isinstance(data__phasesbyrole_value__rank, bool):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".phases_by_role.{data__phasesbyrole_key}.rank".format(**locals()) + " must be integer", data__phasesbyrole_value__rank)
                                if isinstance(data__phasesbyrole_value__rank, (int, float)):
                                    if data__phasesbyrole_value__rank < 0:
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".phases_by_role.{data__phasesbyrole_key}.rank".format(**locals()) + " must be bigger than or equal to 0", data__phasesbyrole_value__rank)
                            if "seconds" in data__phasesbyrole_value_keys:
                                data__phasesbyrole_value_keys.remove("seconds")
                                data__phasesbyrole_value__seconds = data__phasesbyrole_value["seconds"]
                                validate____defs_not_negative(data__phasesbyrole_value__seconds, custom_formats, (name_prefix or "data") + ".phases_by_role.{data__phasesbyrole_key}.seconds".format(**locals()))
                            if "phases" in data__phasesbyrole_value_keys:
                                data__phasesbyrole_value_keys.remove("phases")
                                data__phasesbyrole_value__phases = data__phasesbyrole_value["phases"]
                                validate____defs_phases(data__phasesbyrole_value__phases, custom_formats, (name_prefix or "data") + ".phases_by_role.{data__phasesbyrole_key}.phases".format(**locals()))
                data__phasesbyrole_len = len(data__phasesbyrole)
                if data__phasesbyrole_len != 0:
                    data__phasesbyrole_property_names = True
                    for data__phasesbyrole_key in data__phasesbyrole:
                        try:
                            if type(data__phasesbyrole_key) not in (str,) or data__phasesbyrole_key not in ('reducer', 'worker'):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".phases_by_role must be reducer or worker", data__phasesbyrole_key)
                        except JsonSchemaValueException:
                            data__phasesbyrole_property_names = False
                    if not data__phasesbyrole_property_names:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".phases_by_role must be named by propertyName definition", data__phasesbyrole)
        if "flops" in data_keys:
            data_keys.remove("flops")
            data__flops = data["flops"]
            validate____defs_not_negative(data__flops, custom_formats, (name_prefix or "data") + ".flops")
        if "bytes" in data_keys:
            data_keys.remove("bytes")
            data__bytes = data["bytes"]
            validate____defs_not_negative(data__bytes, custom_formats, (name_prefix or "data") + ".bytes")
        if "note" in data_keys:
            data_keys.remove("note")
            data__note = data["note"]
            if not isinstance(data__note, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".note must be string", data__note)
        if "isa" in data_keys:
            data_keys.remove("isa")
            data__isa = data["isa"]
            validate____defs_text(data__isa, custom_formats, (name_prefix or "data") + ".isa")
        if "pushes" in data_keys:
            data_keys.remove("pushes")
            data__pushes = data["pushes"]
            validate____defs_not_negative(data__pushes, custom_formats, (name_prefix or "data") + ".pushes")
        if "workers" in data_keys:
            data_keys.remove("workers")
            data__workers = data["workers"]
            validate____defs_count(data__workers, custom_formats, (name_prefix or "data") + ".workers")
        if "gpus" in data_keys:
            data_keys.remove("gpus")
            data__gpus = data["gpus"]
            validate____defs_count(data__gpus, custom_formats, (name_prefix or "data") + ".gpus")
        if "per_worker" in data_keys:
            data_keys.remove("per_worker")
            data__perworker = data["per_worker"]
            validate____defs_positive(data__perworker, custom_formats, (name_prefix or "data") + ".per_worker")
        if "limit" in data_keys:
            data_keys.remove("limit")
            data__limit = data["limit"]
            if not isinstance(data__limit, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".limit must be object", data__limit)
            data__limit_is_dict = isinstance(data__limit, dict)
            if data__limit_is_dict:
                for key in ['what', 'seconds', 'rate']:
                    if key not in data__limit:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".limit lacks " + (key), data__limit)
                data__limit_keys = set(data__limit.keys())
                if "what" in data__limit_keys:
                    data__limit_keys.remove("what")
                    data__limit__what = data__limit["what"]
                    validate____defs_text(data__limit__what, custom_formats, (name_prefix or "data") + ".limit.what")
                if "seconds" in data__limit_keys:
                    data__limit_keys.remove("seconds")
                    data__limit__seconds = data__limit["seconds"]
                    validate____defs_positive(data__limit__seconds, custom_formats, (name_prefix or "data") + ".limit.seconds")
                if "rate" in data__limit_keys:
                    data__limit_keys.remove("rate")
                    data__limit__rate = data__limit["rate"]
                    validate____defs_positive(data__limit__rate, custom_formats, (name_prefix or "data") + ".limit.rate")
                if "probes" in data__limit_keys:
                    data__limit_keys.remove("probes")
                    data__limit__probes = data__limit["probes"]
                    if not isinstance(data__limit__probes, (list)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".limit.probes must be array", data__limit__probes)
                    data__limit__probes_is_list = isinstance(data__limit__probes, (list, tuple))
                    if data__limit__probes_is_list:
                        data__limit__probes_len = len(data__limit__probes)
                        for data__limit__probes_x, data__limit__probes_item in enumerate(data__limit__probes):
                            validate____defs_positive(data__limit__probes_item, custom_formats, (name_prefix or "data") + ".limit.probes[{data__limit__probes_x}]".format(**locals()))
        if "limit_components" in data_keys:
            data_keys.remove("limit_components")
            data__limitcomponents = data["limit_components"]
            if not isinstance(data__limitcomponents, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".limit_components must be array", data__limitcomponents)
            data__limitcomponents_is_list = isinstance(data__limitcomponents, (list, tuple))
            if data__limitcomponents_is_list:
                data__limitcomponents_len = len(data__limitcomponents)
                if data__limitcomponents_len < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".limit_components must contain at least 1 items", data__limitcomponents)
                for data__limitcomponents_x, data__limitcomponents_item in enumerate(data__limitcomponents):
                    if not isinstance(data__limitcomponents_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".limit_components[{data__limitcomponents_x}]".format(**locals()) + " must be object", data__limitcomponents_item)
                    data__limitcomponents_item_is_dict = isinstance(data__limitcomponents_item, dict)
                    if data__limitcomponents_item_is_dict:
                        for key in ['name', 'seconds']:
                            if key not in data__limitcomponents_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".limit_components[{data__limitcomponents_x}]".format(**locals()) + " lacks " + (key), data__limitcomponents_item)
                        data__limitcomponents_item_keys = set(data__limitcomponents_item.keys())
                        if "name" in data__limitcomponents_item_keys:
                            data__limitcomponents_item_keys.remove("name")
                            data__limitcomponents_item__name = data__limitcomponents_item["name"]
                            validate____defs_text(data__limitcomponents_item__name, custom_formats, (name_prefix or "data") + ".limit_components[{data__limitcomponents_x}].name".format(**locals()))
                        if "seconds" in data__limitcomponents_item_keys:
                            data__limitcomponents_item_keys.remove("seconds")
                            data__limitcomponents_item__seconds = data__limitcomponents_item["seconds"]
                            validate____defs_not_negative(data__limitcomponents_item__seconds, custom_formats, (name_prefix or "data") + ".limit_components[{data__limitcomponents_x}].seconds".format(**locals()))
                        if "way" in data__limitcomponents_item_keys:
                            data__limitcomponents_item_keys.remove("way")
                            data__limitcomponents_item__way = data__limitcomponents_item["way"]
                            validate____defs_text(data__limitcomponents_item__way, custom_formats, (name_prefix or "data") + ".limit_components[{data__limitcomponents_x}].way".format(**locals()))
                        if "hardware_seconds" in data__limitcomponents_item_keys:
                            data__limitcomponents_item_keys.remove("hardware_seconds")
                            data__limitcomponents_item__hardwareseconds = data__limitcomponents_item["hardware_seconds"]
                            validate____defs_positive(data__limitcomponents_item__hardwareseconds, custom_formats, (name_prefix or "data") + ".limit_components[{data__limitcomponents_x}].hardware_seconds".format(**locals()))
                        if "all_ranks_seconds" in data__limitcomponents_item_keys:
                            data__limitcomponents_item_keys.remove("all_ranks_seconds")
                            data__limitcomponents_item__allranksseconds = data__limitcomponents_item["all_ranks_seconds"]
                            validate____defs_positive(data__limitcomponents_item__allranksseconds, custom_formats, (name_prefix or "data") + ".limit_components[{data__limitcomponents_x}].all_ranks_seconds".format(**locals()))
                        if "ranks" in data__limitcomponents_item_keys:
                            data__limitcomponents_item_keys.remove("ranks")
                            data__limitcomponents_item__ranks = data__limitcomponents_item["ranks"]
                            validate____defs_count(data__limitcomponents_item__ranks, custom_formats, (name_prefix or "data") + ".limit_components[{data__limitcomponents_x}].ranks".format(**locals()))
        if "limit_decided_by" in data_keys:
            data_keys.remove("limit_decided_by")
            data__limitdecidedby = data["limit_decided_by"]
            validate____defs_text(data__limitdecidedby, custom_formats, (name_prefix or "data") + ".limit_decided_by")
        if "fraction_of_limit" in data_keys:
            data_keys.remove("fraction_of_limit")
            data__fractionoflimit = data["fraction_of_limit"]
            validate____defs_positive(data__fractionoflimit, custom_formats, (name_prefix or "data") + ".fraction_of_limit")
        if "fraction_of_all_ranks" in data_keys:
            data_keys.remove("fraction_of_all_ranks")
            data__fractionofallranks = data["fraction_of_all_ranks"]
            validate____defs_positive(data__fractionofallranks, custom_formats, (name_prefix or "data") + ".fraction_of_all_ranks")
        if "fraction_of_limit_ci95" in data_keys:
            data_keys.remove("fraction_of_limit_ci95")
            data__fractionoflimitci95 = data["fraction_of_limit_ci95"]
            if not isinstance(data__fractionoflimitci95, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".fraction_of_limit_ci95 must be array", data__fractionoflimitci95)
            data__fractionoflimitci95_is_list = isinstance(data__fractionoflimitci95, (list, tuple))
            if data__fractionoflimitci95_is_list:
                data__fractionoflimitci95_len = len(data__fractionoflimitci95)
                if data__fractionoflimitci95_len < 2:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".fraction_of_limit_ci95 must contain at least 2 items", data__fractionoflimitci95)
                if data__fractionoflimitci95_len > 2:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".fraction_of_limit_ci95 must contain less than or equal to 2 items", data__fractionoflimitci95)
                for data__fractionoflimitci95_x, data__fractionoflimitci95_item in enumerate(data__fractionoflimitci95):
                    validate____defs_positive(data__fractionoflimitci95_item, custom_formats, (name_prefix or "data") + ".fraction_of_limit_ci95[{data__fractionoflimitci95_x}]".format(**locals()))
        if "distrusted" in data_keys:
            data_keys.remove("distrusted")
            data__distrusted = data["distrusted"]
            if not isinstance(data__distrusted, (bool)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".distrusted must be boolean", data__distrusted)
        if "flags" in data_keys:
            data_keys.remove("flags")
            data__flags = data["flags"]
            if not isinstance(data__flags, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".flags must be array", data__flags)
            data__flags_is_list = isinstance(data__flags, (list, tuple))
            if data__flags_is_list:
                data__flags_len = len(data__flags)
                for data__flags_x, data__flags_item in enumerate(data__flags):
                    if not isinstance(data__flags_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".flags[{data__flags_x}]".format(**locals()) + " must be object", data__flags_item)
                    data__flags_item_is_dict = isinstance(data__flags_item, dict)
                    if data__flags_item_is_dict:
                        for key in ['kind', 'text']:
                            if key not in data__flags_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".flags[{data__flags_x}]".format(**locals()) + " lacks " + (key), data__flags_item)
                        data__flags_item_keys = set(data__flags_item.keys())
                        if "kind" in data__flags_item_keys:
                            data__flags_item_keys.remove("kind")
                            data__flags_item__kind = data__flags_item["kind"]
                            if type(data__flags_item__kind) not in (str,) or data__flags_item__kind not in ('disturbed', 'drift', 'step', 'two_speeds', 'limit_moved', 'slow_library', 'above_limit', 'overhead', 'held_back', 'emulated', 'simulated'):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".flags[{data__flags_x}].kind".format(**locals()) + " must be disturbed or drift or step or two_speeds or limit_moved or slow_library or above_limit or overhead or held_back or emulated or simulated", data__flags_item__kind)
                        if "text" in data__flags_item_keys:
                            data__flags_item_keys.remove("text")
                            data__flags_item__text = data__flags_item["text"]
                            validate____defs_text(data__flags_item__text, custom_formats, (name_prefix or "data") + ".flags[{data__flags_x}].text".format(**locals()))
        if "road" in data_keys:
            data_keys.remove("road")
            data__road = data["road"]
            if not isinstance(data__road, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".road must be array", data__road)
            data__road_is_list = isinstance(data__road, (list, tuple))
            if data__road_is_list:
                data__road_len = len(data__road)
                for data__road_x, data__road_item in enumerate(data__road):
                    if not isinstance(data__road_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".road[{data__road_x}]".format(**locals()) + " must be object", data__road_item)
                    data__road_item_is_dict = isinstance(data__road_item, dict)
                    if data__road_item_is_dict:
                        for key in ['host', 'runs', 'seconds', 'interfaces']:
                            if key not in data__road_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".road[{data__road_x}]".format(**locals()) + " lacks " + (key), data__road_item)
                        data__road_item_keys = set(data__road_item.keys())
                        if "host" in data__road_item_keys:
                            data__road_item_keys.remove("host")
                            data__road_item__host = data__road_item["host"]
                            validate____defs_text(data__road_item__host, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].host".format(**locals()))
                        if "runs" in data__road_item_keys:
                            data__road_item_keys.remove("runs")
                            data__road_item__runs = data__road_item["runs"]
                            validate____defs_count(data__road_item__runs, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].runs".format(**locals()))
                        if "seconds" in data__road_item_keys:
                            data__road_item_keys.remove("seconds")
                            data__road_item__seconds = data__road_item["seconds"]
                            validate____defs_not_negative(data__road_item__seconds, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].seconds".format(**locals()))
                        if "planned_between_nodes_bytes" in data__road_item_keys:
                            data__road_item_keys.remove("planned_between_nodes_bytes")
                            data__road_item__plannedbetweennodesbytes = data__road_item["planned_between_nodes_bytes"]
                            validate____defs_not_negative(data__road_item__plannedbetweennodesbytes, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].planned_between_nodes_bytes".format(**locals()))
                        if "planned_within_node_bytes" in data__road_item_keys:
                            data__road_item_keys.remove("planned_within_node_bytes")
                            data__road_item__plannedwithinnodebytes = data__road_item["planned_within_node_bytes"]
                            validate____defs_not_negative(data__road_item__plannedwithinnodebytes, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].planned_within_node_bytes".format(**locals()))
                        if "planned_copied_out_bytes" in data__road_item_keys:
                            data__road_item_keys.remove("planned_copied_out_bytes")
                            data__road_item__plannedcopiedoutbytes = data__road_item["planned_copied_out_bytes"]
                            validate____defs_not_negative(data__road_item__plannedcopiedoutbytes, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].planned_copied_out_bytes".format(**locals()))
                        if "nvlink_sent_bytes" in data__road_item_keys:
                            data__road_item_keys.remove("nvlink_sent_bytes")
                            data__road_item__nvlinksentbytes = data__road_item["nvlink_sent_bytes"]
                            validate____defs_not_negative(data__road_item__nvlinksentbytes, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].nvlink_sent_bytes".format(**locals()))
                        if "pcie_sent_bytes" in data__road_item_keys:
                            data__road_item_keys.remove("pcie_sent_bytes")
                            data__road_item__pciesentbytes = data__road_item["pcie_sent_bytes"]
                            validate____defs_not_negative(data__road_item__pciesentbytes, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].pcie_sent_bytes".format(**locals()))
                        if "interfaces" in data__road_item_keys:
                            data__road_item_keys.remove("interfaces")
                            data__road_item__interfaces = data__road_item["interfaces"]
                            if not isinstance(data__road_item__interfaces, (list)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".road[{data__road_x}].interfaces".format(**locals()) + " must be array", data__road_item__interfaces)
                            data__road_item__interfaces_is_list = isinstance(data__road_item__interfaces, (list, tuple))
                            if data__road_item__interfaces_is_list:
                                data__road_item__interfaces_len = len(data__road_item__interfaces)
                                for data__road_item__interfaces_x, data__road_item__interfaces_item in enumerate(data__road_item__interfaces):
                                    if not isinstance(data__road_item__interfaces_item, (dict)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".road[{data__road_x}].interfaces[{data__road_item__interfaces_x}]".format(**locals()) + " must be object", data__road_item__interfaces_item)
                                    data__road_item__interfaces_item_is_dict = isinstance(data__road_item__interfaces_item, dict)
                                    if data__road_item__interfaces_item_is_dict:
                                        for key in ['name', 'kind', 'up']:
                                            if key not in data__road_item__interfaces_item:
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".road[{data__road_x}].interfaces[{data__road_item__interfaces_x}]".format(**locals()) + " lacks " + (key), data__road_item__interfaces_item)
                                        data__road_item__interfaces_item_keys = set(data__road_item__interfaces_item.keys())
                                        if "name" in data__road_item__interfaces_item_keys:
                                            data__road_item__interfaces_item_keys.remove("name")
                                            data__road_item__interfaces_item__name = data__road_item__interfaces_item["name"]
                                            validate____defs_text(data__road_item__interfaces_item__name, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].interfaces[{data__road_item__interfaces_x}].name".format(**locals()))
                                        if "kind" in data__road_item__interfaces_item_keys:
                                            data__road_item__interfaces_item_keys.remove("kind")
                                            data__road_item__interfaces_item__kind = data__road_item__interfaces_item["kind"]
                                            if type(data__road_item__interfaces_item__kind) not in (str,) or data__road_item__interfaces_item__kind not in ('loopback', 'network', 'fabric'):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".road[{data__road_x}].interfaces[{data__road_item__interfaces_x}].kind".format(**locals()) + " must be loopback or network or fabric", data__road_item__interfaces_item__kind)
                                        if "up" in data__road_item__interfaces_item_keys:
                                            data__road_item__interfaces_item_keys.remove("up")
                                            data__road_item__interfaces_item__up = data__road_item__interfaces_item["up"]
                                            if not isinstance(data__road_item__interfaces_item__up, (bool)):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".road[{data__road_x}].interfaces[{data__road_item__interfaces_x}].up".format(**locals()) + " must be boolean", data__road_item__interfaces_item__up)
                                        if "gigabits_per_second" in data__road_item__interfaces_item_keys:
                                            data__road_item__interfaces_item_keys.remove("gigabits_per_second")
                                            data__road_item__interfaces_item__gigabitspersecond = data__road_item__interfaces_item["gigabits_per_second"]
                                            validate____defs_positive(data__road_item__interfaces_item__gigabitspersecond, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].interfaces[{data__road_item__interfaces_x}].gigabits_per_second".format(**locals()))
                                        if "on_ethernet" in data__road_item__interfaces_item_keys:
                                            data__road_item__interfaces_item_keys.remove("on_ethernet")
                                            data__road_item__interfaces_item__onethernet = data__road_item__interfaces_item["on_ethernet"]
                                            if not isinstance(data__road_item__interfaces_item__onethernet, (bool)):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".road[{data__road_x}].interfaces[{data__road_item__interfaces_x}].on_ethernet".format(**locals()) + " must be boolean", data__road_item__interfaces_item__onethernet)
                                        if "inside" in data__road_item__interfaces_item_keys:
                                            data__road_item__interfaces_item_keys.remove("inside")
                                            data__road_item__interfaces_item__inside = data__road_item__interfaces_item["inside"]
                                            validate____defs_text(data__road_item__interfaces_item__inside, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].interfaces[{data__road_item__interfaces_x}].inside".format(**locals()))
                                        if "sent_bytes" in data__road_item__interfaces_item_keys:
                                            data__road_item__interfaces_item_keys.remove("sent_bytes")
                                            data__road_item__interfaces_item__sentbytes = data__road_item__interfaces_item["sent_bytes"]
                                            validate____defs_not_negative(data__road_item__interfaces_item__sentbytes, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].interfaces[{data__road_item__interfaces_x}].sent_bytes".format(**locals()))
                                        if "counter" in data__road_item__interfaces_item_keys:
                                            data__road_item__interfaces_item_keys.remove("counter")
                                            data__road_item__interfaces_item__counter = data__road_item__interfaces_item["counter"]
                                            if type(data__road_item__interfaces_item__counter) not in (str,) or data__road_item__interfaces_item__counter not in ('wrapped', 'stuck', 'restarted', 'not readable', 'refreshed too seldom'):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".road[{data__road_x}].interfaces[{data__road_item__interfaces_x}].counter".format(**locals()) + " must be wrapped or stuck or restarted or not readable or refreshed too seldom", data__road_item__interfaces_item__counter)
                                        if "others_bytes_per_second" in data__road_item__interfaces_item_keys:
                                            data__road_item__interfaces_item_keys.remove("others_bytes_per_second")
                                            data__road_item__interfaces_item__othersbytespersecond = data__road_item__interfaces_item["others_bytes_per_second"]
                                            validate____defs_not_negative(data__road_item__interfaces_item__othersbytespersecond, custom_formats, (name_prefix or "data") + ".road[{data__road_x}].interfaces[{data__road_item__interfaces_x}].others_bytes_per_second".format(**locals()))
        if "measured_again" in data_keys:
            data_keys.remove("measured_again")
            data__measuredagain = data["measured_again"]
            if not isinstance(data__measuredagain, (int)) or isinstance(data__measuredagain, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".measured_again must be integer", data__measuredagain)
            if isinstance(data__measuredagain, (int, float)):
                if data__measuredagain < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".measured_again must be bigger than or equal to 1", data__measuredagain)
        if "replaced_runs" in data_keys:
            data_keys.remove("replaced_runs")
            data__replacedruns = data["replaced_runs"]
            if not isinstance(data__replacedruns, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".replaced_runs must be array", data__replacedruns)
            data__replacedruns_is_list = isinstance(data__replacedruns, (list, tuple))
            if data__replacedruns_is_list:
                data__replacedruns_len = len(data__replacedruns)
                for data__replacedruns_x, data__replacedruns_item in enumerate(data__replacedruns):
                    if not isinstance(data__replacedruns_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".replaced_runs[{data__replacedruns_x}]".format(**locals()) + " must be object", data__replacedruns_item)
        if "interleaved" in data_keys:
            data_keys.remove("interleaved")
            data__interleaved = data["interleaved"]
            if not isinstance(data__interleaved, (bool)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".interleaved must be boolean", data__interleaved)
        if "alone_because" in data_keys:
            data_keys.remove("alone_because")
            data__alonebecause = data["alone_because"]
            validate____defs_text(data__alonebecause, custom_formats, (name_prefix or "data") + ".alone_because")
        if "overhead_share" in data_keys:
            data_keys.remove("overhead_share")
            data__overheadshare = data["overhead_share"]
            validate____defs_not_negative(data__overheadshare, custom_formats, (name_prefix or "data") + ".overhead_share")
        if "others_share" in data_keys:
            data_keys.remove("others_share")
            data__othersshare = data["others_share"]
            validate____defs_not_negative(data__othersshare, custom_formats, (name_prefix or "data") + ".others_share")
        if "waiting_share" in data_keys:
            data_keys.remove("waiting_share")
            data__waitingshare = data["waiting_share"]
            validate____defs_not_negative(data__waitingshare, custom_formats, (name_prefix or "data") + ".waiting_share")
        if "gpu_power_capped_share" in data_keys:
            data_keys.remove("gpu_power_capped_share")
            data__gpupowercappedshare = data["gpu_power_capped_share"]
            validate____defs_not_negative(data__gpupowercappedshare, custom_formats, (name_prefix or "data") + ".gpu_power_capped_share")
        if "gpu_thermally_slowed_share" in data_keys:
            data_keys.remove("gpu_thermally_slowed_share")
            data__gputhermallyslowedshare = data["gpu_thermally_slowed_share"]
            validate____defs_not_negative(data__gputhermallyslowedshare, custom_formats, (name_prefix or "data") + ".gpu_thermally_slowed_share")
        if "gpu_power_braked_share" in data_keys:
            data_keys.remove("gpu_power_braked_share")
            data__gpupowerbrakedshare = data["gpu_power_braked_share"]
            validate____defs_not_negative(data__gpupowerbrakedshare, custom_formats, (name_prefix or "data") + ".gpu_power_braked_share")
        if "energy_joules" in data_keys:
            data_keys.remove("energy_joules")
            data__energyjoules = data["energy_joules"]
            validate____defs_not_negative(data__energyjoules, custom_formats, (name_prefix or "data") + ".energy_joules")
        if "gflops_per_watt" in data_keys:
            data_keys.remove("gflops_per_watt")
            data__gflopsperwatt = data["gflops_per_watt"]
            validate____defs_positive(data__gflopsperwatt, custom_formats, (name_prefix or "data") + ".gflops_per_watt")
        if "step_seconds" in data_keys:
            data_keys.remove("step_seconds")
            data__stepseconds = data["step_seconds"]
            if not isinstance(data__stepseconds, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".step_seconds must be object", data__stepseconds)
            data__stepseconds_is_dict = isinstance(data__stepseconds, dict)
            if data__stepseconds_is_dict:
                for key in ['of', 'count', 'p50', 'p90', 'p99', 'max']:
                    if key not in data__stepseconds:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".step_seconds lacks " + (key), data__stepseconds)
                data__stepseconds_keys = set(data__stepseconds.keys())
                if "of" in data__stepseconds_keys:
                    data__stepseconds_keys.remove("of")
                    data__stepseconds__of = data__stepseconds["of"]
                    validate____defs_text(data__stepseconds__of, custom_formats, (name_prefix or "data") + ".step_seconds.of")
                if "count" in data__stepseconds_keys:
                    data__stepseconds_keys.remove("count")
                    data__stepseconds__count = data__stepseconds["count"]
                    validate____defs_count(data__stepseconds__count, custom_formats, (name_prefix or "data") + ".step_seconds.count")
                if "p50" in data__stepseconds_keys:
                    data__stepseconds_keys.remove("p50")
                    data__stepseconds__p50 = data__stepseconds["p50"]
                    validate____defs_not_negative(data__stepseconds__p50, custom_formats, (name_prefix or "data") + ".step_seconds.p50")
                if "p90" in data__stepseconds_keys:
                    data__stepseconds_keys.remove("p90")
                    data__stepseconds__p90 = data__stepseconds["p90"]
                    validate____defs_not_negative(data__stepseconds__p90, custom_formats, (name_prefix or "data") + ".step_seconds.p90")
                if "p99" in data__stepseconds_keys:
                    data__stepseconds_keys.remove("p99")
                    data__stepseconds__p99 = data__stepseconds["p99"]
                    validate____defs_not_negative(data__stepseconds__p99, custom_formats, (name_prefix or "data") + ".step_seconds.p99")
                if "max" in data__stepseconds_keys:
                    data__stepseconds_keys.remove("max")
                    data__stepseconds__max = data__stepseconds["max"]
                    validate____defs_not_negative(data__stepseconds__max, custom_formats, (name_prefix or "data") + ".step_seconds.max")
        if "stolen_share" in data_keys:
            data_keys.remove("stolen_share")
            data__stolenshare = data["stolen_share"]
            if not isinstance(data__stolenshare, (int, float)) or isinstance(data__stolenshare, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".stolen_share must be number", data__stolenshare)
            if isinstance(data__stolenshare, (int, float)):
                if data__stolenshare < 0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".stolen_share must be bigger than or equal to 0", data__stolenshare)
                if data__stolenshare > 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".stolen_share must be smaller than or equal to 1", data__stolenshare)
        if "core_loop_seconds" in data_keys:
            data_keys.remove("core_loop_seconds")
            data__coreloopseconds = data["core_loop_seconds"]
            validate____defs_positive(data__coreloopseconds, custom_formats, (name_prefix or "data") + ".core_loop_seconds")
        if "huge_pages" in data_keys:
            data_keys.remove("huge_pages")
            data__hugepages = data["huge_pages"]
            if not isinstance(data__hugepages, (bool)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".huge_pages must be boolean", data__hugepages)
        if "drift" in data_keys:
            data_keys.remove("drift")
            data__drift = data["drift"]
            if not isinstance(data__drift, (int, float)) or isinstance(data__drift, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".drift must be number", data__drift)
            if isinstance(data__drift, (int, float)):
                if data__drift <= -1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".drift must be bigger than -1", data__drift)
        if "verified" in data_keys:
            data_keys.remove("verified")
            data__verified = data["verified"]
            if not isinstance(data__verified, (bool, NoneType)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".verified must be boolean or null", data__verified)
        if "error" in data_keys:
            data_keys.remove("error")
            data__error = data["error"]
            validate____defs_not_bounded(data__error, custom_formats, (name_prefix or "data") + ".error")
        if "tolerance" in data_keys:
            data_keys.remove("tolerance")
            data__tolerance = data["tolerance"]
            validate____defs_not_negative(data__tolerance, custom_formats, (name_prefix or "data") + ".tolerance")
        if "input_changed" in data_keys:
            data_keys.remove("input_changed")
            data__inputchanged = data["input_changed"]
            if type(data__inputchanged) not in (bool,) or data__inputchanged not in (True,):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".input_changed must be True", data__inputchanged)
        if "precision" in data_keys:
            data_keys.remove("precision")
            data__precision = data["precision"]
            validate____defs_text(data__precision, custom_formats, (name_prefix or "data") + ".precision")
        if "wrong_because" in data_keys:
            data_keys.remove("wrong_because")
            data__wrongbecause = data["wrong_because"]
            validate____defs_text(data__wrongbecause, custom_formats, (name_prefix or "data") + ".wrong_because")
        if "total_seconds" in data_keys:
            data_keys.remove("total_seconds")
            data__totalseconds = data["total_seconds"]
            validate____defs_positive(data__totalseconds, custom_formats, (name_prefix or "data") + ".total_seconds")
        if "whole_task_seconds" in data_keys:
            data_keys.remove("whole_task_seconds")
            data__wholetaskseconds = data["whole_task_seconds"]
            validate____defs_positive(data__wholetaskseconds, custom_formats, (name_prefix or "data") + ".whole_task_seconds")
        if "whole_task" in data_keys:
            data_keys.remove("whole_task")
            data__wholetask = data["whole_task"]
            if not isinstance(data__wholetask, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".whole_task must be object", data__wholetask)
            data__wholetask_is_dict = isinstance(data__wholetask, dict)
            if data__wholetask_is_dict:
                for key in ['launch', 'mpi_start', 'device_start', 'set_up', 'run', 'write_results']:
                    if key not in data__wholetask:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".whole_task lacks " + (key), data__wholetask)
                data__wholetask_keys = set(data__wholetask.keys())
                for data__wholetask_key in data__wholetask_keys:
                    if data__wholetask_key not in []:
                        data__wholetask_value = data__wholetask.get(data__wholetask_key)
                        if not isinstance(data__wholetask_value, (int, float)) or isinstance(data__wholetask_value, bool):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".whole_task.{data__wholetask_key}".format(**locals()) + " must be number", data__wholetask_value)
                        if isinstance(data__wholetask_value, (int, float)):
                            if data__wholetask_value < 0:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".whole_task.{data__wholetask_key}".format(**locals()) + " must be bigger than or equal to 0", data__wholetask_value)
        if "published" in data_keys:
            data_keys.remove("published")
            data__published = data["published"]
            if not isinstance(data__published, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".published must be object", data__published)
            data__published_is_dict = isinstance(data__published, dict)
            if data__published_is_dict:
                for key in ['value', 'unit', 'bound', 'conditions', 'source', 'ratio']:
                    if key not in data__published:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".published lacks " + (key), data__published)
                data__published_keys = set(data__published.keys())
                if "value" in data__published_keys:
                    data__published_keys.remove("value")
                    data__published__value = data__published["value"]
                    validate____defs_positive(data__published__value, custom_formats, (name_prefix or "data") + ".published.value")
                if "unit" in data__published_keys:
                    data__published_keys.remove("unit")
                    data__published__unit = data__published["unit"]
                    if type(data__published__unit) not in (str,) or data__published__unit not in ('MiB/s', 'GFLOP/s'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".published.unit must be MiB/s or GFLOP/s", data__published__unit)
                if "bound" in data__published_keys:
                    data__published_keys.remove("bound")
                    data__published__bound = data__published["bound"]
                    if type(data__published__bound) not in (str,) or data__published__bound not in ('above', 'below', 'about'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".published.bound must be above or below or about", data__published__bound)
                if "conditions" in data__published_keys:
                    data__published_keys.remove("conditions")
                    data__published__conditions = data__published["conditions"]
                    validate____defs_text(data__published__conditions, custom_formats, (name_prefix or "data") + ".published.conditions")
                if "source" in data__published_keys:
                    data__published_keys.remove("source")
                    data__published__source = data__published["source"]
                    validate____defs_text(data__published__source, custom_formats, (name_prefix or "data") + ".published.source")
                if "caveat" in data__published_keys:
                    data__published_keys.remove("caveat")
                    data__published__caveat = data__published["caveat"]
                    if not isinstance(data__published__caveat, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".published.caveat must be string", data__published__caveat)
                if "nodes" in data__published_keys:
                    data__published_keys.remove("nodes")
                    data__published__nodes = data__published["nodes"]
                    validate____defs_count(data__published__nodes, custom_formats, (name_prefix or "data") + ".published.nodes")
                if "device" in data__published_keys:
                    data__published_keys.remove("device")
                    data__published__device = data__published["device"]
                    validate____defs_text(data__published__device, custom_formats, (name_prefix or "data") + ".published.device")
                if "ours" in data__published_keys:
                    data__published_keys.remove("ours")
                    data__published__ours = data__published["ours"]
                    validate____defs_text(data__published__ours, custom_formats, (name_prefix or "data") + ".published.ours")
                if "ratio" in data__published_keys:
                    data__published_keys.remove("ratio")
                    data__published__ratio = data__published["ratio"]
                    validate____defs_positive(data__published__ratio, custom_formats, (name_prefix or "data") + ".published.ratio")
    return data

def validate____defs_not_bounded(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (int, float)) or isinstance(data, bool):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be number", data)
    if isinstance(data, (int, float)):
        if data < 0:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be bigger than or equal to 0", data)
    return data

def validate____defs_phases(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data_keys = set(data.keys())
        for data_key in data_keys:
            if data_key not in []:
                data_value = data.get(data_key)
                validate____defs_not_negative(data_value, custom_formats, (name_prefix or "data") + ".{data_key}".format(**locals()))
        data_len = len(data)
        if data_len != 0:
            data_property_names = True
            for data_key in data:
                try:
                    if type(data_key) not in (str,) or data_key not in ('read', 'copy_in', 'compute', 'copy_out', 'push', 'exchange', 'reduce', 'merge', 'wait', 'checkpoint'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be read or copy_in or compute or copy_out or push or exchange or reduce or merge or wait or checkpoint", data_key)
                except JsonSchemaValueException:
                    data_property_names = False
            if not data_property_names:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " must be named by propertyName definition", data)
    return data

def validate____defs_rate(data, custom_formats={}, name_prefix=None):
    data_fits2 = 0
    data_problems2 = []
    if data_fits2 < 2:
        try:
            data_is_dict = isinstance(data, dict)
            if data_is_dict:
                for key in ['GFLOP/s']:
                    if key not in data:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
            data_fits2 += 1
        except JsonSchemaValueException as problem:
            data_problems2.append(problem)
    if data_fits2 < 2:
        try:
            data_is_dict = isinstance(data, dict)
            if data_is_dict:
                for key in ['MiB/s', 'bytes_per_second']:
                    if key not in data:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
            data_fits2 += 1
        except JsonSchemaValueException as problem:
            data_problems2.append(problem)
    if not data_fits2:
        raise min(data_problems2, key=lambda problem: len(problem.message))
    if data_fits2 > 1:
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be one thing alone", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data_keys = set(data.keys())
        if "GFLOP/s" in data_keys:
            data_keys.remove("GFLOP/s")
            data__GFLOPs = data["GFLOP/s"]
            validate____defs_positive(data__GFLOPs, custom_formats, (name_prefix or "data") + ".GFLOP/s")
        if "MiB/s" in data_keys:
            data_keys.remove("MiB/s")
            data__MiBs = data["MiB/s"]
            validate____defs_positive(data__MiBs, custom_formats, (name_prefix or "data") + ".MiB/s")
        if "bytes_per_second" in data_keys:
            data_keys.remove("bytes_per_second")
            data__bytespersecond = data["bytes_per_second"]
            validate____defs_positive(data__bytespersecond, custom_formats, (name_prefix or "data") + ".bytes_per_second")
    return data

def validate____defs_aggregate_row(data, custom_formats={}, name_prefix=None):
    try:
        data_is_dict = isinstance(data, dict)
        if data_is_dict:
            data_keys = set(data.keys())
            if "aggregate_name" in data_keys:
                data_keys.remove("aggregate_name")
                data__aggregatename = data["aggregate_name"]
                if type(data__aggregatename) not in (str,) or data__aggregatename not in ('cv',):
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".aggregate_name must be cv", data__aggregatename)
    except JsonSchemaValueException:
        data_is_dict = isinstance(data, dict)
        if data_is_dict:
            data_keys = set(data.keys())
            if "aggregate_unit" in data_keys:
                data_keys.remove("aggregate_unit")
                data__aggregateunit = data["aggregate_unit"]
                if type(data__aggregateunit) not in (str,) or data__aggregateunit not in ('time',):
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".aggregate_unit must be time", data__aggregateunit)
    else:
        data_is_dict = isinstance(data, dict)
        if data_is_dict:
            data_keys = set(data.keys())
            if "aggregate_unit" in data_keys:
                data_keys.remove("aggregate_unit")
                data__aggregateunit = data["aggregate_unit"]
                if type(data__aggregateunit) not in (str,) or data__aggregateunit not in ('percentage',):
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".aggregate_unit must be percentage", data__aggregateunit)
    try:
        data_is_dict = isinstance(data, dict)
        if data_is_dict:
            data_keys = set(data.keys())
            if "aggregate_name" in data_keys:
                data_keys.remove("aggregate_name")
                data__aggregatename = data["aggregate_name"]
                if type(data__aggregatename) not in (str,) or data__aggregatename not in ('stddev', 'cv'):
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".aggregate_name must be stddev or cv", data__aggregatename)
    except JsonSchemaValueException:
        validate____defs_rate(data, custom_formats, (name_prefix or "data") + "")
        data_is_dict = isinstance(data, dict)
        if data_is_dict:
            data_keys = set(data.keys())
            if "real_time" in data_keys:
                data_keys.remove("real_time")
                data__realtime = data["real_time"]
                validate____defs_positive(data__realtime, custom_formats, (name_prefix or "data") + ".real_time")
    try:
        data_is_dict = isinstance(data, dict)
        if data_is_dict:
            data_keys = set(data.keys())
            if "aggregate_name" in data_keys:
                data_keys.remove("aggregate_name")
                data__aggregatename = data["aggregate_name"]
                if type(data__aggregatename) not in (str,) or data__aggregatename not in ('median',):
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".aggregate_name must be median", data__aggregatename)
    except JsonSchemaValueException:
        pass
    else:
        validate____defs_median_row(data, custom_formats, (name_prefix or "data") + "")
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['run_name', 'threads', 'aggregate_name', 'aggregate_unit', 'iterations', 'real_time', 'cpu_time', 'time_unit']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "name" in data_keys:
            data_keys.remove("name")
            data__name = data["name"]
            validate____defs_text(data__name, custom_formats, (name_prefix or "data") + ".name")
        if "run_name" in data_keys:
            data_keys.remove("run_name")
            data__runname = data["run_name"]
            validate____defs_run_name(data__runname, custom_formats, (name_prefix or "data") + ".run_name")
        if "repetitions" in data_keys:
            data_keys.remove("repetitions")
            data__repetitions = data["repetitions"]
            validate____defs_count(data__repetitions, custom_formats, (name_prefix or "data") + ".repetitions")
        if "threads" in data_keys:
            data_keys.remove("threads")
            data__threads = data["threads"]
            validate____defs_count(data__threads, custom_formats, (name_prefix or "data") + ".threads")
        if "aggregate_name" in data_keys:
            data_keys.remove("aggregate_name")
            data__aggregatename = data["aggregate_name"]
            if type(data__aggregatename) not in (str,) or data__aggregatename not in ('median', 'mean', 'stddev', 'cv', 'min', 'max', 'ci95_low', 'ci95_high'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".aggregate_name must be median or mean or stddev or cv or min or max or ci95_low or ci95_high", data__aggregatename)
        if "iterations" in data_keys:
            data_keys.remove("iterations")
            data__iterations = data["iterations"]
            validate____defs_count(data__iterations, custom_formats, (name_prefix or "data") + ".iterations")
        if "real_time" in data_keys:
            data_keys.remove("real_time")
            data__realtime = data["real_time"]
            validate____defs_not_negative(data__realtime, custom_formats, (name_prefix or "data") + ".real_time")
        if "cpu_time" in data_keys:
            data_keys.remove("cpu_time")
            data__cputime = data["cpu_time"]
            validate____defs_not_negative(data__cputime, custom_formats, (name_prefix or "data") + ".cpu_time")
        if "time_unit" in data_keys:
            data_keys.remove("time_unit")
            data__timeunit = data["time_unit"]
            validate____defs_time_unit(data__timeunit, custom_formats, (name_prefix or "data") + ".time_unit")
    return data

def validate____defs_median_row(data, custom_formats={}, name_prefix=None):
    validate____defs_details(data, custom_formats, (name_prefix or "data") + "")
    try:
        try:
            data_is_dict = isinstance(data, dict)
            if data_is_dict:
                data_keys = set(data.keys())
                if "run_name" in data_keys:
                    data_keys.remove("run_name")
                    data__runname = data["run_name"]
                    if isinstance(data__runname, str) and not REGEX_PATTERNS['/(paper|pair:[0-9]+-[0-9]+)$'].search(data__runname):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".run_name is not written as it should be", data__runname)
        except JsonSchemaValueException: pass
        else:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must NOT match a disallowed definition", data)
    except JsonSchemaValueException:
        pass
    else:
        data_fits3 = 0
        data_problems3 = []
        if data_fits3 < 2:
            try:
                data_is_dict = isinstance(data, dict)
                if data_is_dict:
                    for key in ['rank_seconds']:
                        if key not in data:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
                data_fits3 += 1
            except JsonSchemaValueException as problem:
                data_problems3.append(problem)
        if data_fits3 < 2:
            try:
                data_is_dict = isinstance(data, dict)
                if data_is_dict:
                    for key in ['rank_seconds_summary']:
                        if key not in data:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
                data_fits3 += 1
            except JsonSchemaValueException as problem:
                data_problems3.append(problem)
        if not data_fits3:
            raise min(data_problems3, key=lambda problem: len(problem.message))
        if data_fits3 > 1:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be one thing alone", data)
    try:
        try:
            data_is_dict = isinstance(data, dict)
            if data_is_dict:
                data_keys = set(data.keys())
                if "run_name" in data_keys:
                    data_keys.remove("run_name")
                    data__runname = data["run_name"]
                    if isinstance(data__runname, str) and not REGEX_PATTERNS['/paper$'].search(data__runname):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".run_name is not written as it should be", data__runname)
        except JsonSchemaValueException: pass
        else:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must NOT match a disallowed definition", data)
    except JsonSchemaValueException:
        pass
    else:
        data_is_dict = isinstance(data, dict)
        if data_is_dict:
            for key in ['phases', 'flops', 'bytes', 'workers', 'per_worker', 'verified', 'total_seconds']:
                if key not in data:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
    return data

def validate____defs_context(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['date', 'host_name', 'executable', 'num_cpus', 'mhz_per_cpu', 'cpu_scaling_enabled', 'caches', 'load_avg', 'library_version', 'library_build_type', 'json_schema_version', 'quartet']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "date" in data_keys:
            data_keys.remove("date")
            data__date = data["date"]
            if not isinstance(data__date, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".date must be string", data__date)
            if isinstance(data__date, str) and not REGEX_PATTERNS['^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(Z|[+-]\\d{2}:\\d{2})$'].search(data__date):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".date is not written as it should be", data__date)
        if "host_name" in data_keys:
            data_keys.remove("host_name")
            data__hostname = data["host_name"]
            validate____defs_text(data__hostname, custom_formats, (name_prefix or "data") + ".host_name")
        if "executable" in data_keys:
            data_keys.remove("executable")
            data__executable = data["executable"]
            validate____defs_text(data__executable, custom_formats, (name_prefix or "data") + ".executable")
        if "num_cpus" in data_keys:
            data_keys.remove("num_cpus")
            data__numcpus = data["num_cpus"]
            validate____defs_count(data__numcpus, custom_formats, (name_prefix or "data") + ".num_cpus")
        if "mhz_per_cpu" in data_keys:
            data_keys.remove("mhz_per_cpu")
            data__mhzpercpu = data["mhz_per_cpu"]
            validate____defs_not_negative(data__mhzpercpu, custom_formats, (name_prefix or "data") + ".mhz_per_cpu")
        if "cpu_scaling_enabled" in data_keys:
            data_keys.remove("cpu_scaling_enabled")
            data__cpuscalingenabled = data["cpu_scaling_enabled"]
            if not isinstance(data__cpuscalingenabled, (bool)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cpu_scaling_enabled must be boolean", data__cpuscalingenabled)
        if "caches" in data_keys:
            data_keys.remove("caches")
            data__caches = data["caches"]
            if not isinstance(data__caches, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".caches must be array", data__caches)
            data__caches_is_list = isinstance(data__caches, (list, tuple))
            if data__caches_is_list:
                data__caches_len = len(data__caches)
                for data__caches_x, data__caches_item in enumerate(data__caches):
                    if not isinstance(data__caches_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".caches[{data__caches_x}]".format(**locals()) + " must be object", data__caches_item)
                    data__caches_item_is_dict = isinstance(data__caches_item, dict)
                    if data__caches_item_is_dict:
                        for key in ['type', 'level', 'size', 'num_sharing']:
                            if key not in data__caches_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".caches[{data__caches_x}]".format(**locals()) + " lacks " + (key), data__caches_item)
                        data__caches_item_keys = set(data__caches_item.keys())
                        if "type" in data__caches_item_keys:
                            data__caches_item_keys.remove("type")
                            data__caches_item__type = data__caches_item["type"]
                            if type(data__caches_item__type) not in (str,) or data__caches_item__type not in ('Data', 'Instruction', 'Unified'):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".caches[{data__caches_x}].type".format(**locals()) + " must be Data or Instruction or Unified", data__caches_item__type)
                        if "level" in data__caches_item_keys:
                            data__caches_item_keys.remove("level")
                            data__caches_item__level = data__caches_item["level"]
                            validate____defs_count(data__caches_item__level, custom_formats, (name_prefix or "data") + ".caches[{data__caches_x}].level".format(**locals()))
                        if "size" in data__caches_item_keys:
                            data__caches_item_keys.remove("size")
                            data__caches_item__size = data__caches_item["size"]
                            validate____defs_count(data__caches_item__size, custom_formats, (name_prefix or "data") + ".caches[{data__caches_x}].size".format(**locals()))
                        if "num_sharing" in data__caches_item_keys:
                            data__caches_item_keys.remove("num_sharing")
                            data__caches_item__numsharing = data__caches_item["num_sharing"]
                            if not isinstance(data__caches_item__numsharing, (int)) or isinstance(data__caches_item__numsharing, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".caches[{data__caches_x}].num_sharing".format(**locals()) + " must be integer", data__caches_item__numsharing)
                            if isinstance(data__caches_item__numsharing, (int, float)):
                                if data__caches_item__numsharing < 0:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".caches[{data__caches_x}].num_sharing".format(**locals()) + " must be bigger than or equal to 0", data__caches_item__numsharing)
        if "load_avg" in data_keys:
            data_keys.remove("load_avg")
            data__loadavg = data["load_avg"]
            if not isinstance(data__loadavg, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".load_avg must be array", data__loadavg)
            data__loadavg_is_list = isinstance(data__loadavg, (list, tuple))
            if data__loadavg_is_list:
                data__loadavg_len = len(data__loadavg)
                for data__loadavg_x, data__loadavg_item in enumerate(data__loadavg):
                    validate____defs_not_negative(data__loadavg_item, custom_formats, (name_prefix or "data") + ".load_avg[{data__loadavg_x}]".format(**locals()))
        if "library_version" in data_keys:
            data_keys.remove("library_version")
            data__libraryversion = data["library_version"]
            validate____defs_text(data__libraryversion, custom_formats, (name_prefix or "data") + ".library_version")
        if "library_build_type" in data_keys:
            data_keys.remove("library_build_type")
            data__librarybuildtype = data["library_build_type"]
            if type(data__librarybuildtype) not in (str,) or data__librarybuildtype not in ('release', 'debug'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".library_build_type must be release or debug", data__librarybuildtype)
        if "json_schema_version" in data_keys:
            data_keys.remove("json_schema_version")
            data__jsonschemaversion = data["json_schema_version"]
            if type(data__jsonschemaversion) not in (int,) or data__jsonschemaversion not in (1,):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".json_schema_version must be 1", data__jsonschemaversion)
        if "quartet" in data_keys:
            data_keys.remove("quartet")
            data__quartet = data["quartet"]
            validate____defs_provenance(data__quartet, custom_formats, (name_prefix or "data") + ".quartet")
    return data

def validate____defs_provenance(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['schema_version', 'version', 'commit', 'program', 'build', 'options', 'ranks', 'nodes', 'threads', 'placement', 'device', 'gpus', 'mpi', 'slurm', 'environment', 'limits', 'warnings']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "complete" in data_keys:
            data_keys.remove("complete")
            data__complete = data["complete"]
            if not isinstance(data__complete, (bool)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".complete must be boolean", data__complete)
        if "method" in data_keys:
            data_keys.remove("method")
            data__method = data["method"]
            if not isinstance(data__method, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".method must be object", data__method)
            data__method_is_dict = isinstance(data__method, dict)
            if data__method_is_dict:
                for key in ['groups', 'rounds', 'order', 'warmup_discarded', 'barrier', 'timer']:
                    if key not in data__method:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".method lacks " + (key), data__method)
        if "system" in data_keys:
            data_keys.remove("system")
            data__system = data["system"]
            if not isinstance(data__system, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".system must be object", data__system)
            data__system_is_dict = isinstance(data__system, dict)
            if data__system_is_dict:
                data__system_keys = set(data__system.keys())
                if "processor" in data__system_keys:
                    data__system_keys.remove("processor")
                    data__system__processor = data__system["processor"]
                    if not isinstance(data__system__processor, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".system.processor must be object", data__system__processor)
        if "mpi_settings" in data_keys:
            data_keys.remove("mpi_settings")
            data__mpisettings = data["mpi_settings"]
            if not isinstance(data__mpisettings, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".mpi_settings must be object", data__mpisettings)
        if "schema_version" in data_keys:
            data_keys.remove("schema_version")
            data__schemaversion = data["schema_version"]
            if type(data__schemaversion) not in (int,) or data__schemaversion not in (1,):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".schema_version must be 1", data__schemaversion)
        if "version" in data_keys:
            data_keys.remove("version")
            data__version = data["version"]
            if not isinstance(data__version, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".version must be string", data__version)
            if isinstance(data__version, str) and not REGEX_PATTERNS['^\\d+\\.\\d+\\.\\d+'].search(data__version):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".version is not written as it should be", data__version)
        if "commit" in data_keys:
            data_keys.remove("commit")
            data__commit = data["commit"]
            validate____defs_text(data__commit, custom_formats, (name_prefix or "data") + ".commit")
        if "program" in data_keys:
            data_keys.remove("program")
            data__program = data["program"]
            if not isinstance(data__program, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".program must be string", data__program)
            if isinstance(data__program, str) and not REGEX_PATTERNS['^[a-z][a-z0-9_-]*$'].search(data__program):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".program is not written as it should be", data__program)
        if "build" in data_keys:
            data_keys.remove("build")
            data__build = data["build"]
            if not isinstance(data__build, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".build must be object", data__build)
            data__build_is_dict = isinstance(data__build, dict)
            if data__build_is_dict:
                for key in ['compiler', 'flags', 'type', 'cblas']:
                    if key not in data__build:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".build lacks " + (key), data__build)
                data__build_keys = set(data__build.keys())
                for data__build_key in data__build_keys:
                    if data__build_key not in []:
                        data__build_value = data__build.get(data__build_key)
                        if not isinstance(data__build_value, (str)):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".build.{data__build_key}".format(**locals()) + " must be string", data__build_value)
        if "options" in data_keys:
            data_keys.remove("options")
            data__options = data["options"]
            if not isinstance(data__options, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".options must be object", data__options)
            data__options_is_dict = isinstance(data__options, dict)
            if data__options_is_dict:
                data__options_keys = set(data__options.keys())
                for data__options_key in data__options_keys:
                    if data__options_key not in []:
                        data__options_value = data__options.get(data__options_key)
                        if not isinstance(data__options_value, (str)):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".options.{data__options_key}".format(**locals()) + " must be string", data__options_value)
        if "ranks" in data_keys:
            data_keys.remove("ranks")
            data__ranks = data["ranks"]
            validate____defs_count(data__ranks, custom_formats, (name_prefix or "data") + ".ranks")
        if "nodes" in data_keys:
            data_keys.remove("nodes")
            data__nodes = data["nodes"]
            validate____defs_count(data__nodes, custom_formats, (name_prefix or "data") + ".nodes")
        if "workers" in data_keys:
            data_keys.remove("workers")
            data__workers = data["workers"]
            validate____defs_count(data__workers, custom_formats, (name_prefix or "data") + ".workers")
        if "reducers" in data_keys:
            data_keys.remove("reducers")
            data__reducers = data["reducers"]
            if not isinstance(data__reducers, (int)) or isinstance(data__reducers, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".reducers must be integer", data__reducers)
            if isinstance(data__reducers, (int, float)):
                if data__reducers < 0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".reducers must be bigger than or equal to 0", data__reducers)
        if "threads" in data_keys:
            data_keys.remove("threads")
            data__threads = data["threads"]
            validate____defs_count(data__threads, custom_formats, (name_prefix or "data") + ".threads")
        if "placement" in data_keys:
            data_keys.remove("placement")
            data__placement = data["placement"]
            if not isinstance(data__placement, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".placement must be array", data__placement)
            data__placement_is_list = isinstance(data__placement, (list, tuple))
            if data__placement_is_list:
                data__placement_len = len(data__placement)
                if data__placement_len < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".placement must contain at least 1 items", data__placement)
                for data__placement_x, data__placement_item in enumerate(data__placement):
                    if not isinstance(data__placement_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".placement[{data__placement_x}]".format(**locals()) + " must be object", data__placement_item)
                    data__placement_item_is_dict = isinstance(data__placement_item, dict)
                    if data__placement_item_is_dict:
                        for key in ['rank', 'role', 'host', 'node', 'local_rank', 'cpus', 'cores']:
                            if key not in data__placement_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".placement[{data__placement_x}]".format(**locals()) + " lacks " + (key), data__placement_item)
                        data__placement_item_keys = set(data__placement_item.keys())
                        if "rank" in data__placement_item_keys:
                            data__placement_item_keys.remove("rank")
                            data__placement_item__rank = data__placement_item["rank"]
                            if not isinstance(data__placement_item__rank, (int)) or isinstance(data__placement_item__rank, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".placement[{data__placement_x}].rank".format(**locals()) + " must be integer", data__placement_item__rank)
                            if isinstance(data__placement_item__rank, (int, float)):
                                if data__placement_item__rank < 0:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".placement[{data__placement_x}].rank".format(**locals()) + " must be bigger than or equal to 0", data__placement_item__rank)
                                if data__placement_item__rank > 1000000000.0:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".placement[{data__placement_x}].rank".format(**locals()) + " must be smaller than or equal to 1000000000.0", data__placement_item__rank)
                        if "host" in data__placement_item_keys:
                            data__placement_item_keys.remove("host")
                            data__placement_item__host = data__placement_item["host"]
                            validate____defs_text(data__placement_item__host, custom_formats, (name_prefix or "data") + ".placement[{data__placement_x}].host".format(**locals()))
                        if "cpus" in data__placement_item_keys:
                            data__placement_item_keys.remove("cpus")
                            data__placement_item__cpus = data__placement_item["cpus"]
                            if not isinstance(data__placement_item__cpus, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".placement[{data__placement_x}].cpus".format(**locals()) + " must be string", data__placement_item__cpus)
                        if "role" in data__placement_item_keys:
                            data__placement_item_keys.remove("role")
                            data__placement_item__role = data__placement_item["role"]
                            if type(data__placement_item__role) not in (str,) or data__placement_item__role not in ('worker', 'reducer', 'worker or reducer'):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".placement[{data__placement_x}].role".format(**locals()) + " must be worker or reducer or worker or reducer", data__placement_item__role)
                        if "quota" in data__placement_item_keys:
                            data__placement_item_keys.remove("quota")
                            data__placement_item__quota = data__placement_item["quota"]
                            validate____defs_positive(data__placement_item__quota, custom_formats, (name_prefix or "data") + ".placement[{data__placement_x}].quota".format(**locals()))
        if "cluster" in data_keys:
            data_keys.remove("cluster")
            data__cluster = data["cluster"]
            if not isinstance(data__cluster, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster must be array", data__cluster)
            data__cluster_is_list = isinstance(data__cluster, (list, tuple))
            if data__cluster_is_list:
                data__cluster_len = len(data__cluster)
                for data__cluster_x, data__cluster_item in enumerate(data__cluster):
                    if not isinstance(data__cluster_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}]".format(**locals()) + " must be object", data__cluster_item)
                    data__cluster_item_is_dict = isinstance(data__cluster_item, dict)
                    if data__cluster_item_is_dict:
                        for key in ['formulations', 'reducers', 'workers', 'tasks']:
                            if key not in data__cluster_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}]".format(**locals()) + " lacks " + (key), data__cluster_item)
                        data__cluster_item_keys = set(data__cluster_item.keys())
                        if "formulations" in data__cluster_item_keys:
                            data__cluster_item_keys.remove("formulations")
                            data__cluster_item__formulations = data__cluster_item["formulations"]
                            if not isinstance(data__cluster_item__formulations, (list)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].formulations".format(**locals()) + " must be array", data__cluster_item__formulations)
                            data__cluster_item__formulations_is_list = isinstance(data__cluster_item__formulations, (list, tuple))
                            if data__cluster_item__formulations_is_list:
                                data__cluster_item__formulations_len = len(data__cluster_item__formulations)
                                if data__cluster_item__formulations_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].formulations".format(**locals()) + " must contain at least 1 items", data__cluster_item__formulations)
                                for data__cluster_item__formulations_x, data__cluster_item__formulations_item in enumerate(data__cluster_item__formulations):
                                    validate____defs_text(data__cluster_item__formulations_item, custom_formats, (name_prefix or "data") + ".cluster[{data__cluster_x}].formulations[{data__cluster_item__formulations_x}]".format(**locals()))
                        if "reducers" in data__cluster_item_keys:
                            data__cluster_item_keys.remove("reducers")
                            data__cluster_item__reducers = data__cluster_item["reducers"]
                            if not isinstance(data__cluster_item__reducers, (int)) or isinstance(data__cluster_item__reducers, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].reducers".format(**locals()) + " must be integer", data__cluster_item__reducers)
                            if isinstance(data__cluster_item__reducers, (int, float)):
                                if data__cluster_item__reducers < 0:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].reducers".format(**locals()) + " must be bigger than or equal to 0", data__cluster_item__reducers)
                        if "workers" in data__cluster_item_keys:
                            data__cluster_item_keys.remove("workers")
                            data__cluster_item__workers = data__cluster_item["workers"]
                            validate____defs_count(data__cluster_item__workers, custom_formats, (name_prefix or "data") + ".cluster[{data__cluster_x}].workers".format(**locals()))
                        if "tasks" in data__cluster_item_keys:
                            data__cluster_item_keys.remove("tasks")
                            data__cluster_item__tasks = data__cluster_item["tasks"]
                            if not isinstance(data__cluster_item__tasks, (list)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks".format(**locals()) + " must be array", data__cluster_item__tasks)
                            data__cluster_item__tasks_is_list = isinstance(data__cluster_item__tasks, (list, tuple))
                            if data__cluster_item__tasks_is_list:
                                data__cluster_item__tasks_len = len(data__cluster_item__tasks)
                                if data__cluster_item__tasks_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks".format(**locals()) + " must contain at least 1 items", data__cluster_item__tasks)
                                for data__cluster_item__tasks_x, data__cluster_item__tasks_item in enumerate(data__cluster_item__tasks):
                                    if not isinstance(data__cluster_item__tasks_item, (dict)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks[{data__cluster_item__tasks_x}]".format(**locals()) + " must be object", data__cluster_item__tasks_item)
                                    data__cluster_item__tasks_item_is_dict = isinstance(data__cluster_item__tasks_item, dict)
                                    if data__cluster_item__tasks_item_is_dict:
                                        for key in ['role', 'index', 'rank', 'host']:
                                            if key not in data__cluster_item__tasks_item:
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks[{data__cluster_item__tasks_x}]".format(**locals()) + " lacks " + (key), data__cluster_item__tasks_item)
                                        data__cluster_item__tasks_item_keys = set(data__cluster_item__tasks_item.keys())
                                        if "role" in data__cluster_item__tasks_item_keys:
                                            data__cluster_item__tasks_item_keys.remove("role")
                                            data__cluster_item__tasks_item__role = data__cluster_item__tasks_item["role"]
                                            if type(data__cluster_item__tasks_item__role) not in (str,) or data__cluster_item__tasks_item__role not in ('worker', 'reducer'):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks[{data__cluster_item__tasks_x}].role".format(**locals()) + " must be worker or reducer", data__cluster_item__tasks_item__role)
                                        if "index" in data__cluster_item__tasks_item_keys:
                                            data__cluster_item__tasks_item_keys.remove("index")
                                            data__cluster_item__tasks_item__index = data__cluster_item__tasks_item["index"]
                                            if not isinstance(data__cluster_item__tasks_item__index, (int)) or isinstance(data__cluster_item__tasks_item__index, bool):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks[{data__cluster_item__tasks_x}].index".format(**locals()) + " must be integer", data__cluster_item__tasks_item__index)
                                            if isinstance(data__cluster_item__tasks_item__index, (int, float)):
                                                if data__cluster_item__tasks_item__index < 0:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks[{data__cluster_item__tasks_x}].index".format(**locals()) + " must be bigger than or equal to 0", data__cluster_item__tasks_item__index)
                                        if "rank" in data__cluster_item__tasks_item_keys:
                                            data__cluster_item__tasks_item_keys.remove("rank")
                                            data__cluster_item__tasks_item__rank = data__cluster_item__tasks_item["rank"]
                                            if not isinstance(data__cluster_item__tasks_item__rank, (int)) or isinstance(data__cluster_item__tasks_item__rank, bool):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks[{data__cluster_item__tasks_x}].rank".format(**locals()) + " must be integer", data__cluster_item__tasks_item__rank)
                                            if isinstance(data__cluster_item__tasks_item__rank, (int, float)):
                                                if data__cluster_item__tasks_item__rank < 0:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks[{data__cluster_item__tasks_x}].rank".format(**locals()) + " must be bigger than or equal to 0", data__cluster_item__tasks_item__rank)
                                        if "host" in data__cluster_item__tasks_item_keys:
                                            data__cluster_item__tasks_item_keys.remove("host")
                                            data__cluster_item__tasks_item__host = data__cluster_item__tasks_item["host"]
                                            validate____defs_text(data__cluster_item__tasks_item__host, custom_formats, (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks[{data__cluster_item__tasks_x}].host".format(**locals()))
                                        if "gpu" in data__cluster_item__tasks_item_keys:
                                            data__cluster_item__tasks_item_keys.remove("gpu")
                                            data__cluster_item__tasks_item__gpu = data__cluster_item__tasks_item["gpu"]
                                            if not isinstance(data__cluster_item__tasks_item__gpu, (int)) or isinstance(data__cluster_item__tasks_item__gpu, bool):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks[{data__cluster_item__tasks_x}].gpu".format(**locals()) + " must be integer", data__cluster_item__tasks_item__gpu)
                                            if isinstance(data__cluster_item__tasks_item__gpu, (int, float)):
                                                if data__cluster_item__tasks_item__gpu < 0:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks[{data__cluster_item__tasks_x}].gpu".format(**locals()) + " must be bigger than or equal to 0", data__cluster_item__tasks_item__gpu)
                                        if data__cluster_item__tasks_item_keys:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}].tasks[{data__cluster_item__tasks_x}]".format(**locals()) + " must not contain "+str(data__cluster_item__tasks_item_keys)+" properties", data__cluster_item__tasks_item)
                        if data__cluster_item_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".cluster[{data__cluster_x}]".format(**locals()) + " must not contain "+str(data__cluster_item_keys)+" properties", data__cluster_item)
        if "wall" in data_keys:
            data_keys.remove("wall")
            data__wall = data["wall"]
            if not isinstance(data__wall, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".wall must be object", data__wall)
            data__wall_is_dict = isinstance(data__wall, dict)
            if data__wall_is_dict:
                for key in ['seconds', 'begins', 'stages']:
                    if key not in data__wall:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".wall lacks " + (key), data__wall)
                data__wall_keys = set(data__wall.keys())
                if "seconds" in data__wall_keys:
                    data__wall_keys.remove("seconds")
                    data__wall__seconds = data__wall["seconds"]
                    if not isinstance(data__wall__seconds, (int, float)) or isinstance(data__wall__seconds, bool):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".wall.seconds must be number", data__wall__seconds)
                    if isinstance(data__wall__seconds, (int, float)):
                        if data__wall__seconds < 0:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".wall.seconds must be bigger than or equal to 0", data__wall__seconds)
                if "begins" in data__wall_keys:
                    data__wall_keys.remove("begins")
                    data__wall__begins = data__wall["begins"]
                    if type(data__wall__begins) not in (str,) or data__wall__begins not in ('launcher', 'process'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".wall.begins must be launcher or process", data__wall__begins)
                if "stages" in data__wall_keys:
                    data__wall_keys.remove("stages")
                    data__wall__stages = data__wall["stages"]
                    if not isinstance(data__wall__stages, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".wall.stages must be object", data__wall__stages)
                    data__wall__stages_is_dict = isinstance(data__wall__stages, dict)
                    if data__wall__stages_is_dict:
                        data__wall__stages_keys = set(data__wall__stages.keys())
                        for data__wall__stages_key in data__wall__stages_keys:
                            if data__wall__stages_key not in []:
                                data__wall__stages_value = data__wall__stages.get(data__wall__stages_key)
                                if not isinstance(data__wall__stages_value, (int, float)) or isinstance(data__wall__stages_value, bool):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".wall.stages.{data__wall__stages_key}".format(**locals()) + " must be number", data__wall__stages_value)
                                if isinstance(data__wall__stages_value, (int, float)):
                                    if data__wall__stages_value < 0:
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".wall.stages.{data__wall__stages_key}".format(**locals()) + " must be bigger than or equal to 0", data__wall__stages_value)
                if data__wall_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".wall must not contain "+str(data__wall_keys)+" properties", data__wall)
        if "device" in data_keys:
            data_keys.remove("device")
            data__device = data["device"]
            if type(data__device) not in (str,) or data__device not in ('host', 'cuda', 'model'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".device must be host or cuda or model", data__device)
        if "device_description" in data_keys:
            data_keys.remove("device_description")
            data__devicedescription = data["device_description"]
            validate____defs_text(data__devicedescription, custom_formats, (name_prefix or "data") + ".device_description")
        if "isa" in data_keys:
            data_keys.remove("isa")
            data__isa = data["isa"]
            validate____defs_text(data__isa, custom_formats, (name_prefix or "data") + ".isa")
        if "why_no_gpu" in data_keys:
            data_keys.remove("why_no_gpu")
            data__whynogpu = data["why_no_gpu"]
            if not isinstance(data__whynogpu, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".why_no_gpu must be string", data__whynogpu)
        if "gpus" in data_keys:
            data_keys.remove("gpus")
            data__gpus = data["gpus"]
            if not isinstance(data__gpus, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus must be array", data__gpus)
            data__gpus_is_list = isinstance(data__gpus, (list, tuple))
            if data__gpus_is_list:
                data__gpus_len = len(data__gpus)
                for data__gpus_x, data__gpus_item in enumerate(data__gpus):
                    if not isinstance(data__gpus_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}]".format(**locals()) + " must be object", data__gpus_item)
                    data__gpus_item_is_dict = isinstance(data__gpus_item, dict)
                    if data__gpus_item_is_dict:
                        for key in ['name', 'uuid', 'host', 'ranks', 'before', 'after']:
                            if key not in data__gpus_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}]".format(**locals()) + " lacks " + (key), data__gpus_item)
                        data__gpus_item_keys = set(data__gpus_item.keys())
                        if "name" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("name")
                            data__gpus_item__name = data__gpus_item["name"]
                            validate____defs_text(data__gpus_item__name, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].name".format(**locals()))
                        if "uuid" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("uuid")
                            data__gpus_item__uuid = data__gpus_item["uuid"]
                            validate____defs_text(data__gpus_item__uuid, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].uuid".format(**locals()))
                        if "host" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("host")
                            data__gpus_item__host = data__gpus_item["host"]
                            validate____defs_text(data__gpus_item__host, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].host".format(**locals()))
                        if "ranks" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("ranks")
                            data__gpus_item__ranks = data__gpus_item["ranks"]
                            if not isinstance(data__gpus_item__ranks, (list)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].ranks".format(**locals()) + " must be array", data__gpus_item__ranks)
                            data__gpus_item__ranks_is_list = isinstance(data__gpus_item__ranks, (list, tuple))
                            if data__gpus_item__ranks_is_list:
                                data__gpus_item__ranks_len = len(data__gpus_item__ranks)
                                if data__gpus_item__ranks_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].ranks".format(**locals()) + " must contain at least 1 items", data__gpus_item__ranks)
                                for data__gpus_item__ranks_x, data__gpus_item__ranks_item in enumerate(data__gpus_item__ranks):
                                    if not isinstance(data__gpus_item__ranks_item, (int)) or isinstance(data__gpus_item__ranks_item, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].ranks[{data__gpus_item__ranks_x}]".format(**locals()) + " must be integer", data__gpus_item__ranks_item)
                                    if isinstance(data__gpus_item__ranks_item, (int, float)):
                                        if data__gpus_item__ranks_item < 0:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].ranks[{data__gpus_item__ranks_x}]".format(**locals()) + " must be bigger than or equal to 0", data__gpus_item__ranks_item)
                        if "numa_nodes" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("numa_nodes")
                            data__gpus_item__numanodes = data__gpus_item["numa_nodes"]
                            if not isinstance(data__gpus_item__numanodes, (list)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].numa_nodes".format(**locals()) + " must be array", data__gpus_item__numanodes)
                            data__gpus_item__numanodes_is_list = isinstance(data__gpus_item__numanodes, (list, tuple))
                            if data__gpus_item__numanodes_is_list:
                                data__gpus_item__numanodes_len = len(data__gpus_item__numanodes)
                                if data__gpus_item__numanodes_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].numa_nodes".format(**locals()) + " must contain at least 1 items", data__gpus_item__numanodes)
                                for data__gpus_item__numanodes_x, data__gpus_item__numanodes_item in enumerate(data__gpus_item__numanodes):
                                    if not isinstance(data__gpus_item__numanodes_item, (int)) or isinstance(data__gpus_item__numanodes_item, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].numa_nodes[{data__gpus_item__numanodes_x}]".format(**locals()) + " must be integer", data__gpus_item__numanodes_item)
                                    if isinstance(data__gpus_item__numanodes_item, (int, float)):
                                        if data__gpus_item__numanodes_item < 0:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].numa_nodes[{data__gpus_item__numanodes_x}]".format(**locals()) + " must be bigger than or equal to 0", data__gpus_item__numanodes_item)
                        if "driver" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("driver")
                            data__gpus_item__driver = data__gpus_item["driver"]
                            validate____defs_text(data__gpus_item__driver, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].driver".format(**locals()))
                        if "pci_bus" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("pci_bus")
                            data__gpus_item__pcibus = data__gpus_item["pci_bus"]
                            validate____defs_text(data__gpus_item__pcibus, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].pci_bus".format(**locals()))
                        if "architecture" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("architecture")
                            data__gpus_item__architecture = data__gpus_item["architecture"]
                            validate____defs_count(data__gpus_item__architecture, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].architecture".format(**locals()))
                        if "multiprocessors" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("multiprocessors")
                            data__gpus_item__multiprocessors = data__gpus_item["multiprocessors"]
                            validate____defs_count(data__gpus_item__multiprocessors, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].multiprocessors".format(**locals()))
                        if "memory_bus_bits" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("memory_bus_bits")
                            data__gpus_item__memorybusbits = data__gpus_item["memory_bus_bits"]
                            validate____defs_count(data__gpus_item__memorybusbits, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].memory_bus_bits".format(**locals()))
                        if "most_memory_clock_mhz" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("most_memory_clock_mhz")
                            data__gpus_item__mostmemoryclockmhz = data__gpus_item["most_memory_clock_mhz"]
                            validate____defs_count(data__gpus_item__mostmemoryclockmhz, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].most_memory_clock_mhz".format(**locals()))
                        if "memory" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("memory")
                            data__gpus_item__memory = data__gpus_item["memory"]
                            validate____defs_count(data__gpus_item__memory, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].memory".format(**locals()))
                        if "most_clock_mhz" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("most_clock_mhz")
                            data__gpus_item__mostclockmhz = data__gpus_item["most_clock_mhz"]
                            validate____defs_count(data__gpus_item__mostclockmhz, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].most_clock_mhz".format(**locals()))
                        if "error_correction" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("error_correction")
                            data__gpus_item__errorcorrection = data__gpus_item["error_correction"]
                            if not isinstance(data__gpus_item__errorcorrection, (bool)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].error_correction".format(**locals()) + " must be boolean", data__gpus_item__errorcorrection)
                        if "partitioned" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("partitioned")
                            data__gpus_item__partitioned = data__gpus_item["partitioned"]
                            if not isinstance(data__gpus_item__partitioned, (bool)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].partitioned".format(**locals()) + " must be boolean", data__gpus_item__partitioned)
                        if "power_limit_watts" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("power_limit_watts")
                            data__gpus_item__powerlimitwatts = data__gpus_item["power_limit_watts"]
                            validate____defs_positive(data__gpus_item__powerlimitwatts, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].power_limit_watts".format(**locals()))
                        if "most_pcie_generation" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("most_pcie_generation")
                            data__gpus_item__mostpciegeneration = data__gpus_item["most_pcie_generation"]
                            validate____defs_count(data__gpus_item__mostpciegeneration, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].most_pcie_generation".format(**locals()))
                        if "most_pcie_width" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("most_pcie_width")
                            data__gpus_item__mostpciewidth = data__gpus_item["most_pcie_width"]
                            validate____defs_count(data__gpus_item__mostpciewidth, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].most_pcie_width".format(**locals()))
                        if "nvlink_links" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("nvlink_links")
                            data__gpus_item__nvlinklinks = data__gpus_item["nvlink_links"]
                            if not isinstance(data__gpus_item__nvlinklinks, (int)) or isinstance(data__gpus_item__nvlinklinks, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].nvlink_links".format(**locals()) + " must be integer", data__gpus_item__nvlinklinks)
                            if isinstance(data__gpus_item__nvlinklinks, (int, float)):
                                if data__gpus_item__nvlinklinks < 0:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].nvlink_links".format(**locals()) + " must be bigger than or equal to 0", data__gpus_item__nvlinklinks)
                        if "nvlink_version" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("nvlink_version")
                            data__gpus_item__nvlinkversion = data__gpus_item["nvlink_version"]
                            validate____defs_text(data__gpus_item__nvlinkversion, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].nvlink_version".format(**locals()))
                        if "c2c" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("c2c")
                            data__gpus_item__c2c = data__gpus_item["c2c"]
                            if not isinstance(data__gpus_item__c2c, (bool)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].c2c".format(**locals()) + " must be boolean", data__gpus_item__c2c)
                        if "compute_mode" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("compute_mode")
                            data__gpus_item__computemode = data__gpus_item["compute_mode"]
                            validate____defs_text(data__gpus_item__computemode, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].compute_mode".format(**locals()))
                        if "persistence" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("persistence")
                            data__gpus_item__persistence = data__gpus_item["persistence"]
                            if not isinstance(data__gpus_item__persistence, (bool)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].persistence".format(**locals()) + " must be boolean", data__gpus_item__persistence)
                        if "energy_joules" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("energy_joules")
                            data__gpus_item__energyjoules = data__gpus_item["energy_joules"]
                            validate____defs_not_negative(data__gpus_item__energyjoules, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].energy_joules".format(**locals()))
                        if "why_unknown" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("why_unknown")
                            data__gpus_item__whyunknown = data__gpus_item["why_unknown"]
                            if not isinstance(data__gpus_item__whyunknown, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".gpus[{data__gpus_x}].why_unknown".format(**locals()) + " must be string", data__gpus_item__whyunknown)
                        if "before" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("before")
                            data__gpus_item__before = data__gpus_item["before"]
                            validate____defs_gpu_state(data__gpus_item__before, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].before".format(**locals()))
                        if "after" in data__gpus_item_keys:
                            data__gpus_item_keys.remove("after")
                            data__gpus_item__after = data__gpus_item["after"]
                            validate____defs_gpu_state(data__gpus_item__after, custom_formats, (name_prefix or "data") + ".gpus[{data__gpus_x}].after".format(**locals()))
        if "mpi" in data_keys:
            data_keys.remove("mpi")
            data__mpi = data["mpi"]
            validate____defs_text(data__mpi, custom_formats, (name_prefix or "data") + ".mpi")
        if "slurm" in data_keys:
            data_keys.remove("slurm")
            data__slurm = data["slurm"]
            if not isinstance(data__slurm, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".slurm must be object", data__slurm)
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
        if "limits" in data_keys:
            data_keys.remove("limits")
            data__limits = data["limits"]
            if not isinstance(data__limits, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".limits must be array", data__limits)
            data__limits_is_list = isinstance(data__limits, (list, tuple))
            if data__limits_is_list:
                data__limits_len = len(data__limits)
                for data__limits_x, data__limits_item in enumerate(data__limits):
                    if not isinstance(data__limits_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".limits[{data__limits_x}]".format(**locals()) + " must be object", data__limits_item)
                    data__limits_item_is_dict = isinstance(data__limits_item, dict)
                    if data__limits_item_is_dict:
                        for key in ['name', 'what', 'seconds']:
                            if key not in data__limits_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".limits[{data__limits_x}]".format(**locals()) + " lacks " + (key), data__limits_item)
                        data__limits_item_keys = set(data__limits_item.keys())
                        if "seconds" in data__limits_item_keys:
                            data__limits_item_keys.remove("seconds")
                            data__limits_item__seconds = data__limits_item["seconds"]
                            validate____defs_positive(data__limits_item__seconds, custom_formats, (name_prefix or "data") + ".limits[{data__limits_x}].seconds".format(**locals()))
        if "warnings" in data_keys:
            data_keys.remove("warnings")
            data__warnings = data["warnings"]
            if not isinstance(data__warnings, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".warnings must be array", data__warnings)
            data__warnings_is_list = isinstance(data__warnings, (list, tuple))
            if data__warnings_is_list:
                data__warnings_len = len(data__warnings)
                for data__warnings_x, data__warnings_item in enumerate(data__warnings):
                    validate____defs_text(data__warnings_item, custom_formats, (name_prefix or "data") + ".warnings[{data__warnings_x}]".format(**locals()))
    return data

def validate____defs_gpu_state(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data_keys = set(data.keys())
        if "clock_mhz" in data_keys:
            data_keys.remove("clock_mhz")
            data__clockmhz = data["clock_mhz"]
            validate____defs_count(data__clockmhz, custom_formats, (name_prefix or "data") + ".clock_mhz")
        if "memory_clock_mhz" in data_keys:
            data_keys.remove("memory_clock_mhz")
            data__memoryclockmhz = data["memory_clock_mhz"]
            validate____defs_count(data__memoryclockmhz, custom_formats, (name_prefix or "data") + ".memory_clock_mhz")
        if "temperature_celsius" in data_keys:
            data_keys.remove("temperature_celsius")
            data__temperaturecelsius = data["temperature_celsius"]
            if not isinstance(data__temperaturecelsius, (int)) or isinstance(data__temperaturecelsius, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".temperature_celsius must be integer", data__temperaturecelsius)
        if "pcie_generation" in data_keys:
            data_keys.remove("pcie_generation")
            data__pciegeneration = data["pcie_generation"]
            validate____defs_count(data__pciegeneration, custom_formats, (name_prefix or "data") + ".pcie_generation")
        if "pcie_width" in data_keys:
            data_keys.remove("pcie_width")
            data__pciewidth = data["pcie_width"]
            validate____defs_count(data__pciewidth, custom_formats, (name_prefix or "data") + ".pcie_width")
        if "mps_processes" in data_keys:
            data_keys.remove("mps_processes")
            data__mpsprocesses = data["mps_processes"]
            if not isinstance(data__mpsprocesses, (int)) or isinstance(data__mpsprocesses, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".mps_processes must be integer", data__mpsprocesses)
            if isinstance(data__mpsprocesses, (int, float)):
                if data__mpsprocesses < 0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".mps_processes must be bigger than or equal to 0", data__mpsprocesses)
        if "energy_joules" in data_keys:
            data_keys.remove("energy_joules")
            data__energyjoules = data["energy_joules"]
            validate____defs_not_negative(data__energyjoules, custom_formats, (name_prefix or "data") + ".energy_joules")
        if "power_capped_seconds" in data_keys:
            data_keys.remove("power_capped_seconds")
            data__powercappedseconds = data["power_capped_seconds"]
            validate____defs_not_negative(data__powercappedseconds, custom_formats, (name_prefix or "data") + ".power_capped_seconds")
        if "thermally_slowed_seconds" in data_keys:
            data_keys.remove("thermally_slowed_seconds")
            data__thermallyslowedseconds = data["thermally_slowed_seconds"]
            validate____defs_not_negative(data__thermallyslowedseconds, custom_formats, (name_prefix or "data") + ".thermally_slowed_seconds")
        if "power_braked_seconds" in data_keys:
            data_keys.remove("power_braked_seconds")
            data__powerbrakedseconds = data["power_braked_seconds"]
            validate____defs_not_negative(data__powerbrakedseconds, custom_formats, (name_prefix or "data") + ".power_braked_seconds")
        if "throttled_by" in data_keys:
            data_keys.remove("throttled_by")
            data__throttledby = data["throttled_by"]
            if not isinstance(data__throttledby, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".throttled_by must be array", data__throttledby)
            data__throttledby_is_list = isinstance(data__throttledby, (list, tuple))
            if data__throttledby_is_list:
                data__throttledby_len = len(data__throttledby)
                for data__throttledby_x, data__throttledby_item in enumerate(data__throttledby):
                    validate____defs_text(data__throttledby_item, custom_formats, (name_prefix or "data") + ".throttled_by[{data__throttledby_x}]".format(**locals()))
    return data
