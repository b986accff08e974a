import { CelUnsupported } from '../../cel/errors.js';
import { codePoints } from '../../cel/operations.js';
import { AdmissionRefusal, spokenName } from '../../kubernetes/admission-refusal.js';
import { jsonGo, quoteGo } from '../../kubernetes/go-text.js';
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../kubernetes/objects/admission-policies.js';
import type { Namespace } from '../../kubernetes/objects/namespace.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { ParamStore } from './collect-params.js';
import { judgeByPolicies, MAX_WARNINGS, type PolicyVerdict } from './judge-policies.js';
import { mayApply } from './match-request.js';
import { namespaceLabels, storedNamespace } from './namespace-object.js';
import type { PolicyWork } from './policy-work.js';
import { policyRequestOf, type SentToPolicies } from './pod-request.js';

export const NAME = 'ValidatingAdmissionPolicy';

/** The policies of a cluster, and where they apply. */
export interface AdmissionPolicies {
  readonly policies: readonly ValidatingAdmissionPolicy[];
  readonly bindings: readonly ValidatingAdmissionPolicyBinding[];
  /** What they may be given as `params`; absent where nothing is known of it. */
  readonly params?: ParamStore;
}

const NO_PARAMS: ParamStore = { list: () => undefined, unknownFields: [] };

/** What policies tell the client and the audit log, whatever the outcome. */
export interface PolicyReport {
  /** The texts of the Warning headers. */
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** What the policies say of a pod. */
export interface PodPolicyJudgement {
  /** Of several refusals, the first by the name of the policy; the API server names any of them. */
  readonly refusal: AdmissionRefusal | undefined;
  /** Why it is not known whether the policies admit the pod; undefined if it is, or if one refuses it anyway. */
  readonly doubt: string | undefined;
  readonly report: PolicyReport;
}

/** A pod that policies judge. */
export interface PodToJudge extends Omit<SentToPolicies, 'pod' | 'stored'> {
  /** As admission has made it, at least with the fields that are kept. */
  readonly pod: Pod;
  readonly stored: Pod | undefined;
  /** Gives all of the pod; or says why that is not known, as the end of a sentence. */
  readonly whole: () => Pick<SentToPolicies, 'pod' | 'stored'> | { readonly unknown: string };
}

export interface PodPolicySurroundings extends AdmissionPolicies {
  /** Undefined where it is not known. */
  readonly namespace: Namespace | undefined;
  readonly work?: PolicyWork | undefined;
  /** What is not known of the plugins that change the pod before; undefined if nothing. */
  readonly changesUnknown: string | undefined;
}

const FAILURE = 'validation.policy.admission.k8s.io/validation_failure';

/**
 * What the cluster's policies say of a pod. Of a pod of which not all is known nothing is said, unless no policy applies to it.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/policy/validating/dispatcher.go.
 */
export function judgePod(judged: PodToJudge, surroundings: PodPolicySurroundings): PodPolicyJudgement {
  const { policies, bindings, params = NO_PARAMS, namespace, work } = surroundings;
  const labels = namespace === undefined ? undefined : namespaceLabels(namespace);
  const outline = policyRequestOf(judged);
  const applying = policies
    .filter((policy) => mayApply(policy, bindings, outline, labels))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  if (applying.length === 0) return said([]);
  const whole = judged.whole();
  if ('unknown' in whole) {
    return doubtful(`${policyText(applying[0]!)} applies to the pod, and ${whole.unknown}`);
  }
  const request = policyRequestOf({ ...judged, ...whole });
  const verdicts: PolicyVerdict[] = [];
  const doubts: string[] = [];
  for (const policy of applying) {
    const around = { policies: [policy], bindings, params, namespace: storedNamespace(namespace), work };
    try {
      verdicts.push(judgeByPolicies(request, around));
    } catch (error) {
      if (!(error instanceof CelUnsupported)) throw error;
      doubts.push(`${policyText(policy)} depends on something that is not known or not evaluated: ${error.what}`);
    }
  }
  return concluded(judged.pod, verdicts, doubts, surroundings);
}

function concluded(
  pod: Pod,
  verdicts: readonly PolicyVerdict[],
  doubts: readonly string[],
  { changesUnknown }: PodPolicySurroundings,
): PodPolicyJudgement {
  const refusals = verdicts.flatMap((verdict) => verdict.refusals);
  const [first] = refusals;
  if (first !== undefined && changesUnknown !== undefined) {
    return doubtful(`a policy refuses the pod as far as it is known, but ${changesUnknown}`);
  }
  const judgement = said(verdicts);
  if (first !== undefined) {
    const { status, message } = first;
    const reasons = refusals.map((one) => one.message);
    const text = `pods ${quoteGo(spokenName(pod))} is forbidden: ${message}`;
    const causes = [{ type: '', field: '', message }];
    return { ...judgement, refusal: new AdmissionRefusal(NAME, status, message, text, reasons, causes) };
  }
  const length = judgement.report.warnings.reduce((sum, text) => sum + codePoints(text), 0);
  const [doubt] = doubts;
  return length > MAX_WARNINGS && doubt === undefined
    ? doubtful(`${NAME} depends on something that is not evaluated: warnings of more than ${MAX_WARNINGS} characters`)
    : { ...judgement, doubt };
}

const doubtful = (doubt: string): PodPolicyJudgement => ({ ...said([]), doubt });

function said(verdicts: readonly PolicyVerdict[]): PodPolicyJudgement {
  const failure = verdicts.flatMap(({ auditedFailures }) => auditedFailures)[0];
  const auditAnnotations = Object.fromEntries([
    ...(failure === undefined ? [] : [[FAILURE, jsonGo([failure])] as const]),
    ...verdicts.flatMap((verdict) => [...verdict.auditAnnotations]),
  ]);
  const warnings = verdicts.flatMap((verdict) => verdict.warnings);
  return { refusal: undefined, doubt: undefined, report: { warnings, auditAnnotations } };
}

const policyText = ({ metadata: { name } }: ValidatingAdmissionPolicy): string => `${NAME} ${quoteGo(name)}`;
