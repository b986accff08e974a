import type { ResourceList } from '../../../src/core/kubernetes/objects/meta.js';
import type { Container, Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { LimitRange, LimitRangeItem } from '../../../src/core/kubernetes/objects/quota.js';

/**
 * What a LimitRange fills in where containers do not say (k8s.io/kubernetes v1.36.2, plugin/pkg/admission/limitranger and
 * `SetDefaults_LimitRangeItem`): as much as the recordings of quotas need, without what it refuses.
 */
export function withLimitRangeDefaults(pod: Pod, { spec }: LimitRange): Pod {
  const items = (spec?.limits ?? []).filter(({ type }) => type === 'Container').map(withItemDefaults);
  const limits = Object.assign({}, ...items.map((item) => item.default)) as ResourceList;
  const requests = Object.assign({}, ...items.map((item) => item.defaultRequest)) as ResourceList;
  const filled = (container: Container): Container => ({
    ...container,
    resources: {
      ...container.resources,
      limits: { ...limits, ...container.resources?.limits },
      requests: { ...requests, ...container.resources?.requests },
    },
  });
  const { initContainers } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: pod.spec.containers.map(filled),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(filled) }),
    },
  };
}

/** A default comes from the maximum, a default request from the default, then from the minimum. */
function withItemDefaults(item: LimitRangeItem): {
  readonly default: ResourceList;
  readonly defaultRequest: ResourceList;
} {
  const limits = { ...item.max, ...item.default };
  return { default: limits, defaultRequest: { ...item.min, ...limits, ...item.defaultRequest } };
}
