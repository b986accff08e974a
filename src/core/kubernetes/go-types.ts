import type { GoField, GoStruct, GoType } from './go-decoding.js';

export const scalar = (kind: 'string' | 'bool' | 'int32' | 'int64' | 'float32', name: string = kind): GoType => ({
  kind,
  name,
});
export const STRING = scalar('string');
export const BOOL = scalar('bool');
export const INT32 = scalar('int32');
export const INT64 = scalar('int64');
export const BYTES: GoType = { kind: 'bytes', name: '[]uint8' };
export const DURATION: GoType = { kind: 'duration', name: 'v1.Duration' };
export const RAW: GoType = { kind: 'raw', name: 'runtime.RawExtension' };

export const list = (of: GoType): GoType => ({ kind: 'list', name: `[]${of.name}`, of });
export const map = (of: GoType): GoType => ({ kind: 'map', name: `map[string]${of.name}`, of });
/** A field that is always written. */
export const always = (type: GoType): GoField => ({ type, pointer: false, omitEmpty: false });
export const omitEmpty = (type: GoType): GoField => ({ type, pointer: false, omitEmpty: true });
export const pointer = (type: GoType): GoField => ({ type, pointer: true, omitEmpty: true });

export function struct(name: string, fields: Readonly<Record<string, GoField>>): GoStruct {
  return { kind: 'struct', name, label: name.replace(/^.*\./, ''), fields: new Map(Object.entries(fields)) };
}

/** A struct with `metav1.TypeMeta` in it. */
export const kind = (name: string, fields: Readonly<Record<string, GoField>>): GoStruct =>
  struct(name, { kind: omitEmpty(STRING), apiVersion: omitEmpty(STRING), ...fields });
