"""Generated from scripts/python/quartet/schema/cost.schema.json by `quartet schemas` (fastjsonschema 2.16.3)."""

from quartet.schema import Invalid as JsonSchemaValueException


NoneType = type(None)

def validate(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['points', 'start']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "start" in data_keys:
            data_keys.remove("start")
            data__start = data["start"]
            if not isinstance(data__start, (int, float)) or isinstance(data__start, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".start must be number", data__start)
            if isinstance(data__start, (int, float)):
                if data__start < -1000000000.0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".start must be bigger than or equal to -1000000000.0", data__start)
                if data__start > 1000000000.0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".start must be smaller than or equal to 1000000000.0", data__start)
        if "points" in data_keys:
            data_keys.remove("points")
            data__points = data["points"]
            if not isinstance(data__points, (list)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".points must be array", data__points)
            data__points_is_list = isinstance(data__points, (list, tuple))
            if data__points_is_list:
                data__points_len = len(data__points)
                if data__points_len < 2:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".points must contain at least 2 items", data__points)
                for data__points_x, data__points_item in enumerate(data__points):
                    if not isinstance(data__points_item, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".points[{data__points_x}]".format(**locals()) + " must be object", data__points_item)
                    data__points_item_is_dict = isinstance(data__points_item, dict)
                    if data__points_item_is_dict:
                        for key in ['size', 'seconds', 'memory']:
                            if key not in data__points_item:
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".points[{data__points_x}]".format(**locals()) + " lacks " + (key), data__points_item)
                        data__points_item_keys = set(data__points_item.keys())
                        if "size" in data__points_item_keys:
                            data__points_item_keys.remove("size")
                            data__points_item__size = data__points_item["size"]
                            if not isinstance(data__points_item__size, (int)) or isinstance(data__points_item__size, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".points[{data__points_x}].size".format(**locals()) + " must be integer", data__points_item__size)
                            if isinstance(data__points_item__size, (int, float)):
                                if data__points_item__size < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".points[{data__points_x}].size".format(**locals()) + " must be bigger than or equal to 1", data__points_item__size)
                                if data__points_item__size > 1000000000000000:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".points[{data__points_x}].size".format(**locals()) + " must be smaller than or equal to 1000000000000000", data__points_item__size)
                        if "seconds" in data__points_item_keys:
                            data__points_item_keys.remove("seconds")
                            data__points_item__seconds = data__points_item["seconds"]
                            validate____defs_positive(data__points_item__seconds, custom_formats, (name_prefix or "data") + ".points[{data__points_x}].seconds".format(**locals()))
                        if "memory" in data__points_item_keys:
                            data__points_item_keys.remove("memory")
                            data__points_item__memory = data__points_item["memory"]
                            if not isinstance(data__points_item__memory, (int, float)) or isinstance(data__points_item__memory, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".points[{data__points_x}].memory".format(**locals()) + " must be number", data__points_item__memory)
                            if isinstance(data__points_item__memory, (int, float)):
                                if data__points_item__memory < -1e+30:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".points[{data__points_x}].memory".format(**locals()) + " must be bigger than or equal to -1e+30", data__points_item__memory)
                                if data__points_item__memory > 1e+30:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".points[{data__points_x}].memory".format(**locals()) + " must be smaller than or equal to 1e+30", data__points_item__memory)
                        if data__points_item_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".points[{data__points_x}]".format(**locals()) + " must not contain "+str(data__points_item_keys)+" properties", data__points_item)
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
