import type { findManifestFindings } from '../../contract/findings/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { defined } from '../../core/collections/defined.js';
import { POOLS } from '../../core/admission/admission-stations.js';
import { admitPod } from '../../core/admission/admission-chain.js';
import { admissionIn } from '../../core/admission/admission-in.js';
import { podOfManifest, wholePodOf } from '../../core/admission/pod-of-template.js';
import { onlyItem, readPodManifest, type Placeable } from '../../core/admission/read-pod-manifest.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { findManifestFindings as findingsOfTemplate } from '../../core/findings/find-manifest-findings.js';
import { compareFindings, type Finding } from '../../core/findings/finding.js';
import { unknownFieldFindings } from '../../core/findings/unknown-field-findings.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import type { FieldError } from '../../core/kubernetes/field-error.js';
import { manifestServerOf, type ManifestServer } from '../../core/kubernetes/cluster-version.js';
import { DEFAULT_RULES } from '../../core/kubernetes/kubernetes-rules.js';
import { checkKind, servedVersionOf } from '../../core/kubernetes/manifests/served-kinds.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { decodeManifest } from './decode-manifest.js';
import { countFindings, findingResponse } from './finding-response.js';
import { templateOf, templatePath } from '../../core/kubernetes/pod-template.js';

type ManifestFindingsRequest = Pick<RequestOf<typeof findManifestFindings>, 'readAt' | 'manifest' | 'admission'> & {
  /** The cluster to check the manifest against; without it, the manifest is checked alone. */
  readonly cluster?: string | undefined;
};

/** Finds likely mistakes in a manifest. Fields that the API server would reject are reported, not rejected. */
export class FindManifestFindings {
  constructor(private readonly readState: ReadState) {}

  /** @throws {InvalidRequestError} objects of this kind do not create pods */
  async run(
    { cluster, readAt, manifest: given, admission }: ManifestFindingsRequest,
    context: RequestContext,
  ): Promise<AnswerTo<typeof findManifestFindings>> {
    const { manifests, ...at } = readAt;
    const reading = cluster === undefined ? undefined : await this.readState.run(cluster, at, context);
    const { rules = DEFAULT_RULES } = reading?.state ?? {};
    const server = reading === undefined ? { rules } : manifestServerOf(rules, reading.basis);
    manifests?.by(server, onlyItem(given, '').value);
    const decoded = decodeManifest(given, rules.minor);
    const manifest = (decoded.outcome === 'object' ? decoded.object : decoded.salvage) as Placeable | undefined;
    const undecodable = decoded.outcome === 'invalid' ? decoded.errors : [];
    const subject = manifest === undefined ? { kind: 'Pod' } : subjectOf(manifest);
    const { unknown = [] } = decoded;
    const podSpecPath = manifest === undefined ? FieldPath.of('spec') : specPath(manifest);
    const found = [
      ...unserved(given, server, subject),
      ...undecodable.map((error) => refusedField(error, subject)),
      ...unknownFieldFindings(unknown, { subject, podSpecPath, server }),
      ...(manifest === undefined ? [] : judge(manifest, reading?.state)),
      ...(decoded.outcome !== 'object' || reading === undefined || admission === 'skip'
        ? []
        : refusedByAdmission(given, reading.state)),
    ].sort(compareFindings);
    return {
      basis: reading?.basis ?? null,
      counts: countFindings(found),
      findings: found.map(findingResponse),
      unknownFields: unknown.map(({ field }) => field),
    };
  }
}

/** A kind in a version of its API that the API server does not serve. */
function unserved(given: JsonObject, server: ManifestServer, subject: Finding['subject']): readonly Finding[] {
  const { value, pointer } = onlyItem(given, '');
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return [];
  const { refusal, doubt } = checkKind(apiVersion, kind, server);
  if (refusal === undefined && doubt === undefined) return [];
  const served = servedVersionOf(kind, server.rules);
  return [
    {
      code: 'refused-by-api-server',
      severity: refusal === undefined ? 'warning' : 'error',
      subject,
      field: 'apiVersion',
      pointer: `${pointer}/apiVersion`,
      message: `${refusal === undefined ? 'The API server may refuse it' : 'The API server does not take it'}: ${refusal ?? doubt!}.`,
      suggestions: served === undefined ? [] : [{ text: `Change the apiVersion to ${served}.` }],
    },
  ];
}

function judge(manifest: Placeable, state: ClusterState | undefined): readonly Finding[] {
  const template = manifest.kind === 'Pod' ? manifest : templateOf(manifest);
  // The part that could not be decoded may be the spec itself.
  if ((template as { spec?: unknown } | undefined)?.spec === undefined) return [];
  const { namespace } = manifest.metadata;
  return findingsOfTemplate(
    {
      metadata: { ...template!.metadata, ...defined({ namespace }) },
      spec: template!.spec,
    },
    state,
    {
      path: specPath(manifest),
      ...(manifest.kind === 'Pod' ? {} : { workload: subjectOf(manifest) }),
    },
  );
}

/**
 * What the cluster's admission would reject in a manifest that the API server can decode; its additions are not
 * mistakes of the author.
 */
function refusedByAdmission(given: JsonObject, state: ClusterState): readonly Finding[] {
  const read = readPodManifest('pod', given, gatesOf(state.rules));
  if ('errors' in read) return [];
  const { object, whole } = read;
  const pod = podOfManifest(object);
  if (pod === undefined) return [];
  const admission = admitPod(
    {
      operation: 'create',
      pod,
      known: 'kept',
      ...defined({ whole: wholePodOf(whole) }),
      ...(object.kind !== 'Pod' && { workload: object }),
      allowMissingRuntimeClass: true,
    },
    admissionIn(state, object.metadata.namespace ?? 'default'),
  );
  if (admission.outcome === 'admitted') return [];
  const { by, message } = admission.refusal;
  return [
    {
      code: 'refused-by-admission',
      severity: 'error',
      subject: subjectOf(object),
      message: `${refuserOf(by)} it: ${message}`,
      suggestions: [],
    },
  ];
}

function refuserOf(by: string): string {
  if (by === POOLS) return 'The pools of the cluster reject';
  return by === 'validation'
    ? 'The API server, after its admission plugins have changed it, rejects'
    : `The admission plugin ${by} rejects`;
}

function specPath(manifest: Placeable): FieldPath {
  const [first, ...rest] = templatePath(manifest);
  return first === undefined ? FieldPath.of('spec') : FieldPath.of(first, ...rest, 'spec');
}

function subjectOf({ kind, metadata: { namespace, name, generateName } }: Placeable): Finding['subject'] {
  const called = name === '' ? generateName : name;
  return {
    kind,
    ...defined({ namespace, name: called }),
  };
}

function refusedField({ field, pointer, message }: FieldError, subject: Finding['subject']): Finding {
  return {
    code: 'refused-by-api-server',
    severity: 'error',
    subject,
    field,
    pointer,
    message: `The API server cannot decode it: ${field === '' ? '' : `${field}: `}${message}. The rest of this field was not checked.`,
    suggestions: [],
  };
}
