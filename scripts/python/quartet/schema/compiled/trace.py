"""Generated from scripts/python/quartet/schema/trace.schema.json by `quartet schemas` (fastjsonschema 2.16.3)."""

from quartet.schema import Invalid as JsonSchemaValueException


NoneType = type(None)

def validate(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['traceEvents']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "traceEvents" in data_keys:
            data_keys.remove("traceEvents")
            data__traceEvents = data["traceEvents"]
            if not isinstance(data__traceEvents, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents must be array", data__traceEvents)
            data__traceEvents_is_list = isinstance(data__traceEvents, (list, tuple))
            if data__traceEvents_is_list:
                data__traceEvents_len = len(data__traceEvents)
                for data__traceEvents_x, data__traceEvents_item in enumerate(data__traceEvents):
                    if not isinstance(data__traceEvents_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}]".format(**locals()) + " must be object", data__traceEvents_item)
                    data__traceEvents_item_is_dict = isinstance(data__traceEvents_item, dict)
                    if data__traceEvents_item_is_dict:
                        for key in ['name', 'ph']:
                            if key not in data__traceEvents_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}]".format(**locals()) + " lacks " + (key), data__traceEvents_item)
                        data__traceEvents_item_keys = set(data__traceEvents_item.keys())
                        if "name" in data__traceEvents_item_keys:
                            data__traceEvents_item_keys.remove("name")
                            data__traceEvents_item__name = data__traceEvents_item["name"]
                            if not isinstance(data__traceEvents_item__name, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}].name".format(**locals()) + " must be string", data__traceEvents_item__name)
                        if "ph" in data__traceEvents_item_keys:
                            data__traceEvents_item_keys.remove("ph")
                            data__traceEvents_item__ph = data__traceEvents_item["ph"]
                            if not isinstance(data__traceEvents_item__ph, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}].ph".format(**locals()) + " must be string", data__traceEvents_item__ph)
                        if "cat" in data__traceEvents_item_keys:
                            data__traceEvents_item_keys.remove("cat")
                            data__traceEvents_item__cat = data__traceEvents_item["cat"]
                            if not isinstance(data__traceEvents_item__cat, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}].cat".format(**locals()) + " must be string", data__traceEvents_item__cat)
                        if "pid" in data__traceEvents_item_keys:
                            data__traceEvents_item_keys.remove("pid")
                            data__traceEvents_item__pid = data__traceEvents_item["pid"]
                            if not isinstance(data__traceEvents_item__pid, (int)) or isinstance(data__traceEvents_item__pid, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}].pid".format(**locals()) + " must be integer", data__traceEvents_item__pid)
                        if "tid" in data__traceEvents_item_keys:
                            data__traceEvents_item_keys.remove("tid")
                            data__traceEvents_item__tid = data__traceEvents_item["tid"]
                            if not isinstance(data__traceEvents_item__tid, (int)) or isinstance(data__traceEvents_item__tid, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}].tid".format(**locals()) + " must be integer", data__traceEvents_item__tid)
                        if "ts" in data__traceEvents_item_keys:
                            data__traceEvents_item_keys.remove("ts")
                            data__traceEvents_item__ts = data__traceEvents_item["ts"]
                            validate____defs_time(data__traceEvents_item__ts, custom_formats, (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}].ts".format(**locals()))
                        if "dur" in data__traceEvents_item_keys:
                            data__traceEvents_item_keys.remove("dur")
                            data__traceEvents_item__dur = data__traceEvents_item["dur"]
                            validate____defs_time(data__traceEvents_item__dur, custom_formats, (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}].dur".format(**locals()))
                        if "args" in data__traceEvents_item_keys:
                            data__traceEvents_item_keys.remove("args")
                            data__traceEvents_item__args = data__traceEvents_item["args"]
                            if not isinstance(data__traceEvents_item__args, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}].args".format(**locals()) + " must be object", data__traceEvents_item__args)
                            data__traceEvents_item__args_is_dict = isinstance(data__traceEvents_item__args, dict)
                            if data__traceEvents_item__args_is_dict:
                                data__traceEvents_item__args_keys = set(data__traceEvents_item__args.keys())
                                if "name" in data__traceEvents_item__args_keys:
                                    data__traceEvents_item__args_keys.remove("name")
                                    data__traceEvents_item__args__name = data__traceEvents_item__args["name"]
                                    if not isinstance(data__traceEvents_item__args__name, (str)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}].args.name".format(**locals()) + " must be string", data__traceEvents_item__args__name)
                    try:
                        data__traceEvents_item_is_dict = isinstance(data__traceEvents_item, dict)
                        if data__traceEvents_item_is_dict:
                            data__traceEvents_item_keys = set(data__traceEvents_item.keys())
                            if "ph" in data__traceEvents_item_keys:
                                data__traceEvents_item_keys.remove("ph")
                                data__traceEvents_item__ph = data__traceEvents_item["ph"]
                                if type(data__traceEvents_item__ph) not in (str,) or data__traceEvents_item__ph not in ('X',):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}].ph".format(**locals()) + " must be X", data__traceEvents_item__ph)
                    except JsonSchemaValueException:
                        try:
                            data__traceEvents_item_is_dict = isinstance(data__traceEvents_item, dict)
                            if data__traceEvents_item_is_dict:
                                data__traceEvents_item_keys = set(data__traceEvents_item.keys())
                                if "name" in data__traceEvents_item_keys:
                                    data__traceEvents_item_keys.remove("name")
                                    data__traceEvents_item__name = data__traceEvents_item["name"]
                                    if type(data__traceEvents_item__name) not in (str,) or data__traceEvents_item__name not in ('process_name', 'thread_name'):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}].name".format(**locals()) + " must be process_name or thread_name", data__traceEvents_item__name)
                        except JsonSchemaValueException:
                            pass
                        else:
                            data__traceEvents_item_is_dict = isinstance(data__traceEvents_item, dict)
                            if data__traceEvents_item_is_dict:
                                for key in ['pid', 'args']:
                                    if key not in data__traceEvents_item:
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}]".format(**locals()) + " lacks " + (key), data__traceEvents_item)
                                data__traceEvents_item_keys = set(data__traceEvents_item.keys())
                                if "args" in data__traceEvents_item_keys:
                                    data__traceEvents_item_keys.remove("args")
                                    data__traceEvents_item__args = data__traceEvents_item["args"]
                                    data__traceEvents_item__args_is_dict = isinstance(data__traceEvents_item__args, dict)
                                    if data__traceEvents_item__args_is_dict:
                                        for key in ['name']:
                                            if key not in data__traceEvents_item__args:
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}].args".format(**locals()) + " lacks " + (key), data__traceEvents_item__args)
                    else:
                        data__traceEvents_item_is_dict = isinstance(data__traceEvents_item, dict)
                        if data__traceEvents_item_is_dict:
                            for key in ['cat', 'pid', 'tid', 'ts', 'dur']:
                                if key not in data__traceEvents_item:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".traceEvents[{data__traceEvents_x}]".format(**locals()) + " lacks " + (key), data__traceEvents_item)
    return data

def validate____defs_time(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (int, float)) or isinstance(data, bool):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be number", data)
    if isinstance(data, (int, float)):
        if data < -1000000000000000.0:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be bigger than or equal to -1000000000000000.0", data)
        if data > 1000000000000000.0:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be smaller than or equal to 1000000000000000.0", data)
    return data
