/** The webhook through which an API server requests the pools' additions to a pod. */
export const ADDING_WEBHOOK = 'add-to-pods.kube-placement.dev';

/** The webhook that refuses intruders; the API server includes its name in the error. */
export const REFUSING_WEBHOOK = 'refuse-intruders.kube-placement.dev';

/** The HTTP status of a refusal. */
export const REFUSED = 403;
