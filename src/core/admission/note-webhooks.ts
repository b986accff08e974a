import type { Pod } from '../kubernetes/objects/pod.js';
import type { WebhookRound } from './admission-plugins.js';
import { podAsAsked, type AskedAboutPod } from './asked-pod.js';
import { namespaceLabels } from './policies/namespace-object.js';
import { policyRequestOf } from './policies/pod-request.js';
import type { UndecidedPlugin } from './undecided-plugins.js';
import { askWebhooks, WEBHOOK_PLUGIN, type CalledWebhook, type WebhookType } from './webhooks/ask-webhooks.js';
import type { AskedOfWebhooks } from './webhooks/match-webhook.js';

/** The webhooks that are called for a pod on its way into storage. */
export class WebhookNotes {
  private readonly noted = new Map<string, CalledWebhook>();

  /** In the order in which they are called. */
  get called(): readonly CalledWebhook[] {
    return [...this.noted.values()];
  }

  /** Those that are declared harmless leave nothing open. */
  get undecided(): readonly UndecidedPlugin[] {
    const asked = this.called.filter(({ assumedHarmless }) => !assumedHarmless);
    return asked.map(({ type, why }) => ({ plugin: WEBHOOK_PLUGIN[type], missingKind: null, why }));
  }

  /**
   * A webhook that was not called before a pod was changed again is not called after that. Those that are called or not for what the
   * pools add are not certain, because the order of their names decides whether they see it.
   *
   * @throws {AdmissionRefusal}
   */
  ask(type: WebhookType, pod: Pod, round: WebhookRound, asked: AskedAboutPod): void {
    const { webhooks } = asked.context.surroundings;
    if (webhooks === undefined || webhooks[type].length === 0) return;
    const called = askWebhooks(webhooks, type, askedOf(type, pod, asked));
    if (round === 'again') return;
    const keyOf = ({ configuration, name }: CalledWebhook): string => `${type} ${configuration} ${name}`;
    const now = new Map(called.map((one) => [keyOf(one), one]));
    if (round === 'pooled') {
      for (const [key, one] of this.noted) if (!now.has(key)) this.noted.set(key, { ...one, certain: false });
    }
    for (const [key, one] of now) {
      if (!this.noted.has(key)) this.noted.set(key, round === 'pooled' ? { ...one, certain: false } : one);
    }
  }
}

function askedOf(type: WebhookType, pod: Pod, asked: AskedAboutPod): AskedOfWebhooks {
  const { namespace, work, notLoaded = [] } = asked.context.surroundings;
  const subject = podAsAsked(pod, asked, type);
  const isKnown = namespace !== undefined && !notLoaded.includes('Namespace');
  return {
    outline: policyRequestOf(subject),
    namespaceLabels: isKnown ? namespaceLabels(namespace) : undefined,
    work,
    whole: () => {
      const whole = subject.whole();
      return 'unknown' in whole ? whole : policyRequestOf({ ...subject, ...whole });
    },
  };
}
