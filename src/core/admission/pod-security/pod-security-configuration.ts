import { NO_POLICY, type PodSecurityPolicy } from './namespace-policy.js';

/**
 * `PodSecurityConfiguration`, as the API server has it after defaulting.
 *
 * Source: k8s.io/pod-security-admission v0.36.2, admission/api/types.go.
 */
export interface PodSecurityConfiguration {
  /** For modes that a namespace has no label for. */
  readonly defaults: PodSecurityPolicy;
  /** Who and what is not judged. */
  readonly exemptions: {
    readonly usernames: readonly string[];
    readonly namespaces: readonly string[];
    readonly runtimeClasses: readonly string[];
  };
}

/** Of an API server that was given none. */
export const STOCK_POD_SECURITY: PodSecurityConfiguration = {
  defaults: NO_POLICY,
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
};
