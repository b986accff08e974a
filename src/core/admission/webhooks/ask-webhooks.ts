import { AdmissionRefusal } from '../../kubernetes/admission-refusal.js';
import { quoteGo } from '../../kubernetes/go-text.js';
import { matchWebhook, webhookText, type AskedOfWebhooks, type WebhookConfiguration } from './match-webhook.js';

/** Where the API server calls mutating webhooks, and where validating ones; each plugin may be off. */
export const WEBHOOK_PLUGIN = {
  mutating: 'MutatingAdmissionWebhook',
  validating: 'ValidatingAdmissionWebhook',
} as const;

export type WebhookType = keyof typeof WEBHOOK_PLUGIN;

/** A webhook of the cluster that the API server calls for a pod, and that nobody calls here. */
export interface CalledWebhook {
  readonly type: WebhookType;
  readonly configuration: string;
  readonly name: string;
  /** What follows where it does not answer: `Fail` or `Ignore`. */
  readonly failurePolicy: string;
  /** False where it is not known whether it is called. */
  readonly certain: boolean;
  /** Whether it is declared that it neither refuses pods nor changes what placement reads. */
  readonly assumedHarmless: boolean;
  /** What that does to the answer. */
  readonly why: string;
}

/** The webhooks of a cluster, each list in the order of its configurations' names. */
export interface ClusterWebhooks extends Readonly<Record<WebhookType, readonly WebhookConfiguration[]>> {
  /** Those that are declared harmless: names of configurations, or `CONFIGURATION/WEBHOOK`. */
  readonly harmless?: readonly string[];
}

const EFFECT = { mutating: 'change or refuse', validating: 'refuse' } as const;

/**
 * The webhooks that are called for a request. A webhook can refuse a request whatever its failure policy, which only says what follows
 * if it does not answer.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/webhook/mutating/dispatcher.go and validating/dispatcher.go.
 *
 * @param what what the request is about
 * @throws {AdmissionRefusal} a match condition results in an error
 */
export function askWebhooks(
  webhooks: ClusterWebhooks,
  type: WebhookType,
  asked: AskedOfWebhooks,
  what = 'the pod',
): readonly CalledWebhook[] {
  return webhooks[type].flatMap((configuration) =>
    (configuration.webhooks ?? []).flatMap((webhook): readonly CalledWebhook[] => {
      const match = matchWebhook(webhook, asked);
      if (match.outcome === 'skipped') return [];
      if (match.outcome === 'refused') throw refusedBy(type, match.error, asked);
      const { name, failurePolicy = 'Fail' } = webhook;
      const text = webhookText(configuration, webhook);
      const why =
        match.outcome === 'called'
          ? `${text} is called and may ${EFFECT[type]} ${what}`
          : `${text} may be called and ${EFFECT[type]} ${what}: ${match.why}`;
      const certain = match.outcome === 'called';
      const { name: of } = configuration.metadata;
      const assumedHarmless = isHarmless(webhooks, of, name);
      return [{ type, configuration: of, name, failurePolicy, certain, assumedHarmless, why }];
    }),
  );
}

const isHarmless = ({ harmless = [] }: ClusterWebhooks, configuration: string, name: string): boolean =>
  harmless.includes(configuration) || harmless.includes(`${configuration}/${name}`);

/** The declared harmless webhooks that a cluster has, as they were declared. */
export const harmlessWebhooksOf = ({ harmless = [], mutating, validating }: ClusterWebhooks): readonly string[] =>
  harmless.filter((declared) =>
    [...mutating, ...validating].some(({ metadata, webhooks = [] }) =>
      webhooks.some(({ name }) => declared === metadata.name || declared === `${metadata.name}/${name}`),
    ),
  );

/** `errors.NewForbidden`, k8s.io/apimachinery v0.36.2, pkg/api/errors/errors.go. */
function refusedBy(type: WebhookType, error: string, { outline }: AskedOfWebhooks): AdmissionRefusal {
  const { resource, name = '' } = outline;
  const kind = resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
  const subject = name === '' ? kind : `${kind} ${quoteGo(name)}`;
  return new AdmissionRefusal(WEBHOOK_PLUGIN[type], 403, error, `${subject} is forbidden: ${error}`);
}
