"""Generated from scripts/python/quartet/schema/findings.schema.json by `quartet schemas` (fastjsonschema 2.16.3)."""

from quartet.schema import Invalid as JsonSchemaValueException


NoneType = type(None)

def validate(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['date', 'measured', 'bad']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "date" in data_keys:
            data_keys.remove("date")
            data__date = data["date"]
            validate____defs_text(data__date, custom_formats, (name_prefix or "data") + ".date")
        if "measured" in data_keys:
            data_keys.remove("measured")
            data__measured = data["measured"]
            validate____defs_names(data__measured, custom_formats, (name_prefix or "data") + ".measured")
        if "bad" in data_keys:
            data_keys.remove("bad")
            data__bad = data["bad"]
            validate____defs_names(data__bad, custom_formats, (name_prefix or "data") + ".bad")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", data)
    return data

def validate____defs_names(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (list)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be array", data)
    data_is_list = isinstance(data, (list, tuple))
    if data_is_list:
        data_len = len(data)
        for data_x, data_item in enumerate(data):
            if not isinstance(data_item, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + "[{data_x}]".format(**locals()) + " must be array", data_item)
            data_item_is_list = isinstance(data_item, (list, tuple))
            if data_item_is_list:
                data_item_len = len(data_item)
                if data_item_len < 2:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + "[{data_x}]".format(**locals()) + " must contain at least 2 items", data_item)
                if data_item_len > 2:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + "[{data_x}]".format(**locals()) + " must contain less than or equal to 2 items", data_item)
                for data_item_x, data_item_item in enumerate(data_item):
                    validate____defs_text(data_item_item, custom_formats, (name_prefix or "data") + "[{data_x}][{data_item_x}]".format(**locals()))
    return data

def validate____defs_text(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (str)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be string", data)
    if isinstance(data, str):
        data_len = len(data)
        if data_len > 500:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must be shorter than or equal to 500 characters", data)
    return data
