"""Generated from scripts/python/quartet/schema/sweep.schema.json by `quartet schemas` (fastjsonschema 2.16.3)."""

import re
from quartet.schema import Invalid as JsonSchemaValueException


REGEX_PATTERNS = {
    '^[^\\x00]*$': re.compile('^[^\\x00]*\\Z', re.A),
    '^[A-Za-z0-9][A-Za-z0-9._-]*$': re.compile('^[A-Za-z0-9][A-Za-z0-9._-]*\\Z', re.A),
    '^[^\\x00-\\x1f\\x7f-\\x9f]*$': re.compile('^[^\\x00-\\x1f\\x7f-\\x9f]*\\Z', re.A)
}

NoneType = type(None)

def validate(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['name', 'seed', 'programs', 'blocks', 'configurations', 'notes']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "plan_version" in data_keys:
            data_keys.remove("plan_version")
            data__planversion = data["plan_version"]
            if not isinstance(data__planversion, (int)) or isinstance(data__planversion, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".plan_version must be integer", data__planversion)
            if type(data__planversion) not in (int,) or data__planversion not in (1,):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".plan_version must be 1", data__planversion)
        if "name" in data_keys:
            data_keys.remove("name")
            data__name = data["name"]
            validate____defs_word(data__name, custom_formats, (name_prefix or "data") + ".name")
        if "seed" in data_keys:
            data_keys.remove("seed")
            data__seed = data["seed"]
            validate____defs_count(data__seed, custom_formats, (name_prefix or "data") + ".seed")
        if "programs" in data_keys:
            data_keys.remove("programs")
            data__programs = data["programs"]
            if not isinstance(data__programs, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".programs must be object", data__programs)
            data__programs_is_dict = isinstance(data__programs, dict)
            if data__programs_is_dict:
                data__programs_keys = set(data__programs.keys())
                for data__programs_key in data__programs_keys:
                    if data__programs_key not in []:
                        data__programs_value = data__programs.get(data__programs_key)
                        if not isinstance(data__programs_value, (str)):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".programs.{data__programs_key}".format(**locals()) + " must be string", data__programs_value)
        if "blocks" in data_keys:
            data_keys.remove("blocks")
            data__blocks = data["blocks"]
            if not isinstance(data__blocks, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".blocks must be array", data__blocks)
            data__blocks_is_list = isinstance(data__blocks, (list, tuple))
            if data__blocks_is_list:
                data__blocks_len = len(data__blocks)
                if data__blocks_len < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".blocks must contain at least 1 items", data__blocks)
                for data__blocks_x, data__blocks_item in enumerate(data__blocks):
                    if not isinstance(data__blocks_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".blocks[{data__blocks_x}]".format(**locals()) + " must be object", data__blocks_item)
                    data__blocks_item_is_dict = isinstance(data__blocks_item, dict)
                    if data__blocks_item_is_dict:
                        for key in ['title', 'scaling', 'members']:
                            if key not in data__blocks_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".blocks[{data__blocks_x}]".format(**locals()) + " lacks " + (key), data__blocks_item)
                        data__blocks_item_keys = set(data__blocks_item.keys())
                        if "title" in data__blocks_item_keys:
                            data__blocks_item_keys.remove("title")
                            data__blocks_item__title = data__blocks_item["title"]
                            validate____defs_word(data__blocks_item__title, custom_formats, (name_prefix or "data") + ".blocks[{data__blocks_x}].title".format(**locals()))
                        if "scaling" in data__blocks_item_keys:
                            data__blocks_item_keys.remove("scaling")
                            data__blocks_item__scaling = data__blocks_item["scaling"]
                            if type(data__blocks_item__scaling) not in (str,) or data__blocks_item__scaling not in ('none', 'strong', 'weak'):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".blocks[{data__blocks_x}].scaling".format(**locals()) + " must be none or strong or weak", data__blocks_item__scaling)
                        if "members" in data__blocks_item_keys:
                            data__blocks_item_keys.remove("members")
                            data__blocks_item__members = data__blocks_item["members"]
                            if not isinstance(data__blocks_item__members, (list)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".blocks[{data__blocks_x}].members".format(**locals()) + " must be array", data__blocks_item__members)
                            data__blocks_item__members_is_list = isinstance(data__blocks_item__members, (list, tuple))
                            if data__blocks_item__members_is_list:
                                data__blocks_item__members_len = len(data__blocks_item__members)
                                if data__blocks_item__members_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".blocks[{data__blocks_x}].members".format(**locals()) + " must contain at least 1 items", data__blocks_item__members)
                                for data__blocks_item__members_x, data__blocks_item__members_item in enumerate(data__blocks_item__members):
                                    if not isinstance(data__blocks_item__members_item, (int)) or isinstance(data__blocks_item__members_item, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".blocks[{data__blocks_x}].members[{data__blocks_item__members_x}]".format(**locals()) + " must be integer", data__blocks_item__members_item)
                                    if isinstance(data__blocks_item__members_item, (int, float)):
                                        if data__blocks_item__members_item < 0:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".blocks[{data__blocks_x}].members[{data__blocks_item__members_x}]".format(**locals()) + " must be bigger than or equal to 0", data__blocks_item__members_item)
        if "configurations" in data_keys:
            data_keys.remove("configurations")
            data__configurations = data["configurations"]
            if not isinstance(data__configurations, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".configurations must be array", data__configurations)
            data__configurations_is_list = isinstance(data__configurations, (list, tuple))
            if data__configurations_is_list:
                data__configurations_len = len(data__configurations)
                if data__configurations_len < 1:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".configurations must contain at least 1 items", data__configurations)
                for data__configurations_x, data__configurations_item in enumerate(data__configurations):
                    if not isinstance(data__configurations_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".configurations[{data__configurations_x}]".format(**locals()) + " must be object", data__configurations_item)
                    data__configurations_item_is_dict = isinstance(data__configurations_item, dict)
                    if data__configurations_item_is_dict:
                        for key in ['kernel', 'size', 'ranks', 'formulation', 'transport', 'device', 'threads', 'arguments', 'launches']:
                            if key not in data__configurations_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".configurations[{data__configurations_x}]".format(**locals()) + " lacks " + (key), data__configurations_item)
                        data__configurations_item_keys = set(data__configurations_item.keys())
                        if "kernel" in data__configurations_item_keys:
                            data__configurations_item_keys.remove("kernel")
                            data__configurations_item__kernel = data__configurations_item["kernel"]
                            validate____defs_word(data__configurations_item__kernel, custom_formats, (name_prefix or "data") + ".configurations[{data__configurations_x}].kernel".format(**locals()))
                        if "size" in data__configurations_item_keys:
                            data__configurations_item_keys.remove("size")
                            data__configurations_item__size = data__configurations_item["size"]
                            validate____defs_word(data__configurations_item__size, custom_formats, (name_prefix or "data") + ".configurations[{data__configurations_x}].size".format(**locals()))
                        if "ranks" in data__configurations_item_keys:
                            data__configurations_item_keys.remove("ranks")
                            data__configurations_item__ranks = data__configurations_item["ranks"]
                            validate____defs_count(data__configurations_item__ranks, custom_formats, (name_prefix or "data") + ".configurations[{data__configurations_x}].ranks".format(**locals()))
                        if "formulation" in data__configurations_item_keys:
                            data__configurations_item_keys.remove("formulation")
                            data__configurations_item__formulation = data__configurations_item["formulation"]
                            validate____defs_word(data__configurations_item__formulation, custom_formats, (name_prefix or "data") + ".configurations[{data__configurations_x}].formulation".format(**locals()))
                        if "transport" in data__configurations_item_keys:
                            data__configurations_item_keys.remove("transport")
                            data__configurations_item__transport = data__configurations_item["transport"]
                            validate____defs_word(data__configurations_item__transport, custom_formats, (name_prefix or "data") + ".configurations[{data__configurations_x}].transport".format(**locals()))
                        if "device" in data__configurations_item_keys:
                            data__configurations_item_keys.remove("device")
                            data__configurations_item__device = data__configurations_item["device"]
                            validate____defs_word(data__configurations_item__device, custom_formats, (name_prefix or "data") + ".configurations[{data__configurations_x}].device".format(**locals()))
                        if "threads" in data__configurations_item_keys:
                            data__configurations_item_keys.remove("threads")
                            data__configurations_item__threads = data__configurations_item["threads"]
                            validate____defs_count(data__configurations_item__threads, custom_formats, (name_prefix or "data") + ".configurations[{data__configurations_x}].threads".format(**locals()))
                        if "launches" in data__configurations_item_keys:
                            data__configurations_item_keys.remove("launches")
                            data__configurations_item__launches = data__configurations_item["launches"]
                            validate____defs_count(data__configurations_item__launches, custom_formats, (name_prefix or "data") + ".configurations[{data__configurations_x}].launches".format(**locals()))
                        if "nodes" in data__configurations_item_keys:
                            data__configurations_item_keys.remove("nodes")
                            data__configurations_item__nodes = data__configurations_item["nodes"]
                            validate____defs_count(data__configurations_item__nodes, custom_formats, (name_prefix or "data") + ".configurations[{data__configurations_x}].nodes".format(**locals()))
                        if "hosts" in data__configurations_item_keys:
                            data__configurations_item_keys.remove("hosts")
                            data__configurations_item__hosts = data__configurations_item["hosts"]
                            if not isinstance(data__configurations_item__hosts, (list)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".configurations[{data__configurations_x}].hosts".format(**locals()) + " must be array", data__configurations_item__hosts)
                            data__configurations_item__hosts_is_list = isinstance(data__configurations_item__hosts, (list, tuple))
                            if data__configurations_item__hosts_is_list:
                                data__configurations_item__hosts_len = len(data__configurations_item__hosts)
                                if data__configurations_item__hosts_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".configurations[{data__configurations_x}].hosts".format(**locals()) + " must contain at least 1 items", data__configurations_item__hosts)
                                for data__configurations_item__hosts_x, data__configurations_item__hosts_item in enumerate(data__configurations_item__hosts):
                                    validate____defs_host(data__configurations_item__hosts_item, custom_formats, (name_prefix or "data") + ".configurations[{data__configurations_x}].hosts[{data__configurations_item__hosts_x}]".format(**locals()))
                        if "arguments" in data__configurations_item_keys:
                            data__configurations_item_keys.remove("arguments")
                            data__configurations_item__arguments = data__configurations_item["arguments"]
                            if not isinstance(data__configurations_item__arguments, (list)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".configurations[{data__configurations_x}].arguments".format(**locals()) + " must be array", data__configurations_item__arguments)
                            data__configurations_item__arguments_is_list = isinstance(data__configurations_item__arguments, (list, tuple))
                            if data__configurations_item__arguments_is_list:
                                data__configurations_item__arguments_len = len(data__configurations_item__arguments)
                                for data__configurations_item__arguments_x, data__configurations_item__arguments_item in enumerate(data__configurations_item__arguments):
                                    if not isinstance(data__configurations_item__arguments_item, (str)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".configurations[{data__configurations_x}].arguments[{data__configurations_item__arguments_x}]".format(**locals()) + " must be string", data__configurations_item__arguments_item)
                                    if isinstance(data__configurations_item__arguments_item, str) and not REGEX_PATTERNS['^[^\\x00]*$'].search(data__configurations_item__arguments_item):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".configurations[{data__configurations_x}].arguments[{data__configurations_item__arguments_x}]".format(**locals()) + " is not written as it should be", data__configurations_item__arguments_item)
                        if data__configurations_item_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".configurations[{data__configurations_x}]".format(**locals()) + " must not contain "+str(data__configurations_item_keys)+" properties", data__configurations_item)
        if "notes" in data_keys:
            data_keys.remove("notes")
            data__notes = data["notes"]
            if not isinstance(data__notes, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".notes must be array", data__notes)
            data__notes_is_list = isinstance(data__notes, (list, tuple))
            if data__notes_is_list:
                data__notes_len = len(data__notes)
                for data__notes_x, data__notes_item in enumerate(data__notes):
                    if not isinstance(data__notes_item, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".notes[{data__notes_x}]".format(**locals()) + " must be string", data__notes_item)
                    if isinstance(data__notes_item, str):
                        data__notes_item_len = len(data__notes_item)
                        if data__notes_item_len > 1000:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".notes[{data__notes_x}]".format(**locals()) + " must be shorter than or equal to 1000 characters", data__notes_item)
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", data)
    return data

def validate____defs_host(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (str)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be string", data)
    if isinstance(data, str):
        data_len = len(data)
        if data_len > 200:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be shorter than or equal to 200 characters", data)
    if isinstance(data, str) and not REGEX_PATTERNS['^[A-Za-z0-9][A-Za-z0-9._-]*$'].search(data):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " is not written as it should be", data)
    return data

def validate____defs_count(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (int)) or isinstance(data, bool):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be integer", data)
    if isinstance(data, (int, float)):
        if data < 1:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be bigger than or equal to 1", data)
        if data > 1000000:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be smaller than or equal to 1000000", data)
    return data

def validate____defs_word(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (str)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be string", data)
    if isinstance(data, str):
        data_len = len(data)
        if data_len < 1:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be longer than or equal to 1 characters", data)
        if data_len > 200:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be shorter than or equal to 200 characters", data)
    if isinstance(data, str) and not REGEX_PATTERNS['^[^\\x00-\\x1f\\x7f-\\x9f]*$'].search(data):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " is not written as it should be", data)
    return data
