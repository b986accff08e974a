import type { JsonObject } from '../../src/core/json/json-value.js';
import type { WholePod } from '../../src/core/kubernetes/objects/whole-pod.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import { admitPod, storedPod } from '../conformance/ops/admit-pod.js';
import { decodeManifest } from '../conformance/ops/refused-fields.js';
import { collectionOf, nameOf, pathOf, type ApiAnswer, type ApiServer } from './api-server.js';
import {
  agreed,
  closeNamespace,
  defaultAccountOf,
  NotSetUp,
  setUp,
  type Compared,
  type Comparison,
} from './comparison.js';
import { drawn, into, joined, objectsIn, vectorsOf } from './recorded-inputs.js';

const CLASSES = ['priorityClasses', 'runtimeClasses'] as const;

/**
 * The creation of pods: the LimitRanges, quotas and stored pods of one recorded namespace, with the pod of another. Each pod is
 * created in a dry run, and admitted by the core with the quotas as their controller has counted them.
 */
export async function compareAdmittedPods(): Promise<Comparison> {
  const inputs = (await vectorsOf('admitPod')).map(({ input }) => input).filter((input) => input['pod'] !== undefined);
  const settings = inputs.filter((input) => input['namespace'] !== null && !isTerminating(input));
  return {
    async compare(api, next, name) {
      const input = combined(drawn(settings, next), drawn(inputs, next), name);
      return input === undefined
        ? { outcome: 'notSetUp', why: 'two classes of the same name differ' }
        : compareOne(api, input, name);
    },
  };
}

const isTerminating = (input: JsonObject): boolean => (input['namespace'] as JsonObject)['status'] !== undefined;

function combined(setting: JsonObject, asked: JsonObject, name: string): JsonObject | undefined {
  const input: Record<string, JsonObject[string]> = { op: 'admitPod' };
  for (const member of [...CLASSES, 'serviceAccounts']) {
    const objects = joined(objectsIn(asked, member), objectsIn(setting, member));
    if (objects === undefined) return undefined;
    input[member] = member === 'serviceAccounts' ? objects.map((object) => into(name, object)) : [...objects];
  }
  for (const member of ['limitRanges', 'quotas', 'existingPods']) {
    input[member] = objectsIn(setting, member).map((object) => into(name, object));
  }
  const { labels } = (setting['namespace'] as JsonObject)['metadata'] as JsonObject;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...(labels ? { labels } : {}) } };
  return { ...input, namespace, pod: asked['pod']! };
}

async function compareOne(api: ApiServer, input: JsonObject, name: string): Promise<Compared> {
  const classes = CLASSES.flatMap((member) => objectsIn(input, member));
  try {
    await setUp(api, '/api/v1/namespaces', input['namespace'] as JsonObject);
    await defaultAccountOf(api, name);
    for (const one of classes) await setUp(api, collectionOf(one, name), one);
    for (const account of objectsIn(input, 'serviceAccounts')) await putAccount(api, account, name);
    for (const member of ['existingPods', 'limitRanges', 'quotas']) {
      for (const object of objectsIn(input, member))
        await setUp(api, collectionOf(object, name), withoutStatus(object));
    }
    const quotas = await Promise.all(objectsIn(input, 'quotas').map((quota) => counted(api, quota, name)));
    const asked = { ...input, quotas };
    const path = `${collectionOf(input['pod'] as JsonObject, name)}?dryRun=All`;
    return await agreed(admitPod, asked, async () => wanted(await api.ask('POST', path, input['pod'])));
  } catch (error) {
    if (error instanceof NotSetUp) return { outcome: 'notSetUp', why: error.message };
    throw error;
  } finally {
    await closeNamespace(api, name);
    for (const one of classes) await api.must('DELETE', pathOf(one, name));
  }
}

const withoutStatus = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== 'status'));

async function putAccount(api: ApiServer, account: JsonObject, name: string): Promise<void> {
  if (nameOf(account) === 'default') await api.must('PATCH', pathOf(account, name), account);
  else await setUp(api, collectionOf(account, name), account);
}

/** The quota once its controller has counted it. */
const counted = (api: ApiServer, quota: JsonObject, name: string): Promise<JsonObject> =>
  api.until(`the status of ResourceQuota ${nameOf(quota)}`, async () => {
    const body = await api.must('GET', pathOf(quota, name));
    const { hard, used } = (body['status'] ?? {}) as { readonly hard?: JsonObject; readonly used?: JsonObject };
    const names = Object.keys(((quota['spec'] as JsonObject)['hard'] ?? {}) as JsonObject);
    const isCounted = hard !== undefined && used !== undefined && names.every((one) => Object.hasOwn(hard, one));
    if (!isCounted && names.length > 0) return undefined;
    return { ...quota, status: (body['status'] ?? {}) as JsonObject };
  });

const isPodSecuritys = (text: string): boolean => text.startsWith('would violate PodSecurity');

/** The answer in the form of a vector. */
function wanted({ code, body, warnings }: ApiAnswer): JsonObject {
  const refused = code >= 300;
  return {
    code,
    message: refused ? body['message']! : null,
    reason: refused ? body['reason']! : null,
    warnings: warnings.filter(isPodSecuritys),
    otherWarnings: warnings.filter((text) => !isPodSecuritys(text)),
    ...(refused ? {} : { pod: storedPod({ pod: decodeManifest(body) as WholePod as Pod }) as JsonObject }),
  };
}
