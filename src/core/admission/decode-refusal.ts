import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { FieldError } from '../kubernetes/field-error.js';
import { goTimeError } from '../kubernetes/go-time-error.js';
import type { Refusal } from './admission-chain.js';

/**
 * What the API server answers, with status 400, to an object that it cannot decode: only the first fault is reported, fields
 * that are unknown all together.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/runtime/serializer/json, and sigs.k8s.io/json.
 *
 * @param given what was sent
 * @param errors of the decoder, at least one
 */
export function decodeRefusal(kind: string, given: JsonObject, errors: readonly FieldError[]): Refusal {
  const message = `${kind} in version "v1" cannot be handled as a ${kind}: ${decodingFault(kind, given, errors)}`;
  return { by: 'decoding', status: 400, message, causes: [] };
}

/** The fault by itself, as it also stands behind a patch that makes an object undecodable. */
export function decodingFault(kind: string, given: JsonObject, errors: readonly FieldError[]): string {
  const unknown = errors.filter(({ message }) => message.startsWith(STRICT));
  const typed = errors.find((error) => !unknown.includes(error));
  if (typed === undefined) {
    return `${STRICT}${unknown.map(({ message }) => message.slice(STRICT.length)).join(', ')}`;
  }
  const value = valueAt(given, typed.pointer);
  if (typed.message.endsWith(NO_TIME) && typeof value === 'string') return goTimeError(value);
  const expected = / must be of type (\w+): /.exec(typed.message)?.[1];
  const segments = typed.pointer
    .slice(1)
    .split('/')
    .filter((segment) => !/^\d+$/.test(segment));
  const struct = structAt(kind, segments.slice(0, -1));
  if (value === undefined || expected === undefined || struct === undefined) return typed.message;
  const type = goType(segments.at(-1) ?? '', expected);
  const shown = type.startsWith('int') && isNumber(value) ? `number ${String(value)}` : goKind(value);
  return `json: cannot unmarshal ${shown} into Go struct field ${struct}.${segments.join('.')} of type ${type}`;
}

const STRICT = 'strict decoding error: ';
const NO_TIME = 'must be a time as in RFC 3339: 2006-01-02T15:04:05Z';

/** The Go structs whose fields a decoding error names, by where they stand. */
const STRUCTS: ReadonlyMap<string, string> = new Map([
  ['metadata', 'ObjectMeta'],
  ['metadata.ownerReferences', 'OwnerReference'],
  ['spec.containers', 'Container'],
  ['spec.initContainers', 'Container'],
  ['spec.containers.ports', 'ContainerPort'],
  ['spec.initContainers.ports', 'ContainerPort'],
  ['spec.tolerations', 'Toleration'],
  ['spec.taints', 'Taint'],
  ['spec.topologySpreadConstraints', 'TopologySpreadConstraint'],
]);

function structAt(kind: string, path: readonly string[]): string | undefined {
  if (path.length === 0) return kind;
  if (path.length === 1 && path[0] === 'spec') return `${kind}Spec`;
  return STRUCTS.get(path.join('.'));
}

const NAMED_TYPES: ReadonlyMap<string, string> = new Map([
  ['operator', 'v1.TolerationOperator'],
  ['effect', 'v1.TaintEffect'],
  ['restartPolicy', 'v1.RestartPolicy'],
  ['preemptionPolicy', 'v1.PreemptionPolicy'],
  ['whenUnsatisfiable', 'v1.UnsatisfiableConstraintAction'],
  ['protocol', 'v1.Protocol'],
  ['uid', 'types.UID'],
]);

const INT32_FIELDS = new Set(['priority', 'containerPort', 'hostPort', 'maxSkew', 'minDomains']);

function goType(field: string, expected: string): string {
  if (expected === 'integer') return INT32_FIELDS.has(field) ? 'int32' : 'int64';
  if (expected === 'boolean') return 'bool';
  return NAMED_TYPES.get(field) ?? expected;
}

const isNumber = (value: JsonValue): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** The JSON type of a value, in the words of Go's decoder. */
function goKind(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (isNumber(value)) return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function valueAt(given: JsonObject, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = given;
  for (const segment of pointer.slice(1).split('/')) {
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, JsonValue>>)[name];
  }
  return value;
}
