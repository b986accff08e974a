import type { takeDelta } from '../../contract/deltas/questions.js';
import { MAX_DELTA_OBJECTS, MAX_DELTA_POSITIONS } from '../../contract/deltas/delta.js';
import type { ObjectRow } from '../../core/cluster/object-row.js';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { isKeptKind, kindInfo } from '../../core/kubernetes/kinds.js';
import { IngestError } from '../../ingest/ingest-error.js';
import { readSnapshot } from '../../ingest/read-snapshot.js';
import { areShort, readValues } from '../../ingest/read-values.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { futureCapture } from './capture-time.js';
import { snapshotRefused } from './snapshot-refused.js';

/** So many objects are written at once that other requests hardly wait. */
const OBJECTS_A_CHUNK = 50;

/** The objects of a delta as they are stored. */
export interface ReadUpserts {
  readonly rows: readonly ObjectRow[];
  /** The number of objects of kinds that are not kept. */
  readonly notKept: number;
}

type Reader = Partial<Pick<RequestContext, 'signal'>> & { readonly sender: string };

/**
 * Reads the objects of a delta as those of a snapshot are read.
 * @throws {ServiceError} with every bad field of every object
 */
export async function readUpserts(
  upserts: readonly unknown[],
  invalid: 'refuse' | 'keep',
  reader: Reader,
): Promise<ReadUpserts> {
  if (upserts.length === 0) return { rows: [], notKept: 0 };
  const objects = [...upserts.entries()].filter((entry): entry is [number, JsonObject] => isJsonObject(entry[1]));
  const others = [...upserts.entries()].filter(([, upsert]) => !isJsonObject(upsert));
  const details: ErrorDetail[] = others.map(([index]) => ({
    pointer: `/upserts/${index}`,
    field: `upserts[${index}]`,
    code: 'isObject',
    message: 'must be an object',
  }));
  let rows: readonly ObjectRow[] = [];
  let notKept = 0;
  try {
    if (objects.length > 0) {
      const values = objects.map(([, object]) => object);
      const options = { invalid, ...reader };
      const read = await (areShort(values) ? readValues(values, options) : readApart(values, options));
      rows = read.rows;
      notKept = read.report.ignored.reduce((sum, { count }) => sum + count, 0);
    }
  } catch (error) {
    if (!(error instanceof IngestError)) throw error;
    const refused = snapshotRefused(error);
    if (details.length > 0 && !isOfObjects(refused)) throw refused;
    const ofObjects = refused.details.map((detail) => inUpserts(detail, objects));
    if (details.length > 0) throw new InvalidRequestError([...details, ...ofObjects]);
    const { code, message, retryAfterSeconds } = refused;
    const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    throw new ServiceError(code, message, { details: ofObjects, cause: error, ...retry });
  }
  if (details.length > 0) throw new InvalidRequestError(details);
  return { rows, notKept };
}

/** Reads values in another thread, which takes their text. */
async function readApart(
  values: readonly JsonObject[],
  options: Parameters<typeof readSnapshot>[1],
): ReturnType<typeof readValues> {
  const reading = readSnapshot(linesOf(values), options);
  const rows: ObjectRow[] = [];
  for await (const batch of reading.rows) rows.push(...batch);
  return { rows, report: await reading.report };
}

/** Whether an error is about the objects, not about the service or the connection. */
export const isOfObjects = ({ code }: ServiceError): boolean =>
  code !== 'internal' && code !== 'too-many-snapshots' && code !== 'body-incomplete';

/** The objects as NDJSON. */
async function* linesOf(objects: readonly JsonObject[]): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for (let start = 0; start < objects.length; start += OBJECTS_A_CHUNK) {
    const some = objects.slice(start, start + OBJECTS_A_CHUNK);
    yield await Promise.resolve(encoder.encode(some.map((object) => `${stringifyJson(object)}\n`).join('')));
  }
}

/** The error of an object with its place in the request. */
function inUpserts(
  { item, pointer = '', field = '', ...detail }: ErrorDetail,
  objects: readonly (readonly [number, JsonObject])[],
): ErrorDetail {
  if (item === undefined) return { ...detail, pointer, field };
  const index = objects[item]?.[0] ?? item;
  return { ...detail, item: index, pointer: `/upserts/${index}${pointer}`, field };
}

type GivenDelta = Omit<RequestOf<typeof takeDelta>, 'cluster' | 'root'>;

/** A request in which members may be missing or have any type. */
type Unchecked<Given> = { readonly [Member in keyof Given]?: unknown };

/**
 * The errors that the form of a request does not show, in those members that have the right type.
 * @param now undefined: what depends on it is not checked
 */
export function fieldErrors(
  { capturedAt, stream, deletions, positions }: Unchecked<GivenDelta>,
  now: Date | undefined,
): ErrorDetail[] {
  const time = typeof capturedAt === 'string' ? new Date(capturedAt) : null;
  return [
    ...(now === undefined || Number.isNaN(time?.getTime()) ? [] : futureCapture(time, now)),
    ...textErrors('/stream', 'stream', stream),
    ...objectsIn(deletions, MAX_DELTA_OBJECTS).flatMap(([deletion, index]) => deletionErrors(deletion, index)),
    ...positionErrors(objectsIn(positions, MAX_DELTA_POSITIONS)),
  ];
}

/** Further errors of a request that is already rejected. */
export async function deltaErrors(
  given: Unchecked<GivenDelta>,
  { now }: { readonly now: Date | undefined },
): Promise<readonly ErrorDetail[]> {
  const { upserts, invalid } = given;
  const details = fieldErrors(given, now);
  if (!Array.isArray(upserts) || upserts.length > MAX_DELTA_OBJECTS) return details;
  try {
    await readUpserts(upserts, invalid === 'keep' ? 'keep' : 'refuse', { sender: '' });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (isOfObjects(error)) details.push(...error.details);
  }
  return details;
}

/** The objects in a list with their indexes, unless it is too long. */
function objectsIn(list: unknown, most: number): (readonly [Readonly<Record<string, unknown>>, number])[] {
  if (!Array.isArray(list) || list.length > most) return [];
  return list.flatMap((item: unknown, index) => (isJsonObject(item) ? [[item, index] as const] : []));
}

const PRINTABLE = /^[!-~]+$/;

/** A value that is no text has been reported. */
function textErrors(pointer: string, field: string, text: unknown): ErrorDetail[] {
  if (typeof text !== 'string' || PRINTABLE.test(text)) return [];
  return [
    { pointer, field, code: 'FieldValueInvalid', message: 'must be printable ASCII without spaces, and not empty' },
  ];
}

type Deletion = NonNullable<GivenDelta['deletions']>[number];
type Position = NonNullable<GivenDelta['positions']>[number];

function deletionErrors({ kind, namespace, ...given }: Unchecked<Deletion>, index: number): ErrorDetail[] {
  const at = (member: string) => [`/deletions/${index}/${member}`, `deletions[${index}].${member}`] as const;
  const errors = [
    ...kindErrors(...at('kind'), kind),
    ...textErrors(...at('name'), given.name),
    ...textErrors(...at('uid'), given.uid),
    ...textErrors(...at('resourceVersion'), given.resourceVersion),
    ...textErrors(...at('namespace'), namespace === '' ? undefined : namespace),
  ];
  if (typeof kind !== 'string' || !isKeptKind(kind)) return errors;
  const hasNamespace = namespace !== undefined && namespace !== '';
  if (kindInfo(kind).namespaced === hasNamespace) return errors;
  const [pointer, field] = at('namespace');
  const message = hasNamespace ? `${kind} has no namespace` : `${kind} is namespaced: the namespace is required`;
  return [...errors, { pointer, field, code: 'FieldValueInvalid', message }];
}

function positionErrors(positions: readonly (readonly [Unchecked<Position>, number])[]): ErrorDetail[] {
  const seen = new Set<unknown>();
  return positions.flatMap(([{ kind, resourceVersion, hash }, index]) => {
    const at = (member: string) => [`/positions/${index}/${member}`, `positions[${index}].${member}`] as const;
    const [kindPointer, kindField] = at('kind');
    const [hashPointer, hashField] = at('hash');
    const twice: ErrorDetail = {
      pointer: kindPointer,
      field: kindField,
      code: 'FieldValueDuplicate',
      message: `${String(kind)} comes twice`,
    };
    const noHash: ErrorDetail = {
      pointer: hashPointer,
      field: hashField,
      code: 'FieldValueInvalid',
      message: 'must be 16 hexadecimal digits in lower case',
    };
    const errors = [
      ...kindErrors(kindPointer, kindField, kind),
      ...(typeof kind === 'string' && seen.has(kind) ? [twice] : []),
      ...textErrors(...at('resourceVersion'), resourceVersion),
      ...(typeof hash !== 'string' || /^[0-9a-f]{16}$/.test(hash) ? [] : [noHash]),
    ];
    seen.add(kind);
    return errors;
  });
}

function kindErrors(pointer: string, field: string, kind: unknown): ErrorDetail[] {
  if (typeof kind !== 'string' || isKeptKind(kind)) return [];
  return [{ pointer, field, code: 'unknown-kind', message: `unknown kind ${JSON.stringify(kind.slice(0, 100))}` }];
}
