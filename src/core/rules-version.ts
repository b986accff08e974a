/** The version of Kubernetes whose rules the answers follow; stated in every answer. */
export const RULES_VERSION = 'v1.36.2';
