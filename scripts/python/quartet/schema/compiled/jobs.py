"""Generated from scripts/python/quartet/schema/jobs.schema.json by `quartet schemas` (fastjsonschema 2.16.3)."""

import re
from quartet.schema import Invalid as JsonSchemaValueException


REGEX_PATTERNS = {
    '^[0-9]{1,18}_[0-9]{1,9}$': re.compile('^[0-9]{1,18}_[0-9]{1,9}\\Z', re.A)
}

NoneType = type(None)

def validate(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object", data)
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data_keys = set(data.keys())
        for data_key in data_keys:
            if data_key not in []:
                data_value = data.get(data_key)
                if not isinstance(data_value, (str)):
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".{data_key}".format(**locals()) + " must be string", data_value)
                if isinstance(data_value, str) and not REGEX_PATTERNS['^[0-9]{1,18}_[0-9]{1,9}$'].search(data_value):
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".{data_key}".format(**locals()) + " is not written as it should be", data_value)
    return data
