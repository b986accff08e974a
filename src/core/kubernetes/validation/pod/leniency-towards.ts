import { FieldPath } from '../../field-path.js';
import type { WholePod, WholePodSpec } from '../../objects/whole-pod.js';
import type { TolerationGates } from '../../toleration.js';
import { validateLabelSelector } from '../label-selector.js';
import { validateNodeAffinity } from '../node-selectors.js';
import { hasBrokenPages } from '../resources.js';
import { containersWithPath } from './containers-with-path.js';
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
  const selectors = { ...(podAffinity && { podAffinity }), ...(podAntiAffinity && { podAntiAffinity }) };
  const anyValues = { ...strict, anySelectorValues: true };
  return {
    anyDeletionCost: !hasGoodDeletionCost(metadata.annotations),
    anySelectorValues:
      validateAffinity(selectors, HERE, strict).length > validateAffinity(selectors, HERE, anyValues).length,
    anyNodeAffinityValues:
      strict.anyNodeAffinityValues ||
      (nodeAffinity !== undefined &&
        validateNodeAffinity(nodeAffinity, HERE).length > validateNodeAffinity(nodeAffinity, HERE, true).length),
    anySpreadSelector: spread.some(({ labelSelector }) => validateLabelSelector(labelSelector, HERE).length > 0),
    brokenPages: usesBrokenPages(spec),
    anyInitResizePolicy:
      strict.anyInitResizePolicy ||
      (spec.initContainers ?? []).some(
        ({ restartPolicy, resizePolicy = [] }) =>
          restartPolicy !== 'Always' && resizePolicy.some((policy) => policy.restartPolicy === 'RestartContainer'),
      ),
    gates: {
      ...gates,
      comparisonOperators:
        gates.comparisonOperators || tolerations.some(({ operator }) => operator === 'Lt' || operator === 'Gt'),
    },
  };
}

const usesBrokenPages = (spec: WholePodSpec): boolean =>
  hasBrokenPages(spec.overhead) ||
  containersWithPath(spec, HERE).some(
    ({ container: { resources } }) => hasBrokenPages(resources?.requests) || hasBrokenPages(resources?.limits),
  );
