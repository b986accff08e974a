import type { LimitedResource } from '../quota/quota-admission.js';
import type { DefaultTolerations } from './default-toleration-seconds.js';
import { OTHER_PLUGINS } from './other-plugins.js';
import type { ClusterNodeSelectors } from './pod-node-selector.js';
import type { PodSecurityConfiguration } from './pod-security/pod-security-configuration.js';
import type { TolerationRestriction } from './pod-toleration-restriction.js';

/**
 * The API server's plugins that decide over pods here, and the one that taints new nodes, in the order in which it runs them.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubeapiserver/options/plugins.go, `AllOrderedPlugins`.
 */
export const ADMISSION_PLUGINS = [
  'NamespaceLifecycle',
  'NamespaceExists',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'ServiceAccount',
  'TaintNodesByCondition',
  'AlwaysPullImages',
  'PodSecurity',
  'PodNodeSelector',
  'Priority',
  'DefaultTolerationSeconds',
  'PodTolerationRestriction',
  'ExtendedResourceToleration',
  'RuntimeClass',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
  'AlwaysDeny',
] as const;

export type AdmissionPluginName = (typeof ADMISSION_PLUGINS)[number];

/** How a cluster's API server admits: which plugins are enabled, and how they are configured. */
export interface AdmissionConfiguration {
  readonly plugins: readonly AdmissionPluginName[];
  /** Plugins that are on and are not run here. */
  readonly otherPlugins?: readonly string[];
  /** 300 seconds each where absent. */
  readonly defaultTolerations?: DefaultTolerations;
  readonly tolerationRestriction?: TolerationRestriction;
  readonly clusterNodeSelectors?: ClusterNodeSelectors;
  /** Privileged, and nobody is exempt, where absent. */
  readonly podSecurity?: PodSecurityConfiguration;
  /**
   * Webhooks that the operator declares harmless: they refuse no pod, and change nothing of it that placement reads. Each is the name of a
   * webhook configuration, or `CONFIGURATION/WEBHOOK`.
   */
  readonly harmlessWebhooks?: readonly string[];
  /** What may be consumed only where a quota covers it. */
  readonly limitedResources?: readonly LimitedResource[];
}

/** Those that `DefaultOffAdmissionPlugins` leaves off. */
const OFF_BY_DEFAULT: ReadonlySet<AdmissionPluginName> = new Set([
  'NamespaceExists',
  'LimitPodHardAntiAffinityTopology',
  'AlwaysPullImages',
  'PodNodeSelector',
  'PodTolerationRestriction',
  'ExtendedResourceToleration',
  'AlwaysDeny',
]);

/** An API server without an admission configuration. */
export const STOCK_ADMISSION: AdmissionConfiguration = {
  plugins: ADMISSION_PLUGINS.filter((plugin) => !OFF_BY_DEFAULT.has(plugin)),
  otherPlugins: OTHER_PLUGINS.filter(({ enabledByDefault }) => enabledByDefault).map(({ name }) => name),
};
