import type { JsonObject } from '../../src/core/json/json-value.js';
import type { Op } from '../conformance/op.js';
import { podSecurity } from '../conformance/ops/pod-security.js';
import { sameJson } from '../conformance/same-json.js';
import { messageOf, collectionOf, type ApiAnswer } from './api-server.js';
import { agreed, closeNamespace, NotSetUp, openNamespace, type Comparison } from './comparison.js';
import { drawn, vectorsOf } from './recorded-inputs.js';

/** What a control plane shows of a vector's answer; audit annotations are not in it. */
const judged: Op = {
  answer: podSecurity.answer,
  agree: (want, got) => {
    const { code, message, warnings, namespace } = got as JsonObject;
    return sameJson(
      want,
      (want as JsonObject)['namespace'] === undefined ? { code, message, warnings } : { namespace },
    );
  },
};

const isPodSecuritys = (text: string): boolean => text.startsWith('would violate PodSecurity');

/** The labels of one recorded namespace, with the pod or workload of another; created in a dry run. */
export async function comparePodSecurity(): Promise<Comparison> {
  const inputs = (await vectorsOf('podSecurity')).map(({ input }) => input);
  const asked = inputs.filter(
    (input) =>
      input['workload'] !== undefined || (input['pod'] !== undefined && input['ephemeralContainers'] === undefined),
  );
  return {
    async compare(api, next, name) {
      const { namespaceLabels = {} } = drawn(inputs, next);
      const { pod, workload } = drawn(asked, next);
      const object = (workload ?? pod) as JsonObject;
      const input = {
        op: 'podSecurity',
        namespaceLabels,
        ...(workload === undefined ? { pod: object } : { workload: object }),
      };
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: namespaceLabels } };
      const { code, body } = await api.ask('POST', '/api/v1/namespaces?dryRun=All', namespace);
      if (code === 422) {
        const message = messageOf(body).replaceAll(name, 'NAMESPACE');
        return agreed(judged, input, () => Promise.resolve({ namespace: { code, message } }));
      }
      try {
        await openNamespace(api, name, namespaceLabels);
        const path = `${collectionOf(object, name)}?dryRun=All`;
        const first = await api.ask('POST', path, object);
        if (first.code === 422) throw new NotSetUp(messageOf(first.body));
        return await agreed(judged, input, async () => wanted(await api.ask('POST', path, object)));
      } catch (error) {
        if (error instanceof NotSetUp) return { outcome: 'notSetUp', why: error.message };
        throw error;
      } finally {
        await closeNamespace(api, name);
      }
    },
  };
}

const wanted = ({ code, body, warnings }: ApiAnswer): JsonObject => ({
  code,
  message: code >= 300 ? body['message']! : null,
  warnings: warnings.filter(isPodSecuritys),
});
