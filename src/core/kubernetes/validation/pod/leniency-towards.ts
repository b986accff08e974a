import { FieldPath } from '../../field-path.js';
import type { Int64 } from '../../objects/meta.js';
import type { WholePod, WholePodSpec } from '../../objects/whole-pod.js';
import { rulesOfGates, type TolerationGates } from '../../toleration.js';
import { isEnvName, isRelaxedEnvName } from '../names.js';
import { validateLabelSelector } from '../label-selector.js';
import { validateNodeAffinity } from '../node-selectors.js';
import { hasBrokenPages } from '../resources.js';
import { containersWithPath } from './containers-with-path.js';
import { validateKeysApart, validateMatchLabelKeys } from './match-label-keys.js';
import { validateAffinity } from './pod-affinity.js';
import { hasGoodDeletionCost } from './pod-annotations.js';
import { strictly, type PodLeniency } from './pod-leniency.js';

const HERE = FieldPath.of('spec');

/**
 * `GetValidationOptionsFromPodSpecAndMeta` for an update.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/api/pod/util.go.
 */
export function leniencyTowards({ metadata, spec }: WholePod, gates: TolerationGates): PodLeniency {
  const strict = strictly(gates);
  const { affinity = {}, topologySpreadConstraints: spread = [], tolerations = [] } = spec;
  const { podAffinity, podAntiAffinity, nodeAffinity } = affinity;
  const all = containersWithPath(spec, HERE).map(({ container }) => container);
  const selectors = { ...(podAffinity && { podAffinity }), ...(podAntiAffinity && { podAntiAffinity }) };
  const anyValues = { ...strict, anySelectorValues: true };
  return {
    anyDeletionCost: strict.anyDeletionCost || !hasGoodDeletionCost(metadata.annotations),
    anySelectorValues:
      validateAffinity(selectors, HERE, strict).length > validateAffinity(selectors, HERE, anyValues).length,
    anyNodeAffinityValues:
      strict.anyNodeAffinityValues ||
      (nodeAffinity !== undefined &&
        validateNodeAffinity(nodeAffinity, HERE).length > validateNodeAffinity(nodeAffinity, HERE, true).length),
    anySpreadSelector: spread.some(({ labelSelector }) => validateLabelSelector(labelSelector, HERE).length > 0),
    spreadKeysApart: strict.spreadKeysApart !== hasOtherSpreadKeys(spec, strict),
    brokenPages: usesBrokenPages(spec),
    anyInitResizePolicy:
      strict.anyInitResizePolicy ||
      (spec.initContainers ?? []).some(
        ({ restartPolicy, resizePolicy = [] }) =>
          restartPolicy !== 'Always' && resizePolicy.some((policy) => policy.restartPolicy === 'RestartContainer'),
      ),
    restartsAll:
      strict.restartsAll ||
      [...spec.containers, ...(spec.initContainers ?? [])].some(({ restartPolicyRules = [] }) =>
        restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
      ) ||
      (spec.initContainers ?? []).some(
        ({ restartPolicy, restartPolicyRules = [] }) => restartPolicy === 'Always' && restartPolicyRules.length > 0,
      ),
    zeroSleep:
      strict.zeroSleep || all.some(({ lifecycle = {} }) => HOOKS.some((hook) => isZero(lifecycle[hook]?.sleep))),
    envFiles: strict.envFiles || all.some(({ env = [] }) => env.some(({ valueFrom }) => valueFrom?.fileKeyRef)),
    relaxedEnvNames:
      strict.relaxedEnvNames ||
      all.some(({ env = [], envFrom = [] }) =>
        [...env.map(({ name }) => name), ...envFrom.map(({ prefix }) => prefix)].some(
          (name = '') => name !== '' && isRelaxedEnvName(name).length === 0 && isEnvName(name).length > 0,
        ),
      ),
    relaxedSearches:
      strict.relaxedSearches ||
      (spec.dnsConfig?.searches ?? []).some((search) => search === '.' || search.includes('_')),
    ownUsersOnHostNetwork: strict.ownUsersOnHostNetwork || (spec.hostUsers === false && spec.hostNetwork === true),
    ownUsersOfDevices:
      strict.ownUsersOfDevices ||
      (spec.hostUsers === false && all.some(({ volumeDevices = [] }) => volumeDevices.length > 0)),
    gates: {
      ...gates,
      comparisonOperators:
        gates.comparisonOperators || tolerations.some(({ operator }) => operator === 'Lt' || operator === 'Gt'),
    },
  };
}

const HOOKS = ['postStart', 'preStop'] as const;

const isZero = (sleep: { readonly seconds?: Int64 } | undefined): boolean =>
  sleep !== undefined && Number(sleep.seconds ?? 0) === 0;

/** Whether the stored keys are only right if the gate MatchLabelKeysInPodTopologySpreadSelectorMerge, new in 1.34, was set otherwise. */
function hasOtherSpreadKeys({ topologySpreadConstraints = [] }: WholePodSpec, strict: PodLeniency): boolean {
  if (rulesOfGates(strict.gates).minor < 34) return false;
  const validate = strict.spreadKeysApart ? validateKeysApart : validateMatchLabelKeys;
  return topologySpreadConstraints.some((constraint) => validate(constraint, HERE).length > 0);
}

const usesBrokenPages = (spec: WholePodSpec): boolean =>
  hasBrokenPages(spec.overhead) ||
  containersWithPath(spec, HERE).some(
    ({ container: { resources } }) => hasBrokenPages(resources?.requests) || hasBrokenPages(resources?.limits),
  );
