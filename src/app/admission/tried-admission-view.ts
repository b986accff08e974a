import { ADMISSION_PLUGINS, type AdmissionConfiguration } from '../../core/admission/admission-configuration.js';
import type { NotJudged } from '../../core/admission/admit-known.js';
import type { Admission, AdmissionStep } from '../../core/admission/admission-chain.js';
import { PLUGIN_OF } from '../../core/admission/admission-plugins.js';
import type { Cause } from '../../core/admission/admission-refusal.js';
import { OTHER_PLUGINS } from '../../core/admission/other-plugins.js';
import type { PatchOperation } from '../../core/admission/patch-between.js';
import type { ResourceList } from '../../core/kubernetes/objects/meta.js';
import type { ResourceQuota } from '../../core/kubernetes/objects/quota.js';

export interface PatchOperationView {
  readonly op: string;
  readonly path: string;
  /** Null for what is removed. */
  readonly value: unknown;
  readonly why: string;
}

export interface AdmissionStepView {
  /** `decoding`, `defaults`, `preparation`, `validation`, or the name of a plugin. */
  readonly by: string;
  readonly does: AdmissionStep['does'];
  readonly outcome: 'passed' | 'refused' | 'off' | 'notJudged' | 'notAsked' | 'notReached';
  readonly patch: readonly PatchOperationView[];
  /** Why it had no say; null where it had. */
  readonly why: string | null;
}

export interface RefusalView {
  readonly by: string;
  readonly status: number;
  readonly message: string;
  readonly causes: readonly { readonly reason: string; readonly field: string; readonly message: string }[];
}

/** A quota of the namespace, with the pod charged to it. */
export interface ChargedQuotaView {
  readonly name: string;
  readonly hard: ResourceList;
  readonly usedBefore: ResourceList;
  readonly used: ResourceList;
  readonly charged: boolean;
}

/** Every station in the API server's order, those that are off and those that were not reached among them. */
export function stepViews(
  admission: Admission,
  configuration: AdmissionConfiguration,
  notJudged: readonly NotJudged[],
  operation: 'create' | 'update',
): readonly AdmissionStepView[] {
  const refusedBy = admission.outcome === 'refused' ? admission.refusal.by : undefined;
  const ran = new Map(admission.steps.map((step) => [`${step.by} ${step.does}`, step]));
  const on = new Set<string>(configuration.plugins);
  const unknown = new Map<string, NotJudged>(notJudged.map((one) => [one.plugin, one]));
  let refused = false;
  return STATIONS.map(({ by, does }): AdmissionStepView => {
    const step = ran.get(`${by} ${does}`);
    if (step !== undefined) {
      return { by, does, outcome: 'passed', patch: step.patch.map(operationView), why: null };
    }
    const quiet = { by, does, patch: [] };
    const plugin = PLUGINS.get(by);
    if (plugin !== undefined && !on.has(by)) {
      return { ...quiet, outcome: 'off', why: "the cluster's configuration has it off" };
    }
    const missing = unknown.get(by);
    if (missing !== undefined) return { ...quiet, outcome: 'notJudged', why: missing.why };
    if (plugin?.updates === false && operation === 'update') {
      return { ...quiet, outcome: 'notAsked', why: 'it leaves updates alone' };
    }
    if (plugin !== undefined && plugin.admit === undefined && plugin.validate === undefined) {
      return { ...quiet, outcome: 'notAsked', why: 'it has to do with nodes alone' };
    }
    if (by === refusedBy && !refused) {
      refused = true;
      return { ...quiet, outcome: 'refused', why: null };
    }
    return { ...quiet, outcome: 'notReached', why: 'the pod was refused before' };
  });
}

const PLUGINS: ReadonlyMap<string, (typeof PLUGIN_OF)[keyof typeof PLUGIN_OF]> = new Map(Object.entries(PLUGIN_OF));

const judgesOnly = ({ admit, validate }: (typeof PLUGIN_OF)[keyof typeof PLUGIN_OF]): boolean =>
  admit === undefined && validate !== undefined;

const STATIONS: readonly Pick<AdmissionStepView, 'by' | 'does'>[] = [
  { by: 'defaults', does: 'changes' },
  ...ADMISSION_PLUGINS.filter((name) => !judgesOnly(PLUGIN_OF[name])).map((by) => ({ by, does: 'changes' as const })),
  { by: 'preparation', does: 'changes' },
  { by: 'validation', does: 'judges' },
  ...ADMISSION_PLUGINS.filter((name) => PLUGIN_OF[name].validate !== undefined).map((by) => ({
    by,
    does: 'judges' as const,
  })),
];

function operationView(operation: PatchOperation): PatchOperationView {
  const { op, path, why } = operation;
  return { op, path, value: operation.op === 'remove' ? null : operation.value, why };
}

export const causeView = ({ type, field, message }: Cause) => ({ reason: type, field, message });

/** The plugins that are on, that could have something to say of pods, and that nobody runs here. */
export function pluginsNotRun({ otherPlugins = [] }: AdmissionConfiguration) {
  const on = new Set(otherPlugins);
  return OTHER_PLUGINS.flatMap(({ name, toPods }) =>
    toPods === undefined || !on.has(name) ? [] : [{ plugin: name, toPods }],
  );
}

/** @param before as stored, in the same order as after */
export function chargedQuotas(
  before: readonly ResourceQuota[],
  after: readonly ResourceQuota[],
): readonly ChargedQuotaView[] {
  return after.map((quota, index) => {
    const [was, is] = [before[index]?.status?.used ?? {}, quota.status?.used ?? {}];
    return {
      name: quota.metadata.name,
      hard: quota.status?.hard ?? quota.spec?.hard ?? {},
      usedBefore: was,
      used: is,
      charged: Object.entries(is).some(([name, amount]) => was[name] !== amount),
    };
  });
}
