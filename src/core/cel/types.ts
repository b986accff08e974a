/** A static type of the Common Expression Language, as its checker knows it. */
export type CelType =
  | { readonly kind: 'simple'; readonly name: SimpleTypeName }
  | { readonly kind: 'list'; readonly element: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  /** A structure with declared fields; Kubernetes' own values without fields (quantities, URLs) are such, too. */
  | { readonly kind: 'object'; readonly name: string }
  | { readonly kind: 'opaque'; readonly name: string; readonly parameters: readonly CelType[] }
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'type'; readonly of?: CelType };

/**
 * The types without parameters; `error` is what an expression has that was refused. `any` is as good as `dyn`, and only has another name
 * in errors.
 */
export type SimpleTypeName =
  'any' | 'bool' | 'bytes' | 'double' | 'duration' | 'dyn' | 'error' | 'int' | 'null' | 'string' | 'timestamp' | 'uint';

const simple = (name: SimpleTypeName): CelType => ({ kind: 'simple', name });

export const ANY = simple('any');
export const BOOL = simple('bool');
export const BYTES = simple('bytes');
export const DOUBLE = simple('double');
export const DURATION = simple('duration');
export const DYN = simple('dyn');
export const ERROR = simple('error');
export const INT = simple('int');
export const NULL = simple('null');
export const STRING = simple('string');
export const TIMESTAMP = simple('timestamp');
export const UINT = simple('uint');

export const listOf = (element: CelType): CelType => ({ kind: 'list', element });
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value });
export const objectType = (name: string): CelType => ({ kind: 'object', name });
export const opaqueType = (name: string, ...parameters: readonly CelType[]): CelType => ({
  kind: 'opaque',
  name,
  parameters,
});
export const optionalOf = (type: CelType): CelType => opaqueType('optional_type', type);
export const parameter = (name: string): CelType => ({ kind: 'parameter', name });
export const typeOf = (of: CelType): CelType => ({ kind: 'type', of });

/** Whether a value of this type can have every type. */
export const isDyn = (type: CelType): boolean => isSimple(type, 'dyn') || isSimple(type, 'any');

export const isSimple = (type: CelType, name: SimpleTypeName): boolean => type.kind === 'simple' && type.name === name;

/** The type in an `optional_type(...)`, or undefined if it is not optional. */
export function unwrapOptional(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined;
}

/** The types that a type is made of. */
export function parametersOf(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case 'list':
      return [type.element];
    case 'map':
      return [type.key, type.value];
    case 'opaque':
      return type.parameters;
    case 'type':
      return type.of === undefined ? [] : [type.of];
    default:
      return [];
  }
}

/** As an error of the checker writes it: `list(int)`, `kubernetes.Quantity`, `!error!`. */
export function formatType(type: CelType): string {
  const name = type.kind === 'simple' && type.name === 'error' ? '!error!' : nameOf(type);
  const parameters = parametersOf(type);
  return parameters.length === 0 ? name : `${name}(${parameters.map(formatType).join(', ')})`;
}

/** As an error on the type of a whole expression writes it (`Type.String`), where null and times have longer names. */
export function describeType(type: CelType): string {
  const parameters = parametersOf(type);
  const name = runtimeName(type);
  return parameters.length === 0 ? name : `${name}(${parameters.map(describeType).join(', ')})`;
}

/** The name without parameters that a value has at run time: `list`, `null_type`, `google.protobuf.Duration`. */
export function runtimeName(type: CelType): string {
  return type.kind === 'simple' ? (RUNTIME_NAMES.get(type.name) ?? type.name) : nameOf(type);
}

const RUNTIME_NAMES: ReadonlyMap<string, string> = new Map([
  ['any', 'google.protobuf.Any'],
  ['null', 'null_type'],
  ['duration', 'google.protobuf.Duration'],
  ['timestamp', 'google.protobuf.Timestamp'],
]);

function nameOf(type: CelType): string {
  return 'name' in type ? type.name : type.kind;
}

/** Whether two types are the same, parameters included. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || nameOf(a) !== nameOf(b)) return false;
  const parameters = parametersOf(a);
  const others = parametersOf(b);
  return parameters.length === others.length && parameters.every((type, index) => sameType(type, others[index]!));
}
