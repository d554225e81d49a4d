"""Generated from results/schema/quartet-published.schema.json by `quartet schemas` (fastjsonschema 2.16.3)."""

import re
from quartet.schema import Invalid as JsonSchemaValueException


REGEX_PATTERNS = {
    '^[a-z][a-z0-9_-]*$': re.compile('^[a-z][a-z0-9_-]*\\Z', re.A),
    '^https://': re.compile('^https://', re.A),
    '^[1-9][0-9]*$': re.compile('^[1-9][0-9]*\\Z', re.A)
}

NoneType = type(None)

def validate(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['schema_version', 'source', 'numbers']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "schema_version" in data_keys:
            data_keys.remove("schema_version")
            data__schemaversion = data["schema_version"]
            if type(data__schemaversion) not in (int,) or data__schemaversion not in (1,):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".schema_version must be 1", data__schemaversion)
        if "source" in data_keys:
            data_keys.remove("source")
            data__source = data["source"]
            if not isinstance(data__source, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".source must be object", data__source)
            data__source_is_dict = isinstance(data__source, dict)
            if data__source_is_dict:
                for key in ['short', 'authors', 'title', 'year', 'identifier']:
                    if key not in data__source:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".source lacks " + (key), data__source)
                data__source_keys = set(data__source.keys())
                if "short" in data__source_keys:
                    data__source_keys.remove("short")
                    data__source__short = data__source["short"]
                    validate____defs_text(data__source__short, custom_formats, (name_prefix or "data") + ".source.short")
                if "authors" in data__source_keys:
                    data__source_keys.remove("authors")
                    data__source__authors = data__source["authors"]
                    validate____defs_text(data__source__authors, custom_formats, (name_prefix or "data") + ".source.authors")
                if "title" in data__source_keys:
                    data__source_keys.remove("title")
                    data__source__title = data__source["title"]
                    validate____defs_text(data__source__title, custom_formats, (name_prefix or "data") + ".source.title")
                if "year" in data__source_keys:
                    data__source_keys.remove("year")
                    data__source__year = data__source["year"]
                    if not isinstance(data__source__year, (int)) or isinstance(data__source__year, bool):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".source.year must be integer", data__source__year)
                    if isinstance(data__source__year, (int, float)):
                        if data__source__year < 1980:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".source.year must be bigger than or equal to 1980", data__source__year)
                if "identifier" in data__source_keys:
                    data__source_keys.remove("identifier")
                    data__source__identifier = data__source["identifier"]
                    validate____defs_text(data__source__identifier, custom_formats, (name_prefix or "data") + ".source.identifier")
        if "numbers" in data_keys:
            data_keys.remove("numbers")
            data__numbers = data["numbers"]
            if not isinstance(data__numbers, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".numbers must be array", data__numbers)
            data__numbers_is_list = isinstance(data__numbers, (list, tuple))
            if data__numbers_is_list:
                data__numbers_len = len(data__numbers)
                if data__numbers_len < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".numbers must contain at least 1 items", data__numbers)
                for data__numbers_x, data__numbers_item in enumerate(data__numbers):
                    validate____defs_number(data__numbers_item, custom_formats, (name_prefix or "data") + ".numbers[{data__numbers_x}]".format(**locals()))
        if "orientation" in data_keys:
            data_keys.remove("orientation")
            data__orientation = data["orientation"]
            if not isinstance(data__orientation, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".orientation must be array", data__orientation)
            data__orientation_is_list = isinstance(data__orientation, (list, tuple))
            if data__orientation_is_list:
                data__orientation_len = len(data__orientation)
                for data__orientation_x, data__orientation_item in enumerate(data__orientation):
                    validate____defs_neighbour(data__orientation_item, custom_formats, (name_prefix or "data") + ".orientation[{data__orientation_x}]".format(**locals()))
        if "statements" in data_keys:
            data_keys.remove("statements")
            data__statements = data["statements"]
            if not isinstance(data__statements, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".statements must be array", data__statements)
            data__statements_is_list = isinstance(data__statements, (list, tuple))
            if data__statements_is_list:
                data__statements_len = len(data__statements)
                for data__statements_x, data__statements_item in enumerate(data__statements):
                    if not isinstance(data__statements_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".statements[{data__statements_x}]".format(**locals()) + " must be object", data__statements_item)
                    data__statements_item_is_dict = isinstance(data__statements_item, dict)
                    if data__statements_item_is_dict:
                        for key in ['section', 'text']:
                            if key not in data__statements_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".statements[{data__statements_x}]".format(**locals()) + " lacks " + (key), data__statements_item)
                        data__statements_item_keys = set(data__statements_item.keys())
                        if "section" in data__statements_item_keys:
                            data__statements_item_keys.remove("section")
                            data__statements_item__section = data__statements_item["section"]
                            validate____defs_text(data__statements_item__section, custom_formats, (name_prefix or "data") + ".statements[{data__statements_x}].section".format(**locals()))
                        if "text" in data__statements_item_keys:
                            data__statements_item_keys.remove("text")
                            data__statements_item__text = data__statements_item["text"]
                            validate____defs_text(data__statements_item__text, custom_formats, (name_prefix or "data") + ".statements[{data__statements_x}].text".format(**locals()))
                        if data__statements_item_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".statements[{data__statements_x}]".format(**locals()) + " must not contain "+str(data__statements_item_keys)+" properties", data__statements_item)
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", data)
    return data

def validate____defs_neighbour(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['kernel', 'memory', 'device', 'devices', 'nodes', 'benchmark', 'printed', 'value', 'unit', 'source', 'url', 'conditions']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "kernel" in data_keys:
            data_keys.remove("kernel")
            data__kernel = data["kernel"]
            if not isinstance(data__kernel, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kernel must be string", data__kernel)
            if isinstance(data__kernel, str) and not REGEX_PATTERNS['^[a-z][a-z0-9_-]*$'].search(data__kernel):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kernel is not written as it should be", data__kernel)
        if "memory" in data_keys:
            data_keys.remove("memory")
            data__memory = data["memory"]
            if type(data__memory) not in (str,) or data__memory not in ('host', 'device'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".memory must be host or device", data__memory)
        if "device" in data_keys:
            data_keys.remove("device")
            data__device = data["device"]
            validate____defs_text(data__device, custom_formats, (name_prefix or "data") + ".device")
        if "devices" in data_keys:
            data_keys.remove("devices")
            data__devices = data["devices"]
            if not isinstance(data__devices, (int)) or isinstance(data__devices, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".devices must be integer", data__devices)
            if isinstance(data__devices, (int, float)):
                if data__devices < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".devices must be bigger than or equal to 1", data__devices)
        if "nodes" in data_keys:
            data_keys.remove("nodes")
            data__nodes = data["nodes"]
            if not isinstance(data__nodes, (int)) or isinstance(data__nodes, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".nodes must be integer", data__nodes)
            if isinstance(data__nodes, (int, float)):
                if data__nodes < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".nodes must be bigger than or equal to 1", data__nodes)
        if "benchmark" in data_keys:
            data_keys.remove("benchmark")
            data__benchmark = data["benchmark"]
            validate____defs_text(data__benchmark, custom_formats, (name_prefix or "data") + ".benchmark")
        if "printed" in data_keys:
            data_keys.remove("printed")
            data__printed = data["printed"]
            validate____defs_text(data__printed, custom_formats, (name_prefix or "data") + ".printed")
        if "value" in data_keys:
            data_keys.remove("value")
            data__value = data["value"]
            if not isinstance(data__value, (int, float)) or isinstance(data__value, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".value must be number", data__value)
            if isinstance(data__value, (int, float)):
                if data__value <= 0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".value must be bigger than 0", data__value)
        if "unit" in data_keys:
            data_keys.remove("unit")
            data__unit = data["unit"]
            if type(data__unit) not in (str,) or data__unit not in ('GB/s', 'GFLOP/s'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".unit must be GB/s or GFLOP/s", data__unit)
        if "peak" in data_keys:
            data_keys.remove("peak")
            data__peak = data["peak"]
            if not isinstance(data__peak, (int, float)) or isinstance(data__peak, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".peak must be number", data__peak)
            if isinstance(data__peak, (int, float)):
                if data__peak <= 0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".peak must be bigger than 0", data__peak)
        if "source" in data_keys:
            data_keys.remove("source")
            data__source = data["source"]
            validate____defs_text(data__source, custom_formats, (name_prefix or "data") + ".source")
        if "url" in data_keys:
            data_keys.remove("url")
            data__url = data["url"]
            if not isinstance(data__url, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".url must be string", data__url)
            if isinstance(data__url, str) and not REGEX_PATTERNS['^https://'].search(data__url):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".url is not written as it should be", data__url)
        if "conditions" in data_keys:
            data_keys.remove("conditions")
            data__conditions = data["conditions"]
            validate____defs_text(data__conditions, custom_formats, (name_prefix or "data") + ".conditions")
        if "caveat" in data_keys:
            data_keys.remove("caveat")
            data__caveat = data["caveat"]
            validate____defs_text(data__caveat, custom_formats, (name_prefix or "data") + ".caveat")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", data)
    return data

def validate____defs_number(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['kernel', 'section', 'machine', 'device', 'printed', 'value', 'unit', 'bound', 'conditions', 'match']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "kernel" in data_keys:
            data_keys.remove("kernel")
            data__kernel = data["kernel"]
            if not isinstance(data__kernel, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kernel must be string", data__kernel)
            if isinstance(data__kernel, str) and not REGEX_PATTERNS['^[a-z][a-z0-9_-]*$'].search(data__kernel):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kernel is not written as it should be", data__kernel)
        if "section" in data_keys:
            data_keys.remove("section")
            data__section = data["section"]
            validate____defs_text(data__section, custom_formats, (name_prefix or "data") + ".section")
        if "figure" in data_keys:
            data_keys.remove("figure")
            data__figure = data["figure"]
            validate____defs_text(data__figure, custom_formats, (name_prefix or "data") + ".figure")
        if "machine" in data_keys:
            data_keys.remove("machine")
            data__machine = data["machine"]
            validate____defs_text(data__machine, custom_formats, (name_prefix or "data") + ".machine")
        if "device" in data_keys:
            data_keys.remove("device")
            data__device = data["device"]
            validate____defs_text(data__device, custom_formats, (name_prefix or "data") + ".device")
        if "memory" in data_keys:
            data_keys.remove("memory")
            data__memory = data["memory"]
            if type(data__memory) not in (str,) or data__memory not in ('host', 'device'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".memory must be host or device", data__memory)
        if "protocol" in data_keys:
            data_keys.remove("protocol")
            data__protocol = data["protocol"]
            validate____defs_text(data__protocol, custom_formats, (name_prefix or "data") + ".protocol")
        if "printed" in data_keys:
            data_keys.remove("printed")
            data__printed = data["printed"]
            validate____defs_text(data__printed, custom_formats, (name_prefix or "data") + ".printed")
        if "value" in data_keys:
            data_keys.remove("value")
            data__value = data["value"]
            if not isinstance(data__value, (int, float)) or isinstance(data__value, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".value must be number", data__value)
            if isinstance(data__value, (int, float)):
                if data__value <= 0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".value must be bigger than 0", data__value)
        if "unit" in data_keys:
            data_keys.remove("unit")
            data__unit = data["unit"]
            if type(data__unit) not in (str,) or data__unit not in ('MiB/s', 'GFLOP/s', 'speed-up'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".unit must be MiB/s or GFLOP/s or speed-up", data__unit)
        if "base" in data_keys:
            data_keys.remove("base")
            data__base = data["base"]
            validate____defs_text(data__base, custom_formats, (name_prefix or "data") + ".base")
        if "source" in data_keys:
            data_keys.remove("source")
            data__source = data["source"]
            validate____defs_text(data__source, custom_formats, (name_prefix or "data") + ".source")
        if "url" in data_keys:
            data_keys.remove("url")
            data__url = data["url"]
            if not isinstance(data__url, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".url must be string", data__url)
            if isinstance(data__url, str) and not REGEX_PATTERNS['^https://'].search(data__url):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".url is not written as it should be", data__url)
        if "bound" in data_keys:
            data_keys.remove("bound")
            data__bound = data["bound"]
            if type(data__bound) not in (str,) or data__bound not in ('above', 'below', 'about'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".bound must be above or below or about", data__bound)
        if "workers" in data_keys:
            data_keys.remove("workers")
            data__workers = data["workers"]
            if not isinstance(data__workers, (int)) or isinstance(data__workers, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".workers must be integer", data__workers)
            if isinstance(data__workers, (int, float)):
                if data__workers < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".workers must be bigger than or equal to 1", data__workers)
        if "conditions" in data_keys:
            data_keys.remove("conditions")
            data__conditions = data["conditions"]
            validate____defs_text(data__conditions, custom_formats, (name_prefix or "data") + ".conditions")
        if "caveat" in data_keys:
            data_keys.remove("caveat")
            data__caveat = data["caveat"]
            validate____defs_text(data__caveat, custom_formats, (name_prefix or "data") + ".caveat")
        if "match" in data_keys:
            data_keys.remove("match")
            data__match = data["match"]
            if not isinstance(data__match, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".match must be object", data__match)
            data__match_is_dict = isinstance(data__match, dict)
            if data__match_is_dict:
                for key in ['kernel', 'device']:
                    if key not in data__match:
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".match lacks " + (key), data__match)
                data__match_keys = set(data__match.keys())
                if "kernel" in data__match_keys:
                    data__match_keys.remove("kernel")
                    data__match__kernel = data__match["kernel"]
                    if not isinstance(data__match__kernel, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".match.kernel must be string", data__match__kernel)
                    if isinstance(data__match__kernel, str) and not REGEX_PATTERNS['^[a-z][a-z0-9_-]*$'].search(data__match__kernel):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".match.kernel is not written as it should be", data__match__kernel)
                if "device" in data__match_keys:
                    data__match_keys.remove("device")
                    data__match__device = data__match["device"]
                    if type(data__match__device) not in (str,) or data__match__device not in ('host', 'cuda'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".match.device must be host or cuda", data__match__device)
                if "transport" in data__match_keys:
                    data__match_keys.remove("transport")
                    data__match__transport = data__match["transport"]
                    data__match__transport_fits1 = 0
                    data__match__transport_problems1 = []
                    if data__match__transport_fits1 < 1:
                        try:
                            validate____defs_transport(data__match__transport, custom_formats, (name_prefix or "data") + ".match.transport")
                            data__match__transport_fits1 += 1
                        except JsonSchemaValueException as problem:
                            data__match__transport_problems1.append(problem)
                    if data__match__transport_fits1 < 1:
                        try:
                            if not isinstance(data__match__transport, (list)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".match.transport must be array", data__match__transport)
                            data__match__transport_is_list = isinstance(data__match__transport, (list, tuple))
                            if data__match__transport_is_list:
                                data__match__transport_len = len(data__match__transport)
                                if data__match__transport_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".match.transport must contain at least 1 items", data__match__transport)
                                for data__match__transport_x, data__match__transport_item in enumerate(data__match__transport):
                                    validate____defs_transport(data__match__transport_item, custom_formats, (name_prefix or "data") + ".match.transport[{data__match__transport_x}]".format(**locals()))
                            data__match__transport_fits1 += 1
                        except JsonSchemaValueException as problem:
                            data__match__transport_problems1.append(problem)
                    if not data__match__transport_fits1:
                        raise min(data__match__transport_problems1, key=lambda problem: len(problem.message))
                if "n" in data__match_keys:
                    data__match_keys.remove("n")
                    data__match__n = data__match["n"]
                    validate____defs_sizes(data__match__n, custom_formats, (name_prefix or "data") + ".match.n")
                if "size" in data__match_keys:
                    data__match_keys.remove("size")
                    data__match__size = data__match["size"]
                    validate____defs_sizes(data__match__size, custom_formats, (name_prefix or "data") + ".match.size")
                for data__match_key in data__match_keys:
                    if data__match_key not in ['kernel', 'device', 'transport', 'n', 'size']:
                        data__match_value = data__match.get(data__match_key)
                        if not isinstance(data__match_value, (str)):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".match.{data__match_key}".format(**locals()) + " must be string", data__match_value)
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", data)
    return data

def validate____defs_sizes(data, custom_formats={}, name_prefix=None):
    data_fits2 = 0
    data_problems2 = []
    if data_fits2 < 1:
        try:
            validate____defs_whole(data, custom_formats, (name_prefix or "data") + "")
            data_fits2 += 1
        except JsonSchemaValueException as problem:
            data_problems2.append(problem)
    if data_fits2 < 1:
        try:
            if not isinstance(data, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + " must be array", data)
            data_is_list = isinstance(data, (list, tuple))
            if data_is_list:
                data_len = len(data)
                if data_len < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + " must contain at least 1 items", data)
                for data_x, data_item in enumerate(data):
                    validate____defs_whole(data_item, custom_formats, (name_prefix or "data") + "[{data_x}]".format(**locals()))
            data_fits2 += 1
        except JsonSchemaValueException as problem:
            data_problems2.append(problem)
    if not data_fits2:
        raise min(data_problems2, key=lambda problem: len(problem.message))
    return data

def validate____defs_whole(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (str)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be string", data)
    if isinstance(data, str) and not REGEX_PATTERNS['^[1-9][0-9]*$'].search(data):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " is not written as it should be", data)
    return data

def validate____defs_transport(data, custom_formats={}, name_prefix=None):
    if type(data) not in (str,) or data not in ('mpi', 'staged', 'shm', 'rma', 'nccl', 'ipc', 'grpc'):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be mpi or staged or shm or rma or nccl or ipc or grpc", data)
    return data

def validate____defs_text(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (str)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be string", data)
    if isinstance(data, str):
        data_len = len(data)
        if data_len < 1:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be longer than or equal to 1 characters", data)
    return data
