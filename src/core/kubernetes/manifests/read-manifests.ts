import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';
import { kindInfo, isKeptKind } from '../kinds.js';
import { jsonType } from '../schema/decoding.js';
import type { ManifestDocument } from './manifest-document.js';
import type {
  ManifestFault,
  ManifestFaultCode,
  ManifestObject,
  ManifestSource,
  NotLookedAt,
} from './manifest-object.js';
import { ownerCycles } from './owner-cycles.js';
import { groupOf, kindScope, whyNotLookedAt } from './served-kinds.js';

/** The objects of a request, in the order in which they were sent. */
export interface ReadManifests {
  /** All objects, those that are not looked at among them. */
  readonly objects: readonly ManifestObject[];
  readonly notLookedAt: readonly NotLookedAt[];
  /** The document from which each object comes. */
  readonly documents: ReadonlyMap<ManifestObject, ManifestDocument>;
}

/** Why the manifests of a request cannot be used: everything that is wrong. */
export interface UnreadableManifests {
  readonly faults: readonly ManifestFault[];
}

export interface ReadManifestsOptions {
  /** The namespace of the request, for objects without one; `default` by default. */
  readonly namespace?: string;
  /** What is already known to be wrong with the text of the documents. */
  readonly faults?: readonly ManifestFault[];
}

/** The maximum number of objects, and of documents. */
export const MOST_MANIFESTS = 2000;
/** Lists in Lists deeper than this are not real. */
const MOST_NESTED = 8;
/** The maximum number of faults that are listed. */
const MOST_FAULTS = 1000;

/**
 * Reads the objects of a request from its documents: objects, and Lists of objects (also nested), as `kubectl apply -f` takes
 * them. Each namespaced object gets a namespace.
 */
export function readManifests(
  documents: readonly ManifestDocument[],
  options: ReadManifestsOptions = {},
): ReadManifests | UnreadableManifests {
  const reader = new ManifestReader(options.namespace ?? 'default', [...(options.faults ?? [])]);
  for (const document of documents) reader.readDocument(document);
  return reader.finish();
}

/** An object whose namespace may depend on a CustomResourceDefinition of the same request. */
interface Found {
  readonly source: ManifestSource;
  readonly apiVersion: string;
  readonly kind: string;
  readonly value: JsonObject;
  readonly document: ManifestDocument;
}

class ManifestReader {
  private readonly found: Found[] = [];
  private item = 0;

  constructor(
    private readonly namespace: string,
    private readonly faults: ManifestFault[],
  ) {}

  readDocument(document: ManifestDocument): void {
    this.item = 0;
    const source = { document: document.document, pointer: document.pointer, ...lineOf(document.line) };
    this.read(document.value, source, document, undefined, 0);
  }

  private read(
    value: JsonValue,
    source: ManifestSource,
    document: ManifestDocument,
    listed: { readonly apiVersion: string; readonly kind: string } | undefined,
    depth: number,
  ): void {
    if (this.isOver()) return;
    if (!isJsonObject(value)) {
      this.fault(
        'not-an-object',
        `${source.item === undefined ? 'the document' : 'the item'} is ${typeOf(value)}, not an object`,
        source,
      );
      return;
    }
    const type = this.typeOf(value, listed, source);
    if (type === undefined) return;
    const { apiVersion, kind } = type;
    if (kind === 'Status' && apiVersion === 'v1') {
      this.fault('unusable-object', 'it is a Status, which the API server returns instead of objects', source);
    } else if (isList(value, kind)) {
      this.readList(value, kind, source, document, depth);
    } else {
      this.found.push({ source, apiVersion, kind, value, document });
    }
  }

  private readList(
    list: JsonObject,
    kind: string,
    at: ManifestSource,
    document: ManifestDocument,
    depth: number,
  ): void {
    if (depth >= MOST_NESTED) {
      this.fault('unusable-object', `Lists are nested deeper than ${MOST_NESTED} levels`, at);
      return;
    }
    if (isPage(list)) {
      this.fault('unusable-object', `the ${kind} is only a page of a longer list (metadata.continue)`, at);
      return;
    }
    const element = kind === 'List' ? undefined : { apiVersion: list['apiVersion'] as string, kind: kind.slice(0, -4) };
    const items = list['items'] as readonly JsonValue[] | null;
    for (const [index, item] of (items ?? []).entries()) {
      if (this.isOver()) return;
      const line = isJsonObject(item) ? document.lines?.get(item) : undefined;
      const source = {
        document: at.document,
        item: this.item,
        pointer: `${at.pointer}/items/${index}`,
        ...lineOf(line ?? at.line),
      };
      if (!(isJsonObject(item) && isList(item, textOf(item, 'kind') ?? ''))) this.item += 1;
      this.read(item, source, document, element, depth + 1);
    }
  }

  private typeOf(
    value: JsonObject,
    listed: { readonly apiVersion: string; readonly kind: string } | undefined,
    source: ManifestSource,
  ): { readonly apiVersion: string; readonly kind: string } | undefined {
    const apiVersion = textOf(value, 'apiVersion');
    const kind = textOf(value, 'kind');
    if (apiVersion !== undefined && kind !== undefined) return { apiVersion, kind };
    // The items of a PodList are Pods without a kind.
    if (listed !== undefined && isAbsent(value, 'apiVersion') && isAbsent(value, 'kind')) return listed;
    const missing = (['apiVersion', 'kind'] as const).filter((name) => textOf(value, name) === undefined);
    this.fault(
      'incomplete-object',
      missing.map((name) => `${name} ${isAbsent(value, name) ? 'not set' : 'is not a string'}`).join(', '),
      source,
    );
    return undefined;
  }

  finish(): ReadManifests | UnreadableManifests {
    const scopes = customScopes(this.found);
    const objects: ManifestObject[] = [];
    const documents = new Map<ManifestObject, ManifestDocument>();
    for (const { document, ...found } of this.found) {
      const object = this.named(found, scopes);
      objects.push(object);
      documents.set(object, document);
    }
    if (objects.length === 0 && this.faults.length === 0) {
      this.faults.push({ code: 'empty-manifests', message: 'there is no object in the manifests', pointer: '' });
    }
    this.refuseTwins(objects);
    for (const cycle of ownerCycles(objects)) {
      const [first] = cycle;
      const path = [...cycle, first!].map(titleOf).join(', owned by ');
      this.fault(
        'owner-cycle',
        `owner references lead in a circle: ${path}`,
        first!.source,
        '/metadata/ownerReferences',
      );
    }
    if (this.faults.length > 0) {
      return { faults: this.faults.sort((one, other) => (one.document ?? -1) - (other.document ?? -1)) };
    }
    const notLookedAt = objects.flatMap((object): NotLookedAt[] => {
      const why = whyNotLookedAt(object.apiVersion, object.kind);
      return why === undefined ? [] : [{ object, why }];
    });
    return { objects, notLookedAt, documents };
  }

  private named(found: Omit<Found, 'document'>, scopes: ReadonlyMap<string, boolean>): ManifestObject {
    const { apiVersion, kind, value } = found;
    const metadata = value['metadata'];
    const own = isJsonObject(metadata) ? textOf(metadata, 'namespace') : undefined;
    const name = (isJsonObject(metadata) ? textOf(metadata, 'name') : undefined) ?? '';
    // A kind in a version that Kubernetes no longer has is scoped like its newest.
    const { namespaced = isKeptKind(kind) ? kindInfo(kind).namespaced : scopes.get(`${groupOf(apiVersion)} ${kind}`) } =
      kindScope(apiVersion, kind);
    const namespace = namespaced === false ? undefined : (own ?? (namespaced === true ? this.namespace : undefined));
    return { ...found, namespace, name };
  }

  private refuseTwins(objects: readonly ManifestObject[]): void {
    const first = new Map<string, ManifestObject>();
    for (const object of objects) {
      if (object.name === '') continue;
      const key = [groupOf(object.apiVersion), object.kind, object.namespace ?? '', object.name].join('\n');
      const twin = first.get(key);
      if (twin === undefined) first.set(key, object);
      else
        this.fault(
          'duplicate-object',
          `${titleOf(object)} is there twice; the first is ${placeOf(twin)}`,
          object.source,
          '/metadata/name',
        );
    }
  }

  private isOver(): boolean {
    if (this.found.length <= MOST_MANIFESTS) return this.faults.length >= MOST_FAULTS;
    this.found.length = 0;
    this.faults.length = 0;
    this.faults.push({
      code: 'too-many-documents',
      message: `there are more than ${MOST_MANIFESTS} objects in the manifests`,
      pointer: '',
    });
    this.isOver = () => true;
    return true;
  }

  private fault(code: ManifestFaultCode, message: string, source: ManifestSource, below = ''): void {
    if (this.faults.length >= MOST_FAULTS) return;
    const { document, line, pointer } = source;
    this.faults.push({ code, message, document, ...lineOf(line), pointer: pointer + below });
  }
}

/** Whether the objects of a custom kind have a namespace, by the CustomResourceDefinitions among the manifests. */
function customScopes(found: readonly Found[]): ReadonlyMap<string, boolean> {
  const scopes = new Map<string, boolean>();
  for (const { apiVersion, kind, value } of found) {
    if (kind !== 'CustomResourceDefinition' || groupOf(apiVersion) !== 'apiextensions.k8s.io') continue;
    const spec = value['spec'];
    if (!isJsonObject(spec) || !isJsonObject(spec['names'])) continue;
    const [group, name, scope] = [textOf(spec, 'group'), textOf(spec['names'], 'kind'), textOf(spec, 'scope')];
    if (group !== undefined && name !== undefined) scopes.set(`${group} ${name}`, scope === 'Namespaced');
  }
  return scopes;
}

/** `Deployment web in namespace shop`. */
function titleOf({ kind, namespace, name }: ManifestObject): string {
  return `${kind} ${name}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
}

function placeOf({ source: { document, item, line } }: ManifestObject): string {
  const place = item === undefined ? `document ${document + 1}` : `item ${item} of document ${document + 1}`;
  return line === undefined ? place : `${place}, line ${line}`;
}

function isList(value: JsonObject, kind: string): boolean {
  if (!kind.endsWith('List') || !Object.hasOwn(value, 'items')) return false;
  return value['items'] === null || Array.isArray(value['items']);
}

function isPage(list: JsonObject): boolean {
  const metadata = list['metadata'];
  return isJsonObject(metadata) && textOf(metadata, 'continue') !== undefined;
}

function typeOf(value: JsonValue): string {
  const type = jsonType(value);
  if (type === 'string') return 'text';
  return type === 'null' ? 'null' : type === 'array' || type === 'integer' ? `an ${type}` : `a ${type}`;
}

const lineOf = (line: number | undefined): { readonly line?: number } => (line === undefined ? {} : { line });

function isAbsent(value: JsonObject, key: string): boolean {
  return !Object.hasOwn(value, key) || value[key] === null || value[key] === '';
}

/** A string that is not empty. */
function textOf(value: JsonObject, key: string): string | undefined {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === 'string' && found !== '' ? found : undefined;
}
