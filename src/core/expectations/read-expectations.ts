import { readPodManifest } from '../admission/read-pod-manifest.js';
import { THE_ONE, type Setting } from '../cluster/setting.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { stringifyJson } from '../json/lossless-json.js';
import { parseSelector, SelectorSyntaxError } from '../kubernetes/label-selector.js';
import { TAINT_EFFECTS } from '../kubernetes/taint.js';
import { parseTaintPattern, TaintSyntaxError } from '../kubernetes/taint-text.js';
import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { isQualifiedName } from '../kubernetes/validation/names.js';
import { checkSchema, type FileFault } from '../json/check-schema.js';
import {
  EXPECTATION_KINDS,
  type Bounds,
  type Compiled,
  type Expectation,
  type ExpectationKind,
  type Kinds,
} from './expectation.js';
import { EXPECTATIONS_SCHEMA } from './expectations-schema.js';

export type ReadExpectations =
  | {
      readonly expectations: readonly Expectation[];
      /** What is stored: the file with its defaults. */
      readonly content: JsonObject;
    }
  /** Everything that is wrong, in the order of the file. */
  | { readonly faults: readonly FileFault[] };

/** Reads a file of expectations, given as JSON. */
export function readExpectations(file: JsonValue): ReadExpectations {
  const faults = [...checkSchema(EXPECTATIONS_SCHEMA, file)];
  const given = faults.some(({ pointer }) => pointer === '' || pointer === '/expectations') ? [] : itemsOf(file);
  faults.push(...nameFaults(given));
  const expectations: Expectation[] = [];
  for (const [index, item] of given.entries()) {
    const at = `/expectations/${index}`;
    // Texts are checked only where the schema holds, so that nothing is reported twice.
    if (faults.some(({ pointer }) => pointer === at || pointer.startsWith(`${at}/`))) continue;
    expectations.push(readOne(item as JsonObject, at, faults));
  }
  if (faults.length > 0) return { faults: faults.sort((a, b) => comparePointers(a.pointer, b.pointer)) };
  return { expectations, content: { expectations: given as JsonObject[] } };
}

/** By stored setting, which never changes. */
const known = new WeakMap<Setting, readonly Expectation[]>();

/** The expectations that are stored for a cluster; none if they were stored by a version with another format. */
export function expectationsIn(state: ClusterState): readonly Expectation[] {
  const setting = state.setting('Expectations', THE_ONE);
  if (setting === undefined) return [];
  let read = known.get(setting);
  if (read === undefined) {
    const result = readExpectations({ apiVersion: 'kube-placement/v1', kind: 'Expectations', ...setting.content });
    known.set(setting, (read = 'faults' in result ? [] : result.expectations));
  }
  return read;
}

function itemsOf(file: JsonValue): readonly JsonValue[] {
  const items = isJsonObject(file) && Object.hasOwn(file, 'expectations') ? file['expectations'] : undefined;
  return Array.isArray(items) ? items : [];
}

function nameFaults(items: readonly JsonValue[]): readonly FileFault[] {
  const first = new Map<string, number>();
  return items.flatMap((item, index): FileFault[] => {
    const name = isJsonObject(item) ? item['name'] : undefined;
    if (typeof name !== 'string') return [];
    const before = first.get(name);
    if (before === undefined) {
      first.set(name, index);
      return [];
    }
    const message = `names are unique, and expectation ${before + 1} has this one`;
    return [{ pointer: `/expectations/${index}/name`, code: 'duplicate', message }];
  });
}

function readOne(item: JsonObject, at: string, faults: FileFault[]): Expectation {
  const { name, description } = item as { name: string; description?: string };
  const kind = EXPECTATION_KINDS.find((one) => Object.hasOwn(item, one))!;
  const spec = withNamespaces(item[kind]!) as unknown as Kinds[ExpectationKind];
  const compiled = compile(kind, spec, `${at}/${kind}`, faults);
  const text = `${kind} ${stringifyJson(spec, { sortKeys: true })}`;
  return { name, ...defined({ description }), kind, spec, compiled, text } as Expectation;
}

/** With the default namespace in every reference to a workload; manifests keep their own. */
function withNamespaces(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withNamespaces);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === 'pod') return [key, item];
      if (key === 'workload') return [key, { namespace: 'default', ...(item as JsonObject) }];
      if (key === 'workloads') return [key, (item as JsonObject[]).map((one) => ({ namespace: 'default', ...one }))];
      return [key, withNamespaces(item)];
    }),
  );
}

function compile(kind: ExpectationKind, spec: Kinds[ExpectationKind], at: string, faults: FileFault[]): Compiled {
  const say = (pointer: string, code: string, message: string): void =>
    void faults.push({ pointer: `${at}${pointer}`, code, message });
  const given = spec as Partial<Kinds['podFits'] & Kinds['survives'] & Kinds['tolerates']> & Bounds;
  checkBounds(given, say);
  if (given.lossOf !== undefined) {
    for (const message of isQualifiedName(given.lossOf.label)) say('/lossOf/label', 'invalid-label', message);
  }
  const manifest = given.pod === undefined ? undefined : manifestOf(given.pod, kind, say);
  if (kind === 'capacityFor' && given.workload?.kind === 'DaemonSet') {
    say('/workload/kind', 'unsupported-kind', 'a DaemonSet has one pod for each node, not replicas');
  }
  return defined({
    nodes: given.nodes?.labelSelector === undefined ? undefined : selectorOf(given.nodes.labelSelector, say),
    manifest,
    taints: kind === 'tolerates' ? taintsOf(given.taint!, say) : undefined,
  });
}

type Say = (pointer: string, code: string, message: string) => void;

function checkBounds({ atLeast, atMost, exactly }: Bounds, say: Say): void {
  if (exactly !== undefined && (atLeast !== undefined || atMost !== undefined)) {
    say('/exactly', 'one-of', 'give either exactly, or atLeast and atMost');
  }
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) {
    say('/atMost', 'out-of-range', `must not be less than atLeast, which is ${atLeast}`);
  }
}

function selectorOf(text: string, say: Say): Compiled['nodes'] {
  try {
    return parseSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorSyntaxError)) throw error;
    say('/nodes/labelSelector', 'invalid-selector', error.message);
    return undefined;
  }
}

function taintsOf(text: string, say: Say): Compiled['taints'] {
  try {
    const { key, value, effect } = parseTaintPattern(text);
    const taint = { key, ...(value === undefined || value === '' ? {} : { value }) };
    return (effect === undefined ? TAINT_EFFECTS : [effect]).map((one) => ({ ...taint, effect: one }));
  } catch (error) {
    if (!(error instanceof TaintSyntaxError)) throw error;
    say('/taint', 'invalid-taint', error.message);
    return undefined;
  }
}

function manifestOf(pod: JsonObject, kind: ExpectationKind, say: Say): Compiled['manifest'] {
  const read = readPodManifest('pod', pod, DEFAULT_GATES);
  if ('errors' in read) {
    for (const { pointer, type, field, message } of read.errors) {
      say(`/pod${read.pointer}${pointer}`, type, field === '' ? message : `${field}: ${message}`);
    }
    return undefined;
  }
  const { object } = read;
  if (object.kind === 'Pod' && (object.spec.nodeName ?? '') !== '') {
    say('/pod/spec/nodeName', 'conflicting-fields', 'must not be set: a pod with a node name is not scheduled');
  }
  if (kind === 'capacityFor' && object.kind === 'DaemonSet') {
    say('/pod/kind', 'unsupported-kind', 'a DaemonSet has one pod for each node, not replicas');
  }
  return read;
}

/** In the order of the file: indexes as numbers. */
function comparePointers(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i]!, right[i]!];
    if (x === y) continue;
    const difference = Number(x) - Number(y);
    if (!Number.isNaN(difference)) return difference;
    return x < y ? -1 : 1;
  }
  return left.length - right.length;
}
