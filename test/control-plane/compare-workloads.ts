import type { JsonObject } from '../../src/core/json/json-value.js';
import { stringifyJson } from '../../src/core/json/lossless-json.js';
import { ops } from '../conformance/ops/index.js';
import { collectionOf, messageOf, nameOf, pathOf, pause, type ApiServer } from './api-server.js';
import { closeNamespace, NotSetUp, openNamespace, setUp, type Compared, type Comparison } from './comparison.js';
import { PlayedNodes } from './play-nodes.js';
import { drawn, objectsIn, vectorsOf } from './recorded-inputs.js';
import { observedWorkloads } from './observed-workloads.js';

const QUIET_MS = 2500;
const LOOK_MS = 250;
const MAX_WAIT_MS = 60_000;

const CLASSES = ['priorityClasses', 'storageClasses', 'runtimeClasses', 'persistentVolumes'];

/**
 * Whole workloads: a recorded scenario with other numbers of replicas and other requests, created for real and left to the scheduler and
 * the controllers until nothing changes.
 */
export async function compareWorkloads(): Promise<Comparison> {
  const inputs = (await vectorsOf('workload')).map(({ input }) => input);
  return {
    compare: (api, next, name) => compareOne(api, varied(drawn(inputs, next), next, name), name),
  };
}

const REPLICAS = [-2, -1, 0, 1, 2, 5];
const CPU = ['50m', '100m', '250m', '500m', '1', '1500m'];

/** The scenario with other replicas and requests of its workloads; an update keeps the changes of what it updates. */
function varied(input: JsonObject, next: () => number, name: string): JsonObject {
  const byName = new Map<string, { readonly more: number; readonly cpu: string | undefined }>();
  const vary = (object: JsonObject): JsonObject => {
    const spec = object['spec'] as JsonObject | undefined;
    const template = spec?.['template'] as JsonObject | undefined;
    if (spec === undefined || template === undefined) return object;
    const key = nameOf(object);
    const change = byName.get(key) ?? { more: drawn(REPLICAS, next), cpu: next() < 0.5 ? drawn(CPU, next) : undefined };
    byName.set(key, change);
    const { replicas } = spec;
    return {
      ...object,
      spec: {
        ...spec,
        ...(typeof replicas === 'number' ? { replicas: Math.max(0, replicas + change.more) } : {}),
        template: change.cpu === undefined ? template : withCpu(template, change.cpu),
      },
    };
  };
  return {
    ...input,
    namespace: { ...(input['namespace'] as JsonObject), name },
    existing: objectsIn(input, 'existing').map(vary),
    apply: objectsIn(input, 'apply').map(vary),
  };
}

/** Containers that request CPU request another amount. */
function withCpu(template: JsonObject, cpu: string): JsonObject {
  const spec = template['spec'] as JsonObject;
  const containers = objectsIn(spec, 'containers').map((container) => {
    const resources = container['resources'] as JsonObject | undefined;
    const requests = resources?.['requests'] as JsonObject | undefined;
    if (requests?.['cpu'] === undefined) return container;
    return { ...container, resources: { ...resources, requests: { ...requests, cpu } } };
  });
  return { ...template, spec: { ...spec, containers } };
}

async function compareOne(api: ApiServer, input: JsonObject, name: string): Promise<Compared> {
  const op = ops.get('workload')!;
  const ours = op.answer(input);
  if (typeof ours === 'object' && ours !== null && 'unknown' in ours) return { outcome: 'unknown' };
  const classes = CLASSES.flatMap((member) => objectsIn(input, member));
  let nodes: PlayedNodes | undefined;
  try {
    for (const one of classes) await setUp(api, collectionOf(one, name), one);
    nodes = await PlayedNodes.create(api, objectsIn(input, 'nodes'));
    await openNamespace(api, name, (input['namespace'] as JsonObject)['labels']);
    for (const member of ['quotas', 'limitRanges', 'pdbs']) {
      for (const object of objectsIn(input, member)) await setUp(api, collectionOf(object, name), object);
    }
    for (const quota of objectsIn(input, 'quotas')) {
      await api.until(`the status of ResourceQuota ${nameOf(quota)}`, async () => {
        const { status } = await api.must('GET', pathOf(quota, name));
        return (status as JsonObject | undefined)?.['hard'] === undefined ? undefined : true;
      });
    }
    const applied: JsonObject[] = [];
    for (const member of ['existing', 'apply']) {
      for (const object of objectsIn(input, member)) applied.push(await apply(api, object, name));
      await quiet(api, name);
    }
    const theirs = { applied, ...(await observedWorkloads(api, name)) };
    if (op.agree!(theirs, ours, input)) return { outcome: 'equal' };
    return { outcome: 'different', input, theirs, ours };
  } catch (error) {
    if (error instanceof NotSetUp) return { outcome: 'notSetUp', why: error.message };
    throw error;
  } finally {
    await closeNamespace(api, name);
    await api.until(`the end of namespace ${name}`, async () => {
      const { code } = await api.ask('GET', `/api/v1/namespaces/${name}`);
      return code === 404 ? true : undefined;
    });
    await nodes?.remove();
    for (const one of classes) await remove(api, pathOf(one, name));
  }
}

/** A PersistentVolume that was bound has a finalizer. */
async function remove(api: ApiServer, path: string): Promise<void> {
  await api.must('DELETE', path);
  await api.ask('PATCH', path, { metadata: { finalizers: null } });
}

/** Creates the object, or merges it over the stored one. */
async function apply(api: ApiServer, object: JsonObject, namespace: string): Promise<JsonObject> {
  const kind = object['kind']!;
  if (kind === 'NamespaceLabels') {
    const patch = { metadata: { labels: object['labels']! } };
    const { code, body } = await api.ask('PATCH', `/api/v1/namespaces/${namespace}`, patch);
    return { kind, name: namespace, code, message: code >= 300 ? messageOf(body) : null };
  }
  const path = pathOf(object, namespace);
  const isStored = (await api.ask('GET', path)).code === 200;
  const { code, body } = isStored
    ? await api.ask('PATCH', path, object)
    : await api.ask('POST', collectionOf(object, namespace), object);
  return { kind, name: nameOf(object), code, message: code >= 300 ? messageOf(body) : null };
}

/** Waits until nothing in the namespace has changed for a while. */
async function quiet(api: ApiServer, namespace: string): Promise<void> {
  const end = Date.now() + MAX_WAIT_MS;
  let seen = '';
  let since = Date.now();
  while (Date.now() < end) {
    const state = stringifyJson(await observedWorkloads(api, namespace));
    if (state !== seen) {
      seen = state;
      since = Date.now();
    } else if (Date.now() - since >= QUIET_MS) return;
    await pause(LOOK_MS);
  }
  throw new NotSetUp('the workloads do not come to rest within a minute');
}
