import type { toleration as tolerationObject } from '../../contract/pods/pod.js';
import type { Response } from '../../contract/schema.js';
import { describeToleration } from '../../core/findings/toleration-text.js';
import type { Toleration } from '../../core/kubernetes/objects/taints.js';

export type TolerationResponse = Response<typeof tolerationObject>;

export function tolerationResponse(toleration: Toleration): TolerationResponse {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds = null } = toleration;
  return { key, operator, value, effect, tolerationSeconds, text: describeToleration(toleration) };
}
