/** By this name an API server asks what the pools add to a pod. */
export const ADDING_WEBHOOK = 'add-to-pods.kube-placement.dev';

/** By this name it asks whether they refuse one, and says so to whoever made the pod. */
export const REFUSING_WEBHOOK = 'refuse-intruders.kube-placement.dev';

/** The HTTP status of a refusal. */
export const REFUSED = 403;
