import type {
  admissionCause,
  admissionStep,
  chargedQuota,
  patchOperation,
} from '../../contract/admission/tried-admission.js';
import type { Response } from '../../contract/schema.js';
import { ADMISSION_PLUGINS, type AdmissionConfiguration } from '../../core/admission/admission-configuration.js';
import type { UndecidedPlugin } from '../../core/admission/undecided-plugins.js';
import { asksWebhooks, POOLS } from '../../core/admission/admission-stations.js';
import { WEBHOOK_PLUGIN } from '../../core/admission/webhooks/ask-webhooks.js';
import type { Admission, AdmissionStep } from '../../core/admission/admission-chain.js';
import type { ClusterAdmission } from '../../core/admission/admission-in.js';
import { PLUGIN_OF } from '../../core/admission/admission-plugins.js';
import type { Cause } from '../../core/kubernetes/admission-refusal.js';
import { OTHER_PLUGINS } from '../../core/admission/other-plugins.js';
import type { PatchOperation } from '../../core/json/patch-between.js';
import type { ResourceQuota } from '../../core/kubernetes/objects/quota.js';

type AdmissionStepResponse = Response<typeof admissionStep>;

/**
 * All admission steps in the order of the API server, including plugins that are disabled or were not reached; with the
 * pools, if the cluster has any, followed by the plugins that were called again because of them.
 */
export function stepViews(
  admission: Admission,
  { surroundings, configuration }: ClusterAdmission,
  operation: 'create' | 'update',
): readonly AdmissionStepResponse[] {
  const refusedBy = admission.outcome === 'refused' ? admission.refusal.by : undefined;
  const first = admission.steps.filter(({ again }) => again === undefined);
  const ran = new Map(first.map((step) => [`${step.by} ${step.type}`, step]));
  const on = new Set<string>(configuration.plugins);
  const unknown = unknownPlugins(admission.undecided);
  let refused = false;
  const viewOf = ({ by, type }: Pick<AdmissionStepResponse, 'by' | 'type'>): AdmissionStepResponse => {
    const step = ran.get(`${by} ${type}`);
    if (step !== undefined) return passed(step, null);
    const quiet = { by, type, patch: [] };
    const plugin = PLUGINS.get(by);
    if (plugin !== undefined && !on.has(by)) {
      return { ...quiet, outcome: 'disabled', why: 'disabled in the admission configuration of the cluster' };
    }
    if (by === POOLS) {
      if (!asksWebhooks(configuration, type)) {
        return {
          ...quiet,
          outcome: 'disabled',
          why: `the plugin ${WEBHOOK_PLUGIN[type]} is disabled in the admission configuration of the cluster`,
        };
      }
      if (type === 'mutating' && operation === 'update')
        return { ...quiet, outcome: 'notApplicable', why: 'does not handle updates' };
    }
    const missing = by === POOLS ? undefined : unknown.get(by);
    if (missing !== undefined) return { ...quiet, outcome: 'unknown', why: missing };
    if (plugin?.updates === false && operation === 'update') {
      return { ...quiet, outcome: 'notApplicable', why: 'does not handle updates' };
    }
    if (plugin !== undefined && plugin.admit === undefined && plugin.validate === undefined) {
      return { ...quiet, outcome: 'notApplicable', why: 'does not handle pods, only nodes' };
    }
    if (by === refusedBy && !refused) {
      refused = true;
      return { ...quiet, outcome: 'refused', why: null };
    }
    return { ...quiet, outcome: 'notReached', why: 'the pod was already rejected by an earlier plugin' };
  };
  const repeated = admission.steps.filter((step) => step.again === true);
  const again = repeated.filter(({ by }) => by !== 'defaults');
  const last = surroundings.pools === undefined ? WEBHOOK_PLUGIN.mutating : POOLS;
  const views = (surroundings.pools === undefined ? STATIONS : STATIONS_WITH_POOLS).flatMap((station) =>
    station.by === last && station.type === 'mutating'
      ? [
          viewOf(station),
          ...again.map((step) => passed(step, 'called again, because a policy or the pools changed the pod')),
        ]
      : [viewOf(station)],
  );
  const stored = repeated.find(({ by }) => by === 'defaults');
  return stored === undefined ? views : [...views, passed(stored, 'set again when the stored pod is read')];
}

/** Why, by the plugin; a plugin can have several reasons. */
function unknownPlugins(undecided: readonly UndecidedPlugin[]): ReadonlyMap<string, string> {
  const whys = new Map<string, string>();
  for (const { plugin, why } of undecided) {
    const others = whys.get(plugin);
    whys.set(plugin, others === undefined ? why : `${others}; ${why}`);
  }
  return whys;
}

const passed = ({ by, type, patch }: AdmissionStep, why: string | null): AdmissionStepResponse => ({
  by,
  type,
  outcome: 'passed',
  patch: patch.map(operationResponse),
  why,
});

const PLUGINS: ReadonlyMap<string, (typeof PLUGIN_OF)[keyof typeof PLUGIN_OF]> = new Map(Object.entries(PLUGIN_OF));

const validatesOnly = ({ admit, validate }: (typeof PLUGIN_OF)[keyof typeof PLUGIN_OF]): boolean =>
  admit === undefined && validate !== undefined;

const stations = (pools: readonly (typeof POOLS)[]): readonly Pick<AdmissionStepResponse, 'by' | 'type'>[] => {
  const mutating = (by: string) => ({ by, type: 'mutating' as const });
  const validating = (by: string) => ({ by, type: 'validating' as const });
  const validators = ADMISSION_PLUGINS.filter((name) => PLUGIN_OF[name].validate !== undefined);
  return [
    mutating('defaults'),
    ...ADMISSION_PLUGINS.filter((name) => !validatesOnly(PLUGIN_OF[name])).map(mutating),
    ...pools.map(mutating),
    mutating('preparation'),
    validating('validation'),
    ...validators.filter((name) => name !== 'ResourceQuota').map(validating),
    ...pools.map(validating),
    validating('ResourceQuota'),
  ];
};

const STATIONS = stations([]);
const STATIONS_WITH_POOLS = stations([POOLS]);

function operationResponse(operation: PatchOperation): Response<typeof patchOperation> {
  const { op, path, why } = operation;
  return { op, path, value: operation.op === 'remove' ? null : operation.value, why };
}

export const causeResponse = ({ type, field, message }: Cause): Response<typeof admissionCause> => ({
  reason: type,
  field,
  message,
});

/** The enabled plugins that handle pods and that this service does not run. */
export function unevaluatedPlugins({ otherPlugins = [] }: AdmissionConfiguration) {
  const on = new Set(otherPlugins);
  return OTHER_PLUGINS.flatMap(({ name, effectOnPods }) =>
    effectOnPods === undefined || !on.has(name) ? [] : [{ plugin: name, effectOnPods }],
  );
}

/** @param before as stored, in the same order as after */
export function chargedQuotas(
  before: readonly ResourceQuota[],
  after: readonly ResourceQuota[],
): readonly Response<typeof chargedQuota>[] {
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
