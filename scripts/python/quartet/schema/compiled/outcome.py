"""Generated from scripts/python/quartet/schema/outcome.schema.json by `quartet schemas` (fastjsonschema 2.16.3)."""

from quartet.schema import Invalid as JsonSchemaValueException


NoneType = type(None)

def validate(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        for key in ['exit_code', 'seconds', 'message']:
            if key not in data:
                raise JsonSchemaValueException("" + (name_prefix or "data") + " lacks " + (key), data)
        data_keys = set(data.keys())
        if "exit_code" in data_keys:
            data_keys.remove("exit_code")
            data__exitcode = data["exit_code"]
            if not isinstance(data__exitcode, (int)) or isinstance(data__exitcode, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".exit_code must be integer", data__exitcode)
            if isinstance(data__exitcode, (int, float)):
                if data__exitcode < 0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".exit_code must be bigger than or equal to 0", data__exitcode)
                if data__exitcode > 255:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".exit_code must be smaller than or equal to 255", data__exitcode)
        if "seconds" in data_keys:
            data_keys.remove("seconds")
            data__seconds = data["seconds"]
            if not isinstance(data__seconds, (int, float, NoneType)) or isinstance(data__seconds, bool):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".seconds must be number or null", data__seconds)
            if isinstance(data__seconds, (int, float)):
                if data__seconds < 0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".seconds must be bigger than or equal to 0", data__seconds)
                if data__seconds > 1000000000.0:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".seconds must be smaller than or equal to 1000000000.0", data__seconds)
        if "message" in data_keys:
            data_keys.remove("message")
            data__message = data["message"]
            if not isinstance(data__message, (str)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".message must be string", data__message)
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", data)
    return data
