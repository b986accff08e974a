import { DEFAULT_RULES } from '../../../src/core/kubernetes/kubernetes-rules.js';
import type { ExistingPod } from '../../../src/core/admission/pod-security/review-namespace.js';
import {
  reviewNamespaceLabels,
  reviewNewNamespace,
} from '../../../src/core/admission/pod-security/review-namespace.js';
import {
  reviewPod,
  reviewTemplate,
  type PodSecurityReview,
} from '../../../src/core/admission/pod-security/review-pod.js';
import { STOCK_POD_SECURITY } from '../../../src/core/admission/pod-security/pod-security-configuration.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import { podForbidden } from '../../../src/core/kubernetes/admission-refusal.js';
import type { Labels } from '../../../src/core/kubernetes/objects/meta.js';
import type { WholePod } from '../../../src/core/kubernetes/objects/whole-pod.js';
import { newPod } from '../../../src/core/kubernetes/validation/pod/validate-pod.js';
import type { Op } from '../op.js';
import { sameJson } from '../same-json.js';
import { decodeManifest } from './refused-fields.js';

/** What PodSecurity answers: to a pod, a workload, new ephemeral containers, and other labels of a namespace with pods. */
export const podSecurity: Op = {
  answer(input) {
    if (input['pods'] !== undefined) return answerToLabels(input);
    const namespace = { name: 'NAMESPACE', labels: labelsOf(input['namespaceLabels']) };
    const made = reviewNewNamespace(namespace, STOCK_POD_SECURITY);
    const ofNamespace = made.outcome === 'refused' ? { namespace: { code: 422, message: made.message } } : {};
    if (input['workload'] !== undefined) {
      const template = templateOf(input['workload'] as JsonObject);
      const review = reviewTemplate({ pod: decodePod(template), namespace }, STOCK_POD_SECURITY);
      return { ...answerOf(review, 201, ''), ...ofNamespace };
    }
    const pod = newPod(decodePod(input['pod'] as JsonObject), DEFAULT_RULES);
    const { name } = pod.metadata;
    if (input['ephemeralContainers'] === undefined) {
      return { ...answerOf(reviewPod({ pod, namespace }, STOCK_POD_SECURITY), 201, name), ...ofNamespace };
    }
    const { spec } = input['pod'] as { readonly spec: JsonObject };
    const changed = decodePod({ spec: { ...spec, ephemeralContainers: input['ephemeralContainers'] } });
    const { ephemeralContainers } = changed.spec;
    const withThem = { ...pod, spec: { ...pod.spec, ...(ephemeralContainers && { ephemeralContainers }) } };
    return answerOf(reviewPod({ pod: withThem, namespace }, STOCK_POD_SECURITY, pod), 200, name);
  },
  // Warnings of other checks of the API server are not PodSecurity's.
  agree: (want, got) => sameJson({ ...(want as JsonObject), otherWarnings: [] }, got),
};

function answerOf({ refusal, warnings, audit }: PodSecurityReview, code: number, name: string): object {
  const refused = refusal === undefined ? undefined : podForbidden('PodSecurity', name, refusal);
  return {
    code: refused?.status ?? code,
    message: refused?.message ?? null,
    warnings,
    otherWarnings: [],
    audit,
  };
}

function answerToLabels(input: JsonObject): object {
  const before = labelsOf(input['oldNamespaceLabels']);
  const namespace = {
    name: input['namespace'] as string,
    labels: { ...before, ...labelsOf(input['namespaceLabels']) },
  };
  const pods = (input['pods'] as JsonObject[]).map(
    (pod): ExistingPod => newPod(decodePod(pod), DEFAULT_RULES) as ExistingPod,
  );
  const review = reviewNamespaceLabels(namespace, before, pods, STOCK_POD_SECURITY);
  return review.outcome === 'refused'
    ? { code: 422, message: review.message, warnings: [], otherWarnings: [], audit: {} }
    : { code: 200, message: null, warnings: review.warnings, otherWarnings: [], audit: {} };
}

const labelsOf = (value: JsonValue | undefined): Labels => value as unknown as Labels;

/** Of whatever kind; a PodTemplate has it at the top. */
function templateOf(workload: JsonObject): JsonObject {
  const { template, spec } = workload as { readonly template?: JsonObject; readonly spec?: JsonObject };
  if (template !== undefined) return template;
  return spec?.['jobTemplate'] === undefined
    ? (spec?.['template'] as JsonObject)
    : templateOf(spec['jobTemplate'] as JsonObject);
}

/** A pod, or a pod template as one. */
function decodePod(given: JsonObject): WholePod {
  const metadata = { name: 'x', ...(given['metadata'] as JsonObject | undefined) };
  return decodeManifest({ apiVersion: 'v1', kind: 'Pod', metadata, spec: given['spec'] ?? null }) as WholePod;
}
