import { defined } from '../collections/defined.js';
import { GoJsonError, parseGoJson, type GoJson } from '../kubernetes/go-json.js';
import { parseInt64 } from '../kubernetes/parse-int64.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Toleration } from '../kubernetes/objects/taints.js';

const TEXT_FIELDS = ['key', 'operator', 'value', 'effect'] as const;

/** The Go type of each field, as the decoder names it. */
const FIELD_TYPES: ReadonlyMap<string, string> = new Map([
  ['key', 'string'],
  ['operator', 'v1.TolerationOperator'],
  ['value', 'string'],
  ['effect', 'v1.TaintEffect'],
  ['tolerationSeconds', 'int64'],
]);

/** Go finds a field by its name, or else by its name in whatever case. */
const FIELD_OF_FOLDED: ReadonlyMap<string, string> = new Map(
  [...FIELD_TYPES.keys()].map((name) => [folded(name), name]),
);

/**
 * The tolerations that an annotation of a namespace lists; `null` and the empty text are an empty list.
 *
 * Read as Go's `encoding/json` reads `[]v1.Toleration`: unknown fields are ignored, the case of a known one does not matter, null
 * leaves a field as it is, and the first value of a wrong type fails the whole.
 *
 * @throws {GoJsonError} in the words of Go's decoder
 */
export function parseTolerations(annotation: string): Toleration[] {
  if (annotation === '') return [];
  const value = parseGoJson(annotation);
  if (value.type === 'null') return [];
  if (value.type !== 'array') throw new GoJsonError(`${cannot(value)} Go value of type []v1.Toleration`);
  return value.items.map(toleration);
}

function toleration(value: GoJson): Toleration {
  if (value.type === 'null') return {};
  if (value.type !== 'object') throw new GoJsonError(`${cannot(value)} Go value of type v1.Toleration`);
  const fields = new Map<string, string>();
  let seconds: Int64 | undefined;
  for (const [name, member] of value.members) {
    const field = FIELD_TYPES.has(name) ? name : FIELD_OF_FOLDED.get(folded(name));
    if (field === 'tolerationSeconds') seconds = member.type === 'null' ? undefined : int64(member);
    else if (field !== undefined && member.type !== 'null') fields.set(field, text(member, field));
  }
  const texts = TEXT_FIELDS.flatMap((field) => {
    const given = fields.get(field) ?? '';
    return given === '' ? [] : [[field, given] as const];
  });
  return { ...Object.fromEntries(texts), ...defined({ tolerationSeconds: seconds }) };
}

function text(value: GoJson, field: string): string {
  if (value.type === 'string') return value.value;
  throw new GoJsonError(`${cannot(value)} ${goField(field)}`);
}

function int64(value: GoJson): Int64 {
  if (value.type !== 'number') throw new GoJsonError(`${cannot(value)} ${goField('tolerationSeconds')}`);
  const parsed = parseInt64(value.text);
  if ('value' in parsed) return Number.isSafeInteger(Number(parsed.value)) ? Number(parsed.value) : parsed.value;
  throw new GoJsonError(`json: cannot unmarshal number ${value.text} into ${goField('tolerationSeconds')}`);
}

const goField = (field: string): string =>
  `Go struct field Toleration.${field} of type ${FIELD_TYPES.get(field) ?? ''}`;

const cannot = ({ type }: GoJson): string => `json: cannot unmarshal ${type} into`;

function folded(name: string): string {
  return name.toUpperCase().toLowerCase();
}
