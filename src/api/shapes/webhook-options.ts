import { WEBHOOK_OPTIONS } from '../../contract/admission/webhook-options.js';
import type { ConfigureWebhooksRequest } from '../../app/webhooks/configure-webhooks.js';

export { WEBHOOK_OPTIONS };

export interface GivenWebhookOptions {
  readonly url?: string;
  readonly service?: string;
  readonly failurePolicy?: string;
  readonly timeoutSeconds?: number;
}

export function configureWebhooksRequest(cluster: string, given: GivenWebhookOptions): ConfigureWebhooksRequest {
  const { url, service, failurePolicy, timeoutSeconds = 5 } = given;
  return { cluster, url, service, failurePolicy: failurePolicy === 'Fail' ? 'Fail' : 'Ignore', timeoutSeconds };
}
